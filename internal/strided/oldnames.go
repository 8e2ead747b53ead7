package strided

// The names below are old ones, still used by internal/nd.

func Calm(dst, src Piece) func() { return SuppressReadaheadIfLarge(dst, src) }

func (p Piece) Calm() func() { return SuppressReadahead(p) }

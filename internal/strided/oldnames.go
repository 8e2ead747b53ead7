package strided

// The names below are old ones, still used by internal/nd.

func Calm(dst, src Piece) func() { return SuppressReadaheadIfLarge(dst, src) }

func (p Piece) Calm() func() { return SuppressReadahead(p) }

func (p Piece) Want() { p.Prefetch(WhereScattered) }

func (p Piece) WantFew() { p.Prefetch(WhereCold) }

func (p Piece) WantPart() { p.Prefetch(WhereShort) }

func (p Piece) WantAll() { p.Prefetch(Everywhere) }

func (p Piece) WantEach(stride int, at []int) { p.PrefetchEach(stride, at) }

func (p Piece) Leave(stored bool) { p.Release(stored) }

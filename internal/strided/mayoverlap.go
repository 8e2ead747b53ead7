package strided

// MayOverlap reports whether an element of p may share bytes with one of q. False is always
// right; true is a guess on the safe side where strides interlock in an unusual way.
func MayOverlap(p, q Piece) bool { return overlap(p, q) }

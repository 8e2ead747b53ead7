package index

// Overlaps reports whether elements of a and b share bytes.
func Overlaps(a Layout, aStart int, b Layout, bStart int, itemA, itemB int) bool {
	return true
}

package kernel

// Reversed says on which sides of a conversion the bytes of numbers, or of the parts of complex
// ones, are in the other order.
type Reversed uint8

const (
	ReversedSource Reversed = 1 << iota
	ReversedDestination
)

// ConvertItems converts m × n numbers of type from, at any strides, to type to, as [Convert]
// does, and returns how many rows that was: all of them, or up to one with a float that the
// integer has no room for, NaN included, or a uint64 of 1<<63 or more for a float. Of the
// rows from there on it may have written numbers. [HasItems] must be true. The numbers need
// not be aligned; the two sides must not overlap.
func ConvertItems(m, n int, dst Side, to Num, src Side, from Num, reversed Reversed) (rows int) {
	if m <= 0 || n <= 0 {
		return m
	}
	return convertItemsVector(m, n, dst, to, src, from, reversed)
}

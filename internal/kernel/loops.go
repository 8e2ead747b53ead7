package kernel

//go:generate go -C _gen run .

// loops is the table of all loops that may be written in assembly. A loop is nil where the processor does not have it;
// then plain Go, which defines the results, does the work. The functions that call a loop are portable: they divide
// long runs, handle overlaps, and finish what the loop leaves.
//
// To add a loop for processor GOARCH, write TEXT ·NAME(SB) in a file *_GOARCH.s. NAME is that of the field and what
// it is for: a type, as leastI8; two types, from which to which, as convertI8F32; or a size in bytes, as items4. An
// integer without a sign, as total64, is for both. Then go generate writes stubs_GOARCH.go, which has the
// declarations and fills the table, and TestKernels runs the loop. If there is no loops_GOARCH.go yet, write it: it
// says in hasLoops whether the processor has the instructions, and has what tables the assembly needs.
//
// There is one convention. A loop does the first of its items, as many as it can, and returns how many: it may leave
// some, or all. It reads no byte before the first or after the last item, and writes none but those of the items
// that it did. How many these are depends on numbers in its arguments, not on addresses or what is in memory, unless it
// looks for something; of n items of a run it is at least n - n%32. There is at least one item and one row, and no more
// than 256 KiB of them. Strides are in bytes. Items need not be aligned, but sums and numbers in native order are. If
// there is a swap and it is not 0, the bytes of numbers in the source are reversed: it is the size of the numbers, or
// of each group of bytes in an item that is reversed. If nonTemporal is true, the first item is stored at the
// start of a line of the cache, and stores may go past the caches; fence orders them.
type loops struct {
	// Items to where they follow one another: from where they do so, in the opposite order, are the first of each two,
	// four or eight, of items of up to 16, 16, 8, 4 and 2 bytes.
	forward, backward, every2, every4, every8 runLoop

	// Blocks of items: as they are, with their bytes reversed, or those of either half; and where all are the first one.
	items, reversed, reversedPairs, fills bySize[blockLoop]

	// Blocks of rows of n bytes, of which the last vector of a row may overlap the one before. The two do not overlap.
	rows func(m, n int, dst, src Side, swap int) (done int)

	// Rows of n bytes, which repeat an item of up to 16 bytes.
	fillRows func(m, n int, dst Side, item Pointer, size int) (done int)

	// fillLong repeats the 8 bytes of x over n bytes. It may decline short runs.
	fillLong func(dst Pointer, n int, x uint64) (done int)

	// Eight rows of n items: item j of row i is i items and j*ss bytes after src.
	strip bySize[func(dst Pointer, ds int, src Pointer, ss, n, swap int) (done int)]

	// Numbers that follow one another in native order. The first index is the type from which, the second that to which.
	convert byTypes[func(dst, src Pointer, n int, nonTemporal bool) (done int)]

	// Rows of numbers at any strides, up to one with a float that the integer has no room for, NaN included, or a
	// uint64 of 1<<63 or more for a float. Of that and of rows after it numbers may have been written.
	itemwise byTypes[func(m, n int, dst, src Side, dswap, sswap int) (done int)]

	// The same, times factor plus offset, of which float32 become float32.
	scale byTypes[func(dst, src Pointer, n int, factor, offset float64) (done int)]

	fence func()

	// prefetch loads the cache lines of n bytes. It is a hint: addresses that are not mapped are ignored.
	prefetch func(p Pointer, n int)

	// The sums of m rows of n floats, a leaf or less, as sumPlain makes them: it stores those of rows. It prefetches
	// what is ahead bytes further on.
	sumRows byType[func(out Pointer, p Pointer, stride, m, n, swap, ahead int) (done int)]

	// The sum of integers, in 64 bits, is added to the int64 at sum.
	total byType[func(sum Pointer, p Pointer, n, swap int) (done int)]

	// The same of 64 bits, and the sum of their upper 16 bits is added to the int64 at top. There are no more than 1<<15.
	totalTop byType[func(sum, top, p Pointer, n int) (done int)]

	// The number of numbers that are not 0 is added to the int at count.
	nonzero byType[func(count Pointer, p Pointer, n int) (done int)]

	// The sum of int16 and that of their squares, after their bits were flipped as those of flip, are added to the int64
	// at sum and the uint64 at squares.
	squares byType[func(sum, squares, p Pointer, n int, flip uint64) (done int)]

	// Numbers are added to e, lane by lane, after their bits were flipped as those of flip.
	minMax byType[func(e *extremes, p Pointer, n, swap int, flip uint64) (done int)]

	// Numbers up to the first few of which one is greater than that of best, or less. Flip as minMax. It prefetches what
	// is ahead bytes further on.
	atMost, atLeast byType[func(best, p Pointer, n, swap int, flip uint64, ahead int) (done int)]

	// Columns of m rows of n numbers: x is no greater, or no less, than any, or their sum is added to it, which has 32
	// bits for integers of 8 and 16 bits, and else 64. If inOrder is true, a row is to be read
	// after the one before, and not a few columns of all.
	least, greatest, add byType[columnLoop]

	// Columns of 8 rows of n floats are added to hi and lo, as AddFloats does.
	addFloats byType[func(hi, lo, p Pointer, stride, n, swap int, ahead fetch) (done int)]

	// Columns of m rows, a multiple of 4, of n float64, as SumDeviations and SumSquaredDeviations.
	deviations, squaredDeviations deviationsLoop

	// The same for one row, as if it were rows of rowColumns.
	rowDeviations, squaredRowDeviations func(sum, lo *[rowColumns]float64, from float64, p Pointer, n, swap int) (done int)
}

type (
	runLoop        func(dst, src Pointer, ss, n, size, swap int, nonTemporal bool) (done int)
	blockLoop      func(m, n int, dst, src Side) (done int)
	columnLoop     func(x, p Pointer, stride, m, n, swap int, inOrder bool) (done int)
	deviationsLoop func(sum, lo, from, p Pointer, stride, m, n, swap int, ahead fetch) (done int)

	byType[L any]  [nums]L
	byTypes[L any] [nums][nums]L
	bySize[L any]  [17]L
)

// native has the loops of this processor. active has the loops that functions call: those of native, or none in some
// tests.
var native, active loops

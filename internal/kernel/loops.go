package kernel

//go:generate go -C _gen run .

// loops is the table of the loops that may be written in assembly. Conversions have a table of their own. A loop is nil
// if the processor has no such loop; plain Go, which defines the results, then does the work. The functions that call a
// loop are portable: they divide long runs, handle overlaps, and process the items that the loop leaves.
//
// To add a loop for processor GOARCH, write TEXT ·NAME(SB) in a file *_GOARCH.s. NAME is the name of the field and an
// index: a type, as in leastI8; a source and a destination type, as in convertI8F32; or a size in bytes, as in
// moveItems4. A number of bits without a letter, as in total64, denotes signed and unsigned integers. Then run go
// generate. It writes stubs_GOARCH.go, which declares the loops and the tables. TestKernels runs the new loop. A new
// processor also needs a file loops_GOARCH.go, which sets hasLoops if the processor has the instructions, and holds
// the tables that the assembly reads.
//
// All loops follow one convention:
//
//   - A loop processes a number of items, starting at the first, and returns that number. It may leave some or all
//     items unprocessed. Unless the loop searches, the number depends on the arguments alone, not on addresses or
//     memory, and is at least n - n%32 for a run of n items.
//   - It reads no byte before the first or after the last source item, and writes only to the items that it processes.
//   - There is at least one item and one row, and at most 256 KiB of them.
//   - Strides are in bytes. Items need not be aligned, except numbers in native order that are added up.
//   - If swap is not 0, the bytes of the source are in reversed order: in each number, or in each group of swap bytes
//     of an item.
//   - If nonTemporal is true, the first item is stored at the start of a cache line, and stores may bypass the caches.
//     fence orders them.
//
// Each comment gives the gain: "2 times" is the speed with AVX2 relative to plain Go, for 64 KiB in the second cache of
// an AMD EPYC (BenchmarkKernels). The message of a commit in parentheses has the measurement. NEON has not been timed:
// it executes 0.02 to 0.43 times as many instructions as plain Go (08e4c40).
type loops struct {
	// These five loops move items to consecutive places. moveForward moves consecutive items of up to 16 bytes, and
	// moveBackward moves consecutive items of up to 16 bytes in the opposite order. moveEvery2, moveEvery4 and
	// moveEvery8 move every second, fourth or eighth item, of up to 8, 4 and 2 bytes. Reversing float64: 1.9 times.
	// Every second float64: 2.1 times.
	moveForward, moveBackward, moveEvery2, moveEvery4, moveEvery8 runLoop

	// These four loops move blocks of items of a size. moveItems moves them unchanged, reverseItems reverses the bytes
	// of each, and reverseHalves reverses the bytes of each half. fillItems copies the first item to all places. With
	// one call for all rows, an item takes 0.18 to 0.35 ns, and moving every second uint8 takes half the time of a loop
	// in Go
	// (2d43217).
	moveItems, reverseItems, reverseHalves, fillItems bySize[blockLoop]

	// moveByteRows moves blocks of rows of n bytes, which do not overlap. The last vector of a row may overlap the
	// previous one. Rows of 12 bytes: 1.6 times.
	moveByteRows func(m, n int, dst, src Side, swap int) (done int)

	// fillRows fills rows of n bytes with an item of up to 16 bytes. 2,000 bytes take 16 ns instead of 54 (ff117ac).
	fillRows func(m, n int, dst Side, item Pointer, size int) (done int)

	// fillLong fills n bytes with the 8 bytes of x. It may decline short runs. It uses REP STOS, which does not read the
	// lines that it overwrites: rows of 9,000 bytes take 167 µs instead of 190 (d04d8f4).
	fillLong func(dst Pointer, n int, x uint64) (done int)

	// transposeStrip transposes eight rows of n items: item j of row i is at src + i*size + j*ss. 2.3 times for float64,
	// 3.9 for float32, 4.7 for int16.
	transposeStrip bySize[func(dst Pointer, ds int, src Pointer, ss, n, swap int) (done int)]

	// cleanBools replaces each nonzero byte by 1, and copies zeros.
	cleanBools func(dst, src Pointer, n int, nonTemporal bool) (done int)

	// fence orders the stores that bypass the caches before all later stores.
	fence func()

	// prefetch loads the cache lines of n bytes. It is a hint: addresses that are not mapped are ignored.
	prefetch func(p Pointer, n int)

	// sumRows stores the sum of each of m rows of n floats, up to sumLeaf of them, as sumPlain computes it. It prefetches
	// memory at a distance of ahead bytes. float64: 3.7 times; float32: 4.1 times.
	sumRows byType[func(out Pointer, p Pointer, stride, m, n, swap, ahead int) (done int)]

	// total adds the sum of the n integers to the int64 at sum. uint16: 8.0 times.
	total byType[func(sum Pointer, p Pointer, n, swap int) (done int)]

	// totalTop is like total, for up to 1<<15 integers of 64 bits. It also adds the sum of their upper 16 bits to the
	// int64 at top. With it the mean of int64s takes 1.19 times as long as their sum, instead of 2.7 times (cb3e69b).
	totalTop byType[func(sum, top, p Pointer, n int) (done int)]

	// nonzero adds the count of nonzero numbers to the int at count. float32: 6.7 times.
	nonzero byType[func(count Pointer, p Pointer, n int) (done int)]

	// squares XORs each int16 with flip. It adds the sum of the results to the int64 at sum, and the sum of their squares
	// to the uint64 at squares. 17 times.
	squares byType[func(sum, squares, p Pointer, n int, flip uint64) (done int)]

	// minMax XORs each number with flip and updates the extremes in e, lane by lane. 2.8 times for int64, 4.4 for
	// float64, 12 for uint8.
	minMax byType[func(e *extremes, p Pointer, n, swap int, flip uint64) (done int)]

	// These three loops reduce the columns of m rows of n numbers. least and greatest replace element j of x by the least
	// or greatest of itself and column j. add adds the sum of column j to element j of x, which has 32 bits for integers
	// of 8 and 16 bits, and 64 bits for larger ones. If inOrder is true, the loops read row after row; otherwise they
	// take a few columns of all rows at a time. Greatest of 100 columns of float64: 3.1 times; sums of 100 columns of
	// int16: 3.6 times.
	least, greatest, add byType[columnLoop]

	// addFloats implements AddFloats for 8 rows of n floats. 100 columns of float64: 2.9 times.
	addFloats byType[func(hi, lo, p Pointer, stride, n, swap int, ahead prefetchPlan) (done int)]

	// deviations and squaredDeviations implement AddDeviations and AddSquaredDeviations for m rows of n float64. m is a
	// multiple of 4. 100 columns: 2.5 and 3.3 times.
	deviations, squaredDeviations deviationsLoop

	// These two loops do the same for one row, as if it were a block with rowColumns columns. 3.6 times.
	rowDeviations, squaredRowDeviations func(sum, lo *[rowColumns]float64, from float64, p Pointer, n, swap int) (done int)
}

// conversionLoops is the table of the loops that convert numbers. The linker leaves the table out of programs that do
// not call the functions below, as long as nothing else refers to it, not even an init function.
type conversionLoops struct {
	// convert converts consecutive numbers in native order. The first index is the source type, the second the destination
	// type. 2.6 to 7.5 times between integers and floats, 6.3 to 6.7 times for float16, 6.3 to 28 times for the floats of
	// machine learning models.
	convert byTypes[func(dst, src Pointer, n int, nonTemporal bool) (done int)]

	// convertStrided converts rows of numbers at any strides, one by one. It stops before a row with a float that the
	// integer type cannot hold, NaN included, or with a uint64 of at least 1<<63 to convert to a float. Some numbers of
	// that row and later ones may have been written. It takes 0.2 to 0.45 ns per number, instead of 0.6 to 0.8 through a
	// buffer
	// (050360a).
	convertStrided byTypes[func(m, n int, dst, src Side, dswap, sswap int) (done int)]

	// scale converts consecutive numbers like convert, multiplies them by factor and adds offset, in the destination
	// type. float64: 1.9 times.
	scale byTypes[func(dst, src Pointer, n int, factor, offset float64) (done int)]
}

type (
	runLoop        func(dst, src Pointer, ss, n, size, swap int, nonTemporal bool) (done int)
	blockLoop      func(m, n int, dst, src Side) (done int)
	columnLoop     func(x, p Pointer, stride, m, n, swap int, inOrder bool) (done int)
	deviationsLoop func(sum, lo, from, p Pointer, stride, m, n, swap int, ahead prefetchPlan) (done int)

	byType[L any]  [nums]L
	byTypes[L any] [nums][nums]L
	bySize[L any]  [17]L
)

// active holds the loops in use: the loops of native if hasLoops is true, and none otherwise. Some tests change active.
// active.converts reports whether the loops of conversions are in use.
var active struct {
	loops
	converts bool
}

func init() {
	if hasLoops {
		active.loops, active.converts = native, true
	}
}

// masks[swap] is the byte shuffle that reverses groups of swap bytes.
//
//lint:ignore U1000 the assembly uses it
var masks = [17][16]byte{
	0:  {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
	2:  {1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14},
	4:  {3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12},
	8:  {7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8},
	16: {15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

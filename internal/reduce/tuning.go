package reduce

import "github.com/ndmap/ndmap/internal/kernel"

// The speed of this package depends on these constants. Many of them also determine the order in which numbers are
// added, and so the last digits of sums of floats.
const (
	// tileElements is the maximum number of elements in a tile: 64 KiB of the largest elements.
	tileElements = 4096

	// tileColumns is the maximum number of columns of a tile in the buffer that has only some of the columns. A row of a
	// tile in memory may have up to directBytes. The tile has at least tileRows rows, unless the source has fewer.
	tileColumns = 512
	tileRows    = 8

	// directBytes is the maximum size of a tile in memory that is larger than tileElements.
	directBytes = kernel.L1Bytes

	// contiguousTileBytes is the maximum size of a tile in memory without gaps. It is also the maximum size for Small.
	contiguousTileBytes = kernel.L2Bytes / 4

	// directRun is the minimum number of consecutive numbers that are reduced in memory.
	directRun = 16

	// minRowBytes is the minimum number of bytes of a row in memory if several rows belong to the same result.
	minRowBytes = 1 << 10

	// shortRow is the minimum length of a row that justifies a call.
	shortRow = 32

	// shortRowBytes is the maximum size in bytes of a row for which copiesRowsToColumns may return true.
	shortRowBytes = 320

	// positionColumns is the number of columns whose best numbers are found before their positions. positionBytes is the
	// number of bytes of a row in which a position is looked for.
	positionColumns = 256
	positionBytes   = kernel.L1Bytes / 2

	// minReversedBytes is the minimum number of bytes of a row for reversing the bytes of its numbers while reducing it.
	// The numbers of shorter rows are copied to the buffer in native byte order.
	minReversedBytes = 256

	// A group of moments has up to groupRows rows of groupColumns columns, or groupNumbers numbers of a row.
	groupRows    = 64
	groupColumns = 256
	groupNumbers = 512

	// maxStates is the maximum number of accumulators in use at the same time, if the first axes are kept. If they are
	// reduced, there is one accumulator for each result. In reduceSeparately, maxStates is the maximum number for each
	// goroutine.
	maxStates = 1 << 18

	// cachedStates is the maximum number of results of a part in reduceSeparately, so that their accumulators stay in the
	// cache. If there are more results at one index of the first axes, a part is one index.
	cachedStates = 1 << 15

	// fewStates is the maximum number of results for which goroutines divide the elements instead of the results: each
	// goroutine reduces its parts into full sets of accumulators. mergedStates is the maximum number of accumulators that
	// wait to be merged.
	fewStates    = 1 << 13
	mergedStates = 1 << 17

	// minSharedBytes is the minimum number of bytes for which starting goroutines is worth it.
	minSharedBytes = kernel.L2Bytes

	// slabBytes is the approximate size of a slab. Goroutines that divide the results among themselves finish a slab
	// before they start the next one. A slab has at least the rows of a tile, unless it is then larger than
	// maxSlabBytes. slabParts is the maximum number of parts into which its results are divided.
	slabBytes = 16 << 20
	slabParts = 16

	// walkBytes is the maximum number of bytes of pages that walk prefetches at a time.
	walkBytes = 16 << 20

	// waveBytes is the number of bytes between two reports of progress if there are no accumulators to merge. Goroutines
	// wait for each other before a report.
	waveBytes = 128 << 20

	// waveParts is the maximum number of parts between two reports of progress, or until accumulators are merged.
	waveParts = 32

	// rankedBytes is the maximum size of the rows that a goroutine gathers at a time for a Median or a Quantile, unless
	// one row is larger. rankedWave is the number of elements between two reports of progress.
	rankedBytes = kernel.L2Bytes / 4
	rankedWave  = 4 << 20

	// sortedNumbers is the maximum number of elements of a result for sortColumns, or twice the maximum for elements of 8
	// bytes. sortedColumns is the minimum number of results. sortColumns exchanges rows of up to sortedBytes.
	sortedNumbers = 64
	sortedColumns = 16
	sortedBytes   = 4 << 10

	// minCut is the minimum number of consecutive results in a part of a slab.
	minCut = 64
)

// maxSlabBytes is the maximum size of a slab with several rows. Tests lower it.
var maxSlabBytes = 64 << 20

package reduce

import "github.com/ndmap/ndmap/internal/kernel"

// The speed of this package depends on these constants. Many of them also determine the order in which numbers are
// added, and so the last digits of sums of floats.
const (
	// tileElements is the maximum number of elements in a tile: 64 KiB of the largest elements.
	tileElements = 4096

	// tileColumns is the maximum number of columns of a tile in the buffer that has only some of the columns. The rows of
	// a tile in memory may have directBytes, and there are at least tileRows rows, unless there are fewer in all.
	tileColumns = 512
	tileRows    = 8

	// directBytes is the maximum size of a tile in memory that is larger than tileElements.
	directBytes = kernel.L1Bytes

	// contiguousTileBytes is the maximum size of a tile in memory without gaps. It is also the maximum size for Small.
	contiguousTileBytes = kernel.L2Bytes / 4

	// directRun is the minimum number of consecutive numbers that are reduced in memory.
	directRun = 16

	// leastRow is the minimum number of bytes of a row in memory if several rows belong to the same result.
	leastRow = 1 << 10

	// shortRow is the minimum length of a row that is worth a call.
	shortRow = 32

	// shortRowBytes is the maximum number of bytes of a row for isTurned.
	shortRowBytes = 320

	// leastReversed is the minimum number of bytes of a row whose bytes are reversed while it is reduced, and not before.
	leastReversed = 256

	// moments add groupRows rows of groupColumns columns, or groupNumbers numbers of a row, before they merge them.
	groupRows    = 64
	groupColumns = 256
	groupNumbers = 512

	// mostStates is the maximum number of accumulators in use at the same time, if the first axes are kept. Otherwise
	// there is one for each result. In separately, it is the maximum number for each goroutine.
	mostStates = 1 << 18

	// cachedStates is the maximum number of results of a part in separately, so that their accumulators stay in the
	// cache. If one index along the first axes has more results, a part is one index.
	cachedStates = 1 << 15

	// fewStates is the maximum number of results for which goroutines do not divide the results, but the elements: each
	// goroutine reduces whole rows into a full set of accumulators. mergedStates is the maximum number of accumulators
	// until they are merged.
	fewStates    = 1 << 13
	mergedStates = 1 << 17

	// leastSharedReduction is the minimum number of bytes for which starting goroutines is worth it.
	leastSharedReduction = kernel.L2Bytes

	// slabBytes is the approximate size of a slab. Goroutines that divide the results among themselves finish a slab
	// before they start the next one. A slab has at least the rows of a tile, unless it is then larger than
	// mostSlabBytes. slabParts is the maximum number of parts into which its results are divided.
	slabBytes     = 16 << 20
	mostSlabBytes = 64 << 20
	slabParts     = 16

	// walkBytes is the maximum number of bytes of pages that walk prefetches at a time.
	walkBytes = 16 << 20

	// waveBytes is the number of bytes between two reports of progress, for which goroutines wait for each other, if there
	// are no accumulators to merge.
	waveBytes = 128 << 20

	// waveParts is the maximum number of parts between two reports of progress, or until accumulators are merged.
	waveParts = 32

	// rankedBytes is the maximum size of the rows that a goroutine gathers at a time for a Median or a Quantile, unless
	// one row is larger. rankedWave is the number of elements between two reports of progress.
	rankedBytes = kernel.L2Bytes / 4
	rankedWave  = 4 << 20

	// sortedNumbers is the maximum number of elements of a result for sortColumns. For elements of 8 bytes, it is half of
	// that. sortedColumns is the minimum number of results. sortColumns exchanges rows of at most sortedBytes.
	sortedNumbers = 64
	sortedColumns = 16
	sortedBytes   = 4 << 10

	// leastCut is the minimum number of consecutive results in a part of a slab.
	leastCut = 64
)

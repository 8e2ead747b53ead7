package reduce

import "github.com/ndmap/ndmap/internal/kernel"

// What the speed of this package depends on, and which numbers are added up first, so that the last digits of sums
// of floats do.
const (
	// tileElements is how many elements a tile has at most: 64 KiB of the largest.
	tileElements = 4096

	// tileColumns is the number of columns of a tile that does not have all of the columns. The rows of a tile in memory
	// may have up to directBytes; it has at least tileRows rows.
	tileColumns = 512
	tileRows    = 8

	// directBytes is how many bytes a tile in memory may have, if that is more elements.
	directBytes = kernel.L1Bytes

	// contiguousTileBytes is the maximum size of a contiguous tile in memory: nothing is read between two tiles. Small
	// reduces one tile.
	contiguousTileBytes = kernel.L2Bytes / 4

	// directRun is how many numbers must follow one another to be reduced where they are.
	directRun = 16

	// leastRow is how many bytes a row has at least to be reduced alone where it and others become one number.
	leastRow = 1 << 10

	// shortRow is how many numbers a row has at least for a row to be worth a call.
	shortRow = 32

	// shortRowBytes is how many bytes a row has at most for isTurned.
	shortRowBytes = 320

	// leastReversed is how many bytes a row has at least for its numbers to be put into native order as
	// they are reduced, and not before.
	leastReversed = 256

	// groupRows is how many rows are summed up before they are merged, and groupColumns how many
	// columns at a time. If rows are reduced, groupNumbers of a row are summed up before they are merged.
	groupRows    = 64
	groupColumns = 256
	groupNumbers = 512

	// mostStates is how many results are under way at most, if their elements lie together:
	// the others have to wait. Where they do not, it is as many as there are results. In separately, it is how many
	// each goroutine has at most.
	mostStates = 1 << 18

	// cachedStates is how many results a goroutine has in separately, so that they stay in the cache. If one index along
	// the first axes has more results, it has those of that index.
	cachedStates = 1 << 15

	// fewStates is for how many results it is not worth while to divide them among goroutines: each has all of them, of
	// a part of the elements, whose rows are then read as a whole. mergedStates is how many there are at most until
	// they are merged.
	fewStates    = 1 << 13
	mergedStates = 1 << 17

	// leastSharedReduction is the minimum number of bytes for which starting goroutines is worth it.
	leastSharedReduction = kernel.L2Bytes

	// slabBytes is about how large a slab is: the elements that goroutines, which divide the results among them,
	// add before those of the next slab. slabParts is into how many parts its results are divided.
	// It has at least the rows of a tile, unless it is then larger than mostSlabBytes.
	slabBytes     = 16 << 20
	mostSlabBytes = 64 << 20
	slabParts     = 16

	// walkBytes is how many bytes of pages walk has read at a time.
	walkBytes = 16 << 20

	// waveBytes is how many bytes there are from one report of progress to the next, when goroutines wait for one
	// another, where there are no states to merge.
	waveBytes = 128 << 20

	// waveParts is how many parts there are from one report of progress to the next, or until
	// their results are merged.
	waveParts = 32

	// rankedBytes is how many bytes of rows a goroutine gathers at a time, if one row is not longer, to find numbers of
	// certain ranks; rankedWave is how many elements there are then from one report of progress to the next.
	rankedBytes = kernel.L2Bytes / 4
	rankedWave  = 4 << 20

	// sortedNumbers is up to how many numbers of a result, half as many of 8 bytes, are sorted by exchanges, where there
	// are sortedColumns results or more; these have rows of up to sortedBytes at a time.
	sortedNumbers = 64
	sortedColumns = 16
	sortedBytes   = 4 << 10

	// leastCut is how many results that lie together one goroutine has at least.
	leastCut = 64
)

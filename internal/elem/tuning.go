package elem

import "github.com/ndmap/ndmap/internal/kernel"

// What the speed of this package depends on. Nothing that it computes does.
const (
	// manyRows is how many rows a block must have to make use of the lines of the cache
	// that its columns lie in.
	manyRows = 8

	// mostRows is how many rows a block has at most if what is along other axes lies in the
	// same lines of the cache: then these are still there.
	mostRows = 128

	// fewRows is mostRows where the rows are farBytes apart: their lines are in few sets of
	// the first cache. At twice that distance there are half as many.
	fewRows  = 32
	farBytes = kernel.PageBytes / 4

	// pagedRows takes the place of mostRows where rows are halfPage apart or more: then most are on pages of
	// their own, and the TLB has room for few.
	pagedRows = 64
	halfPage  = kernel.PageBytes / 2

	// nonTemporalRow is how many bytes of a row are stored past the caches at least: of fewer, the
	// lines at the ends, which are stored in parts, cost more than that gains.
	nonTemporalRow = kernel.PageBytes / 2

	// largeBlock is how many elements a block must have for a call to cost nothing
	// beside them.
	largeBlock = 256

	// smallBlock takes the place of largeBlock if the destination spans more than nearBytes and rows
	// would be farBytes apart: there, leaving the order of memory costs more than calls for small blocks.
	smallBlock = 64
	nearBytes  = kernel.L2Bytes

	// smallRank is up to how many axes are kept without allocating.
	smallRank = 8

	// bufferLen is how many numbers are converted at a time: what is gathered, the
	// result, and a step between fit the first cache.
	bufferLen = 1024

	// leastKernelRow is the minimum number of numbers in a row for one kernel call per row to be as fast as
	// gathering several rows.
	leastKernelRow = 64

	// largestItem is how many bytes the items have at most that kernels move as one.
	largestItem = 16

	// leastVectorRun is the minimum number of consecutive numbers for which vectors are faster than converting one
	// number after the other.
	leastVectorRun = 8

	// transposeColumns is the maximum number of elements of a tile along the axis along which the source lies, if
	// that is not the innermost axis and the tile could have more elements along others: half a cache line of bytes,
	// and a run of anything else. It is a multiple of transposeRows, the number of rows that kernels transpose at a
	// time.
	transposeColumns = 32
	transposeRows    = 8

	// recordBytes is how much of a row of structures is moved field by field before
	// moveFields goes on: the bytes that the next field reads are still in the first
	// cache, half of which is left to the destination.
	recordBytes = kernel.L1Bytes / 2
)

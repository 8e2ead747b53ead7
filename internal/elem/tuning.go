package elem

import "github.com/ndmap/ndmap/internal/kernel"

// The constants below tune the speed of this package, and do not change its results.
const (
	// manyRows is the minimum number of rows in a block that uses several elements of each cache line along a column.
	manyRows = 8

	// maxRows is the maximum number of rows in a block whose cache lines are read again along other axes, so that the
	// lines are still in the cache then.
	maxRows = 128

	// fewRows replaces maxRows if the rows are farBytes apart, because their lines are in few sets of the first cache. At
	// twice that distance, blocks have half as many rows.
	fewRows  = 32
	farBytes = kernel.PageBytes / 4

	// pagedRows replaces maxRows if the rows are halfPage or more apart. Most rows are on different pages in this case,
	// and the TLB has room for few pages.
	pagedRows = 64
	halfPage  = kernel.PageBytes / 2

	// nonTemporalRow is the minimum number of bytes in a row that is stored past the caches. For shorter rows, storing
	// parts of cache lines at the ends costs more than bypassing the caches gains.
	nonTemporalRow = kernel.PageBytes / 2

	// largeBlock is the number of elements in a block above which the cost of the call for the block is negligible.
	largeBlock = 256

	// smallBlock replaces largeBlock if the destination spans more than nearSpanBytes and rows would be farBytes apart. In
	// this case, leaving memory order costs more than calls for small blocks.
	smallBlock    = 64
	nearSpanBytes = kernel.L2Bytes

	// smallRank is the maximum number of axes that need no allocation.
	smallRank = 8

	// bufferLen is the number of numbers that are converted at a time. All buffers of a conversion fit in the first cache.
	bufferLen = 1024

	// minKernelRow is the minimum number of numbers in a row for which one kernel call per row is as fast as gathering
	// several rows.
	minKernelRow = 64

	// largestItem is the number of bytes in the largest item that kernels move as one.
	largestItem = 16

	// minVectorRun is the minimum length of a run of numbers that vectors convert faster than a loop over numbers does.
	minVectorRun = 8

	// transposeColumns is the maximum length of a tile along the fastest axis of the source, if this is not the innermost
	// axis and the tile could be longer along other axes. For elements of one byte, it is half a cache line. It is a
	// multiple of transposeRows, the number of rows that kernels transpose at a time.
	transposeColumns = 32
	transposeRows    = 8

	// recordBytes is the number of bytes of structures that moveFields moves field by field at a time. They stay in the
	// first cache while the fields are moved; half of that cache is left to the destination.
	recordBytes = kernel.L1Bytes / 2
)

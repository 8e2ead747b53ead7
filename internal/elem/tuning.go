package elem

import "github.com/ndmap/ndmap/internal/kernel"

// The constants below tune the speed of this package, and do not change its results.
const (
	// manyRows is the minimum number of rows in a block for it to use several elements of each cache line along a column.
	manyRows = 8

	// mostRows is the maximum number of rows in a block whose cache lines are read again along other axes: the lines must
	// still be in the cache then.
	mostRows = 128

	// fewRows takes the place of mostRows if the rows are farBytes apart: their lines are in few sets of the first cache.
	// At twice that distance there are half as many rows.
	fewRows  = 32
	farBytes = kernel.PageBytes / 4

	// pagedRows takes the place of mostRows if the rows are halfPage or more apart: most rows are on different pages then,
	// and the TLB has room for few pages.
	pagedRows = 64
	halfPage  = kernel.PageBytes / 2

	// nonTemporalRow is the minimum number of bytes in a row that is stored past the caches. For shorter rows, storing
	// parts of the lines at the ends costs more than that gains.
	nonTemporalRow = kernel.PageBytes / 2

	// largeBlock is the minimum number of elements in a block for the cost of its call not to matter.
	largeBlock = 256

	// smallBlock takes the place of largeBlock if the destination spans more than nearSpanBytes and rows would be farBytes
	// apart: there, leaving the order of memory costs more than calls for small blocks.
	smallBlock    = 64
	nearSpanBytes = kernel.L2Bytes

	// smallRank is the maximum number of axes that need no allocation.
	smallRank = 8

	// bufferLen is the number of numbers that are converted at a time: the buffers before, during and after a conversion
	// fit the first cache.
	bufferLen = 1024

	// leastKernelRow is the minimum number of numbers in a row for one kernel call per row to be as fast as
	// gathering several rows.
	leastKernelRow = 64

	// largestItem is the number of bytes in the largest item that kernels move as one.
	largestItem = 16

	// leastVectorRun is the minimum number of consecutive numbers for which vectors are faster than converting number by
	// number.
	leastVectorRun = 8

	// transposeColumns is the maximum number of elements of a tile along the axis along which the source lies, if
	// that is not the innermost axis and the tile could have more elements along others: half a cache line of bytes,
	// and a run of anything else. It is a multiple of transposeRows, the number of rows that kernels transpose at a
	// time.
	transposeColumns = 32
	transposeRows    = 8

	// recordBytes is the number of bytes of structures that moveFields moves field by field at a time. The bytes of the
	// next field are still in the first cache then; half of that cache is left to the destination.
	recordBytes = kernel.L1Bytes / 2
)

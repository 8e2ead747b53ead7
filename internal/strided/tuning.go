package strided

import "github.com/ndmap/ndmap/internal/kernel"

// The constants below tune the speed of this package. They do not change its results.
const (
	// PartBytes is the number of bytes of a large array that one goroutine works on at a time: enough that handing out a
	// part costs nothing, and few enough that all goroutines end at about the same time.
	PartBytes = 4 << 20

	// minSharedCopyBytes is the minimum number of bytes of a copy that goroutines share: a second goroutine then gains
	// more than its start costs. minSharedFillBytes is the same for a fill. copyPartBytes is the minimum number of bytes
	// of a part of a copy or fill.
	minSharedCopyBytes = 2 * kernel.L2Bytes
	minSharedFillBytes = 6 * kernel.L2Bytes
	copyPartBytes      = kernel.L2Bytes

	// partsPerGoroutine is the maximum number of parts of a large copy for each goroutine. Several parts balance the
	// load: a goroutine that starts late, or whose memory is slow, does fewer of them.
	partsPerGoroutine = 8

	// minCutLength is the preferred minimum length of a part along the axis that is cut. transposedItems is the number of
	// items that kernels transpose at a time; the length of a part is a multiple of it.
	minCutLength    = 64
	transposedItems = 8

	// BlockBytes is the maximum size of a block that is the memory of the array itself.
	BlockBytes = 2 * kernel.L1Bytes

	// BufferBytes is the size of the buffer of a block that is decoded. The block is still in the first cache when the
	// caller reads it, and the hardware prefetcher keeps running across blocks of this size.
	BufferBytes = kernel.L1Bytes / 4

	// minInPlaceBytes is the minimum number of bytes of a run of Go values for the run to be a block itself. Shorter runs
	// are gathered, because the overhead of the caller's loop would exceed its work.
	minInPlaceBytes = 512

	// minLoopRun is the minimum length of a run of Go values for a loop over values to read them in place. Shorter runs
	// are gathered, as many as the loop's buffer holds.
	minLoopRun = 16

	// readaheadBytes is the number of bytes to prefetch beyond the current part, but at least one part is prefetched. It
	// is enough for a disk that answers late, and bounds the memory of a pass.
	readaheadBytes = 8 * PartBytes

	// The pages of a tile have from minTileBytes to maxTileBytes on either side, or the available memory divided by
	// tilesInMemory. Pages near the border of a tile are read twice, and each run of a tile is a request of about 60 µs,
	// so small tiles take longer. But the pages of the next tile, and pages still being written, need memory as well.
	minTileBytes  = 2 << 20
	maxTileBytes  = 64 << 20
	tilesInMemory = 8

	// blockBytes is the maximum number of bytes of a block that is written by a system call: enough that goroutines
	// seldom wait for each other, because the system lets one of them write at a time, and few enough that a buffer stays
	// in the cache. If the source lies in another order, turnedBytes is the minimum number of bytes of a run of the
	// source: the loads of a block then use whole cache lines.
	blockBytes  = 1 << 20
	turnedBytes = kernel.LineBytes

	// minWrittenBytes is the minimum length of the runs that a copy writes to a new file by system calls.
	minWrittenBytes = pageBytes

	// exchangeTileBytes is the maximum size of tiles that change places in memory. Two tiles and a buffer fit in a cache.
	exchangeTileBytes = kernel.L2Bytes

	// minAcrossBytes is the size below which a piece needs no special treatment for a walk across the order of its
	// memory: a page fault reads about that much at once.
	minAcrossBytes = 1 << 20

	// A slab, the copy of a part for a walk across the order of a file, has up to maxSlabBytes, or the available memory
	// divided by slabsInMemory, but at least minTileBytes.
	maxSlabBytes  = 128 << 20
	slabsInMemory = 4

	// adviseBytes is the maximum number of bytes that read asks the system for at a time. Stop, and closing a file, wait
	// for that request.
	adviseBytes = 1 << 20

	// pageBytes is the smallest size of a page of memory. The system reads whole pages.
	pageBytes = kernel.PageBytes

	// smallRank is the maximum number of axes that are kept without allocating.
	smallRank = 8
)

package strided

import "github.com/ndmap/ndmap/internal/kernel"

// What the speed of this package depends on. Nothing that it computes does.
const (
	// PartBytes is how much of a large array is worked on at a time by one goroutine:
	// enough for handing it out to cost nothing, and few enough for several to end
	// at about the same time.
	PartBytes = 4 << 20

	// leastSharedCopy is the minimum number of bytes of a copy for which a second goroutine gains more than its
	// start costs, and leastSharedFill the same for a fill. copyPartBytes is the number of bytes that one goroutine
	// copies at a time.
	leastSharedCopy = 2 * kernel.L2Bytes
	leastSharedFill = 6 * kernel.L2Bytes
	copyPartBytes   = kernel.L2Bytes

	// partsEach is how many parts a goroutine has of a large copy: one that begins late,
	// or whose memory is slow, then does fewer of them.
	partsEach = 8

	// cutItems is how long a part should be along the axis that is cut, and tileItems
	// what its length is a multiple of: kernels transpose so many items at a time.
	cutItems  = 64
	tileItems = 8

	// BlockBytes is the size of a block that is the memory of the array itself.
	BlockBytes = 2 * kernel.L1Bytes

	// BufferBytes is the size of a block that is decoded. It is still in the
	// processor's first cache when the caller reads it, and the hardware prefetcher
	// keeps running across blocks of this size.
	BufferBytes = kernel.L1Bytes / 4

	// spanBytes is how long a run of direct elements must be to be a block itself.
	// Shorter ones are gathered, since the caller's loop would be all overhead.
	spanBytes = 512

	// leastLoopRun is the minimum number of consecutive elements that can be used in place for a loop over values to
	// go along them. Shorter runs are gathered, as many as the loop's buffer holds.
	leastLoopRun = 16

	// readaheadBytes is the number of bytes that are read ahead of the part that is worked on, in at least one part:
	// enough for a disk that answers late, and little enough to bound the memory of a pass.
	readaheadBytes = 8 * PartBytes

	// A tile has so many bytes of pages at most, on either side, or a part of the memory, of which tilesInMemory fit into
	// it. What is near its border is read twice, and each run of it is a request of some 60 µs, so a small one takes
	// longer; but the pages of the next one, and those that are to be written, must have room.
	minTileBytes  = 2 << 20
	maxTileBytes  = 64 << 20
	tilesInMemory = 8

	// exchangeTileBytes is how large tiles are that change places in memory: two and a buffer have room in a cache.
	exchangeTileBytes = kernel.L2Bytes

	// minAcrossBytes is how much is read at once when a page is touched, or nearly.
	minAcrossBytes = 1 << 20

	// A walk across the order of a file has a copy of a part of it, a slab: so many fit into memory.
	maxSlabBytes  = 128 << 20
	slabsInMemory = 4

	// adviseBytes is how much of that is asked of the system at a time: Stop waits for it,
	// and the Close of a file.
	adviseBytes = 1 << 20

	// pageBytes is the least size of a page of memory: what is read when one byte is touched.
	pageBytes = kernel.PageBytes

	// smallRank is up to how many axes are kept without allocating.
	smallRank = 8
)

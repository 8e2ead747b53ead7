package kernel

// The numbers below tune the speed of this package, and do not change its results. Tests change the variables to reach
// every path.
var (
	// callBytes is the maximum number of bytes that one call of a loop handles. The scheduler cannot interrupt assembly,
	// and the garbage collector waits for all goroutines. A checkpoint follows each call.
	callBytes = L2Bytes / 4

	// copyCallBytes is the maximum number of bytes of one call of copy or clear. The scheduler cannot interrupt these
	// either; but copy bypasses the caches only if it copies at least this many bytes.
	copyCallBytes = L2Bytes

	// nonTemporalBytes is the minimum length of a run whose stores bypass the caches. That saves reading the lines that
	// the run overwrites, a third of the memory traffic of a copy; but the result is not in the cache afterwards.
	nonTemporalBytes = L2Bytes

	// prefetchBytes is the distance in bytes at which loops prefetch consecutive numbers.
	prefetchBytes = 2 << 10
)

const (
	// leastRun is the minimum number of items in a row for which one call of a loop per row is faster than one call for
	// all rows.
	leastRun = 48

	// longCopy is the minimum number of bytes in a row for which the overhead of one call of copy or fill is negligible.
	longCopy = 512

	// stripBytes is the number of bytes of each row that a strip moves before the next strip. The lines that a strip
	// prefetches for the next one must still be in the cache by then.
	stripBytes = L1Bytes / 8

	// portableRowBytes is the number of bytes of a row that plain Go moves before it goes on to the next row. Each cache
	// line read from src also holds items of the next rows. These lines must stay in the cache until those items are
	// moved.
	portableRowBytes = 512

	// FewColumns is the minimum number of items in a row for moving along the rows. Blocks with fewer columns are moved
	// along the columns, ColumnItems of each at a time, so that the lines that columns share stay in the cache.
	FewColumns  = 4
	ColumnItems = 128

	// leavesPerCall is the maximum number of leaves of a sum that a loop adds up in one call.
	leavesPerCall = 32

	// inOrderRowBytes is the maximum number of bytes in a row for its columns to be reduced in the order of the memory.
	inOrderRowBytes = L1Bytes / 16

	// shortColumns is the maximum number of columns of short integers that are added up in 32 bits at a time before they
	// are added to sums of 64 bits.
	shortColumns = 512

	// foldedBytes is the maximum number of bytes of short rows that are treated as one row to find their extremes.
	// leastFolded is the minimum number of bytes for which that is profitable.
	foldedBytes = 512
	leastFolded = 4 * foldedBytes

	// ExtremeBytes is the minimum number of bytes in a row for LeastOf and GreatestOf to use loops. Consecutive rows may
	// be shorter.
	ExtremeBytes = 128
)

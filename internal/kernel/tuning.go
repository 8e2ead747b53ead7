package kernel

// What the speed of this package depends on. Nothing that it computes does. Tests change the variables, to take every
// way.
var (
	// callBytes is how much one call of a loop does: the scheduler cannot
	// interrupt assembly, and the garbage collector waits for all goroutines. Between
	// calls there is a checkpoint.
	callBytes = L2Bytes / 4

	// copyCallBytes is the maximum number of bytes of one call of copy or clear. The scheduler cannot interrupt
	// these either; but copy stores past the caches only if it copies at least that many bytes.
	copyCallBytes = L2Bytes

	// nonTemporalBytes is how long a run must be to be stored past the caches. That saves
	// reading the lines that are to be overwritten, a third of what the memory has
	// to do for a copy; but what was written is not in the cache afterwards.
	nonTemporalBytes = L2Bytes

	// prefetchBytes is the distance at which loops prefetch consecutive numbers.
	prefetchBytes = 2 << 10
)

const (
	// leastRun is the least length of a row for which a call of a loop per row is faster than one for all.
	leastRun = 48

	// longCopy is how many bytes a row has at least for a call of copy, or the calls of fill, to cost little beside them.
	longCopy = 512

	// stripBytes is how much of its rows a strip does before the one beside it: the
	// lines that it prefetches for that one must still be there then.
	stripBytes = L1Bytes / 8

	// portableRowBytes is the number of bytes of a row that plain Go moves before it goes on to the next row. Each
	// cache line that it touches in src holds more items of those rows, and the lines that this takes stay in the
	// cache until these are moved too.
	portableRowBytes = 512

	// FewColumns is how many items a row has at least to go along it. Of fewer columns are moved, ColumnItems of each at
	// a time: what the next ones share with them is still in the cache.
	FewColumns  = 4
	ColumnItems = 128

	// leaves is how many leaves of a sum a loop adds up in one call.
	leaves = 32

	// shortBytes is how many bytes a row has at most for its columns to be reduced in the order of the memory.
	shortBytes = L1Bytes / 16

	// shortColumns is how many columns of short integers are added up in 32 bits at a time, if the sums have 64.
	shortColumns = 512

	// foldedBytes is how many bytes of rows are folded to one at most, for their extremes, and leastFolded how many make
	// that worth while.
	foldedBytes = 512
	leastFolded = 4 * foldedBytes
)

const (
	// ExtremeBytes is how many bytes a row has at least for LeastOf and GreatestOf to have loops. Rows that follow one
	// another may be shorter.
	ExtremeBytes = 128
)

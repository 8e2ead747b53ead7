package kernel

// What the speed of this package depends on. Nothing that it computes does. Tests change the variables, to take every
// way.
var (
	// callBytes is how much one call of a loop does: the scheduler cannot
	// interrupt assembly, and the garbage collector waits for all goroutines. Between
	// calls there is a checkpoint.
	callBytes = 256 << 10

	// copyBytes is how much one call of copy or clear does. The scheduler cannot interrupt it either;
	// but copy stores past the caches only what is at least that long.
	copyBytes = 1 << 20

	// nonTemporalBytes is how long a run must be to be stored past the caches. That saves
	// reading the lines that are to be overwritten, a third of what the memory has
	// to do for a copy; but what was written is not in the cache afterwards.
	nonTemporalBytes = 1 << 20

	// aheadBytes is how far ahead numbers that follow one another are prefetched.
	aheadBytes = 2 << 10
)

const (
	// leastBytes is how many bytes of numbers a loop is called for at least.
	leastBytes = 64

	// leastRun is the least length of a row for which a call of a loop per row is faster than one for all.
	leastRun = 48

	// longCopy and longFill are how many bytes a row has at least for a call of copy, or the calls
	// of fill, to cost little beside them.
	longCopy = 512
	longFill = 512

	// stripBytes is how much of its rows a strip does before the one beside it: the
	// lines that it prefetches for that one must still be there then.
	stripBytes = 4 << 10

	// tileBytes is how much of a row plain Go moves before it goes on to the next row.
	// Each line of the cache that it touches in src has more items of those rows, and
	// the lines that this takes stay in the cache until they are moved too.
	tileBytes = 512

	// mostRows is how many rows of up to shortRows bytes are moved at a time.
	mostRows  = 256
	shortRows = 1 << 10

	// fewColumns is how many items a row has at least for plain Go to go along it.
	// Of fewer it moves columns, columnItems of each at a time.
	fewColumns  = 8
	columnItems = 128

	// leaves is how many leaves of a sum a loop adds up in one call.
	leaves = 32

	// shortBytes is how many bytes a row has at most for its columns to be reduced in the order of the memory.
	shortBytes = 2 << 10

	// shortColumns is how many columns of short integers are added up in 32 bits at a time, if the sums have 64.
	shortColumns = 512

	// foldedBytes is how many bytes of rows are folded to one at most, for their extremes, and leastFolded how many make
	// that worth while.
	foldedBytes = 512
	leastFolded = 4 * foldedBytes
)

const (
	// lineBytes is the size of a line of the cache.
	lineBytes = 64

	// ExtremeBytes is how many bytes a row has at least for LeastOf and GreatestOf to have loops. Rows that follow one
	// another may be shorter.
	ExtremeBytes = 128
)

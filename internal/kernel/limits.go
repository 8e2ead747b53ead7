package kernel

// Tests change these variables, to take every way.
var (
	// callBytes is how much one call of a loop does: the scheduler cannot
	// interrupt assembly, and the garbage collector waits for all goroutines. Between
	// calls there is a checkpoint.
	callBytes = 256 << 10

	// pastBytes is how long a run must be to be stored past the caches. That saves
	// reading the lines that are to be overwritten, a third of what the memory has
	// to do for a copy; but what was written is not in the cache afterwards.
	pastBytes = 1 << 20

	// aheadBytes is how far ahead numbers that follow one another are prefetched.
	aheadBytes = 2 << 10
)

// leastBytes is how many bytes of numbers a loop is called for at least.
const leastBytes = 64

// IsPast reports whether so many bytes are to be stored past the caches.
func IsPast(bytes int) bool { return bytes >= pastBytes }

// Fence orders what was stored past the caches before all that is stored later.
func Fence() {
	if do.fence != nil {
		do.fence()
	}
}

// rowsOf returns how many rows of n, of m that there are, have no more than most together: one
// at least.
func rowsOf(m, n, most int) int {
	if m*n <= most {
		return m // without a division
	}
	return max(1, most/n)
}

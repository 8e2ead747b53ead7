package kernel

// Functions named …Vector do the first part of a loop with vectors and say how much
// that was; the rest, which may be all, is for plain Go. Where there is no assembly
// they do nothing. Tests change these variables, to take every way.
var (
	// vectors says whether the processor has what the assembly needs.
	vectors = hasVectors

	// callBytes is how much one call of the assembly does: the scheduler cannot
	// interrupt it, and the garbage collector waits for all goroutines. Between
	// calls there is a checkpoint.
	callBytes = 256 << 10

	// pastBytes is how long a run must be to be stored past the caches. That saves
	// reading the lines that are to be overwritten, a third of what the memory has
	// to do for a copy; but what was written is not in the cache afterwards.
	pastBytes = 1 << 20
)

// IsPast reports whether so many bytes are to be stored past the caches.
func IsPast(bytes int) bool { return bytes >= pastBytes }

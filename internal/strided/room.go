package strided

import "math"

// HasRoom reports whether n bytes of Go's memory may be allocated at once, for example for the data of a file. It
// returns false if n exceeds the memory that the process may use, or 4 GiB if this number is unknown.
func HasRoom(n int) bool {
	const small, unknown = 64 << 20, 4 << 30
	if n <= small { // asking is not worth it
		return true
	}
	available := availableMemory()
	if available == math.MaxInt {
		return int64(n) <= unknown
	}
	return n <= available
}

package strided

import "math"

// HasRoom reports whether n bytes of Go's memory may be allocated at once for data that is there, in a file
// say: the process may take as much.
func HasRoom(n int) bool {
	const small, unknown = 64 << 20, 4 << 30
	if n <= small { // not worth asking
		return true
	}
	most := memory()
	if most == math.MaxInt {
		return int64(n) <= unknown
	}
	return n <= most
}

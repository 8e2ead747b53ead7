package kernel

// The machine, as far as sizes depend on it: no processor that this runs on has smaller caches. What the speed of a
// package depends on beside these is in its file tuning.go.
const (
	LineBytes = 64       // a line of the cache
	PageBytes = 4 << 10  // a page of memory: what is read when one byte is touched
	L1Bytes   = 32 << 10 // the first cache
	L2Bytes   = 1 << 20  // and the second
)

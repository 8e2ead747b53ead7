package kernel

// The sizes of caches and pages. No processor that this package runs on has smaller caches. The file tuning.go has more
// constants for tuning.
const (
	LineBytes = 64       // a cache line
	PageBytes = 4 << 10  // a page of memory, the unit in which the system reads files
	L1Bytes   = 32 << 10 // the first cache
	L2Bytes   = 1 << 20  // the second cache
)

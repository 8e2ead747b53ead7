package kernel

// The sizes of the machine. No processor that this package runs on has smaller caches. More numbers that tune a
// package are in its file tuning.go.
const (
	LineBytes = 64       // a cache line
	PageBytes = 4 << 10  // a page of memory, the unit in which the system reads files
	L1Bytes   = 32 << 10 // the first cache
	L2Bytes   = 1 << 20  // the second cache
)

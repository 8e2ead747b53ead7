package kernel

// Prefetch asks the processor to load n bytes into its cache, if it has a loop for that. It returns at once, and causes
// no page fault.
func Prefetch(p Pointer, n int) {
	if active.prefetch != nil && n > 0 {
		active.prefetch(p, n)
	}
}

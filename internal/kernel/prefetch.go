package kernel

// Prefetch asks the processor to load n bytes into its cache, if there is a loop for that. It returns at once and does
// not cause page faults.
func Prefetch(p Pointer, n int) {
	if active.prefetch != nil && n > 0 {
		active.prefetch(p, n)
	}
}

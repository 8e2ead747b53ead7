package kernel

// Prefetch asks the processor to load the n bytes at p into its cache, if the processor has a loop for that. It returns
// at once and does not cause page faults.
func Prefetch(p Pointer, n int) {
	if active.prefetch != nil && n > 0 {
		active.prefetch(p, n)
	}
}

package kernel

// Prefetch has the processor load n bytes that will soon be read to its cache, if it has a loop for that. It returns
// at once, and touches no page.
func Prefetch(p Pointer, n int) {
	if active.prefetch != nil && n > 0 {
		active.prefetch(p, n)
	}
}

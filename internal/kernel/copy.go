package kernel

import "unsafe"

// Copy is like copy(dst, src) for slices of the same length, which may overlap. Unlike copy, the scheduler can
// interrupt it.
func Copy(dst, src []byte) {
	if len(src) < longCopy {
		copy(dst, src)
		return
	}
	copyLong(dst, src)
}

// copyLong implements Copy for long slices. It calls checkpoint between calls of copy.
func copyLong(dst, src []byte) {
	n, step := len(src), copyCallBytes
	if ahead := uintptr(Pointer(unsafe.SliceData(dst))) - uintptr(Pointer(unsafe.SliceData(src))); ahead < uintptr(n) {
		for ; n > step; n -= step { // backward, because dst starts within src
			copy(dst[n-step:n], src[n-step:n])
			checkpoint()
		}
		copy(dst[:n], src[:n])
		return
	}
	for ; n > step; n -= step {
		copy(dst[:step], src[:step])
		dst, src = dst[step:], src[step:]
		checkpoint()
	}
	copy(dst, src)
}

// Clear is like clear(b). Unlike clear, the scheduler can interrupt it.
func Clear(b []byte) {
	for step := copyCallBytes; len(b) > step; b = b[step:] {
		clear(b[:step])
		checkpoint()
	}
	clear(b)
}

// checkpoint lets the scheduler interrupt a loop that spends nearly all of its time in calls of copy or of assembly.
// The scheduler cannot interrupt these calls, and it rarely looks exactly between two of them. But a function that
// calls another function first checks whether the goroutine should stop.
//
//go:noinline
func checkpoint() { noop() }

//go:noinline
func noop() {}

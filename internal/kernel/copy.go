package kernel

import "unsafe"

// Copy is copy(dst, src) of slices of one length, which may overlap, for any length: the scheduler can interrupt it.
func Copy(dst, src []byte) {
	if len(src) < longCopy {
		copy(dst, src)
		return
	}
	copyLong(dst, src)
}

func copyLong(dst, src []byte) {
	n, step := len(src), copyCallBytes
	if ahead := uintptr(Pointer(unsafe.SliceData(dst))) - uintptr(Pointer(unsafe.SliceData(src))); ahead < uintptr(n) {
		for ; n > step; n -= step { // from the end down: dst starts within src
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

// Clear is clear(b), which the scheduler can interrupt.
func Clear(b []byte) {
	for step := copyCallBytes; len(b) > step; b = b[step:] {
		clear(b[:step])
		checkpoint()
	}
	clear(b)
}

// checkpoint lets the scheduler interrupt a loop of which nearly all time goes to calls of copy or of assembly: those
// cannot be, and the chance that it looks just between two of them is small. Every function that calls another one asks
// first whether it is to stop.
//
//go:noinline
func checkpoint() { nothing() }

//go:noinline
func nothing() {}

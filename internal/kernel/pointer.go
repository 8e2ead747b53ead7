package kernel

import "unsafe"

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus n bytes.
func Add(p Pointer, n int) Pointer { return unsafe.Add(p, n) }

// Bytes returns the n bytes at p.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// Hide returns p, and keeps the compiler from moving the memory at p to the heap. Buffers on the stack need Hide
// because kernels are called through tables, so the compiler must assume that they keep their arguments. The caller
// may store the result only in a local variable. A closure must not capture it, and another goroutine must not use
// it, because the stack moves when it grows.
//
// The runtime does not update a uintptr when the stack moves. So Hide converts the uintptr to a pointer at once, in the
// same expression. With checkptr the compiler would insert a function call there.
//
//go:nocheckptr
func Hide(p Pointer) Pointer { return pointerTo[Pointer](uintptr(p)) }

// pointerTo converts x to a pointer in a way that go vet does not report.
//
//go:nocheckptr
func pointerTo[P ~Pointer](x uintptr) P { return P(x) }

package kernel

import "unsafe"

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus n bytes.
func Add(p Pointer, n int) Pointer { return unsafe.Add(p, n) }

// Bytes returns the n bytes at p.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// Hide returns p, and keeps the compiler from moving the memory at p to the heap. Buffers on the stack need it: kernels
// are called through tables, so the compiler must assume that they keep their arguments. The caller must not store the
// result anywhere except in a local variable, nor let a closure capture it, nor give it to another goroutine: the stack
// moves when it grows.
//
// The runtime does not update a uintptr then, so Hide converts it at once, in an operation that has the type of a
// pointer. With checkptr the compiler would call a function there.
//
//go:nocheckptr
func Hide(p Pointer) Pointer { return pointerTo[Pointer](uintptr(p)) }

// pointerTo is a conversion that go vet does not report.
//
//go:nocheckptr
func pointerTo[P ~Pointer](x uintptr) P { return P(x) }

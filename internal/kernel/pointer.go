package kernel

import "unsafe"

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus n bytes.
func Add(p Pointer, n int) Pointer { return unsafe.Add(p, n) }

// Bytes returns the n bytes at p.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// Hide returns p, and keeps the compiler from moving what p points at to the heap. It
// is needed for buffers on the stack: kernels are called through tables, and for all
// that the compiler knows those keep their arguments. The result must not be captured
// by a closure, nor stored anywhere but in a local variable, nor handed to another
// goroutine: the stack moves when it grows.
//
// A uintptr is not updated then, so none may be kept over a call: it is converted at once, by an operation that has
// the type of a pointer. With checkptr the compiler would call a function there.
//
//go:nocheckptr
func Hide(p Pointer) Pointer { return pointerTo[Pointer](uintptr(p)) }

// pointerTo is a conversion that go vet has no objection to.
//
//go:nocheckptr
func pointerTo[P ~Pointer](x uintptr) P { return P(x) }

package strided

import (
	"unsafe"

	"github.com/ndmap/ndmap/internal/kernel"
)

// This is the only file outside of package mmap and of the kernels in which an
// address becomes a typed pointer or a slice. Two rules make that safe:
//
//   - A layout is put on memory by [Memory.Place] alone, which checks that the lowest
//     and the highest byte that it reaches lie inside. After that, an index within
//     the shape cannot leave the memory.
//   - No pointer is ever made to a place outside of that memory, not even one that
//     is not followed: the garbage collector may not see such pointers.

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus off bytes.
func Add(p Pointer, off int) Pointer { return unsafe.Add(p, off) }

// Load returns the value off bytes after p, which must be aligned for it.
func Load[T any](p Pointer, off int) T { return *(*T)(unsafe.Add(p, off)) }

// Store makes x the value off bytes after p, which must be aligned for it.
func Store[T any](p Pointer, off int, x T) { *(*T)(unsafe.Add(p, off)) = x }

// Slice returns the n values that follow one another from p on.
func Slice[T any](p Pointer, n int) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(p), n)
}

// Bytes returns the memory of s.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(Pointer(unsafe.SliceData(s))), len(s)*Sizeof[T]())
}

// Start returns the address of a slice, which is not nil.
func Start(b []byte) Pointer { return Pointer(unsafe.SliceData(b)) }

// Distance returns how many bytes after q p is.
func Distance(p, q Pointer) int { return int(uintptr(p) - uintptr(q)) }

// Address returns p as a number.
func Address(p Pointer) uintptr { return uintptr(p) }

// Sizeof returns the size of a T in bytes.
func Sizeof[T any]() int {
	var x T
	return int(unsafe.Sizeof(x))
}

// Alignof returns the alignment of a T in bytes.
func Alignof[T any]() int {
	var x T
	return int(unsafe.Alignof(x))
}

// Alloc returns n bytes of Go's memory, zero, aligned for any number.
func Alloc(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n-1)/8+1)
	return unsafe.Slice((*byte)(Pointer(&words[0])), n)
}

// Hide is [kernel.Hide].
func Hide(p Pointer) Pointer { return kernel.Hide(p) }

package strided

import (
	"unsafe"

	"github.com/ndmap/ndmap/internal/kernel"
)

// This is the only file outside package mmap and the kernels that converts an address to a typed pointer or a slice.
// Two rules make that safe:
//
//   - Only [Memory.Place] puts a layout on memory. It checks that the lowest and the highest byte of the elements lie
//     in the memory. After that, an index within the shape cannot leave the memory.
//   - No pointer ever points outside of the memory, even if it is not dereferenced. The garbage collector must not see
//     such pointers.

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus off bytes.
func Add(p Pointer, off int) Pointer { return unsafe.Add(p, off) }

// Load returns the T at off bytes after p. That address must be aligned for T.
func Load[T any](p Pointer, off int) T { return *(*T)(unsafe.Add(p, off)) }

// Store stores x at off bytes after p. That address must be aligned for T.
func Store[T any](p Pointer, off int, x T) { *(*T)(unsafe.Add(p, off)) = x }

// Slice returns the n consecutive values of type T that start at p, as a slice that shares their memory.
func Slice[T any](p Pointer, n int) []T {
	if n == 0 {
		return []T{}
	}
	return unsafe.Slice((*T)(p), n)
}

// Bytes returns the memory of the elements of s.
func Bytes[T any](s []T) []byte {
	return unsafe.Slice((*byte)(Pointer(unsafe.SliceData(s))), len(s)*Sizeof[T]())
}

// Start returns the address of the first byte of b, which must not be nil.
func Start(b []byte) Pointer { return Pointer(unsafe.SliceData(b)) }

// Distance returns the number of bytes from q to p. It is negative if p is below q.
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

// Alloc returns n zero bytes of Go's memory, which start at a multiple of 8.
func Alloc(n int) []byte {
	if n == 0 {
		return []byte{}
	}
	words := make([]uint64, (n-1)/8+1)
	return unsafe.Slice((*byte)(Pointer(&words[0])), n)
}

// Hide returns p, hidden from escape analysis. The caller must follow the rules of [kernel.Hide].
func Hide(p Pointer) Pointer { return kernel.Hide(p) }

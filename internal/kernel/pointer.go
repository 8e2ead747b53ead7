package kernel

import "unsafe"

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Add returns p plus n bytes.
func Add(p Pointer, n int) Pointer { return unsafe.Add(p, n) }

// Bytes returns the n bytes at p.
func Bytes(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// Package kernel has the loops over memory: moving items with strides, reversing
// their bytes, converting numbers.
//
// The functions trust their caller: array checks that every address lies inside
// the memory it has before one of them runs. Strides are in bytes and may be zero
// or negative; items need not be aligned.
package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// Pointer is an address in memory that Go or the system owns.
type Pointer = unsafe.Pointer

// Move copies n items of size bytes from src to dst, with strides ds and ss. If
// swap is more than 1, every group of swap bytes in an item is reversed; size is a
// multiple of it, and it is 2, 4, 8 or 16. Source and destination must not overlap, but
// for a copy without swap between runs of the same stride, which is right when
// they do and dst is lower than src for positive strides, higher for negative ones.
func Move(dst Pointer, ds int, src Pointer, ss int, n, size, swap int) {
	switch {
	case n <= 0 || size == 0:
	case swap > 1 && size > swap:
		// A group is an item of its own: take the items one by one, or, where
		// they follow one another, all groups at once.
		if ds == size && ss == size {
			Move(dst, swap, src, swap, n*(size/swap), swap, swap)
			return
		}
		for i := range n {
			Move(add(dst, i*ds), swap, add(src, i*ss), swap, size/swap, swap, swap)
		}
	case swap > 1:
		moveSwapped(dst, ds, src, ss, n, swap)
	case ds == size && ss == size:
		copy(mem(dst, n*size), mem(src, n*size))
	default:
		moveStrided(dst, ds, src, ss, n, size)
	}
}

func add(p Pointer, n int) Pointer { return unsafe.Add(p, n) }

func mem(p Pointer, n int) []byte { return unsafe.Slice((*byte)(p), n) }

// Items are moved through arrays of bytes: those have no alignment, and the
// compiler makes one load and one store of each.

func moveStrided(dst Pointer, ds int, src Pointer, ss int, n, size int) {
	switch size {
	case 1:
		strided[[1]byte](dst, ds, src, ss, n)
	case 2:
		strided[[2]byte](dst, ds, src, ss, n)
	case 4:
		strided[[4]byte](dst, ds, src, ss, n)
	case 8:
		strided[[8]byte](dst, ds, src, ss, n)
	case 16:
		strided[[16]byte](dst, ds, src, ss, n)
	default:
		for i := range n {
			copy(mem(add(dst, i*ds), size), mem(add(src, i*ss), size))
		}
	}
}

func strided[T any](dst Pointer, ds int, src Pointer, ss int, n int) {
	d, s := 0, 0
	for range n {
		*(*T)(add(dst, d)) = *(*T)(add(src, s))
		d += ds
		s += ss
	}
}

func moveSwapped(dst Pointer, ds int, src Pointer, ss int, n, size int) {
	ne := binary.NativeEndian
	d, s := 0, 0
	switch size {
	case 2:
		for range n {
			x := ne.Uint16((*[2]byte)(add(src, s))[:])
			ne.PutUint16((*[2]byte)(add(dst, d))[:], bits.ReverseBytes16(x))
			d += ds
			s += ss
		}
	case 4:
		for range n {
			x := ne.Uint32((*[4]byte)(add(src, s))[:])
			ne.PutUint32((*[4]byte)(add(dst, d))[:], bits.ReverseBytes32(x))
			d += ds
			s += ss
		}
	case 8:
		for range n {
			x := ne.Uint64((*[8]byte)(add(src, s))[:])
			ne.PutUint64((*[8]byte)(add(dst, d))[:], bits.ReverseBytes64(x))
			d += ds
			s += ss
		}
	case 16: // a long double
		for range n {
			b := *(*[16]byte)(add(src, s))
			hi, lo := ne.Uint64(b[8:]), ne.Uint64(b[:8])
			ne.PutUint64((*[8]byte)(add(dst, d))[:], bits.ReverseBytes64(hi))
			ne.PutUint64((*[8]byte)(add(dst, d+8))[:], bits.ReverseBytes64(lo))
			d += ds
			s += ss
		}
	default:
		panic("kernel: no number has that many bytes")
	}
}

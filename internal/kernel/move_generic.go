package kernel

import (
	"encoding/binary"
	"math/bits"
)

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
			copy(Bytes(Add(dst, i*ds), size), Bytes(Add(src, i*ss), size))
		}
	}
}

func strided[T any](dst Pointer, ds int, src Pointer, ss int, n int) {
	d, s := 0, 0
	for range n {
		*(*T)(Add(dst, d)) = *(*T)(Add(src, s))
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
			x := ne.Uint16((*[2]byte)(Add(src, s))[:])
			ne.PutUint16((*[2]byte)(Add(dst, d))[:], bits.ReverseBytes16(x))
			d += ds
			s += ss
		}
	case 4:
		for range n {
			x := ne.Uint32((*[4]byte)(Add(src, s))[:])
			ne.PutUint32((*[4]byte)(Add(dst, d))[:], bits.ReverseBytes32(x))
			d += ds
			s += ss
		}
	case 8:
		for range n {
			x := ne.Uint64((*[8]byte)(Add(src, s))[:])
			ne.PutUint64((*[8]byte)(Add(dst, d))[:], bits.ReverseBytes64(x))
			d += ds
			s += ss
		}
	case 16: // a long double
		for range n {
			b := *(*[16]byte)(Add(src, s))
			hi, lo := ne.Uint64(b[8:]), ne.Uint64(b[:8])
			ne.PutUint64((*[8]byte)(Add(dst, d))[:], bits.ReverseBytes64(hi))
			ne.PutUint64((*[8]byte)(Add(dst, d+8))[:], bits.ReverseBytes64(lo))
			d += ds
			s += ss
		}
	default:
		panic("kernel: no number has that many bytes")
	}
}

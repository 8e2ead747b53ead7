package kernel

import (
	"encoding/binary"
	"math/bits"
	"unsafe"
)

// The loops below move items as arrays of bytes. Arrays of bytes need no alignment, and the compiler moves each with
// one load and one store.

// moveItems moves m × n items of type T.
func moveItems[T any](m, n int, dst, src Side) {
	for i := range m {
		d, s := Add(dst.P, i*dst.Row), Add(src.P, i*src.Row)
		do, so := 0, 0 // offsets: a pointer past the last item would be invalid
		for range n / 4 {
			*(*T)(Add(d, do)) = *(*T)(Add(s, so))
			*(*T)(Add(d, do+dst.Item)) = *(*T)(Add(s, so+src.Item))
			do, so = do+2*dst.Item, so+2*src.Item
			*(*T)(Add(d, do)) = *(*T)(Add(s, so))
			*(*T)(Add(d, do+dst.Item)) = *(*T)(Add(s, so+src.Item))
			do, so = do+2*dst.Item, so+2*src.Item
		}
		for range n % 4 {
			*(*T)(Add(d, do)) = *(*T)(Add(s, so))
			do, so = do+dst.Item, so+src.Item
		}
	}
}

// moveEnds moves m × n items of size bytes. It moves each item as two values of type T, one at either end of the item,
// which may overlap.
func moveEnds[T any](m, n int, dst, src Side, size int) {
	end := size - int(unsafe.Sizeof(*new(T)))
	for i := range m {
		d, s := Add(dst.P, i*dst.Row), Add(src.P, i*src.Row)
		for j := range n {
			d, s := Add(d, j*dst.Item), Add(s, j*src.Item)
			first, last := *(*T)(s), *(*T)(Add(s, end))
			*(*T)(d) = first
			*(*T)(Add(d, end)) = last
		}
	}
}

// reverseItems moves m × n items of type T and reverses their bytes.
func reverseItems[T uint16 | uint32 | uint64](m, n int, dst, src Side) {
	size := int(unsafe.Sizeof(T(0)))
	for i := range m {
		d, s := Add(dst.P, i*dst.Row), Add(src.P, i*src.Row)
		if dst.Item == size && src.Item == size {
			reverseRun(d, s, n, size)
			continue
		}
		do, so := 0, 0
		for range n / 4 {
			store(Add(d, do), loadReversed[T](Add(s, so)))
			store(Add(d, do+dst.Item), loadReversed[T](Add(s, so+src.Item)))
			do, so = do+2*dst.Item, so+2*src.Item
			store(Add(d, do), loadReversed[T](Add(s, so)))
			store(Add(d, do+dst.Item), loadReversed[T](Add(s, so+src.Item)))
			do, so = do+2*dst.Item, so+2*src.Item
		}
		for range n % 4 {
			store(Add(d, do), loadReversed[T](Add(s, so)))
			do, so = do+dst.Item, so+src.Item
		}
	}
}

// reverseRun moves n consecutive numbers of 2, 4 or 8 bytes, and reverses the bytes of each. It moves two words at a
// time.
func reverseRun(dst, src Pointer, n, size int) {
	bytes, done := n*size, 0
	ne := binary.NativeEndian
	switch size {
	case 2:
		const low = 0x00FF00FF00FF00FF
		for ; done+16 <= bytes; done += 16 {
			d, s := (*[16]byte)(Add(dst, done)), (*[16]byte)(Add(src, done))
			x, y := ne.Uint64(s[:8]), ne.Uint64(s[8:])
			ne.PutUint64(d[:8], x>>8&low|x&low<<8)
			ne.PutUint64(d[8:], y>>8&low|y&low<<8)
		}
		for ; done < bytes; done += 2 {
			store(Add(dst, done), loadReversed[uint16](Add(src, done)))
		}
	case 4:
		for ; done+16 <= bytes; done += 16 {
			d, s := (*[16]byte)(Add(dst, done)), (*[16]byte)(Add(src, done))
			x, y := ne.Uint64(s[:8]), ne.Uint64(s[8:])
			ne.PutUint64(d[:8], bits.RotateLeft64(bits.ReverseBytes64(x), 32))
			ne.PutUint64(d[8:], bits.RotateLeft64(bits.ReverseBytes64(y), 32))
		}
		for ; done < bytes; done += 4 {
			store(Add(dst, done), loadReversed[uint32](Add(src, done)))
		}
	case 8:
		for ; done+16 <= bytes; done += 16 {
			d, s := (*[16]byte)(Add(dst, done)), (*[16]byte)(Add(src, done))
			x, y := ne.Uint64(s[:8]), ne.Uint64(s[8:])
			ne.PutUint64(d[:8], bits.ReverseBytes64(x))
			ne.PutUint64(d[8:], bits.ReverseBytes64(y))
		}
		if done < bytes {
			store(Add(dst, done), loadReversed[uint64](Add(src, done)))
		}
	}
}

// loadReversed returns the T at p with its bytes reversed. p need not be aligned.
func loadReversed[T uint16 | uint32 | uint64](p Pointer) T {
	ne := binary.NativeEndian
	switch unsafe.Sizeof(T(0)) {
	case 2:
		return T(bits.ReverseBytes16(ne.Uint16((*[2]byte)(p)[:])))
	case 4:
		return T(bits.ReverseBytes32(ne.Uint32((*[4]byte)(p)[:])))
	}
	return T(bits.ReverseBytes64(ne.Uint64((*[8]byte)(p)[:])))
}

// store stores x at p, which need not be aligned.
func store[T uint16 | uint32 | uint64](p Pointer, x T) {
	ne := binary.NativeEndian
	switch unsafe.Sizeof(T(0)) {
	case 2:
		ne.PutUint16((*[2]byte)(p)[:], uint16(x))
	case 4:
		ne.PutUint32((*[4]byte)(p)[:], uint32(x))
	default:
		ne.PutUint64((*[8]byte)(p)[:], uint64(x))
	}
}

// reverse16 moves m × n items of 16 bytes and reverses their bytes.
func reverse16(m, n int, dst, src Side) {
	for i := range m {
		d, s := Add(dst.P, i*dst.Row), Add(src.P, i*src.Row)
		do, so := 0, 0
		for range n {
			hi, lo := loadReversed[uint64](Add(s, so+8)), loadReversed[uint64](Add(s, so))
			store(Add(d, do), hi)
			store(Add(d, do+8), lo)
			do, so = do+dst.Item, so+src.Item
		}
	}
}

// copyRows copies m rows of n bytes.
func copyRows(m, n int, dst, src Side) {
	switch {
	case m == 1 || n >= longCopy:
		for i := range m {
			Copy(Bytes(Add(dst.P, i*dst.Row), n), Bytes(Add(src.P, i*src.Row), n))
		}
	case n >= 16:
		copyParts[[16]byte](m, n, dst, src)
	case n >= 8:
		copyParts[[8]byte](m, n, dst, src)
	case n >= 4:
		copyParts[[4]byte](m, n, dst, src)
	case n >= 2:
		copyParts[[2]byte](m, n, dst, src)
	default:
		moveItems[[1]byte](n, m, dst.Turned(), src.Turned())
	}
}

// copyParts copies m rows of n bytes in parts of the size of T. The last part may overlap the previous one. n is at
// least the size of T.
func copyParts[T any](m, n int, dst, src Side) {
	var part T
	last := n - int(unsafe.Sizeof(part))
	for i := range m {
		d, s := Add(dst.P, i*dst.Row), Add(src.P, i*src.Row)
		for k := 0; k < last; k += int(unsafe.Sizeof(part)) {
			*(*T)(Add(d, k)) = *(*T)(Add(s, k))
		}
		*(*T)(Add(d, last)) = *(*T)(Add(s, last))
	}
}

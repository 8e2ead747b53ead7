// Package kernel implements the loops over memory: they move items with strides, reverse their bytes, convert numbers
// and reduce them.
//
// Plain Go defines the results of each loop. Some processors have loops in assembly with the same results, bit for bit.
// loops.go describes the tables of these loops. The build tag purego excludes the assembly.
//
// The functions trust their callers: internal/strided checks that every address is inside its memory. Strides are in
// bytes and may be zero or negative. Items need not be aligned.
package kernel

import "errors"

var errSwap = errors.New("kernel: invalid swap: want 0, 2, 4, 8 or 16")

// A Side describes the source or the destination of a loop over m × n items: item (i, j) is at P + i*Row + j*Item. The
// strides are in bytes, and may be zero or negative.
type Side struct {
	P         Pointer
	Row, Item int
}

// At returns the block of s that starts at item (i, j).
func (s Side) At(i, j int) Side {
	return Side{Add(s.P, i*s.Row+j*s.Item), s.Row, s.Item}
}

// Turned returns s with rows and columns exchanged.
func (s Side) Turned() Side { return Side{s.P, s.Item, s.Row} }

// Move moves m × n items of size bytes, row by row. If swap is more than 1, it reverses each group of swap bytes in an
// item: swap is 2, 4, 8 or 16, and size is a multiple of it.
//
// Source and destination must not overlap, with two exceptions. They may be identical if swap is at most 1 or equal to
// size. And blocks of one row, with the same stride on both sides, may overlap if swap is at most 1 or equal to size,
// and dst is below src for positive strides, or above it for negative ones.
func Move(m, n int, dst, src Side, size, swap int) {
	if m <= 0 || n <= 0 || size == 0 {
		return
	}
	if swap <= 1 {
		swap = 0
	}
	packed := dst.Item == size && src.Item == size
	short := m > 1 && n*size < longCopy
	whole := swap == 0 || swap == size // an item is one group of bytes
	if packed && short && (swap == 0 || !whole || dst.P != src.P) && moveRows(m, n*size, dst, src, swap) {
		return
	}
	if !whole {
		if packed && !short || !moveBlock(m, n, dst, src, size, swap) {
			moveGroups(m, n, dst, src, size, swap)
		}
		return
	}
	if packed && swap == 0 {
		copyRows(m, n*size, dst, src)
		return
	}
	repeats := dst.Item == size && src.Item == 0 && swap == 0
	if repeats && src.Row == 0 && repeatItem(m, n*size, dst, src.P, size) {
		return
	}
	if repeats && n*size >= longCopy {
		for i := range m {
			fill(Bytes(dst.At(i, 0).P, n*size), Bytes(src.At(i, 0).P, size))
		}
		return
	}
	if done := moveRuns(m, n, dst, src, size, swap); done < n {
		movePlain(m, n-done, dst.At(0, done), src.At(0, done), size, swap)
	}
}

// moveGroups implements Move for items of more than one group of bytes. It moves each group like an item. If the items
// of a row are consecutive, it moves all groups of the row together; otherwise it moves item by item.
func moveGroups(m, n int, dst, src Side, size, swap int) {
	for i := range m {
		d, s := dst.At(i, 0), src.At(i, 0)
		if d.Item == size && s.Item == size {
			Move(1, n*(size/swap), Side{d.P, 0, swap}, Side{s.P, 0, swap}, swap, swap)
		} else {
			Move(n, size/swap, Side{d.P, d.Item, swap}, Side{s.P, s.Item, swap}, swap, swap)
		}
	}
}

// fill fills b with copies of item. The length of b is a multiple of the length of item. Once the start of b is filled,
// fill copies from there, because that memory stays in the first cache.
func fill(b, item []byte) {
	const near = 8 << 10
	start := max(1, near/len(item)) * len(item)
	Copy(b[:len(item)], item)
	for done := len(item); done < len(b); {
		n := min(done, start, len(b)-done)
		Copy(b[done:done+n], b[:n])
		done += n
	}
}

// movePlain implements Move for items that are one group of bytes, or whose bytes are not reversed.
func movePlain(m, n int, dst, src Side, size, swap int) {
	if n > 0 && !moveBlock(m, n, dst, src, size, swap) {
		movePlainGo(m, n, dst, src, size, swap)
	}
}

// movePlainGo implements movePlain in plain Go.
func movePlainGo(m, n int, dst, src Side, size, swap int) {
	switch {
	case swap == 2:
		reverseItems[uint16](m, n, dst, src)
	case swap == 4:
		reverseItems[uint32](m, n, dst, src)
	case swap == 8:
		reverseItems[uint64](m, n, dst, src)
	case swap == 16:
		reverse16(m, n, dst, src)
	case swap > 0:
		panic(errSwap)
	case size == 1:
		moveItems[[1]byte](m, n, dst, src)
	case size == 2:
		moveItems[[2]byte](m, n, dst, src)
	case size == 4:
		moveItems[[4]byte](m, n, dst, src)
	case size == 8:
		moveItems[[8]byte](m, n, dst, src)
	case size == 16:
		moveItems[[16]byte](m, n, dst, src)
	case size == 3:
		moveEnds[uint16](m, n, dst, src, size)
	case size < 8:
		moveEnds[uint32](m, n, dst, src, size)
	case size < 16:
		moveEnds[uint64](m, n, dst, src, size)
	case size <= 32:
		moveEnds[[2]uint64](m, n, dst, src, size)
	default:
		for i := range m {
			for j := range n {
				Copy(Bytes(dst.At(i, j).P, size), Bytes(src.At(i, j).P, size))
			}
		}
	}
}

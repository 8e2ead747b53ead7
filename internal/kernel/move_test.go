package kernel

import (
	"bytes"
	"unsafe"
)

// slowMove is a readable version of Move for one row.
func slowMove(dst []byte, d, ds int, src []byte, s, ss, n, size, swap int) {
	for i := range n {
		for b := range size {
			from := b
			if swap > 1 {
				from = b/swap*swap + swap - 1 - b%swap
			}
			dst[d+i*ds+b] = src[s+i*ss+from]
		}
	}
}

// spanOf returns the offset of the first byte of n items with a stride, and the number of bytes that they span.
func spanOf(n, stride, size int) (first, length int) {
	if n == 0 {
		return 0, 0
	}
	span := (n - 1) * stride
	return max(0, -span), max(span, -span) + size
}

func randomMove(c *randomCase) {
	swap := []int{0, 1, 2, 4, 8, 16}[c.IntN(6)]
	size := []int{c.IntN(20), 1 << c.IntN(5)}[c.IntN(2)]
	if swap > 1 {
		size = swap * (1 + c.IntN(3)*c.IntN(2))
	}
	stride := func() int { // without overlap within a run
		k := size + c.IntN(10)*c.IntN(2)*c.IntN(2)
		if c.IntN(4) == 0 {
			return -k
		}
		return k
	}
	ds, ss := stride(), stride()
	n := c.length(min(700, len(c.dst)/max(1, size+9)))
	switch c.IntN(8) {
	case 0:
		ss = 0 // broadcast
	case 1:
		ss = size << (1 + c.IntN(3)) // every second, fourth or eighth item
		n = min(len(c.src)/(ss+1), len(c.dst)/(max(ds, -ds)+1))
		n -= c.length(n)
	case 2:
		ds, ss = size, -size // in the opposite order
	}
	overlap := c.IntN(4) == 0 && (swap <= 1 || size == swap)
	if overlap {
		ss = ds
	}
	d0, dn := spanOf(n, ds, size)
	s0, sn := spanOf(n, ss, size)
	src := c.src
	c.fill(src)
	c.fill(c.dst)
	s := s0 + c.offset(src, sn)
	d := d0 + c.offset(c.dst, dn)
	if overlap { // within one buffer, in a direction that Move allows
		src = c.dst
		s = d
		if ds > 0 {
			d -= c.IntN(d + 1)
		} else {
			d += c.IntN(len(src) - (d - d0 + dn) + 1)
		}
	}
	want := bytes.Clone(c.dst)
	slowMove(want, d, ds, bytes.Clone(src), s, ss, n, size, swap)
	Move(1, n, Side{unsafe.Pointer(unsafe.SliceData(c.dst[d:])), 0, ds}, Side{unsafe.Pointer(unsafe.SliceData(src[s:])), 0,
		ss}, size, swap)
	c.check(want, "Move(n %d, size %d, swap %d, strides %d %d, from %d to %d, overlap %v)", n, size, swap, ds, ss, s, d,
		overlap)
}

// randomBlock tests Move on random blocks of several rows. Source and destination may be transposed.
func randomBlock(c *randomCase) {
	swap := []int{0, 0, 2, 4, 8, 16}[c.IntN(6)]
	size := []int{1 + c.IntN(20), 1 << c.IntN(5)}[c.IntN(2)]
	if swap > 1 {
		size = swap * (1 + c.IntN(3)*c.IntN(2))
	}
	m, n := 1+c.IntN(9), 1+c.length(40)
	drow, ditem, d, dn := c.strides(m, n, size)
	srow, sitem, s, sn := c.strides(m, n, size)
	if max(dn, sn) > len(c.dst) {
		return
	}
	c.fill(c.src)
	c.fill(c.dst)
	d += c.offset(c.dst, dn)
	s += c.offset(c.src, sn)
	switch c.IntN(10) {
	case 0:
		srow = 0
	case 1:
		sitem = 0
	}
	src := c.src
	if c.IntN(4) == 0 && (swap <= 1 || swap == size) { // in place
		src, s, srow, sitem = c.dst, d, drow, ditem
	}
	want, from := bytes.Clone(c.dst), bytes.Clone(src)
	for i := range m {
		slowMove(want, d+i*drow, ditem, from, s+i*srow, sitem, n, size, swap)
	}
	Move(m, n, Side{unsafe.Pointer(&c.dst[d]), drow, ditem}, Side{unsafe.Pointer(&src[s]), srow, sitem}, size, swap)
	c.check(want, "Move(%d × %d, size %d, swap %d, strides %d %d to %d %d, from %d to %d)", m, n, size, swap, srow, sitem,
		drow, ditem, s, d)
}

// strides returns random strides of rows, and of their items of size bytes, without overlap. It also returns the
// offset of the first byte, and the number of bytes that the rows span.
func (c *randomCase) strides(rows, items, size int) (row, item, first, length int) {
	along := func(n, inner int) int { // a stride for n items of inner bytes
		k := inner + c.IntN(9)*c.IntN(2)
		if c.IntN(4) == 0 {
			return -k
		}
		return k
	}
	if c.IntN(3) > 0 {
		item = along(items, size)
		_, inner := spanOf(items, item, size)
		row = along(rows, inner)
	} else {
		row = along(rows, size)
		_, inner := spanOf(rows, row, size)
		item = along(items, inner)
	}
	f1, _ := spanOf(rows, row, size)
	f2, _ := spanOf(items, item, size)
	return row, item, f1 + f2, (rows-1)*max(row, -row) + (items-1)*max(item, -item) + size
}

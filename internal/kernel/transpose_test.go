package kernel

import (
	"bytes"
	"unsafe"
)

func randomTranspose(c *randomCase) {
	swap := []int{0, 1, 2, 4, 8, 16}[c.IntN(6)]
	size := 1 + c.IntN(20)
	switch {
	case swap > 1:
		size = swap * (1 + c.IntN(3)*c.IntN(2))
	case c.IntN(2) == 0:
		size = 1 << c.IntN(5)
	}
	m := c.length(60)
	if c.IntN(4) == 0 {
		m = 200 + c.IntN(200)
	}
	n := c.length(min(500, (len(c.dst)-max(m, 60)*20)/(max(1, m)*size+20))) // gaps are less than 20 bytes
	stride := func(n int) int {
		k := n*size + c.IntN(20)*c.IntN(2)
		if c.IntN(4) == 0 {
			return -k
		}
		return k
	}
	ds, ss := stride(n), stride(m)
	c.fill(c.src)
	c.fill(c.dst)
	d, dn := spanOf(m, ds, n*size)
	s, sn := spanOf(n, ss, m*size)
	d += c.offset(c.dst, dn)
	s += c.offset(c.src, sn)
	want := bytes.Clone(c.dst)
	for i := range m {
		slowMove(want, d+i*ds, size, c.src, s+i*size, ss, n, size, swap)
	}
	Transpose(unsafe.Pointer(unsafe.SliceData(c.dst[d:])), ds, unsafe.Pointer(unsafe.SliceData(c.src[s:])), ss, m, n, size,
		swap)
	c.check(want, "Transpose(%d × %d, size %d, swap %d, strides %d %d, from %d to %d)", m, n, size, swap, ds, ss, s, d)
}

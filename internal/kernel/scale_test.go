package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"
)

// randomScale compares Scale with a version for one number. Sometimes source and destination are the same.
func randomScale(c *randomCase) {
	to := []Num{F32, F64}[c.IntN(2)]
	from := []Num{Bool, I8, U8, I16, U16, I32, F32, F64}[c.IntN(8)]
	if !HasScale(to, from) {
		from = to
	}
	n, same := c.length(300), from == to && c.IntN(2) == 0
	c.fill(c.src)
	c.fill(c.dst)
	align := func(mem []byte, size int) int { return c.offset(mem, n*size) &^ (min(size, 8) - 1) }
	d, s := align(c.dst, sizes[to]), align(c.src, sizes[from])
	for i := range n {
		if c.IntN(2) == 0 {
			c.putNumber(c.src[s+i*sizes[from]:], to, from, c.IntN(4))
		}
	}
	factor, offset := math.Ldexp(c.Float64()-0.5, c.IntN(20)-10), math.Ldexp(c.Float64()-0.5, c.IntN(20)-10)
	p := unsafe.Pointer(unsafe.SliceData(c.src[s:]))
	if same {
		p = unsafe.Pointer(unsafe.SliceData(c.dst[d:]))
		copy(c.dst[d:], c.src[s:][:n*sizes[from]])
	}
	want := bytes.Clone(c.dst)
	for i := range n {
		slowConvert(want[d+i*sizes[to]:], to, c.src[s+i*sizes[from]:], from)
		if at := want[d+i*sizes[to]:]; to == F32 {
			x := math.Float32frombits(binary.NativeEndian.Uint32(at))
			product := float32(x * float32(factor)) // the conversion prevents a fused multiply-add
			x = product + float32(offset)
			binary.NativeEndian.PutUint32(at, math.Float32bits(x))
		} else {
			product := float64(math.Float64frombits(binary.NativeEndian.Uint64(at)) * factor)
			binary.NativeEndian.PutUint64(at, math.Float64bits(product+offset))
		}
	}
	Scale(unsafe.Pointer(unsafe.SliceData(c.dst[d:])), to, p, from, n, factor, offset)
	unifyNaNs(c.dst[d:][:n*sizes[to]], to)
	unifyNaNs(want[d:][:n*sizes[to]], to)
	c.check(want, "Scale(%d numbers, %d to %d by %v and %v), from %d to %d", n, from, to, factor, offset, s, d)
}

// unifyNaNs gives all NaNs in mem the same bits, because the bits of the NaN that results from two NaNs depend on the
// machine.
func unifyNaNs(mem []byte, num Num) {
	for ; len(mem) > 0; mem = mem[sizes[num]:] {
		if num == F32 {
			if x := math.Float32frombits(binary.NativeEndian.Uint32(mem)); x != x {
				binary.NativeEndian.PutUint32(mem, math.Float32bits(float32(math.NaN())))
			}
		} else if x := math.Float64frombits(binary.NativeEndian.Uint64(mem)); x != x {
			binary.NativeEndian.PutUint64(mem, math.Float64bits(math.NaN()))
		}
	}
}

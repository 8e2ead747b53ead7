package array

import (
	"cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// plan decides how elements of src become elements of dst.
func (c *copier) plan(dst, src *origin) error {
	d, s := dst.dtype, src.dtype
	c.size = s.ItemSize()
	dk, sk := d.Kind(), s.Kind()
	switch {
	case d.Equal(s):
	case dk == sk && d.WithOrder(dtype.Native).Equal(s.WithOrder(dtype.Native)):
		if dk == dtype.KindStructured {
			c.each = between(d, s).move
		} else {
			c.swap = unit(s)
		}
	case dk == sk && dk == dtype.KindBytes, dk == sk && dk == dtype.KindVoid:
		c.each = func(dst, src []byte) { clear(dst[copy(dst, src):]) }
	case dk == sk && dk == dtype.KindUnicode:
		swap := 4
		if d.Order() == s.Order() {
			swap = 0
		}
		c.each = func(dst, src []byte) {
			n := min(len(dst), len(src))
			if n > 0 {
				kernel.Move(start(dst), 4, start(src), 4, n/4, 4, swap)
			}
			clear(dst[n:])
		}
	case dk == sk && isTime(d) && !isGeneric(s):
		return &DTypeError{Path: cmp.Or(src.path, dst.path), Have: s, Want: d, Msg: "units of time are not converted; to copy the counts, take the View of one as the other"}
	default:
		from, ok1 := numberOf(s)
		to, ok2 := numberOf(d)
		if !ok1 || !ok2 {
			return &DTypeError{Path: cmp.Or(src.path, dst.path), Have: s, Want: d, Msg: "there is no conversion between them"}
		}
		if from.num.IsInt() && to.num.IsInt() && to.size <= from.size {
			c.wrap(from, to, (dtype.Native == dtype.BigEndian) != (from.swap > 1))
			return nil
		}
		if from.num >= kernel.C64 && to.num < kernel.C64 && to.num != kernel.Bool { // the real part
			from.num -= kernel.C64 - kernel.F32
			from.size /= 2
		}
		c.convert = &converter{from: from, to: to, times: isTime(d) && from.num >= kernel.F16}
	}
	return nil
}

// wrap plans to move integers that lose no bits or those above: their low bytes,
// which are the last ones if big is true.
func (c *copier) wrap(from, to number, big bool) {
	c.size = to.size
	if big {
		c.skip = from.size - to.size
		c.delta -= c.skip
	}
	if (from.swap > 1) != (to.swap > 1) && to.size > 1 {
		c.swap = to.size
	}
}

// isGeneric reports whether the times of d are counts without a unit.
func isGeneric(d dtype.DType) bool {
	_, u := d.Unit()
	return u == dtype.Generic
}

// unit is how many bytes a change of byte order reverses together.
func unit(d dtype.DType) int {
	switch d.Kind() {
	case dtype.KindUnicode:
		return 4
	case dtype.KindComplex:
		return d.ItemSize() / 2
	}
	return d.ItemSize()
}

// A number is a type of numbers in memory.
type number struct {
	num        kernel.Num
	size, swap int
}

// numberOf is d as a number. Times are counts, which are int64.
func numberOf(d dtype.DType) (n number, ok bool) {
	n.size = d.ItemSize()
	log := 0 // of the size: 1, 2, 4, 8 bytes
	for 1<<log < n.size {
		log++
	}
	switch d.Kind() {
	case dtype.KindBool:
		n.num = kernel.Bool
	case dtype.KindInt:
		n.num = kernel.I8 + kernel.Num(log)
	case dtype.KindUint:
		n.num = kernel.U8 + kernel.Num(log)
	case dtype.KindDatetime, dtype.KindTimedelta:
		n.num = kernel.I64
	case dtype.KindFloat:
		n.num = kernel.F16 + kernel.Num(log-1)
	case dtype.KindComplex:
		n.num = kernel.C64
		if n.size == 16 {
			n.num = kernel.C128
		}
	default:
		return n, false
	}
	if d.Order() != dtype.NotApplicable && d.Order() != dtype.Native {
		n.swap = unit(d)
	}
	return n, !d.IsLongDouble()
}

// A converter converts runs of numbers, block by block: into native order one
// after the other, to the other type, and to their place.
type converter struct {
	from, to number
	times    bool                 // from floats
	a, b     [2 * blockLen]uint64 // numbers of at most 16 bytes
	floats   [blockLen]uint64     // see via
	tile     [8 * tileLen]uint64  // see across
}

const (
	blockLen = 256
	tileLen  = 128
)

// across converts many runs whose source lies across them: a tile of lines of the
// cache at a time is transposed first.
func (c *converter) across(dst, src pointer, along, inner lane) {
	native := *c
	native.from.swap = 0
	size := c.from.size
	step := len(c.tile) / tileLen * 8 / size
	for j := 0; j < inner.n; j += tileLen {
		for i := 0; i < along.n; i += step {
			m, n := min(step, along.n-i), min(tileLen, inner.n-j)
			tile := pointer(&c.tile)
			kernel.Transpose(tile, n*size, offset(src, i*size+j*inner.ss), inner.ss, m, n, size, c.from.swap)
			for k := range m {
				native.line(offset(dst, (i+k)*along.ds+j*inner.ds), inner.ds, offset(tile, k*n*size), size, n)
			}
		}
	}
}

func (c *converter) line(dst pointer, ds int, src pointer, ss int, n int) {
	if c.from.plain(src, ss) && c.to.plain(dst, ds) && c.via() == c.from.num && !c.times {
		kernel.Convert(dst, c.to.num, src, c.from.num, n)
		return
	}
	for done := 0; done < n; {
		k := min(n-done, blockLen)
		d, s := offset(dst, done*ds), offset(src, done*ss)
		in, out := s, d
		if !c.from.plain(s, ss) {
			in = pointer(&c.a)
			kernel.Move(in, c.from.size, s, ss, k, c.from.size, c.from.swap)
		}
		scatter := !c.to.plain(d, ds)
		if scatter {
			out = pointer(&c.b)
		}
		c.block(out, in, k)
		if scatter {
			kernel.Move(d, ds, out, c.to.size, k, c.to.size, c.to.swap)
		}
		done += k
	}
}

// plain reports whether numbers at p with that stride are as kernel.Convert
// takes them.
func (n *number) plain(p pointer, stride int) bool {
	return n.swap == 0 && stride == n.size && isAligned(p, n.size)
}

// via is the type that numbers are converted to first, or the one they have. Float16s
// become floats, and floats Float16s, rounded once; other types go by way of float32,
// in which any integer that a Float16 has room for is exact. Times come from float64s,
// where NaN is still to be seen.
func (c *converter) via() kernel.Num {
	from, to := c.from.num, c.to.num
	switch half := from == kernel.F16 || to == kernel.F16; {
	case c.times:
		return kernel.F64
	case half && !(from.IsFloat() && to.IsFloat()):
		return kernel.F32
	}
	return from
}

// block converts n numbers. A time that is NaN is NaT.
func (c *converter) block(dst, src pointer, n int) {
	from := c.from.num
	if via := c.via(); via != from {
		kernel.Convert(pointer(&c.floats), via, src, from, n)
		src, from = pointer(&c.floats), via
	}
	kernel.Convert(dst, c.to.num, src, from, n)
	if c.times {
		for i, x := range span[float64](src, 0, n) {
			if x != x {
				put[int64](dst, 8*i, dtype.NaT)
			}
		}
	}
}

package elem

import (
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// A number is a type of numbers in memory.
type number struct {
	num        kernel.Num
	size, swap int
}

// numberOf returns d as a number. Times are counts, which are int64.
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
		n.swap = group(d)
	}
	return n, !d.IsLongDouble()
}

// isPlain reports whether rows of n numbers are as kernel.Convert takes them: native,
// aligned, and one after the other.
func (n number) isPlain(s Side, rows int) bool {
	align := uintptr(min(n.size, 8))
	return n.swap == 0 && s.Item == n.size && uintptr(s.P)%align == 0 && (rows == 1 || uintptr(s.Row)%align == 0)
}

// buffers are what a conversion needs beside its source and destination, each for
// bufferLen numbers.
type buffers struct {
	in, out [2 * bufferLen]uint64 // of at most 16 bytes
	between [2][bufferLen]uint64  // of types on the way, which have at most 8
	packed  [2 * bufferLen]uint64 // see transposePacked
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

func (c *Codec) convert(m, n int, dst, src Side) {
	switch {
	case dst.Row == n*dst.Item && src.Row == n*src.Item:
		m, n = 1, m*n
	case n == 1, m > 1 && abs(dst.Row) < abs(dst.Item):
		m, n, dst, src = n, m, dst.Turned(), src.Turned()
	}
	if c.next(c.from.num) == c.to.num && !c.times && (m == 1 || n >= longRow) && c.from.isPlain(src, m) && c.to.isPlain(dst, m) {
		for i := range m {
			kernel.Convert(dst.At(i, 0).P, c.to.num, src.At(i, 0).P, c.from.num, n)
		}
		return
	}
	b := pool.Get().(*buffers)
	tiles(m, n, dst, src, c.ssize, func(m, n int, dst, src Side) {
		in, out := src.P, dst.P
		if !c.from.isPlain(src, m) || m > 1 && src.Row != n*c.ssize {
			in = Pointer(&b.in)
			moveBytes(m, n, dense(in, n, c.from.size), src, c.from.size, c.from.swap)
		}
		scatter := !c.to.isPlain(dst, m) || m > 1 && dst.Row != n*c.dsize
		if scatter {
			out = Pointer(&b.out)
		}
		c.convertBlock(out, in, m*n, &b.between)
		if scatter {
			moveBytes(m, n, dst, dense(out, n, c.to.size), c.to.size, c.to.swap)
		}
	})
	pool.Put(b)
}

// tiles cuts m × n elements into tiles of at most bufferLen and calls move for each.
// Their rows are as long as they can be: where the source lies across them, the lines of
// the cache that a row touches are there for the next one. They are shorter where the
// first cache has not as many lines, and where items of size bytes are transposed.
func tiles(m, n int, dst, src Side, size int, move func(m, n int, dst, src Side)) {
	rows := max(1, bufferLen/n)
	if abs(src.Row) < abs(src.Item) && (n > bufferLen || src.Row == size) {
		rows = max(rows, tileRows)
	}
	rows = min(rows, m)
	cols := min(n, bufferLen/rows)
	for j := 0; j < n; j += cols {
		for i := 0; i < m; i += rows {
			move(min(rows, m-i), min(cols, n-j), dst.At(i, j), src.At(i, j))
		}
	}
}

// next returns the type that numbers of type from become first on their way to the type
// of the destination: that type itself, where the kernel is as fast as one can be; else
// one that is, through the cache. Of the steps on a way one rounds at most: the
// others are to types that have room for all numbers there are, or Float16 has none for
// what they lose. Times come from float64s, where NaN is still to be seen.
func (c *Codec) next(from kernel.Num) kernel.Num {
	to := c.to.num
	long := to == kernel.I64 || to == kernel.U64 || to == kernel.U32 // from float64 only
	switch {
	case from == to:
	case c.times && from.IsFloat() && from != kernel.F64:
		return kernel.F64
	case from == kernel.Bool && to != kernel.I8:
		return kernel.U8
	case to == kernel.Bool, from >= kernel.C64:
	case from == kernel.F16 && !to.IsFloat(), to == kernel.F16 && !from.IsFloat():
		if long || from == kernel.I64 || from == kernel.U64 || from == kernel.U32 || to == kernel.C128 {
			return kernel.F64
		}
		return kernel.F32
	case from == kernel.F32 && long && to != kernel.U32, from == kernel.U32 && (to == kernel.F32 || to == kernel.C64), to == kernel.C128 && from != kernel.F64:
		return kernel.F64
	case to == kernel.C64 && from != kernel.F32:
		return kernel.F32
	}
	return to
}

// convertBlock converts n numbers that follow one another, in native order and
// aligned. A time that is NaN is NaT.
func (c *Codec) convertBlock(dst, src Pointer, n int, between *[2][bufferLen]uint64) {
	from := c.from.num
	for k := 0; ; k ^= 1 {
		next := c.next(from)
		if next == c.to.num {
			break
		}
		out := Pointer(&between[k])
		kernel.Convert(out, next, src, from, n)
		src, from = out, next
	}
	kernel.Convert(dst, c.to.num, src, from, n)
	if c.times {
		kernel.NaNToNaT(dst, src, n)
	}
}

// oneNumber converts one number without buffers, where that is done.
func (c *Codec) oneNumber(dst, src Pointer) bool {
	if c.from.num == kernel.Bool && c.to.num == kernel.Bool {
		kernel.Bytes(dst, 1)[0] = min(kernel.Bytes(src, 1)[0], 1)
		return true
	}
	return false
}

func (c *Codec) chain(m, n int, dst, src Side) {
	b := pool.Get().(*buffers)
	tiles(m, n, dst, src, c.ssize, func(m, n int, dst, src Side) {
		middle := dense(Pointer(&b.in), n, c.first.dsize)
		c.first.Move(m, n, middle, src)
		c.second.Move(m, n, dst, middle)
	})
	pool.Put(b)
}

func (n number) isComplex() bool { return n.num >= kernel.C64 }

// part returns the type of the real part of a complex number.
func (n number) part() kernel.Num { return n.num - (kernel.C64 - kernel.F32) }

package elem

import (
	"slices"
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
		var ok bool
		if n.num, ok = modelOf(d.Kind()); !ok {
			return n, false
		}
	}
	if d.Order() != dtype.NotApplicable && d.Order() != dtype.Native {
		n.swap = group(d)
	}
	return n, !d.IsLongDouble()
}

// isPlain reports whether numbers at p are as kernel.Convert takes them: native and aligned.
func (n number) isPlain(p Pointer) bool {
	return n.swap == 0 && uintptr(p)&uintptr(min(n.size, 8)-1) == 0
}

// buffers are what a conversion needs beside its source and destination, each for
// bufferLen numbers.
type buffers struct {
	in, out [2 * bufferLen]uint64 // of at most 16 bytes
	between [2][bufferLen]uint64  // of types on the way, which have at most 8
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// isDirect reports whether numbers are converted where they are, a row at a time: ones that
// follow one another.
func (c *Codec) isDirect(axes []Axis, dst, src Pointer) bool {
	inner := axes[len(axes)-1]
	if inner.DS != c.to.size || inner.SS != c.from.size || len(axes) > 1 && inner.N < leastKernelRow {
		return false
	}
	for _, a := range axes[:len(axes)-1] {
		dst, src = kernel.Add(dst, a.DS), kernel.Add(src, a.SS)
		if !c.from.isPlain(src) || !c.to.isPlain(dst) {
			return false
		}
	}
	return c.from.isPlain(src) && c.to.isPlain(dst)
}

// convertRows is Move where isDirect is true.
func (c *Codec) convertRows(m, n int, dst, src Side) {
	nonTemporal := kernel.IsNonTemporal(n * c.dsize)
	step, between := n, (*[2][bufferLen]uint64)(nil)
	if c.next(c.from.num) != c.to.num || c.times || c.from.isComplex() &&
		c.to.num == kernel.Bool { // by way of another type, or another step
		b := pool.Get().(*buffers)
		defer pool.Put(b)
		step, between = bufferLen, &b.between
	}
	for i := range m {
		for j := 0; j < n; j += step {
			c.convertBlock(dst.At(i, j).P, src.At(i, j).P, min(step, n-j), between, nonTemporal)
		}
	}
	if nonTemporal {
		kernel.Fence()
	}
}

// next returns the type that numbers of type from become first on their way to the type
// of the destination: that type itself, where the kernel is as fast as one can be; else
// one that is, through the cache. Of the steps on a way one rounds at most: the
// others are to types that have room for all numbers there are, or Float16 has none for
// what they lose. Times come from float64s, where NaN is still to be seen.
func (c *Codec) next(from kernel.Num) kernel.Num {
	to := c.to.num
	wide := from == kernel.U32 || from == kernel.I64 || from == kernel.U64 // integers that may not fit int32
	switch {
	case from == to:
	case from.IsModel(), to.IsModel():
		return c.nextModel(from)
	case c.times && from.IsFloat() && from != kernel.F64:
		return kernel.F64
	case to == kernel.Bool, from >= kernel.C64:
	case from == kernel.Bool && to != kernel.U8 && to != kernel.I8:
		return kernel.U8
	case from == kernel.F16 && !to.IsFloat(), to == kernel.F16 && !from.IsFloat():
		if wide || to == kernel.I64 || to == kernel.U64 || to == kernel.U32 || to == kernel.C128 {
			return kernel.F64
		}
		return kernel.F32
	case to == kernel.C128 && from != kernel.F64:
		return kernel.F64
	case to == kernel.C64 && from != kernel.F32:
		return kernel.F32
	}
	return to
}

// convertBlock converts n numbers that follow one another, in native order and
// aligned. A time that is NaN is NaT. If nonTemporal is true, dst is stored past the caches.
func (c *Codec) convertBlock(dst, src Pointer, n int, between *[2][bufferLen]uint64, nonTemporal bool) {
	from := c.from.num
	if c.from.isComplex() && c.to.num == kernel.Bool { // part by part; two bytes are true if one is
		parts := Pointer(&between[0])
		kernel.Convert(parts, kernel.Bool, src, c.from.part(), 2*n, false)
		kernel.Convert(dst, kernel.Bool, parts, kernel.U16, n, nonTemporal)
		return
	}
	for k := 0; ; k ^= 1 {
		next := c.next(from)
		if next == c.to.num {
			break
		}
		out := Pointer(&between[k])
		kernel.Convert(out, next, src, from, n, false)
		src, from = out, next
	}
	kernel.Convert(dst, c.to.num, src, from, n, nonTemporal)
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

func (n number) isComplex() bool { return n.num.IsComplex() }

// part returns the type of the real part of a complex number.
func (n number) part() kernel.Num { return n.num - (kernel.C64 - kernel.F32) }

// isItemwise reports whether numbers are converted where they are, one by one. That is faster
// than by way of buffers where those would be filled or emptied one by one, and where there
// are no vectors for the conversion.
func (c *Codec) isItemwise(axes []Axis) bool {
	from, to := c.from, c.to
	if c.times || !kernel.HasItems(to.num, from.num) {
		return false
	}
	outer, inner := axes[:len(axes)-1], axes[len(axes)-1]
	along := abs(inner.SS) == from.size
	across := slices.ContainsFunc(outer, func(a Axis) bool { return abs(a.SS) == from.size && a.N >= leastVectorRun })
	switch {
	case (from.swap > 0 || to.swap > 0) && to.size < 16 && (inner.DS == to.size || along ||
		across): // reversed with vectors
		return false
	case inner.DS != to.size || inner.N < leastVectorRun:
		return true
	case along:
		return to.size == 16 && !kernel.IsNonTemporal(to.size*count(axes))
	case across: // transposed with vectors, to the buffer and from there
		return to.size >= 8 && !(inner.N*to.size >= nonTemporalRow && kernel.IsNonTemporal(to.size*count(axes)))
	}
	return inner.N < leastKernelRow || from.size == 8 && to.size != 4 || to.size == 16 ||
		!kernel.IsFast(inner.SS, from.size)
}

// convertItems is Move where isItemwise is true. What the kernel leaves goes by way of buffers.
func (c *Codec) convertItems(m, n int, dst, src Side) {
	switch {
	case dst.Row == n*dst.Item && src.Row == n*src.Item: // one run along the rows
		m, n = 1, m*n
	case dst.Item == m*dst.Row && src.Item == m*src.Row: // along the columns
		m, n, dst, src = 1, m*n, dst.Turned(), src.Turned()
	}
	columns := n
	switch {
	case m > n && n < kernel.FewColumns:
		m, n, dst, src = n, m, dst.Turned(), src.Turned()
		columns = kernel.ColumnItems
	case m > 1 && abs(src.Row) < abs(src.Item):
		columns = rowsNear(src.Item)
	}
	for j := 0; j < n; j += columns {
		k, d, s := min(columns, n-j), dst.At(0, j), src.At(0, j)
		if done := kernel.ConvertItems(m, k, d, c.to.num, s, c.from.num, c.to.swap, c.from.swap); done < m {
			var axes [2]Axis
			c.tiled(blockAxes(&axes, m-done, k, d, s), d.At(done, 0).P, s.At(done, 0).P)
		}
	}
}

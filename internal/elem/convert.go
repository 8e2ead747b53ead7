package elem

import (
	"math/bits"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// A number is a type of numbers in memory.
type number struct {
	num        kernel.Num
	size, swap int // size in bytes of an element, and of each group of bytes that is reversed; swap is 0 in native order
}

// firstNum holds, for each kind of numbers, the Num of numbers of one byte. The Num of numbers of 2ⁿ bytes is n more.
var firstNum = [...]kernel.Num{
	dtype.KindBool:         kernel.Bool,
	dtype.KindInt:          kernel.I8,
	dtype.KindUint:         kernel.U8,
	dtype.KindFloat:        kernel.F16 - 1,
	dtype.KindComplex:      kernel.C64 - 3,
	dtype.KindDatetime:     kernel.I8,
	dtype.KindTimedelta:    kernel.I8,
	dtype.KindBFloat16:     kernel.BF16 - 1,
	dtype.KindFloat8E4M3FN: kernel.E4M3FN,
	dtype.KindFloat8E5M2:   kernel.E5M2,
}

// numberOf returns the number type of dtype d. Times are treated as int64. ok is false if elements of d are not
// numbers, or are long doubles.
func numberOf(d dtype.DType) (n number, ok bool) {
	n.size = d.ItemSize()
	if !d.IsNumber() && !IsTime(d) {
		return n, false
	}
	n.num = firstNum[d.Kind()] + kernel.Num(bits.TrailingZeros(uint(n.size)))
	if d.ByteOrder() != dtype.NotApplicable && d.ByteOrder() != dtype.Native {
		n.swap = swapGroup(d)
	}
	return n, true
}

// kernels are the functions of package kernel that convert numbers. A codec refers to them, so that the linker leaves
// conversions out of programs that do not call [New].
type kernels struct {
	convert  func(dst Pointer, to kernel.Num, src Pointer, from kernel.Num, n int, nonTemporal bool)
	hasItems func(to, from kernel.Num) bool
	items    func(m, n int, dst Side, to kernel.Num, src Side, from kernel.Num, dswap, sswap int) (rows int)
}

var (
	ofNumbers = kernels{kernel.Convert, kernel.CanConvertStrided, kernel.ConvertStrided}
	ofBools   = kernels{cleanBools, func(_, _ kernel.Num) bool { return true }, cleanItems}
)

// cleanBools is like kernel.Convert from Bool to Bool.
func cleanBools(dst Pointer, _ kernel.Num, src Pointer, _ kernel.Num, n int, nonTemporal bool) {
	kernel.CleanBools(dst, src, n, nonTemporal)
}

// cleanItems is like kernel.ConvertItems from Bool to Bool.
func cleanItems(m, n int, dst Side, _ kernel.Num, src Side, _ kernel.Num, _, _ int) (rows int) {
	for i := range m {
		for j := range n {
			kernel.Bytes(dst.At(i, j).P, 1)[0] = min(kernel.Bytes(src.At(i, j).P, 1)[0], 1)
		}
	}
	return m
}

// isPlain reports whether numbers at p are in native byte order and aligned, so that kernel.Convert can access them.
func (n number) isPlain(p Pointer) bool {
	return n.swap == 0 && uintptr(p)&uintptr(min(n.size, 8)-1) == 0
}

// arePlain reports whether isPlain is true at p, and one step from p along each of the axes.
func (n number) arePlain(p Pointer, axes []Axis, stride func(Axis) int) bool {
	for _, a := range axes {
		if !n.isPlain(kernel.Add(p, stride(a))) {
			return false
		}
	}
	return n.isPlain(p)
}

// buffers holds the buffers of a conversion, each for bufferLen numbers.
type buffers struct {
	in, out [2 * bufferLen]uint64 // for numbers of up to 16 bytes
	middle  [2][bufferLen]uint64  // for intermediate types, of up to 8 bytes
}

var pool = sync.Pool{New: func() any { return new(buffers) }}

// isDirect reports whether convertRows can convert the numbers.
func (c *Codec) isDirect(axes []Axis, dst, src Pointer) bool {
	last := len(axes) - 1
	inner, outer := axes[last], axes[:last]
	return inner.DS == c.to.size && inner.SS == c.from.size && (last == 0 || inner.N >= minKernelRow) &&
		c.from.arePlain(src, outer, Axis.srcStride) && c.to.arePlain(dst, outer, Axis.dstStride)
}

// convertRows does the work of Move for rows of consecutive numbers that are native and aligned on both sides.
func (c *Codec) convertRows(m, n int, dst, src Side) {
	nonTemporal := kernel.IsNonTemporal(n * c.dsize)
	step, middle := n, (*[2][bufferLen]uint64)(nil)
	if c.nextType(c.from.num) != c.to.num || c.times || c.from.num.IsComplex() &&
		c.to.num == kernel.Bool { // several steps
		b := pool.Get().(*buffers)
		defer pool.Put(b)
		step, middle = bufferLen, &b.middle
	}
	for i := range m {
		for j := 0; j < n; j += step {
			c.convertBlock(dst.At(i, j).P, src.At(i, j).P, min(step, n-j), middle, nonTemporal)
		}
	}
	if nonTemporal {
		kernel.Fence()
	}
}

// nextType returns the type for the first step of a conversion from type from to the destination type. It returns the
// destination type itself if the kernel has a fast loop for the conversion. Otherwise it returns an intermediate type;
// blocks of intermediate numbers stay in the cache. At most one step of a conversion rounds: an intermediate type
// represents all numbers of the previous type, or rounds only numbers that are out of the range of the destination
// anyway. Times are converted from float64, because only floats have NaN.
func (c *Codec) nextType(from kernel.Num) kernel.Num {
	to := c.to.num
	wide := from == kernel.U32 || from == kernel.I64 || from == kernel.U64 // integers that may not fit int32
	switch {
	case from == to:
	case from.IsModel() && to != kernel.F64: // float32 represents all numbers of these types
		return kernel.F32
	case from.IsModel(), to == kernel.Bool, from.IsComplex():
	case from == kernel.Bool && to != kernel.U8 && to != kernel.I8:
		return kernel.U8
	case to.IsModel():
		switch {
		case from == kernel.F32, from == kernel.F64, to == kernel.BF16 && (from == kernel.I64 || from == kernel.U64):
			return to
		case wide, from == kernel.I32:
			return kernel.F64
		}
		return kernel.F32
	case c.times && from.IsFloat() && from != kernel.F64:
		return kernel.F64
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

// convertBlock converts n consecutive numbers, in native order and aligned. NaN becomes NaT if the destination has
// times. If nonTemporal is true, stores to dst bypass the caches.
func (c *Codec) convertBlock(dst, src Pointer, n int, middle *[2][bufferLen]uint64, nonTemporal bool) {
	from := c.from.num
	if from.IsComplex() && c.to.num == kernel.Bool { // convert both parts; a pair of bytes is true if one of them is
		parts := Pointer(&middle[0])
		c.kernels.convert(parts, kernel.Bool, src, realPart(from), 2*n, false)
		c.kernels.convert(dst, kernel.Bool, parts, kernel.U16, n, nonTemporal)
		return
	}
	for k := 0; ; k ^= 1 {
		next := c.nextType(from)
		if next == c.to.num {
			break
		}
		out := Pointer(&middle[k])
		c.kernels.convert(out, next, src, from, n, false)
		src, from = out, next
	}
	c.kernels.convert(dst, c.to.num, src, from, n, nonTemporal)
	if c.times {
		kernel.NaNToNaT(dst, src, n)
	}
}

// realPart returns the type of the real part of a complex number.
func realPart(n kernel.Num) kernel.Num { return n - (kernel.C64 - kernel.F32) }

// prefersItems reports whether convertItems is faster than converting through the buffers. This is the case if
// filling or emptying the buffers would move number by number, or if the kernel has no vector loop for the
// conversion.
func (c *Codec) prefersItems(axes []Axis) bool {
	from, to := c.from, c.to
	if c.times || !c.kernels.hasItems(to.num, from.num) {
		return false
	}
	outer, inner := axes[:len(axes)-1], axes[len(axes)-1]
	along := abs(inner.SS) == from.size
	across := slices.ContainsFunc(outer, func(a Axis) bool { return abs(a.SS) == from.size && a.N >= minVectorRun })
	switch {
	case (from.swap > 0 || to.swap > 0) && to.size < 16 && (inner.DS == to.size || along || across):
		return false // vectors reverse the bytes
	case inner.DS != to.size || inner.N < minVectorRun:
		return true
	case along:
		return to.size == 16 && !kernel.IsNonTemporal(to.size*count(axes))
	case across: // vectors transpose while they fill or empty the buffer
		return to.size >= 8 && !(inner.N*to.size >= nonTemporalRow && kernel.IsNonTemporal(to.size*count(axes)))
	}
	return inner.N < minKernelRow || from.size == 8 && to.size != 4 || to.size == 16 ||
		!kernel.IsFast(inner.SS, from.size)
}

// convertItems does the work of Move by kernel.ConvertItems. Rows that the kernel does not convert go through the
// buffers.
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
		columns = cachedRows(src.Item)
	}
	for j := 0; j < n; j += columns {
		k, d, s := min(columns, n-j), dst.At(0, j), src.At(0, j)
		if done := c.kernels.items(m, k, d, c.to.num, s, c.from.num, c.to.swap, c.from.swap); done < m {
			var axes [2]Axis
			c.moveTiles(blockAxes(&axes, m-done, k, d, s), d.At(done, 0).P, s.At(done, 0).P)
		}
	}
}

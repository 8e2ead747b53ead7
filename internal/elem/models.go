package elem

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// The floats of models, which the table of the kernels does not have: each becomes a float32, which
// has room for it, and from there what is wanted.
const (
	bf16 kernel.Num = 0x40 + iota
	e4m3fn
	e5m2
)

func isModel(n kernel.Num) bool { return n >= bf16 }

func isFloat(n kernel.Num) bool { return n.IsFloat() || isModel(n) }

// nextModel is next where one of the two is the float of a model.
func (c *Codec) nextModel(from kernel.Num) kernel.Num {
	switch to := c.to.num; {
	case isModel(from):
		return kernel.F32
	case from == kernel.F32, from == kernel.F64:
		return to
	case (from == kernel.I64 || from == kernel.U64) && to == bf16:
		return to // a float64 has rounded; only floats of a byte are too small for what it rounds
	case from == kernel.I32, from == kernel.U32, from == kernel.I64, from == kernel.U64:
		return kernel.F64
	}
	return kernel.F32
}

// convert is [kernel.Convert], of the floats of models, too, on the ways that nextModel goes.
func convert(dst Pointer, to kernel.Num, src Pointer, from kernel.Num, n int, past bool) {
	if !isModel(to) && !isModel(from) {
		kernel.Convert(dst, to, src, from, n, past)
		return
	}
	switch {
	case from == bf16:
		kernel.BF16ToF32(dst, src, n)
	case from == e4m3fn:
		kernel.E4M3FNToF32(dst, src, n)
	case from == e5m2:
		kernel.E5M2ToF32(dst, src, n)
	case to == bf16 && from == kernel.F32:
		kernel.F32ToBF16(dst, src, n)
	case to == bf16 && from == kernel.F64:
		kernel.F64ToBF16(dst, src, n)
	case to == bf16 && from == kernel.I64:
		kernel.I64ToBF16(dst, src, n)
	case to == bf16:
		kernel.U64ToBF16(dst, src, n)
	case to == e4m3fn && from == kernel.F32:
		kernel.F32ToE4M3FN(dst, src, n)
	case to == e4m3fn:
		kernel.F64ToE4M3FN(dst, src, n)
	case from == kernel.F32:
		kernel.F32ToE5M2(dst, src, n)
	default:
		kernel.F64ToE5M2(dst, src, n)
	}
}

func hasItems(to, from kernel.Num) bool {
	return !isModel(to) && !isModel(from) && kernel.HasItems(to, from)
}

// modelOf returns the type of numbers of a kind.
func modelOf(k dtype.Kind) (n kernel.Num, ok bool) {
	switch k {
	case dtype.KindBFloat16:
		return bf16, true
	case dtype.KindFloat8E4M3FN:
		return e4m3fn, true
	case dtype.KindFloat8E5M2:
		return e5m2, true
	}
	return 0, false
}

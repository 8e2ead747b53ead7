package elem

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// nextModel is next where one of the two types is a float of models. These become float32, which has room for all of
// their numbers, and float32 becomes the destination type.
func (c *Codec) nextModel(from kernel.Num) kernel.Num {
	switch to := c.to.num; {
	case from.IsModel() && to == kernel.F64:
		return to
	case from.IsModel():
		return kernel.F32
	case from == kernel.F32, from == kernel.F64:
		return to
	case (from == kernel.I64 || from == kernel.U64) && to == kernel.BF16:
		return to // a float64 has rounded; only floats of a byte are too small for what it rounds
	case from == kernel.I32, from == kernel.U32, from == kernel.I64, from == kernel.U64:
		return kernel.F64
	}
	return kernel.F32
}

// modelOf returns the type of numbers of a kind.
func modelOf(k dtype.Kind) (n kernel.Num, ok bool) {
	switch k {
	case dtype.KindBFloat16:
		return kernel.BF16, true
	case dtype.KindFloat8E4M3FN:
		return kernel.E4M3FN, true
	case dtype.KindFloat8E5M2:
		return kernel.E5M2, true
	}
	return 0, false
}

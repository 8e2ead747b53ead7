package elem

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// A linearFunc is a linear function that a chain applies to its intermediate floats.
type linearFunc struct {
	num            kernel.Num // F32 or F64
	from           number     // the source type
	factor, offset float64
	inverse        bool // the function is (x-offset)/factor instead of x*factor + offset
	round          bool // round the results to integers

	// scale is kernel.Scale. It is a field so that the linker leaves kernel.Scale out of programs that do not call
	// [Scaled]. isDirect is true if scale accepts numbers of the source type.
	scale    func(dst Pointer, to kernel.Num, src Pointer, from kernel.Num, n int, factor, offset float64)
	isDirect bool
}

// Scaled returns two Codecs. decode multiplies numbers of dtype have by factor, adds offset, and stores the results as
// numbers of dtype want. encode is the inverse. Neither dtype may be complex, and factor must not be 0. Results that
// are integers are rounded, ties to even, and limited to the range of their type.
//
// decode computes in float32, as NumPy does, if want is a float of up to 32 bits, and have is such a float or an
// integer of up to 16 bits. Otherwise it computes in float64. encode always computes in float64.
func Scaled(want, have dtype.DType, factor, offset float64) (decode, encode Codec, err error) {
	to, _ := numberOf(want)
	from, _ := numberOf(have)
	forward := linearFunc{num: kernel.F64, from: from, factor: factor, offset: offset, round: to.num.IsInt(),
		scale: kernel.Scale}
	backward := linearFunc{num: kernel.F64, from: to, factor: factor, offset: offset, round: from.num.IsInt(),
		inverse: true}
	single := (from.size <= 2 || from.num == kernel.F32) && (to.num == kernel.F16 || to.num == kernel.F32 ||
		to.num.IsModel())
	middle := dtype.Float64
	if f, o := math.Abs(factor), math.Abs(offset); single && 0x1p-126 <= f && f <= math.MaxFloat32 &&
		o <= math.MaxFloat32 {
		forward.num, middle = kernel.F32, dtype.Float32
	}
	forward.isDirect = !forward.round && kernel.HasScale(forward.num, from.num)
	if decode, err = chainThrough(want, middle, have, &forward); err == nil {
		encode, err = chainThrough(have, dtype.Float64, want, &backward)
	}
	return decode, encode, err
}

// chainThrough returns the Codec that converts src to middle, applies f, and converts the result to dst.
func chainThrough(dst, middle, src dtype.DType, f *linearFunc) (Codec, error) {
	first, err := New(middle, src)
	if err != nil {
		return Codec{}, err
	}
	second, err := New(dst, middle)
	c := Chain(&first, &second)
	c.linear = f
	return c, err
}

// apply applies f to the n numbers at p. A nil f does nothing.
func (f *linearFunc) apply(p Pointer, n int) {
	if f == nil {
		return
	}
	if f.inverse {
		kernel.Unscale(p, n, f.factor, f.offset)
	} else {
		f.scale(p, f.num, p, f.num, n, f.factor, f.offset)
	}
	if f.round {
		kernel.Round(p, n)
	}
}

// isInPlace reports whether scaleRows can do the work of Walk.
func (c *Codec) isInPlace(axes []Axis, dst Pointer) bool {
	last := len(axes) - 1
	inner := axes[last]
	return c.linear != nil && c.second.IsPlain() && inner.DS == c.dsize && (last == 0 || inner.N >= minKernelRow) &&
		(number{size: c.dsize}).arePlain(dst, axes[:last], Axis.dstStride)
}

// scaleRows does the work of Move for a chain whose second Codec is plain. It applies the function to rows of numbers
// in the destination itself.
func (c *Codec) scaleRows(m, n int, dst, src Side) {
	f := c.linear
	at := f.isDirect && src.Item == f.from.size
	for i := range m {
		if s := src.At(i, 0).P; at && f.from.isPlain(s) { // convert and scale in one step
			f.scale(dst.At(i, 0).P, f.num, s, f.from.num, n, f.factor, f.offset)
			continue
		}
		for j := 0; j < n; j += bufferLen {
			d, s, k := dst.At(i, j), src.At(i, j), min(bufferLen, n-j)
			c.first.Move(1, k, d, s)
			f.apply(d.P, k)
		}
	}
}

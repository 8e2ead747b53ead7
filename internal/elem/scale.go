package elem

import (
	"math"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// A linear function of floats in the middle of a chain.
type linear struct {
	num            kernel.Num // F32 or F64
	from           number     // that the first codec makes num of
	factor, offset float64
	inverse        bool // the function is (x-offset)/factor, and not x*factor + offset
	round          bool // to the nearest integer
}

// Scaled returns the Codecs that make numbers of dtype want of those of dtype have, times factor plus offset, and back.
// Neither may be complex, and factor not 0. Integers are rounded, ties to even, and brought in range.
//
// Where want is a float of up to 32 bits, and have one or an integer of up to 16, whose numbers float32 has room for,
// it is float32 that is multiplied and added, as in NumPy; else, and on the way back, float64.
func Scaled(want, have dtype.DType, factor, offset float64) (load, save Codec, err error) {
	to, _ := numberOf(want)
	from, _ := numberOf(have)
	there := linear{num: kernel.F64, from: from, factor: factor, offset: offset, round: to.num.IsInt()}
	back := linear{num: kernel.F64, from: to, factor: factor, offset: offset, round: from.num.IsInt(), inverse: true}
	single := (from.size <= 2 || from.num == kernel.F32) && (to.num == kernel.F16 || to.num == kernel.F32 ||
		to.num.IsModel())
	middle := dtype.Float64
	if f, o := math.Abs(factor), math.Abs(offset); single && 0x1p-126 <= f && f <= math.MaxFloat32 &&
		o <= math.MaxFloat32 {
		there.num, middle = kernel.F32, dtype.Float32
	}
	if load, err = through(want, middle, have, &there); err == nil {
		save, err = through(have, dtype.Float64, want, &back)
	}
	return load, save, err
}

// through returns the Codec from src by way of middle, where f is applied, to dst.
func through(dst, middle, src dtype.DType, f *linear) (Codec, error) {
	first, err := New(middle, src)
	if err != nil {
		return Codec{}, err
	}
	second, err := New(dst, middle)
	c := Chain(&first, &second)
	c.linear = f
	return c, err
}

// apply applies f to n numbers at p. Nil leaves them as they are.
func (f *linear) apply(p Pointer, n int) {
	if f == nil {
		return
	}
	if f.inverse {
		kernel.Unscale(p, n, f.factor, f.offset)
	} else {
		kernel.Scale(p, f.num, p, f.num, n, f.factor, f.offset)
	}
	if f.round {
		kernel.Round(p, n)
	}
}

// isInPlace reports whether a chain has its function applied where the numbers are stored, a row at a time: they are
// what is in the middle, and follow one another.
func (c *Codec) isInPlace(axes []Axis, dst Pointer) bool {
	inner := axes[len(axes)-1]
	if c.linear == nil || !c.second.IsPlain() || inner.DS != c.dsize || len(axes) > 1 && inner.N < leastKernelRow {
		return false
	}
	to := number{size: c.dsize}
	for _, a := range axes[:len(axes)-1] {
		if !to.isPlain(kernel.Add(dst, a.DS)) {
			return false
		}
	}
	return to.isPlain(dst)
}

// scaleRows is Move where isInPlace is true.
func (c *Codec) scaleRows(m, n int, dst, src Side) {
	f := c.linear
	at := !f.inverse && !f.round && src.Item == f.from.size && kernel.HasScale(f.num, f.from.num)
	for i := range m {
		if s := src.At(i, 0).P; at && f.from.isPlain(s) { // in one step
			kernel.Scale(dst.At(i, 0).P, f.num, s, f.from.num, n, f.factor, f.offset)
			continue
		}
		for j := 0; j < n; j += bufferLen {
			d, s, k := dst.At(i, j), src.At(i, j), min(bufferLen, n-j)
			c.first.Move(1, k, d, s)
			f.apply(d.P, k)
		}
	}
}

package plane

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// A picture is a random array with a random choice of axes to show.
type picture struct {
	a          array.Array
	at         []int
	y, x       int // y may be -1
	channels   int // may be -1
	part       pick.Part
	byElements func(row, col, channel int) float64 // computes the expected value of one element
	byComplex  func(row, col, channel int) complex128
	h, w, c    int
}

var numbers = []string{"?", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16"}

// draw returns a random picture. elements is the approximate maximum number of elements.
func draw(t testing.TB, r *rand.Rand, elements int) picture {
	t.Helper()
	order, layout := "<", index.C
	if r.IntN(2) == 0 {
		order = ">"
	}
	if r.IntN(2) == 0 {
		layout = index.F
	}
	name := numbers[r.IntN(len(numbers))]
	if name != "?" {
		name = order + name
	}
	d := dtype.MustParse(name)
	p := picture{y: -1, channels: -1, c: 1, h: 1}
	shape := []int{}
	for left := elements; len(shape) == 0 || r.IntN(4) > 0 && len(shape) < 4; left /= max(1, shape[len(shape)-1]) {
		n := 1 + r.IntN(min(left, 1+r.IntN(1200)))
		if r.IntN(60) == 0 {
			n = 0
		}
		shape = append(shape, n)
	}
	r.Shuffle(len(shape), func(i, k int) { shape[i], shape[k] = shape[k], shape[i] })
	if d.Kind() == dtype.KindUint && d.ItemSize() == 1 && len(shape) >= 2 && r.IntN(2) == 0 {
		p.channels = r.IntN(len(shape))
		p.c = 3 + r.IntN(2)
		shape[p.channels] = p.c
	}
	f, err := array.New(d, layout, shape...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	fill(r, f)
	p.a = f.Array

	// Choose the axes to show, and the position along the remaining axes.
	axes := r.Perm(len(shape))
	for i, k := range axes {
		if k == p.channels {
			axes = append(axes[:i], axes[i+1:]...)
			break
		}
	}
	p.x = axes[0]
	p.w = shape[p.x]
	if len(axes) > 1 && r.IntN(4) > 0 {
		p.y = axes[1]
		p.h = shape[p.y]
	}
	p.at = make([]int, len(shape))
	for k, n := range shape {
		if n > 0 {
			p.at[k] = r.IntN(n)
		} else if k != p.x && k != p.y {
			p.at[k] = 0
		}
	}
	if d.Kind() == dtype.KindComplex {
		p.part = []pick.Part{pick.Whole, pick.Real, pick.Imag, pick.Abs, pick.Angle}[r.IntN(5)]
	}
	v, err := array.Cast[complex128](p.a)
	if err != nil {
		t.Fatal(err)
	}
	p.byComplex = func(row, col, channel int) complex128 {
		idx := append([]int(nil), p.at...)
		if p.y >= 0 {
			idx[p.y] = row
		}
		if p.channels >= 0 {
			idx[p.channels] = channel
		}
		idx[p.x] = col
		return v.At(idx...)
	}
	p.byElements = func(row, col, channel int) float64 {
		z := p.byComplex(row, col, channel)
		switch {
		case d.Kind() != dtype.KindComplex, p.part == pick.Real:
			return real(z)
		case p.part == pick.Imag:
			return imag(z)
		case p.part == pick.Angle:
			return cmplx.Phase(z)
		}
		return math.Hypot(real(z), imag(z))
	}
	return p
}

// empty reports whether an axis that is not shown has length 0.
func (p picture) empty() bool {
	for k, n := range p.a.Shape() {
		if n == 0 && k != p.x && k != p.y && k != p.channels {
			return true
		}
	}
	return false
}

// fill sets the elements to random numbers. Floats include NaN and infinities.
func fill(r *rand.Rand, f *array.File) {
	d := f.DType()
	width, runs := r.IntN(60), 1+r.IntN(9)
	v, err := array.Cast[complex128](f.Array)
	if err != nil {
		panic(err)
	}
	odd := func() float64 {
		if d.Kind() != dtype.KindFloat && d.Kind() != dtype.KindComplex {
			return float64(int64(r.Uint64()) >> (1 + width))
		}
		switch r.IntN(10 * runs) {
		case 0, 1, 2:
			return math.NaN()
		case 3:
			return math.Inf(1)
		case 4:
			return math.Inf(-1)
		case 5:
			return math.Copysign(0, -1)
		}
		return r.NormFloat64() * math.Ldexp(1, r.IntN(4))
	}
	for block := range v.Update(index.K) {
		for i := range block {
			block[i] = complex(odd(), odd())
		}
	}
}

// slowAngle returns the angle of the mean of the elements that are not NaN. The angle of an infinite mean is undefined.
func slowAngle(elements []complex128) float64 {
	sum, n := complex128(0), 0
	for _, z := range elements {
		if !cmplx.IsNaN(z) && !math.IsNaN(real(z)) && !math.IsNaN(imag(z)) {
			sum, n = sum+z, n+1
		}
	}
	if n == 0 {
		return math.NaN()
	}
	return math.Atan2(imag(sum)/float64(n), real(sum)/float64(n))
}

// slowPixel returns the value of a pixel that covers elements.
func slowPixel(how How, elements []float64) float64 {
	if how == Sample || len(elements) == 1 {
		return elements[0]
	}
	sum, n, lo, hi := 0.0, 0, math.Inf(1), math.Inf(-1)
	for _, x := range elements {
		if !math.IsNaN(x) {
			sum, n, lo, hi = sum+x, n+1, min(lo, x), max(hi, x)
		}
	}
	switch {
	case n == 0:
		return math.NaN()
	case how == Min:
		return lo
	case how == Max:
		return hi
	}
	return sum / float64(n)
}

package pick

import (
	"fmt"
	"math/bits"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A Minus is an array to be subtracted, element by element, from another array of equal shape.
type Minus struct {
	Array
	At []int // position along the axes that are not shown; nil if both arrays have the same position
}

// Less returns the difference a-b. at is the position of b along the axes that are not shown; nil stands for the
// position of a.
func (a Array) Less(b Array, at []int) (Array, error) {
	if !slices.Equal(a.Shape(), b.Shape()) {
		return Array{}, fmt.Errorf("shapes %v and %v: want equal shapes", a.Shape(), b.Shape())
	}
	for _, x := range []Array{a, b} {
		if err := Numbers(x.Array); err != nil {
			return Array{}, err
		}
	}
	if (a.DType().Kind() == dtype.KindComplex) != (b.DType().Kind() == dtype.KindComplex) {
		return Array{}, fmt.Errorf("dtypes %.40v and %.40v: want both complex, or neither", a.DType(), b.DType())
	}
	a.Minus = &Minus{b, at}
	return a, nil
}

func (m *Minus) show(at, axes []int) (*Minus, error) {
	if m.At != nil {
		at = m.At
	}
	b, err := m.Show(at, axes...)
	return &Minus{b, m.At}, err
}

// each applies f to the array in a and, if a is a difference, to the array that is subtracted.
func (a Array) each(f func(array.Array) (array.Array, error)) (Array, error) {
	var err error
	if a.Minus != nil {
		b, err := a.Minus.each(f)
		if err != nil {
			return Array{}, err
		}
		a.Minus = &Minus{b, a.Minus.At}
	}
	a.Array, err = f(a.Array)
	return a, err
}

// Select returns the elements of a that sel selects. It does not update Offset.
func (a Array) Select(sel ...index.Selector) (Array, error) {
	return a.each(func(a array.Array) (array.Array, error) { return a.Select(sel...) })
}

// ExpandDims returns a with an additional axis of length 1.
func (a Array) ExpandDims(axis int) (Array, error) {
	return a.each(func(a array.Array) (array.Array, error) { return a.ExpandDims(axis) })
}

// Squeeze returns a without the given axes of length 1.
func (a Array) Squeeze(axes ...int) (Array, error) {
	return a.each(func(a array.Array) (array.Array, error) { return a.Squeeze(axes...) })
}

// Reshape returns a with another shape.
func (a Array) Reshape(shape ...int) (Array, error) {
	return a.each(func(a array.Array) (array.Array, error) { return a.Reshape(shape...) })
}

// Computed reports whether a.Floats(r) computes new elements instead of returning a view.
func (a Array) Computed(r Reading) bool { return a.Minus != nil || r.Computed(a.DType()) }

// Floats returns the elements of a as float64, as a copy if a is a difference. Integers are subtracted exactly, before
// the difference is rounded to float64.
func (a Array) Floats(r Reading) (array.View[float64], error) {
	if a.Minus == nil {
		return Floats(a.Array, r)
	}
	b := a.Minus.Array
	switch x, y := integers(a.DType()), integers(b.DType()); {
	case x != none && y != none && x != large && y != large:
		return difference[int64](a.Array, b.Array)
	case x >= natural && y >= natural:
		return difference[uint64](a.Array, b.Array)
	case x == large && y != none:
		return subtractMixed(a.Array, b.Array, 1)
	case x != none && y == large:
		return subtractMixed(b.Array, a.Array, -1)
	}
	v, err := Floats(a.Array, r)
	if err != nil {
		return v, err
	}
	w, err := Floats(b.Array, Reading{Part: r.Part})
	if err != nil {
		return v, err
	}
	f, g := v.Collect(), w.Collect()
	for i, x := range g {
		f[i] -= x
	}
	return withShape(f, a.Shape())
}

// Classes of integer dtypes: not an integer, signed, unsigned, and unsigned with values that int64 cannot hold.
const (
	none = iota
	signed
	natural
	large
)

func integers(d dtype.DType) int {
	switch {
	case d.Kind() == dtype.KindInt:
		return signed
	case d.Kind() == dtype.KindUint && d.ItemSize() == 8:
		return large
	case d.Kind() == dtype.KindUint, d.Kind() == dtype.KindBool:
		return natural
	}
	return none
}

func difference[T int64 | uint64](a, b array.Array) (array.View[float64], error) {
	v, err := array.Cast[T](a)
	if err != nil {
		return array.View[float64]{}, err
	}
	w, err := array.Cast[T](b)
	if err != nil {
		return array.View[float64]{}, err
	}
	x, y := v.Collect(), w.Collect()
	f := make([]float64, len(x))
	for i := range f {
		if x[i] >= y[i] { // converted to uint64, the difference cannot overflow
			f[i] = float64(uint64(x[i]) - uint64(y[i]))
		} else {
			f[i] = -float64(uint64(y[i]) - uint64(x[i]))
		}
	}
	return withShape(f, a.Shape())
}

// subtractMixed returns sign·(a-b) for a of uint64 and b of integers that may be negative.
func subtractMixed(a, b array.Array, sign float64) (array.View[float64], error) {
	v, err := array.Cast[uint64](a)
	if err != nil {
		return array.View[float64]{}, err
	}
	w, err := array.Cast[int64](b)
	if err != nil {
		return array.View[float64]{}, err
	}
	x, y := v.Collect(), w.Collect()
	f := make([]float64, len(x))
	for i, n := range x {
		switch d, carry := bits.Add64(n, uint64(-y[i]), 0); {
		case y[i] >= 0 && n >= uint64(y[i]):
			f[i] = sign * float64(n-uint64(y[i]))
		case y[i] >= 0:
			f[i] = -sign * float64(uint64(y[i])-n)
		case carry == 0:
			f[i] = sign * float64(d)
		default: // 65 bits: the lowest bit only affects rounding
			f[i] = sign * 2 * float64(1<<63|d>>1|d&1)
		}
	}
	return withShape(f, a.Shape())
}

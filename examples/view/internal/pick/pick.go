// Package pick selects the part of an array that a request asks for: a field, a component of complex numbers, the axes
// to show, and the position along the remaining axes.
package pick

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// An Array is an array with its location in a mapped file.
type Array struct {
	array.Array
	Map    *mmap.Map // nil if the elements are not in a mapped file
	Offset int       // position of the first element in the file, in bytes
	Minus  *Minus    // nil unless the array is a difference
	Far    *far.File // nil unless the elements are on a web server; then Fetch must be called before they are read
}

// Fetch fetches the elements of a, and of the array that is subtracted from it, if they are on a web server.
func (a Array) Fetch(ctx context.Context) error { return FetchAll(ctx, a) }

// FetchAll is like Fetch for several parts of one array.
func FetchAll(ctx context.Context, parts ...Array) error {
	if len(parts) == 0 || !parts[0].IsFar() {
		return nil
	}
	var arrays []array.Array
	var minus []Array
	for _, a := range parts {
		arrays = append(arrays, a.Array)
		if a.Minus != nil {
			minus = append(minus, a.Minus.Array)
		}
	}
	if f := parts[0].Far; f != nil {
		if err := f.Fetch(ctx, arrays...); err != nil {
			return err
		}
	}
	return FetchAll(ctx, minus...)
}

// IsFar reports whether elements of a, or of the array that is subtracted from it, are on a web server.
func (a Array) IsFar() bool { return a.Far != nil || a.Minus != nil && a.Minus.IsFar() }

// Field returns the nested field with the path names. If the field is a sub-array, its dimensions become the last axes.
func (a Array) Field(names []string) (Array, error) {
	for _, name := range names {
		f, ok := a.DType().Field(name)
		if !ok {
			return Array{}, fmt.Errorf("no field %.100q in dtype %.100v", name, a.DType())
		}
		var err error
		if a.Array, err = a.Array.Field(name); err != nil {
			return Array{}, err
		}
		a.Offset += f.Offset
	}
	return a, nil
}

// Ticks reinterprets times as their int64 values. It returns other arrays unchanged.
func (a Array) Ticks() (Array, error) {
	d := a.DType()
	if d.Kind() != dtype.KindDatetime && d.Kind() != dtype.KindTimedelta {
		return a, nil
	}
	var err error
	a.Array, err = a.Array.Reinterpret(dtype.Int64.WithByteOrder(d.ByteOrder()))
	return a, err
}

// A Part selects a real quantity of complex numbers.
type Part string

const (
	Whole Part = "" // the absolute value where a number is needed
	Real  Part = "real"
	Imag  Part = "imag"
	Abs   Part = "abs"
	Angle Part = "angle"
)

// ParsePart returns the part with name s.
func ParsePart(s string) (Part, error) {
	switch p := Part(s); p {
	case Whole, Real, Imag, Abs, Angle:
		return p, nil
	}
	return "", fmt.Errorf("part %.20q: want real, imag, abs or angle", s)
}

// Part returns a view of the real or imaginary parts of a for Real and Imag. It returns a itself for Whole, Abs and
// Angle, which [Floats] computes. If a is not complex, every part except Whole is an error.
func (a Array) Part(part Part) (Array, error) {
	d := a.DType()
	if a.Minus != nil {
		m, err := a.Minus.Part(part)
		if err != nil {
			return Array{}, err
		}
		a.Minus = &Minus{m, a.Minus.At}
	}
	if d.Kind() != dtype.KindComplex || !d.IsNumber() {
		if part != Whole {
			return Array{}, fmt.Errorf("part %s requires complex numbers; the elements have dtype %.100v", part, d)
		}
		return a, nil
	}
	if part != Real && part != Imag {
		return a, nil
	}
	half := dtype.Float32
	if d.ItemSize() == 16 {
		half = dtype.Float64
	}
	half = half.WithByteOrder(d.ByteOrder())
	pair, err := dtype.Struct(d.ItemSize(), dtype.Field{Name: "real", Type: half}, dtype.Field{Name: "imag", Type: half,
		Offset: half.ItemSize()})
	if err != nil {
		return Array{}, err
	}
	if a.Array, err = a.Array.Reinterpret(pair); err != nil {
		return Array{}, err
	}
	return a.Field([]string{string(part)})
}

// A Reading describes how elements become numbers. Part selects a quantity of complex numbers. Base holds the bits of
// an integer that is subtracted from 64-bit integers before they are converted to float64, which cannot represent all
// of them. It is 0 for all other dtypes.
type Reading struct {
	Part Part
	Base uint64
}

// ParseBase parses the decimal integer s as a Base for elements of d.
func ParseBase(s string, d dtype.DType) (uint64, error) {
	if s == "" || s == "0" {
		return 0, nil
	}
	var x uint64
	var err error
	switch kind := d.Kind(); {
	case kind == dtype.KindInt && d.ItemSize() == 8:
		var i int64
		i, err = strconv.ParseInt(s, 10, 64)
		x = uint64(i)
	case kind == dtype.KindUint && d.ItemSize() == 8:
		x, err = strconv.ParseUint(s, 10, 64)
	default:
		return 0, fmt.Errorf("base=%.40q: dtype %.100v takes no base; only 64-bit integers do", s, d)
	}
	if err != nil {
		return 0, fmt.Errorf("base=%.40q: want an integer that fits dtype %v", s, d)
	}
	return x, nil
}

// BaseText formats a Base in decimal, for elements of d.
func BaseText(base uint64, d dtype.DType) string {
	if d.Kind() == dtype.KindUint {
		return strconv.FormatUint(base, 10)
	}
	return strconv.FormatInt(int64(base), 10)
}

// FindBase returns the median of a few elements of a as a Base. It returns 0 if float64 represents the median exactly.
func FindBase(ctx context.Context, a Array) (uint64, error) {
	d := a.DType()
	if d.Kind() != dtype.KindInt && d.Kind() != dtype.KindUint || d.ItemSize() != 8 || a.Size() == 0 {
		return 0, nil
	}
	few := a.few(15)
	if err := FetchAll(ctx, few...); err != nil {
		return 0, err
	}
	if d.Kind() == dtype.KindUint {
		if m, err := median[uint64](few); err != nil || m > 1<<53 {
			return m, err
		}
		return 0, nil
	}
	if m, err := median[int64](few); err != nil || m > 1<<53 || m < -1<<53 {
		return uint64(m), err
	}
	return 0, nil
}

// few returns n evenly spaced elements of a, as arrays without dimensions. a must not be empty. few does not update
// Offset.
func (a Array) few(n int) []Array {
	elements := make([]Array, n)
	for i := range elements {
		idx := make([]int, a.NDim())
		at := int(float64(a.Size()-1) * float64(i) / float64(n-1))
		for k := len(idx) - 1; k >= 0; k-- {
			idx[k], at = at%a.Len(k), at/a.Len(k)
		}
		elements[i] = a
		for _, k := range idx {
			elements[i].Array = elements[i].Index(k)
		}
	}
	return elements
}

// median returns the upper median of arrays without dimensions.
func median[T int64 | uint64](elements []Array) (T, error) {
	s := make([]T, len(elements))
	for i, e := range elements {
		v, err := array.Cast[T](e.Array)
		if err != nil {
			return 0, err
		}
		s[i] = v.At()
	}
	slices.Sort(s)
	return s[len(s)/2], nil
}

// Computed reports whether Floats computes new elements for the dtype d instead of returning a view.
func (r Reading) Computed(d dtype.DType) bool {
	return d.Kind() == dtype.KindComplex || r.Base != 0 || Long(d)
}

// Axis returns an error unless axis is an axis of a. The error names the request parameter name.
func (a Array) Axis(name string, axis int) error {
	if axis < 0 || axis >= a.NDim() {
		return fmt.Errorf("%s=%d: the array has %d dimensions", name, axis, a.NDim())
	}
	return nil
}

// Show returns the given axes of a, in this order, at the position at along the remaining axes. at has an entry for
// each axis; the entries of shown axes are ignored. at may be nil if all axes are shown.
func (a Array) Show(at []int, axes ...int) (Array, error) {
	n := a.NDim()
	shown := make([]bool, n)
	for _, k := range axes {
		if shown[k] {
			return Array{}, fmt.Errorf("duplicate axis %d", k)
		}
		shown[k] = true
	}
	if at == nil && len(axes) == n {
		at = make([]int, n)
	}
	if len(at) != n {
		return Array{}, fmt.Errorf("at has %d entries, but the array has %d dimensions", len(at), n)
	}
	sel, place := make([]index.Selector, n), make([]int, n) // place[k] is the index of axis k among the shown axes
	kept, strides := 0, a.Strides()
	for k := range sel {
		if shown[k] {
			place[k] = kept
			kept++
			continue
		}
		if at[k] < 0 || at[k] >= a.Len(k) {
			return Array{}, fmt.Errorf("at=%d is out of range for axis %d of length %d", at[k], k, a.Len(k))
		}
		sel[k] = index.At(at[k])
		a.Offset += at[k] * strides[k]
	}
	order := make([]int, len(axes))
	for k, axis := range axes {
		order[k] = place[axis]
	}
	var err error
	if a.Minus != nil {
		if a.Minus, err = a.Minus.show(at, axes); err != nil {
			return Array{}, err
		}
	}
	if a.Array, err = a.Array.Select(sel...); err == nil && len(axes) > 1 {
		a.Array, err = a.Array.Transpose(order...)
	}
	return a, err
}

// ErrNotNumbers is wrapped by errors for arrays whose elements are not numbers.
var ErrNotNumbers = errors.New("not numbers")

// Numbers returns an error that wraps ErrNotNumbers unless the elements of a are numbers that can be drawn.
func Numbers(a array.Array) error {
	if !IsNumber(a.DType()) {
		return fmt.Errorf("elements of dtype %.100v are %w", a.DType(), ErrNotNumbers)
	}
	return nil
}

// Floats returns the elements of a as float64. It copies elements that must be computed: absolute values, angles,
// integers minus a Base, and long doubles.
func Floats(a array.Array, r Reading) (array.View[float64], error) {
	d := a.DType()
	switch {
	case Long(d):
		return longDoublesToFloat64(a)
	case !r.Computed(d):
		return array.Cast[float64](a)
	case d.Kind() == dtype.KindInt:
		return relative(a, int64(r.Base))
	case d.Kind() == dtype.KindUint:
		return relative(a, r.Base)
	}
	v, err := array.Cast[complex128](a)
	if err != nil {
		return array.View[float64]{}, err
	}
	f := make([]float64, 0, a.Size())
	for block := range v.Blocks(index.C) {
		for _, z := range block {
			if r.Part == Angle {
				f = append(f, math.Atan2(imag(z), real(z)))
			} else {
				f = append(f, math.Hypot(real(z), imag(z)))
			}
		}
	}
	return withShape(f, a.Shape())
}

// At returns the element of a at idx as float64.
func (a Array) At(r Reading, idx ...int) (float64, error) {
	sel := make([]index.Selector, len(idx))
	for k, i := range idx {
		sel[k] = index.At(i)
	}
	e, err := a.Select(sel...)
	if err != nil {
		return 0, err
	}
	v, err := e.Floats(r)
	if err != nil {
		return 0, err
	}
	return v.At(), nil
}

// relative returns the elements of a minus base.
func relative[T int64 | uint64](a array.Array, base T) (array.View[float64], error) {
	v, err := array.Cast[T](a)
	if err != nil {
		return array.View[float64]{}, err
	}
	f := make([]float64, 0, a.Size())
	for block := range v.Blocks(index.C) {
		for _, x := range block {
			if x >= base { // converted to uint64, the difference cannot overflow
				f = append(f, float64(uint64(x)-uint64(base)))
			} else {
				f = append(f, -float64(uint64(base)-uint64(x)))
			}
		}
	}
	return withShape(f, a.Shape())
}

// withShape returns f as an array of the given shape. The shape may be empty.
func withShape(f []float64, shape []int) (array.View[float64], error) {
	v, err := array.FromSlice(f, shape...)
	if err == nil && len(shape) == 0 {
		v = v.Index(0)
	}
	return v, err
}

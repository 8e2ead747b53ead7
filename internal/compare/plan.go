// Package compare compares blocks of elements of two dtypes, value by value. It reports whether they are equal or
// close, and how many differ. It does not handle shapes.
//
// A [Plan] compares consecutive elements in memory. It compares each leaf of a structure, a field without fields, on
// its own. If the two leaves differ in type, it converts their values to a common type first.
package compare

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
)

// Pointer is an address in memory that Go or the system owns.
type Pointer = elem.Pointer

// A Rule defines which values count as equal.
type Rule struct {
	RTol, ATol float64 // numbers x and y are equal if |x-y| <= ATol + RTol*|y|
	EqualNaN   bool    // NaN is equal to NaN, and NaT to NaT
}

// A Plan compares elements of one dtype with elements of another. Goroutines may share it.
type Plan struct {
	Rule
	asize, bsize int  // size in bytes of an element of either dtype
	same         bool // the dtypes are equal, so that elements with equal bytes are equal, except for NaN
	leaves       []leaf
}

// A leaf describes the values of one type in each element: count consecutive values, in each of the repeated
// structures.
type leaf struct {
	aoff, boff  int
	count       int
	repeats     []repeat
	a, b        elem.Codec // convert values to the common type
	size, align int        // size and alignment of values of the common type
	rows        int        // the number of elements that are compared at a time
	columns     int        // the number of values of each element that are compared at a time
	mixed       bool       // the common types are int64 and uint64, so comparing bytes is not enough

	hasNaN func(x Pointer, bytes int) bool // reports whether a value is NaN or NaT; nil if no value can be

	// compare compares n values by their distances. It takes values of the type in which distances are computed, and widen
	// converts values of the common type to that type. compare is nil if values are equal only if their bytes are equal.
	compare  func(v *values, x, y Pointer, n int) bool
	widen    elem.Codec
	wideSize int // size in bytes of a value of that type
}

// A repeat describes n consecutive structures in an element, and the distances between them in a and b.
type repeat struct{ n, astride, bstride int }

// New returns the Plan for elements of dtype a and dtype b. If they cannot be compared, the error says why, but does
// not name the dtypes.
func New(a, b dtype.DType, r Rule) (*Plan, error) {
	p := &Plan{Rule: r, asize: a.ItemSize(), bsize: b.ItemSize(), same: a.Equal(b)}
	err := p.add(a, b, leaf{count: 1})
	return p, err
}

// IsEmpty reports whether elements have no values that could differ.
func (p *Plan) IsEmpty() bool { return len(p.leaves) == 0 }

// add adds the leaves of a and b to p. l contains their offsets and repeats.
func (p *Plan) add(a, b dtype.DType, l leaf) error {
	switch same := a.Kind() == b.Kind(); {
	case same && a.Kind() == dtype.KindStructured:
		return p.addFields(a, b, l)
	case same && a.Kind() == dtype.KindSubarray:
		if !slices.Equal(a.SubShape(), b.SubShape()) {
			return errors.New("cannot compare sub-arrays of different shapes")
		}
		n := 1
		for _, length := range a.SubShape() {
			n *= length
		}
		if a.Base().Kind() == dtype.KindStructured {
			l.repeats = append(slices.Clone(l.repeats), repeat{n, a.Base().ItemSize(), b.Base().ItemSize()})
		} else {
			l.count = n
		}
		return p.add(a.Base(), b.Base(), l)
	}
	if err := l.setTypes(a, b); err != nil {
		return err
	}
	if l.count > 0 && l.size > 0 && !slices.ContainsFunc(l.repeats, func(r repeat) bool { return r.n == 0 }) {
		l.rows, l.columns = max(1, compareBytes/(l.count*l.size)), min(l.count, max(1, compareBytes/l.size))
		p.leaves = append(p.leaves, l)
	}
	return nil
}

// addFields adds the leaves of two structures, whose fields must have the same names in the same order.
func (p *Plan) addFields(a, b dtype.DType, l leaf) error {
	if a.NumField() != b.NumField() {
		return fmt.Errorf("cannot compare a structure of %d fields with one of %d", a.NumField(), b.NumField())
	}
	for k := range a.NumField() {
		f, g := a.FieldAt(k), b.FieldAt(k)
		if f.Name != g.Name {
			return fmt.Errorf("field %d is %q in one and %q in the other; reorder them with Fields", k, f.Name, g.Name)
		}
		if f.Title != g.Title {
			return fmt.Errorf("field %d, %q, has the title %q in one and %q in the other", k, f.Name, f.Title, g.Title)
		}
		field := l
		field.aoff, field.boff = l.aoff+f.Offset, l.boff+g.Offset
		if err := p.add(f.Type, g.Type, field); err != nil {
			return fmt.Errorf("field %q, %v and %v: %w", f.Name, f.Type, g.Type, err)
		}
	}
	return nil
}

// setTypes sets the common type of the values, and the functions that compare them.
func (l *leaf) setTypes(a, b dtype.DType) error {
	u, v, err := commonTypes(a, b)
	if err != nil {
		return err
	}
	if l.a, err = elem.New(u, a); err != nil {
		return err
	}
	if l.b, err = elem.New(v, b); err != nil {
		return err
	}
	wideType := u // the type in which distances are computed
	l.mixed = !u.Equal(v)
	l.size = u.ItemSize()
	l.align = min(l.size, 8)
	switch kind := u.Kind(); {
	case l.mixed && kind == dtype.KindInt:
		l.compare = byDistance(intUintDistance)
	case l.mixed:
		l.compare = byDistance(uintIntDistance)
	case kind == dtype.KindInt:
		l.compare, wideType = byDistance(intDistance), dtype.Int64
	case kind == dtype.KindUint:
		l.compare, wideType = byDistance(uintDistance), dtype.Uint64
	case kind == dtype.KindFloat:
		l.compare, l.hasNaN, wideType = compareFloats, hasNaN(l.size), dtype.Float64
	case kind == dtype.KindComplex:
		l.compare, l.hasNaN, wideType = byDistance(complexDistance), hasNaN(l.size/2), dtype.Complex128
		l.align = l.size / 2
	case elem.IsTime(u):
		l.compare, l.hasNaN = byDistance(timeDistance), hasNaT
	default:
		l.align = 1
		return nil
	}
	l.wideSize = wideType.ItemSize()
	l.widen, err = elem.New(wideType, u)
	return err
}

// commonTypes returns the types, in native byte order, in which values of a and b are compared: the same type twice, or
// int64 and uint64.
func commonTypes(a, b dtype.DType) (u, v dtype.DType, err error) {
	x, y := a.Kind(), b.Kind()
	either := func(is func(dtype.DType) bool) bool { return is(a) || is(b) }
	switch {
	case a.IsLongDouble() || b.IsLongDouble():
		return u, v, errors.New("cannot compare long doubles; AsType(dtype.Float64, index.C) converts them")
	case a.IsNumber() && b.IsNumber():
		switch {
		case x == dtype.KindBool && y == dtype.KindBool: // New makes their bytes 0 or 1
			u = dtype.Uint8
		case a.WithByteOrder(dtype.Native).Equal(b.WithByteOrder(dtype.Native)) && !elem.IsNarrow(a):
			u = a.WithByteOrder(dtype.Native)
		case either(isComplex):
			u = dtype.Complex128
		case elem.IsFloat(a) && elem.IsFloat(b) && max(a.ItemSize(), b.ItemSize()) <= 4:
			u = dtype.Float32
		case either(elem.IsFloat):
			u = dtype.Float64
		case x == dtype.KindInt && y == dtype.KindInt:
			u = dtype.Int64
		case x == dtype.KindInt:
			return dtype.Int64, dtype.Uint64, nil
		case y == dtype.KindInt:
			return dtype.Uint64, dtype.Int64, nil
		default:
			u = dtype.Uint64
		}
	case x != y:
		return u, v, errors.New("cannot compare elements of these dtypes")
	case elem.IsTime(a):
		n, unit := a.Unit()
		m, other := b.Unit()
		if unit != dtype.Generic && other != dtype.Generic && (n != m || unit != other) {
			return u, v, errors.New("cannot compare times in different units; compare their counts with Reinterpret")
		}
		if unit == dtype.Generic { // a count without a unit can be compared with any unit
			a = b
		}
		u = a.WithByteOrder(dtype.Native)
	case x == dtype.KindVoid && a.ItemSize() != b.ItemSize():
		return u, v, errors.New("cannot compare raw bytes of different lengths")
	case a.ItemSize() < b.ItemSize(): // text
		u = b.WithByteOrder(dtype.Native)
	default:
		u = a.WithByteOrder(dtype.Native)
	}
	return u, u, nil
}

func isComplex(d dtype.DType) bool { return d.Kind() == dtype.KindComplex }

// A Stats describes how elements differ.
type Stats struct {
	Count          int     // the number of elements that differ
	MaxAbs, MaxRel float64 // the greatest |x-y|, and the greatest |x-y|/|y| where y is not 0, of all numbers
}

// Merge adds the Stats of other elements to s.
func (s *Stats) Merge(o Stats) {
	s.Count += o.Count
	s.MaxAbs, s.MaxRel = max(s.MaxAbs, o.MaxAbs), max(s.MaxRel, o.MaxRel)
}

// add updates the greatest distances with the distance between a value and y. It ignores NaN distances.
func (s *Stats) add(distance, y float64) {
	if distance > s.MaxAbs {
		s.MaxAbs = distance
	}
	if rel := distance / math.Abs(y); y != 0 && rel > s.MaxRel {
		s.MaxRel = rel
	}
}

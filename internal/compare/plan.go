// Package compare compares blocks of elements of two dtypes, value by value: what is equal, what is close, and how
// many differ. It knows no shapes.
//
// A [Plan] takes elements as they lie in memory, one after the other. Each value of a structure, a leaf, is compared on
// its own: the two become values of one type first, unless they are that already.
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

// A Rule says which values count as equal.
type Rule struct {
	RTol, ATol float64 // numbers x and y for which |x-y| <= ATol + RTol*|y|
	EqualNaN   bool    // NaN and NaN, NaT and NaT
}

// A Plan compares elements of one dtype with elements of another. Goroutines may share it.
type Plan struct {
	Rule
	asize, bsize int  // bytes of an element
	same         bool // one dtype: elements of the same bytes are equal, but for NaN
	leaves       []leaf
}

// A leaf is values of one type in each element: count that follow one another, and repeats of these.
type leaf struct {
	aoff, boff int
	count      int
	repeats    []repeat
	a, b       elem.Codec // to values of the common type,
	size       int        // which have so many bytes
	align      int
	class      class
	parts      int        // of a value: 2 if it is complex
	widen      elem.Codec // from the common type to the one of distance
	distance   distanceType
}

// A repeat is n structures in an element, at some distance.
type repeat struct{ n, astride, bstride int }

// A class says when values of the same bytes are equal.
type class uint8

const (
	exact    class = iota // always, and others never
	float32s              // if they are not NaN; others may be, too
	float64s
	times // if they are not NaT
	mixed // integers with a sign, and without: bytes do not tell
)

// A distanceType says in which type of numbers distances are computed: int64, uint64, float64, complex128, or the two
// integer types where one value is signed and the other is not.
type distanceType uint8

const (
	distanceNone distanceType = iota // only bytes are compared
	distanceInt
	distanceUint
	distanceIntUint
	distanceUintInt
	distanceFloat
	distanceComplex
	distanceTime // of counts in the same unit, without tolerance
)

// New returns the Plan for elements of dtype a and dtype b. The error says why they do not compare, without the dtypes.
func New(a, b dtype.DType, r Rule) (*Plan, error) {
	p := &Plan{Rule: r, asize: a.ItemSize(), bsize: b.ItemSize(), same: a.Equal(b)}
	err := p.add(a, b, leaf{count: 1})
	return p, err
}

// IsEmpty reports whether elements have nothing that could differ.
func (p *Plan) IsEmpty() bool { return len(p.leaves) == 0 }

// add adds the leaves of what is at the place that l has.
func (p *Plan) add(a, b dtype.DType, l leaf) error {
	switch same := a.Kind() == b.Kind(); {
	case same && a.Kind() == dtype.KindStructured:
		return p.addFields(a, b, l)
	case same && a.Kind() == dtype.KindSubarray:
		if !slices.Equal(a.SubShape(), b.SubShape()) {
			return errors.New("sub-arrays of different shapes do not compare")
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
		p.leaves = append(p.leaves, l)
	}
	return nil
}

func (p *Plan) addFields(a, b dtype.DType, l leaf) error {
	if a.NumField() != b.NumField() {
		return fmt.Errorf("a structure of %d fields does not compare with one of %d", a.NumField(), b.NumField())
	}
	for k := range a.NumField() {
		f, g := a.FieldAt(k), b.FieldAt(k)
		if f.Name != g.Name || f.Title != g.Title {
			return fmt.Errorf("field %d is %q in one and %q in the other; Fields takes them in another order", k, f.Name, g.Name)
		}
		at := l
		at.aoff, at.boff = l.aoff+f.Offset, l.boff+g.Offset
		if err := p.add(f.Type, g.Type, at); err != nil {
			return fmt.Errorf("field %q, %v and %v: %w", f.Name, f.Type, g.Type, err)
		}
	}
	return nil
}

// setTypes sets of which type the values become, and how they are compared.
func (l *leaf) setTypes(a, b dtype.DType) error {
	u, v, err := common(a, b)
	if err != nil {
		return err
	}
	if l.a, err = elem.New(u, a); err != nil {
		return err
	}
	if l.b, err = elem.New(v, b); err != nil {
		return err
	}
	l.size, l.align, l.parts = u.ItemSize(), 1, 1
	to := u
	switch kind := u.Kind(); {
	case u.Kind() == dtype.KindInt && !u.Equal(v):
		l.class, l.distance = mixed, distanceIntUint
	case !u.Equal(v):
		l.class, l.distance = mixed, distanceUintInt
	case kind == dtype.KindInt:
		l.distance, to = distanceInt, dtype.Int64
	case kind == dtype.KindUint || kind == dtype.KindBool:
		l.distance, to = distanceUint, dtype.Uint64
	case kind == dtype.KindFloat:
		l.class, l.distance, to = float64s, distanceFloat, dtype.Float64
	case kind == dtype.KindComplex:
		l.class, l.distance, to, l.parts = float64s, distanceComplex, dtype.Complex128, 2
	case elem.IsTime(u):
		l.class, l.distance = times, distanceTime
	}
	if l.distance != distanceNone {
		l.align = min(l.size/l.parts, 8)
	}
	if l.class == float64s && l.size/l.parts == 4 {
		l.class = float32s
	}
	switch {
	case l.class == mixed || l.class == times:
		l.widen = elem.Repeat(8)
	case l.distance != distanceNone:
		l.widen, err = elem.New(to, u)
	}
	return err
}

// common returns the types, in native order, in which values of a and b are compared: one type, or int64 and uint64.
func common(a, b dtype.DType) (u, v dtype.DType, err error) {
	x, y := a.Kind(), b.Kind()
	either := func(is func(dtype.DType) bool) bool { return is(a) || is(b) }
	switch {
	case a.IsLongDouble() || b.IsLongDouble():
		return u, v, errors.New("long doubles differ from machine to machine; save them from NumPy as float64")
	case a.IsNumber() && b.IsNumber():
		switch {
		case x == dtype.KindBool && y == dtype.KindBool: // whose bytes that are not 0 are all true
			u = dtype.Uint8
		case a.WithOrder(dtype.Native).Equal(b.WithOrder(dtype.Native)) && !elem.IsNarrow(a):
			u = a.WithOrder(dtype.Native)
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
		return u, v, errors.New("elements of the two do not compare")
	case elem.IsTime(a):
		n, unit := a.Unit()
		m, other := b.Unit()
		if unit != dtype.Generic && other != dtype.Generic && (n != m || unit != other) {
			return u, v, errors.New("times in different units do not compare; Reinterpret has their counts")
		}
		if unit == dtype.Generic { // which converts to any
			a = b
		}
		u = a.WithOrder(dtype.Native)
	case x == dtype.KindVoid && a.ItemSize() != b.ItemSize():
		return u, v, errors.New("raw bytes of different lengths do not compare")
	case a.ItemSize() < b.ItemSize(): // text
		u = b.WithOrder(dtype.Native)
	default:
		u = a.WithOrder(dtype.Native)
	}
	return u, u, nil
}

func isComplex(d dtype.DType) bool { return d.Kind() == dtype.KindComplex }

// A Stats says how elements differ.
type Stats struct {
	Count          int     // of those that do
	MaxAbs, MaxRel float64 // the greatest |x-y|, and |x-y|/|y| where y is not 0, of all numbers
}

// Merge adds those of other elements.
func (s *Stats) Merge(o Stats) {
	s.Count += o.Count
	s.MaxAbs, s.MaxRel = max(s.MaxAbs, o.MaxAbs), max(s.MaxRel, o.MaxRel)
}

// add takes into account that a value differs from y, or is close to it, by so much; NaN is no distance.
func (s *Stats) add(distance, y float64) {
	if distance > s.MaxAbs {
		s.MaxAbs = distance
	}
	if rel := distance / math.Abs(y); y != 0 && rel > s.MaxRel {
		s.MaxRel = rel
	}
}

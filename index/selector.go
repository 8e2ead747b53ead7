package index

import (
	"math"
	"strconv"
)

// A Selector is one item between the brackets of NumPy's basic indexing. It takes one element, a
// slice or all of an axis; or it adds an axis; or it represents all axes without another selector.
// The zero value is [Colon].
//
// A negative index or bound counts from the end of the axis: -1 is the last element. [At] with an
// index outside the axis is an error once the selector is used; the bounds of a slice are clipped.
//
//	At(1)                1        From(1)              1:
//	Range(1, 5)          1:5      To(5)                :5
//	Range(1, 5).Every(2) 1:5:2    From(1).Every(2)     1::2
//	Every(2)             ::2      Reverse()            ::-1
//	Colon                :        Ellipsis, NewAxis    ..., None
//
// Compare selectors with ==: selectors with the same [Selector.String] are equal, so Every(1) ==
// Colon.
type Selector struct {
	kind         selectorKind
	lo, hi, step int // see selectorKind
}

type selectorKind uint8

const (
	takeAll  selectorKind = iota // the whole axis
	takeAt                       // the element at lo
	newAxis                      // takes no axis, and adds one of length 1
	ellipsis                     // all remaining axes, whole
	// A slice that is not the whole axis: step is not MinInt. lo and hi are bounds if their bit is
	// set, and 0 otherwise.
	takeSlice
	hasLo selectorKind = 1 << 6
	hasHi selectorKind = 1 << 7
)

var (
	// Colon takes a whole axis: the ":" of a[:, 0].
	Colon = Selector{}
	// NewAxis adds an axis of length 1 and stride 0: NumPy's None or newaxis.
	NewAxis = Selector{kind: newAxis}
	// Ellipsis represents zero or more Colons, one for each axis without another selector: the
	// "..." of a[..., 0]. A selection has at most one.
	Ellipsis = Selector{kind: ellipsis}
)

// At takes the element at i and drops the axis: Python's i.
func At(i int) Selector { return Selector{kind: takeAt, lo: i} }

// Range takes the elements from lo up to but not including hi: Python's lo:hi.
func Range(lo, hi int) Selector {
	return Selector{kind: takeSlice | hasLo | hasHi, lo: lo, hi: hi, step: 1}
}

// From takes the elements from lo to the end: Python's lo:. From(-3) takes the last three.
func From(lo int) Selector { return Selector{kind: takeSlice | hasLo, lo: lo, step: 1} }

// To takes the elements up to but not including hi: Python's :hi. To(-1) takes all but the last.
func To(hi int) Selector { return Selector{kind: takeSlice | hasHi, hi: hi, step: 1} }

// Every takes every step-th element, starting at the first, or at the last if step is negative:
// Python's ::step. A step of zero is an error once the selector is used. The method
// [Selector.Every] gives a step to a slice with bounds.
func Every(step int) Selector { return Selector{}.Every(step) }

// Reverse takes all elements, the last one first: Python's ::-1.
func Reverse() Selector { return Selector{kind: takeSlice, step: -1} }

// Every returns the slice s with its step replaced by the given one: Range(1, 9).Every(2) is
// Python's 1:9:2, the elements 1, 3, 5 and 7. A negative step goes from the first bound down to
// the second, as in Python: From(5).Every(-1) takes element 5 first and element 0 last, and
// Range(1, 9).Every(-1) takes nothing. A step of zero is an error once the selector is used.
//
// Every panics with an error that wraps [ErrShape] if s is [Ellipsis], [NewAxis] or comes from
// [At].
func (s Selector) Every(step int) Selector {
	if s.kind == takeAll {
		s.kind = takeSlice
	}
	if s.kind < takeSlice {
		panic(errNotSlice)
	}
	s.step = max(step, -math.MaxInt) // as in Parse
	return s.canonical()
}

var errNotSlice = shapeError("Every does not apply to At, NewAxis or Ellipsis; want Range, From, To or Colon")

// canonical turns a slice that takes the whole axis into Colon.
func (s Selector) canonical() Selector {
	if s.kind == takeSlice && s.step == 1 {
		return Selector{}
	}
	return s
}

// String returns the selector as it is written between the brackets: ":", "-1", "1:10:2", "::-1",
// "None", "...". [Parse] reads the text back to an equal selector.
func (s Selector) String() string {
	switch s.kind {
	case takeAll:
		return ":"
	case takeAt:
		return itoa(s.lo)
	case newAxis:
		return "None"
	case ellipsis:
		return "..."
	}
	var b []byte
	if s.kind&hasLo != 0 {
		b = strconv.AppendInt(b, int64(s.lo), 10)
	}
	b = append(b, ':')
	if s.kind&hasHi != 0 {
		b = strconv.AppendInt(b, int64(s.hi), 10)
	}
	if s.step != 1 {
		b = append(b, ':')
		b = strconv.AppendInt(b, int64(s.step), 10)
	}
	return string(b)
}

// at returns the index that an At selector takes from an axis of length n, or a *BoundsError.
func (s Selector) at(axis, n int) (int, error) {
	i := s.lo
	if i < 0 {
		i += n
	}
	if uint(i) >= uint(n) {
		return 0, &BoundsError{Axis: axis, Index: s.lo, Len: n}
	}
	return i, nil
}

// slice returns the first index, the number of elements and the step of the slice on an axis of
// length n, as CPython's PySlice_AdjustIndices does. The step of s must not be zero. Steps of any
// size are safe from overflow.
func (s Selector) slice(n int) (start, count, step int) {
	step = max(s.step, -math.MaxInt) // so that -step exists, as in PySlice_Unpack
	if step > 0 {
		start, stop := 0, n
		if s.kind&hasLo != 0 {
			start = clip(s.lo, n, 0, n)
		}
		if s.kind&hasHi != 0 {
			stop = clip(s.hi, n, 0, n)
		}
		if start < stop {
			count = (stop-start-1)/step + 1
		}
		return start, count, step
	}
	start, stop := n-1, -1
	if s.kind&hasLo != 0 {
		start = clip(s.lo, n, -1, n-1)
	}
	if s.kind&hasHi != 0 {
		stop = clip(s.hi, n, -1, n-1)
	}
	if stop < start {
		count = (start-stop-1)/-step + 1
	}
	return start, count, step
}

// clip adds n to a negative i and limits the result to the range from lo to hi.
func clip(i, n, lo, hi int) int {
	if i < 0 {
		i += n
	}
	return min(max(i, lo), hi)
}

package index

import (
	"errors"
	"iter"
)

// Order is the order in which the elements of an array are stored or visited.
// The zero value is C.
//
// K is for functions that have a layout to go by, and those say so: [Layout.Compact] and
// [Layout.Contiguous] here. Elsewhere, and so for a value that is none of the three, an order
// is refused, by an error that wraps [ErrShape], or by a panic with it where a function
// returns no error. No layout is contiguous in an order that is none of the three.
type Order uint8

const (
	C Order = iota // row-major: the last index varies fastest
	F              // column-major (Fortran): the first index varies fastest
	K              // that of the memory: axes by stride, the largest outermost, whatever its sign
)

// String returns "C", "F" or "K".
func (o Order) String() string {
	if int(o) < len("CFK") {
		return "CFK"[o : o+1]
	}
	return "Order(" + itoa(int(o)) + ")"
}

// ParseOrder returns the order with the given name: "C", "F" or "K", in upper or lower case as in
// NumPy. NumPy's "A" is an error.
func ParseOrder(s string) (Order, error) {
	switch s {
	case "C", "c":
		return C, nil
	case "F", "f":
		return F, nil
	case "K", "k":
		return K, nil
	}
	return 0, errors.New("index: unknown order " + excerpt(s, 0) + "; want C, F or K")
}

// MarshalText implements [encoding.TextMarshaler]. It returns the text of [Order.String], or an
// error that wraps [ErrShape] if o is not C, F or K.
func (o Order) MarshalText() ([]byte, error) {
	if o > K {
		return nil, shapeError("index: " + o.String() + " is no order; want C, F or K")
	}
	return []byte(o.String()), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. It sets o to the result of [ParseOrder].
// After an error o is unchanged.
func (o *Order) UnmarshalText(text []byte) error {
	parsed, err := ParseOrder(string(text))
	if err == nil {
		*o = parsed
	}
	return err
}

// Next steps idx to the index that follows it in the given order and reports
// whether there is one. At the last index it returns false and leaves idx as
// it is; so it does for a shape of zero elements and for one of no dimensions.
//
// The idx must be an index of the shape, and zeros is the first. Next allocates nothing and
// divides nothing. It panics with a [*BoundsError] if the lengths of idx and shape differ,
// and with an error that wraps [ErrShape] if the order is not C or F.
func Next(idx, shape []int, order Order) bool {
	if len(idx) != len(shape) {
		panic(&BoundsError{Index: len(idx), Len: len(shape), kind: badCount})
	}
	switch order {
	case C:
		return nextC(idx, shape)
	case F:
		return nextF(idx, shape)
	}
	panic(badOrder(order))
}

func nextC(idx, shape []int) bool {
	shape = shape[:len(idx)]
	for k := len(idx) - 1; k >= 0; k-- {
		if i := idx[k] + 1; i < shape[k] {
			// Only all zeros can precede a step in a shape of zero elements,
			// so a fast index past zero needs no look at the other axes.
			if i == 1 && empty(shape) {
				return false
			}
			idx[k] = i
			for k++; k < len(idx); k++ { // mostly none, so no clear
				idx[k] = 0
			}
			return true
		}
	}
	return false
}

func nextF(idx, shape []int) bool {
	shape = shape[:len(idx)]
	for k := range idx {
		if i := idx[k] + 1; i < shape[k] {
			if i == 1 && empty(shape) { // as in nextC
				return false
			}
			idx[k] = i
			for k--; k >= 0; k-- {
				idx[k] = 0
			}
			return true
		}
	}
	return false
}

// empty reports whether an array of the shape has no elements.
func empty(shape []int) bool {
	for _, n := range shape {
		if n <= 0 {
			return true
		}
	}
	return false
}

// All yields every index of the shape in the order C or F; another panics. A shape
// of zero elements yields nothing, one of no dimensions yields the empty index
// once.
//
// The slice is reused from step to step: the body must copy what it keeps. It
// must change neither that slice nor the shape. A loop over All allocates at
// most once, whatever its length, and per step it is several times faster than
// [Next]: the compiler inlines both All and the body.
func All(shape []int, order Order) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		idx := make([]int, len(shape))
		n, i, slowIdx, slowShape := fastest(idx, shape, order)
		for {
			for k := range n {
				*i = k
				if !yield(idx) {
					return
				}
			}
			if !Next(slowIdx, slowShape, order) {
				return
			}
		}
	}
}

// fastest splits off the axis that varies fastest: its length, its place in
// idx, and the rest of idx and shape. The length is 0 if there are no elements,
// and 1, with a place outside idx, if there are no dimensions.
func fastest(idx, shape []int, order Order) (n int, i *int, slowIdx, slowShape []int) {
	if order > F {
		panic(badOrder(order))
	}
	last := len(shape) - 1
	switch {
	case empty(shape):
		return 0, nil, nil, nil
	case last < 0:
		return 1, new(int), nil, nil
	case order == F:
		return shape[0], &idx[0], idx[1:], shape[1:]
	}
	return shape[last], &idx[last], idx[:last], shape[:last]
}

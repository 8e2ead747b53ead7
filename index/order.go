package index

import (
	"errors"
	"iter"
)

// Order is the order in which the elements of an array are stored or visited. The zero value is C.
//
// Only functions that have a layout accept K, and their documentation says so: in this package
// [Layout.Compact] and [Layout.Contiguous]. All other functions reject K, and every function
// rejects values other than the three. They return an error that wraps [ErrShape], or panic with it
// if they return no error. No layout is contiguous in an order other than the three.
type Order uint8

const (
	C Order = iota // row-major: the last index varies fastest
	F              // column-major (Fortran): the first index varies fastest
	K              // order of the memory: axes by absolute stride, the largest outermost
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

// Next advances idx to the next index of the shape in the given order, and reports whether one
// exists. At the last index it returns false and does not change idx. It does the same for a shape
// of zero elements and for a shape of no dimensions.
//
// idx must be an index of the shape; the first index is all zeros. Next panics with a
// [*BoundsError] if the lengths of idx and shape differ, and with an error that wraps [ErrShape] if
// the order is not [C] or [F]. It neither allocates nor divides.
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
	panic(orderError(order))
}

func nextC(idx, shape []int) bool {
	shape = shape[:len(idx)]
	for k := len(idx) - 1; k >= 0; k-- {
		if i := idx[k] + 1; i < shape[k] {
			// In a shape of zero elements idx can only be all zeros, so the shape
			// needs a check only if idx[k] was 0.
			if i == 1 && empty(shape) {
				return false
			}
			idx[k] = i
			for k++; k < len(idx); k++ { // usually no iteration, so a call of clear would be slower
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

// All returns an iterator over every index of the shape in the order [C] or [F].
//
// A shape of zero elements has no index; a shape of no dimensions has one, the empty index. The
// iterator panics with an error that wraps [ErrShape] for any other order.
//
// The yielded slice is reused by the next step: the loop body must copy an index that it keeps. It
// must change neither that slice nor the shape. A loop over All allocates at most once, for any
// number of steps, and is several times faster per step than [Next], because the compiler inlines both
// All and the body.
func All(shape []int, order Order) iter.Seq[[]int] {
	return func(yield func([]int) bool) {
		idx := make([]int, len(shape))
		n, i, slowIdx, slowShape := splitFastest(idx, shape, order)
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

// splitFastest splits off the axis that varies fastest. It returns the length of that axis, a
// pointer to its index in idx, and the rest of idx and shape. The length is 0 if the shape has no
// elements. If the shape has no dimensions, the length is 1 and the pointer points outside idx. It
// panics if order is not C or F.
func splitFastest(idx, shape []int, order Order) (n int, i *int, slowIdx, slowShape []int) {
	if order > F {
		panic(orderError(order))
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

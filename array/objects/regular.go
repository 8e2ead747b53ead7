package objects

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/pylit"
)

// maxLeaves is the maximum number of elements and lists of a regular array. Shared lists can have any number.
const maxLeaves = 1 << 24

// Regular returns the elements of a as an array of numbers, text or times, as np.array(a.tolist()) does, if they are
// all alike. Lists, tuples and arrays of equal lengths become more axes. The dtype is
//
//   - bool, int64, uint64, float64 or complex128: the first one that holds all numbers
//   - U, with the length of the longest string, or S for bytes
//   - M8[us], or M8[D] for dates; m8[us]
//   - the dtype of the arrays, if the elements are arrays
//
// The result is in C order, in Go memory. It is an error that names the element if the elements differ in kind or
// length, if there are none, or if they are of another kind, such as None or a dict.
func (a Array) Regular() (array.Array, error) {
	if err := a.check(); err != nil {
		return array.Array{}, err
	}
	var l leaves
	for i, v := range a.Values {
		if err := l.add(v, 0, 0); err != nil {
			idx := make([]int, len(a.Shape))
			index.Unravel(i, a.Shape, idx, index.C)
			return array.Array{}, fmt.Errorf("objects: element %s: %w", pylit.AppendTuple(nil, idx), err)
		}
	}
	v, err := l.array()
	if err == nil {
		v, err = v.Reshape(slices.Concat(a.Shape, l.shape, v.Shape()[1:])...)
	}
	if err != nil {
		return array.Array{}, fmt.Errorf("objects: %w", err)
	}
	return v, nil
}

// A leaves value collects the elements of nested lists.
type leaves struct {
	shape []int // lengths of the nested lists
	all   []any
	kind  kind // of all elements
	count int  // number of elements and lists
}

// A kind is a class of elements that can be in one array.
type kind string

const (
	numbers   kind = "number"
	texts     kind = "str"
	byteTexts kind = "bytes"
	times     kind = "time"
	durations kind = "timedelta"
	arrays    kind = "array"
)

// add adds the elements of v, which is nested depth levels deep, within lists of the given number of axes.
func (l *leaves) add(v any, axis, depth int) error {
	if depth > index.MaxDims {
		return fmt.Errorf("lists are nested more than %d deep", index.MaxDims)
	}
	if l.count++; l.count > maxLeaves {
		return fmt.Errorf("more than %d elements and lists", maxLeaves)
	}
	switch v := v.(type) {
	case List:
		return l.addAll(v, []int{len(v)}, axis, depth)
	case Tuple:
		return l.addAll(v, []int{len(v)}, axis, depth)
	case Array:
		if err := v.check(); err != nil {
			return err
		}
		return l.addAll(v.Values, v.Shape, axis, depth)
	}
	k, err := kindOf(v)
	switch {
	case err != nil:
		return err
	case axis < len(l.shape):
		return fmt.Errorf("a %s where other elements are lists", k)
	case l.kind != "" && k != l.kind:
		return fmt.Errorf("a %s where other elements are of kind %s", k, l.kind)
	}
	l.kind = k
	l.all = append(l.all, v)
	return nil
}

// addAll adds items, which have the given shape.
func (l *leaves) addAll(items []any, shape []int, axis, depth int) error {
	end := axis + len(shape)
	switch {
	case end > len(l.shape) && len(l.all) > 0:
		return errors.New("a list where other elements are none")
	case end > len(l.shape):
		l.shape = append(l.shape[:axis:axis], shape...)
	case !slices.Equal(l.shape[axis:end], shape):
		return fmt.Errorf("length %s where other elements have %s", pylit.AppendTuple(nil, shape),
			pylit.AppendTuple(nil, l.shape[axis:end]))
	}
	for _, item := range items {
		if err := l.add(item, end, depth+1); err != nil {
			return err
		}
	}
	return nil
}

// kindOf returns the kind of an element.
func kindOf(v any) (kind, error) {
	switch v.(type) {
	case bool, int64, *big.Int, float64, complex128:
		return numbers, nil
	case string:
		return texts, nil
	case []byte:
		return byteTexts, nil
	case time.Time:
		return times, nil
	case time.Duration:
		return durations, nil
	case array.Array:
		return arrays, nil
	case nil:
		return "", errors.New("a None has no place in an array of another dtype")
	case Dict:
		return "", errors.New("a dict has no place in an array of another dtype")
	case Set:
		return "", errors.New("a set has no place in an array of another dtype")
	}
	return "", fmt.Errorf("a %T has no place in an array", v)
}

// array returns the elements as an array of one dimension, or of more if the elements are arrays.
func (l *leaves) array() (array.Array, error) {
	switch l.kind {
	case numbers:
		return numberArray(l.all)
	case texts:
		return textArray(l.all, dtype.Unicode, func(v any) string { return v.(string) })
	case byteTexts:
		return textArray(l.all, dtype.Bytes, func(v any) string { return latin1(v.([]byte)) })
	case times:
		d := "M8[D]"
		for _, v := range l.all {
			if v.(time.Time).Location() != Date {
				d = "M8[us]"
			}
		}
		t := dtype.MustParse(d)
		return timeArray(t, l.all, func(v any) (int64, error) { return t.FromTime(v.(time.Time)) })
	case durations:
		t := dtype.MustParse("m8[us]")
		return timeArray(t, l.all, func(v any) (int64, error) { return t.FromDuration(v.(time.Duration)) })
	case arrays:
		all := make([]array.Array, len(l.all))
		for i, v := range l.all {
			all[i] = v.(array.Array)
		}
		stack, err := array.Stack(all...)
		if err != nil {
			return array.Array{}, err
		}
		return stack.Clone(index.C)
	}
	return array.Array{}, errors.New("an array without elements has no dtype other than O")
}

// numberArray returns numbers as an array of the first dtype that holds all of them.
func numberArray(all []any) (array.Array, error) {
	const (
		bools = iota
		ints
		floats
		complexes
	)
	rank, wide := bools, false // wide reports an integer that does not fit int64
	for _, v := range all {
		switch v.(type) {
		case int64:
			rank = max(rank, ints)
		case *big.Int:
			rank, wide = max(rank, ints), true
		case float64:
			rank = max(rank, floats)
		case complex128:
			rank = complexes
		}
	}
	switch {
	case rank == bools:
		return convertAll(all, func(v any) (bool, error) { return v.(bool), nil })
	case rank == ints && wide:
		return convertAll(all, func(v any) (uint64, error) {
			n := bigInt(v)
			if !n.IsUint64() {
				return 0, fmt.Errorf("%v fits neither int64 nor uint64", n)
			}
			return n.Uint64(), nil
		})
	case rank == ints:
		return convertAll(all, func(v any) (int64, error) { return bigInt(v).Int64(), nil })
	case rank == floats:
		return convertAll(all, func(v any) (float64, error) { return float(v), nil })
	}
	return convertAll(all, func(v any) (complex128, error) {
		if c, ok := v.(complex128); ok {
			return c, nil
		}
		return complex(float(v), 0), nil
	})
}

// bigInt returns a bool or an integer as a *big.Int.
func bigInt(v any) *big.Int {
	switch v := v.(type) {
	case bool:
		if v {
			return big.NewInt(1)
		}
	case int64:
		return big.NewInt(v)
	case *big.Int:
		return v
	}
	return new(big.Int)
}

// float returns a bool, an integer or a float as the nearest float64.
func float(v any) float64 {
	if x, ok := v.(float64); ok {
		return x
	}
	x, _ := new(big.Float).SetInt(bigInt(v)).Float64()
	return x
}

// convertAll returns an array of the results of f.
func convertAll[T any](all []any, f func(v any) (T, error)) (array.Array, error) {
	s := make([]T, len(all))
	for i, v := range all {
		var err error
		if s[i], err = f(v); err != nil {
			return array.Array{}, err
		}
	}
	v, err := array.FromSlice(s)
	return v.Array(), err
}

// textArray returns an array of texts. Its dtype is of(n), where n is the length of the longest text.
func textArray(all []any, of func(n int) dtype.DType, text func(v any) string) (array.Array, error) {
	longest := 1
	for _, v := range all {
		longest = max(longest, utf8.RuneCountInString(text(v)))
	}
	if longest > 1<<28 {
		return array.Array{}, fmt.Errorf("a text of %d characters is too long", longest)
	}
	d := of(longest)
	if len(all) > (1<<30)/d.ItemSize() {
		return array.Array{}, fmt.Errorf("%d texts of up to %d characters need more than 1 GiB", len(all), longest)
	}
	a, err := array.FromBytes(make([]byte, len(all)*d.ItemSize()), d, index.C, len(all))
	if err != nil {
		return a, err
	}
	t, err := array.Text(a)
	for i := 0; err == nil && i < len(all); i++ {
		err = t.SetAt(text(all[i]), i)
	}
	return a, err
}

// timeArray returns an array of dtype d of the results of f.
func timeArray(d dtype.DType, all []any, f func(v any) (int64, error)) (array.Array, error) {
	a, err := convertAll(all, f)
	if err != nil {
		return a, err
	}
	return a.Reinterpret(d)
}

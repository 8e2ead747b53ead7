package dtype

import (
	"strings"

	"github.com/ndmap/ndmap/internal/pylit"
)

// pair reads a tuple (descr, shape) by the rules of NumPy's dtype (_convert_from_tuple in
// numpy/core/src/multiarray/descriptor.c). An empty list as the shape means a type without fields,
// and a number after a type of 0 bytes is its size. Otherwise the second value is a shape: a tuple,
// a list, or one number.
//
// In NumPy ('|S0', []) has no fields and prints as empty bytes. Here it is [], as NumPy saves it.
func (p parser) pair(descr, shape pylit.Value) (d DType, trailing int, err error) {
	if d, trailing, err = p.descr(descr); err != nil {
		return DType{}, 0, err
	}
	unsized := d.size == 0 && trailing == 0
	switch {
	case shape.Kind() == pylit.List && shape.Len() == 0:
		if !unsized || d.kind == KindSubarray {
			return DType{}, 0, errorAt(shape, "an empty list where the shape of a sub-array should be; want a tuple")
		}
		return DType{kind: KindStructured, composite: intern(composite{})}, 0, nil
	case unsized && d.kind != KindStructured:
		return p.readSize(d, descr, shape)
	}
	dims, err := dimsOf(shape)
	switch {
	case err != nil:
		return DType{}, 0, err
	case len(dims) == 0 || shape.Kind() == pylit.Int && dims[0] == 1:
		return d, trailing, nil // as in NumPy, (dtype, 1) is the dtype, and (dtype, (1,)) is a block
	case trailing > 0:
		return DType{}, 0, errorAt(descr, "%v with %d bytes of padding cannot be the base of a sub-array", d, trailing)
	}
	if d, err = SubarrayOf(d, dims...); err != nil {
		return DType{}, 0, errorAt(shape, "%s", strings.TrimPrefix(err.Error(), "dtype: "))
	}
	return d, 0, nil
}

// readSize reads the size of a type of 0 bytes: ('|S0', 5) is |S5. The size of a sub-array without
// elements, as in (('<i4', (0,)), 5), is a number of bytes after it.
func (p parser) readSize(d DType, descr, size pylit.Value) (DType, int, error) {
	if size.Kind() != pylit.Int {
		return DType{}, 0, errorAt(descr, "%v", checkBase(d))
	}
	limit := maxSize
	if d.kind == KindUnicode {
		limit /= 4
	}
	n, ok := size.Int()
	if !ok || n < 0 || n > limit {
		return DType{}, 0, errorAt(size, "size %s of %v; want 0 to %d", size.Excerpt(), d, limit)
	}
	if d.kind == KindSubarray {
		return d, n, nil
	}
	d, _ = sizedType(d.kind, n, d.order)
	return d, 0, nil
}

// dimsOf reads a shape: a tuple, a list, or one number.
func dimsOf(shape pylit.Value) (dims []int, err error) {
	switch shape.Kind() {
	case pylit.Int:
		return appendDim(nil, shape)
	case pylit.Tuple, pylit.List:
		if n := shape.Len(); n > maxSubDims {
			return nil, errorAt(shape, "a sub-array of %d dimensions; want at most %d", n, maxSubDims)
		}
		for c := shape.First(); c.Kind() != pylit.Invalid && err == nil; c = shape.After(c) {
			dims, err = appendDim(dims, c)
		}
		return dims, err
	}
	return nil, errorAt(shape, "%v where the shape of a sub-array should be; want a tuple", shape.Kind())
}

func appendDim(dims []int, v pylit.Value) ([]int, error) {
	if v.Kind() != pylit.Int {
		return nil, errorAt(v, "%v where a dimension should be", v.Kind())
	}
	n, ok := v.Int()
	if !ok {
		return nil, errorAt(v, "dimension %s overflows int", v.Excerpt())
	}
	return append(dims, n), nil
}

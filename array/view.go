package array

import (
	"fmt"
	"math"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// A View is an N-dimensional array of elements of type T. It is a small value, and copies of it share the elements.
// They are read and written in place, in any byte order and with any strides. A View of a file is valid until
// [File.Close]. The zero View represents no array.
type View[T any] struct {
	_    [0]*T // prevents conversion from Array, and from a View of another type
	view nd.View
}

// IsZero reports whether v is the zero View.
func (v View[T]) IsZero() bool { return v.view.IsZero() }

// DType returns the dtype of the elements in memory.
func (v View[T]) DType() dtype.DType { return v.view.DType() }

// NDim returns the number of dimensions.
func (v View[T]) NDim() int { return v.view.NDim() }

// Len returns the length of an axis; see [Array.Len].
func (v View[T]) Len(axis int) int { return v.view.Len(axis) }

// Shape returns the length of each axis, in a new slice.
func (v View[T]) Shape() []int { return v.view.Shape() }

// Strides returns the stride of each axis, in bytes, in a new slice.
func (v View[T]) Strides() []int { return v.view.Strides() }

// Layout returns the shape and the strides.
func (v View[T]) Layout() index.Layout { v.view.MustBeSet(); return v.view.Layout }

// Size returns the number of elements.
func (v View[T]) Size() int { return v.view.Size() }

// NBytes returns the number of bytes of the elements in memory.
func (v View[T]) NBytes() int { return v.view.NBytes() }

// ReadOnly reports whether writing panics with an error that wraps [ErrReadOnly].
func (v View[T]) ReadOnly() bool { return v.view.ReadOnly() }

// Contiguous reports whether the elements are in one run of memory; see [Array.Contiguous].
func (v View[T]) Contiguous(order index.Order) bool { return v.view.Contiguous(order) }

// Array returns v without its Go type: an Array of the same elements in the same memory. If v is a [Cast] view, the
// Array has the stored dtype, not that of T. Array panics with an error that wraps [ErrNotDirect] if v is a [Scaled]
// view, because the scaled elements are not stored in memory: use v.Clone.
func (v View[T]) Array() Array {
	if !v.IsZero() && v.view.Store.Decode.IsScaled() {
		panic(nd.Misuse(nd.Prefix(v.view.Store.Mem.Path)+"Array of a Scaled view: its elements are not stored in memory; "+
			"call Clone first, or CopyFrom into a new array", ErrNotDirect))
	}
	if v.IsZero() {
		return Array{}
	}
	return Array{v.view.Untyped()}
}

// At returns the element at idx, which has one index for each axis. It allocates nothing. It panics if an index is out
// of range.
func (v View[T]) At(idx ...int) T {
	var x T
	return *(*T)(v.view.Reach(idx, pointer(&x), v.view.Read, false))
}

// SetAt sets the element at idx to x. It panics as At does. If v is read-only, it panics with an error that wraps
// [ErrReadOnly], before it touches the memory.
func (v View[T]) SetAt(x T, idx ...int) {
	*(*T)(v.view.Reach(idx, pointer(&x), v.view.Write, true)) = x
}

// Index returns the selection of v at position i of its first axis; see [Array.Index].
func (v View[T]) Index(i int) (part View[T]) { v.view.Index(i, &part.view); return part }

// Select returns the selection of v that the selectors choose; see [Array.Select].
func (v View[T]) Select(sel ...index.Selector) (View[T], error) {
	c, err := v.view.Derive(v.Layout().Select(sel...))
	return View[T]{view: c}, err
}

// Data returns the memory of v as a slice, with the elements in C order, valid until the file is closed. Writing to the
// slice writes to the array. If v is read-only, do not write to it: in a file that is a page fault, and in other memory
// it goes unnoticed.
//
// The error wraps [ErrNotDirect] if the elements are in a foreign byte order, unaligned (as in most archives of
// numpy.savez), not C contiguous, converted, in a [Stack], booleans, or records laid out unlike the Go struct. In F
// order, v.T().Data() returns the slice. [View.Blocks] and [View.Update] iterate over any view as slices, and
// [View.Collect] returns a copy.
func (v View[T]) Data() ([]T, error) {
	if err := v.view.CheckInPlace(); err != nil {
		return nil, err
	}
	if !v.Contiguous(index.C) {
		hint := ""
		if v.Contiguous(index.F) {
			hint = "; it is F contiguous: use T().Data()"
		}
		return nil, fmt.Errorf("%s%w: shape %s with strides %s is not C contiguous%s", nd.Prefix(v.view.Store.Mem.Path),
			ErrNotDirect, nd.Tuple(v.Shape()), nd.Tuple(v.Strides()), hint)
	}
	return strided.Slice[T](v.view.P, v.Size()), nil
}

// As returns a as a View[T] of the same elements in the same memory, in any byte order and alignment. T must be the Go
// type of the dtype of a:
//
//	bool, integers, floats     the same; int and uint by their size; int64 also M8 and m8
//	dtype.Half, BF16, …        f2, bfloat16, float8_e4m3fn, float8_e5m2
//	complex64, complex128      c8, c16
//	[n]byte                    Sn, Vn, and the long doubles: the raw bytes; see [dtype.LongDouble]
//	[n]uint32                  Un: the code points
//	struct                     structured: by the names of the fields
//
// Otherwise the error is a *[DTypeError], which names the field of a struct that differs, or the error of [dtype.Of].
// To read numbers of any dtype as T, use [Cast]. For numbers As allocates nothing.
//
// Fields of a struct are matched by the name in the tag `npy:"name"`, or by the name in Go; see [dtype.Of]. They may be
// in any order, and the elements packed or aligned. A struct may leave out fields of the array: setting an element then
// keeps their bytes. A uint8 field matches a bool.
func As[T any](a Array) (View[T], error) {
	a.view.MustBeSet()
	want, err := dtype.Of[T]()
	if err != nil {
		return View[T]{}, err
	}
	c, err := a.view.WithGoType(want, strided.Alignof[T]())
	return View[T]{view: c}, err
}

// Cast returns a as a View[T] in the same memory that converts numbers of any dtype to T and back, each when it is read
// or written, by the rules of [Copy]: a NaN read as an integer is 0. Cast is for programs that take files of any
// numbers; [As] accepts only one dtype. Records are read field by field: Cast[float64] of the result of [Array.Field]
// is a view of a field of float32, big-endian int16 or any other numbers.
//
// If T is the Go type of the dtype, Cast is the same as As. Otherwise both must be numbers, or the error is a
// *[DTypeError] or the error of [dtype.Of]. Complex numbers can be read as bool, but not as real numbers. The result
// keeps the dtype of a. [View.Data] and the views of fixed rank return an error, because no memory holds values of type
// T. Cast allocates once.
//
// Long doubles can be read as float64, and complex ones as complex128. The result is read-only. Their format is not in
// the file: Cast takes little-endian ones as the 80-bit numbers of x86, and refuses big-endian ones.
func Cast[T any](a Array) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	if err == nil && have.IsLongDouble() && want.IsNumber() {
		decode, err := elem.New(want, have)
		if err != nil {
			return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want, Msg: err.Error()}
		}
		v := a.view.WithNumbers(want, strided.Alignof[T](), decode, elem.Codec{})
		v.Write = nd.NoWrite
		return View[T]{view: v}, nil
	}
	if err != nil || !want.IsNumber() || !have.IsNumber() || want.Kind() == have.Kind() &&
		want.ItemSize() == have.ItemSize() {
		return As[T](a)
	}
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want,
			Msg: "cannot convert complex numbers to real numbers; Cast to complex128, or Reinterpret them as real and imaginary parts along a longer last axis"}
	}
	decode, encode, err := elem.Numbers(want, have)
	if err != nil {
		return View[T]{}, err
	}
	return View[T]{view: a.view.WithNumbers(want, strided.Alignof[T](), decode, encode)}, nil
}

// Scaled returns a as a View[T] in the same memory that reads each element x as x*scale + offset, and stores y as
// (y-offset)/scale. For example, it normalises images, and it reads the small integers of NetCDF files with their
// scale_factor and add_offset. Like a [Cast], it converts an element whenever a function reads it. [View.Array] panics;
// the Array of [View.Clone] has the scaled elements.
//
// The results have the bits of a.astype(T)*T(scale) + T(offset) in NumPy if T is float64, or if T is float32 and the
// elements are floats of up to 32 bits or integers of up to 16. Integers are rounded to nearest, ties to even; a value
// out of range becomes the nearest integer of the type, and NaN becomes 0. A missing value (_FillValue) is scaled like
// any other.
//
// A scale of 0, and a scale or an offset that is NaN or infinite, are errors. If the elements or T are not real
// numbers, the error is a *[DTypeError], or the error of [dtype.Of].
func Scaled[T any](a Array, scale, offset float64) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	isReal := func(d dtype.DType) bool { return d.IsNumber() && d.Kind() != dtype.KindComplex }
	switch {
	case err != nil:
		return View[T]{}, err
	case !isReal(have) || !isReal(want):
		if _, err := Cast[T](a); err != nil {
			return View[T]{}, err
		}
		return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want,
			Msg: "only real numbers can be scaled"}
	case scale == 0 || math.IsInf(scale, 0) || math.IsNaN(scale):
		return View[T]{}, fmt.Errorf("%sinvalid scale %v; want a finite number other than 0",
			nd.Prefix(a.view.Store.Mem.Path),
			scale)
	case math.IsInf(offset, 0) || math.IsNaN(offset):
		return View[T]{}, fmt.Errorf("%sinvalid offset %v; want a finite number", nd.Prefix(a.view.Store.Mem.Path),
			offset)
	}
	decode, encode, err := elem.Scaled(want, have, scale, offset)
	if err != nil {
		return View[T]{}, err
	}
	return View[T]{view: a.view.WithNumbers(want, strided.Alignof[T](), decode, encode)}, nil
}

// Field returns the field of a structured array that has the given name or title, in the same memory. The axes of a
// sub-array follow the axes of a. Dots separate the names of nested fields: "pos.x". The error wraps [ErrDType] if the
// field does not exist.
//
// To read the field as numbers of one Go type in files with any numeric dtype, pass it to [Cast].
func (a Array) Field(name string) (Array, error) {
	a.view.MustBeSet()
	for rest, more := name, true; more; {
		var f dtype.Field
		var err error
		if f, rest, more, err = cutField(a.DType(), rest); err != nil {
			return Array{}, a.view.DTypeError("no field %q in dtype %v", name, a.DType())
		}
		c, err := a.view.Field(f)
		if err != nil {
			return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
		}
		a = Array{c}
	}
	return a, nil
}

// cutField returns the field of d that name begins with, and what follows the dot after it; found reports whether there
// is a dot. A name of a field may contain dots itself: the longest name that exists wins.
func cutField(d dtype.DType, name string) (f dtype.Field, after string, found bool, err error) {
	head := name
	f, ok := d.Field(head)
	for !ok {
		i := strings.LastIndexByte(head, '.')
		if i < 0 {
			return f, "", false, ErrDType
		}
		head = head[:i]
		f, ok = d.Field(head)
	}
	if head == name {
		return f, "", false, nil
	}
	return f, name[len(head)+1:], true, nil
}

// Fields returns the fields of a structured array that have the given names or titles, in that order, as NumPy's
// a[['x', 'y']] does, in the same memory. Copying to the result does not change other fields. The error wraps
// [ErrDType] if a field does not exist, or if a name is given twice.
func Fields(a Array, names ...string) (Array, error) {
	a.view.MustBeSet()
	fields := make([]dtype.Field, len(names))
	for k, name := range names {
		f, ok := a.DType().Field(name)
		if !ok {
			return Array{}, a.view.DTypeError("no field %q in dtype %v", name, a.DType())
		}
		fields[k] = f
	}
	if a.DType().Kind() != dtype.KindStructured {
		return Array{}, a.view.DTypeError("dtype %v has no fields", a.DType())
	}
	d, err := dtype.Struct(a.ItemSize(), fields...)
	if err != nil {
		return Array{}, a.view.DTypeError("%w", err)
	}
	c, err := a.view.WithDType(d)
	return Array{c}, err
}

// Reinterpret returns the memory of a as elements of dtype d, without a copy, as NumPy's ndarray.view(d) does. If d has
// another item size, the length of the last axis changes: shape (2, 3) of float64 becomes (2, 6) of float32. The error
// wraps [ErrNotDirect] if the last axis is not contiguous, and [ErrShape] if its bytes do not divide into elements of
// d.
func (a Array) Reinterpret(d dtype.DType) (Array, error) {
	a.view.MustBeSet()
	if d.Kind() == dtype.KindSubarray || checkMemoryDType(d) != nil {
		return Array{}, a.view.DTypeError("dtype %v cannot be the dtype of an array", d)
	}
	c, err := a.view.Reinterpret(d)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	return Array{c}, nil
}

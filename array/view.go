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

// A View is an N-dimensional array of T. It is a small value: copies share the elements, which are read and written
// in place, in whatever byte order and with whatever strides. A View of a file is valid until [File.Close]. The zero
// View stands for no array.
type View[T any] struct {
	_ [0]*T // so that Go converts neither an Array nor a View of another type to it
	shaped
}

// Array returns v without its Go type: the elements in memory, those of a [Cast] in the dtype that they have there. It
// panics if v is [Scaled], whose elements are in no memory: those of v.Clone are, or of what v is copied to.
func (v View[T]) Array() Array {
	if !v.IsZero() && v.view.Store.Decode.IsScaled() {
		panic(nd.Misuse(nd.Prefix(v.view.Store.Mem.Path)+"Array of a Scaled view, whose elements are in no memory; "+
			"take that of a Clone, or of a new array that has them by CopyFrom", nil))
	}
	a := Array{v.shaped}
	if !v.IsZero() && v.view.Store.Converts {
		a.view = a.view.WithoutGoType()
	}
	if !v.IsZero() && !v.view.Store.IsJoined() {
		a.view.Read = nd.Untyped
		if a.view.Write != nd.NoWrite {
			a.view.Write = nd.Untyped
		}
	}
	return a
}

// At returns the element at idx, one index for every axis. It panics if an index is out of range, and allocates
// nothing.
func (v View[T]) At(idx ...int) T {
	var x T
	return *(*T)(v.view.Reach(idx, pointer(&x), v.view.Read, false))
}

// SetAt sets the element at idx to x. It panics as At does, and with an error that wraps [ErrReadOnly], before memory
// is touched, if v is read-only.
func (v View[T]) SetAt(x T, idx ...int) {
	*(*T)(v.view.Reach(idx, pointer(&x), v.view.Write, true)) = x
}

// Index returns part i of v along its first axis; see [Array.Index].
func (v View[T]) Index(i int) (part View[T]) { v.view.Index(i, &part.view); return part }

// Select returns the part of v that the selectors choose; see [Array.Select].
func (v View[T]) Select(sel ...index.Selector) (View[T], error) {
	c, err := v.view.Derive(v.Layout().Select(sel...))
	return View[T]{shaped: shaped{c}}, err
}

// Data returns the memory of v as a slice, whose elements are in C order. Writing to it writes the array. It is valid
// until the file is closed. Where v is read-only it must not be written to: in a file that is mapped [ReadOnly] that
// is a page fault, and elsewhere nothing prevents it.
//
// The error wraps [ErrNotDirect] where memory is no such slice: foreign byte order, not aligned (as most members of
// archives by numpy.savez), booleans, records that are not laid out as the Go struct is, not C contiguous. In F order
// v.T().Data() is the slice, [View.Blocks] has slices of any view, and [View.Collect] copies it. [slices.Sort] puts NaN
// first, np.sort last.
func (v View[T]) Data() ([]T, error) {
	if err := v.view.CheckInPlace(); err != nil {
		return nil, err
	}
	if !v.Contiguous(index.C) {
		hint := ""
		if v.Contiguous(index.F) {
			hint = "; it is F contiguous: take T().Data()"
		}
		return nil, fmt.Errorf("%s%w: shape %s with strides %s is not C contiguous%s", nd.Prefix(v.view.Store.Mem.Path),
			ErrNotDirect, nd.Tuple(v.Shape()), nd.Tuple(v.Strides()), hint)
	}
	return strided.Slice[T](v.view.P, v.Size()), nil
}

// As returns a as a View[T], with the same elements in the same memory. T must be the Go type of the dtype of a; byte
// order and alignment may be any. The error is a *[DTypeError], which says for structs which field differs, or that of
// [dtype.Of]. [Cast] has numbers of any dtype as T. For numbers As allocates nothing.
//
//	bool, integers, floats     the same, int and uint by their size; int64 also M8 and m8
//	dtype.Half, BF16, …        f2, bfloat16, float8_e4m3fn, float8_e5m2
//	complex64, complex128      c8, c16
//	[n]byte                    Sn, Vn, and the long doubles: the raw bytes
//	[n]uint32                  Un: the code points
//	struct                     structured: by the names of the fields
//
// A struct has the fields of the array that are named by the tags `npy:"name"`, or as in Go, in any order, packed or
// aligned; see [dtype.Of]. A field that the struct leaves out keeps its bytes when an element is set. A field may be a
// uint8 where the array has a bool. Where the struct is laid out as the elements, in the byte order of the machine and
// without booleans, [View.Data] returns them as they are.
func As[T any](a Array) (View[T], error) {
	a.view.MustBeSet()
	want, err := typeOf[T]()
	if err != nil {
		return View[T]{}, err
	}
	if !a.view.Store.IsJoined() {
		c, err := a.view.WithGoType(want, strided.Alignof[T]())
		return View[T]{shaped: shaped{c}}, err
	}
	c, err := a.view.Retype(func(c nd.View) (nd.View, error) { return c.WithGoType(want, strided.Alignof[T]()) })
	return View[T]{shaped: shaped{c}}, err
}

// Cast returns a as a View[T] in the same memory, whatever numbers its elements are: they are converted when they are
// read and written, as [Copy] converts them, in both directions. It is for programs that take any file of numbers;
// where one dtype is expected, [As] refuses the others. What As accepts, Cast returns as As does; another T is a
// number, and so is the dtype of a, else the error is a *[DTypeError]. Complex numbers are read as bool, and as no real
// ones, which is an error.
//
// [View.Data] and the views of fixed rank return an error, since they need Go values in memory, which integers of the
// same size with and without sign are. DType stays that of the memory. It allocates once.
func Cast[T any](a Array) (View[T], error) {
	have := a.DType()
	want, err := dtype.Of[T]()
	if err != nil || !want.IsNumber() || !have.IsNumber() || want.Kind() == have.Kind() &&
		want.ItemSize() == have.ItemSize() {
		return As[T](a)
	}
	if have.Kind() == dtype.KindComplex && want.Kind() != dtype.KindComplex && want.Kind() != dtype.KindBool {
		return View[T]{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: have, Want: want,
			Msg: "complex numbers do not become real ones; Reinterpret has their real and imaginary parts as a longer last axis; or Cast to complex128"}
	}
	c, err := a.view.Retype(func(c nd.View) (nd.View, error) {
		load, save, err := elem.Numbers(want, c.Store.DType)
		return c.WithNumbers(want, strided.Alignof[T](), load, save), err
	})
	return View[T]{shaped: shaped{c}}, err
}

// Scaled returns a as a View[T] in the same memory, whose elements are those of a times scale plus offset: images less
// their mean over their deviation, or numbers stored as small integers (scale_factor and add_offset in NetCDF files).
// It is a [Cast] that multiplies and adds, whatever reads the elements; x is set as (x-offset)/scale. What takes an
// Array takes that of [View.Clone], which has the scaled elements in memory, or of a file that they were copied to by
// [View.CopyFrom]: [View.Array] of a scaled view panics. A number that stands for a missing one (_FillValue) is scaled
// as the others are: make it NaN in what is read, whose reductions have SkipNaN.
//
// What becomes an integer, in either direction, is rounded to the nearest, ties to even, and out of range becomes the
// nearest that there is; NaN becomes 0. The arithmetic is that of float64, each step rounded, but float32 to read
// floats of up to 32 bits or integers of up to 16 as a float of up to 32, if float32 has room for scale and offset.
// So the bits are those of NumPy's a.astype(T)*T(scale) + T(offset) for floats T of 32 bits, of such elements, and of
// 64.
//
// The error is for a scale that is 0, NaN or infinite, an offset that is NaN or infinite, and that of Cast for elements
// or a T that are not numbers; complex ones are not scaled. Access to elements allocates nothing.
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
			Msg: "only real numbers are scaled"}
	case scale == 0 || math.IsInf(scale, 0) || math.IsNaN(scale):
		return View[T]{}, fmt.Errorf("%sscaled by %v; want a finite scale that is not 0", nd.Prefix(a.view.Store.Mem.Path),
			scale)
	case math.IsInf(offset, 0) || math.IsNaN(offset):
		return View[T]{}, fmt.Errorf("%sscaled with an offset of %v; want a finite one", nd.Prefix(a.view.Store.Mem.Path),
			offset)
	}
	c, err := a.view.Retype(func(c nd.View) (nd.View, error) {
		load, save, err := elem.Scaled(want, c.Store.DType, scale, offset)
		return c.WithNumbers(want, strided.Alignof[T](), load, save), err
	})
	return View[T]{shaped: shaped{c}}, err
}

// Field returns one field of a structured array, by its name or title, in the same memory, with the dimensions of a
// sub-array after those of a. Names of nested fields are joined by dots: "pos.x". Others wrap [ErrDType].
func (a Array) Field(name string) (Array, error) {
	a.view.MustBeSet()
	for rest := name; ; {
		// A name may have dots itself: the longest that there is, wins.
		head := rest
		f, ok := a.DType().Field(head)
		for !ok {
			i := strings.LastIndexByte(head, '.')
			if i < 0 {
				return Array{}, a.view.DTypeError("no field %q in dtype %v", name, a.DType())
			}
			head = head[:i]
			f, ok = a.DType().Field(head)
		}
		c, err := a.view.Retype(func(c nd.View) (nd.View, error) { return c.Field(f) })
		if err != nil {
			return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
		}
		a = Array{shaped{c}}
		if head == rest {
			return a, nil
		}
		rest = rest[len(head)+1:]
	}
}

// Fields returns the fields of a structured array that have these names or titles, in this order, as NumPy's a[['x',
// 'y']] does: in the same memory, with elements that are as long. Copies to its elements leave the bytes of the other
// fields alone. A name that a does not have, or that is given twice, is an error that wraps [ErrDType].
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
	c, err := a.view.Retype(func(c nd.View) (nd.View, error) { return c.Retyped(d, c.Layout, 0) })
	return Array{shaped{c}}, err
}

// Reinterpret returns the memory of a as elements of the dtype d, without a copy, as NumPy's ndarray.view(d) does.
// Where d has another item size the length of the last axis changes: (2, 3) of float64 becomes (2, 6) of float32. The
// error wraps [ErrNotDirect] if the last axis is not contiguous, and [ErrShape] if its bytes are no whole number of
// elements.
func (a Array) Reinterpret(d dtype.DType) (Array, error) {
	a.view.MustBeSet()
	if d.Kind() == dtype.KindSubarray || notInMemory(d) != nil {
		return Array{}, a.view.DTypeError("dtype %v cannot be that of an array", d)
	}
	joined := a.view.Store.IsJoined()
	c, err := a.view.Retype(func(c nd.View) (nd.View, error) {
		r, err := c.Reinterpreted(d)
		if isPart := joined && !c.Store.IsJoined(); isPart &&
			err != nil { // the view says which elements become one, or several
			return c.AnyOffset(d), nil
		}
		return r, err
	})
	if err == nil {
		c, err = c.CheckStraddle()
	}
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(a.view.Store.Mem.Path), err)
	}
	return Array{shaped{c}}, nil
}

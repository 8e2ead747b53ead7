package surface

import (
	"errors"
	"io/fs"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestMisuse tests that the panics described in the documentation have the documented errors as values. Packages mmap,
// npz, safetensors and httpat document no panics.
func TestMisuse(t *testing.T) {
	f := must(array.New(dtype.Float64, index.C, 2, 3, 4))
	defer f.Close()
	v := must(array.As[float64](f.Array))
	matrix := v.Index(0)
	vec, mat, cube := must(matrix.Index(0).Vector()), must(matrix.Matrix()), must(v.Cube())
	text := must(array.Text(must(array.FromBytes(make([]byte, 6), dtype.Bytes(3), index.C, 2))))
	fixed := must(array.OpenBytes(npy, array.ReadOnly))
	readOnly := must(array.As[int8](fixed))
	roVec, roText := must(readOnly.Vector()), must(array.Text(must(fixed.Reinterpret(dtype.Bytes(1)))))
	broadcast := must(v.Broadcast(2, 2, 3, 4))
	empty := must(array.FromSlice([]float64{}))
	lay, var0 := f.Layout(), array.View[float64]{}
	for _, tt := range []struct {
		name string
		is   error // nil for a *index.BoundsError
		run  func()
	}{
		{"index.Layout.Dim", nil, func() { lay.Dim(3) }},
		{"index.Layout.Len", nil, func() { lay.Len(-1) }},
		{"index.Layout.Stride", nil, func() { index.Layout{}.Stride(0) }},
		{"index.Layout.Offset, index", nil, func() { lay.Offset(0, 3, 0) }},
		{"index.Layout.Offset, count", nil, func() { lay.Offset(0) }},
		{"index.Layout.Index", nil, func() { lay.Index(2) }},
		{"index.Layout.Index of a scalar", nil, func() { index.Layout{}.Index(0) }},
		{"index.Next, count", nil, func() { index.Next([]int{0}, []int{2, 3}, index.C) }},
		{"index.Next, order", array.ErrShape, func() { index.Next([]int{0}, []int{2}, index.K) }},
		{"index.All, order", array.ErrShape, func() { index.All([]int{2}, 9)(func([]int) bool { return true }) }},
		{"index.Ravel, index", nil, func() { index.Ravel([]int{0, 3}, []int{2, 3}, index.C) }},
		{"index.Ravel, count", nil, func() { index.Ravel([]int{0}, []int{2, 3}, index.C) }},
		{"index.Ravel, order", array.ErrShape, func() { index.Ravel([]int{0}, []int{2}, index.K) }},
		{"index.Unravel, position", nil, func() { index.Unravel(6, []int{2, 3}, make([]int, 2), index.C) }},
		{"index.Unravel, count", nil, func() { index.Unravel(0, []int{2, 3}, make([]int, 1), index.C) }},
		{"index.Unravel, order", array.ErrShape, func() { index.Unravel(0, []int{2}, make([]int, 1), index.K) }},
		{"index.Selector.Every", array.ErrShape, func() { index.At(1).Every(2) }},

		{"dtype.Bytes", array.ErrDType, func() { dtype.Bytes(-1) }},
		{"dtype.Unicode", array.ErrDType, func() { dtype.Unicode(1 << 29) }},
		{"dtype.Void", dtype.ErrDType, func() { dtype.Void(-1) }},
		{"dtype.Datetime", array.ErrDType, func() { dtype.Datetime(dtype.Second, 0) }},
		{"dtype.Timedelta", array.ErrDType, func() { dtype.Timedelta(77, 1) }},
		{"dtype.DType.FieldAt", array.ErrDType, func() { dtype.Bool.FieldAt(0) }},
		{"dtype.MustParse", array.ErrDType, func() { dtype.MustParse("no") }},

		{"Array.Len", nil, func() { f.Len(3) }},
		{"View.Len", nil, func() { v.Len(-1) }},
		{"Array.Index", nil, func() { f.Index(-1) }},
		{"View.Index", nil, func() { v.Index(2) }},
		{"Array.Axis", nil, func() { f.Axis(3)(func(int, array.Array) bool { return true }) }},
		{"View.Axis", nil, func() { v.Axis(-4)(func(int, array.View[float64]) bool { return true }) }},
		{"View.At", nil, func() { v.At(0, 0, 4) }},
		{"View.At, count", nil, func() { v.At(0) }},
		{"View.SetAt", nil, func() { v.SetAt(1, 0, -1, 0) }},
		{"TextView.At", nil, func() { text.At(2) }},
		{"TextView.SetAt", nil, func() { text.SetAt("a", 2) }},
		{"Vector.At", nil, func() { vec.At(4) }},
		{"Vector.SetAt", nil, func() { vec.SetAt(1, -1) }},
		{"Matrix.At", nil, func() { mat.At(0, 4) }},
		{"Matrix.SetAt", nil, func() { mat.SetAt(1, 3, 0) }},
		{"Matrix.Row", nil, func() { mat.Row(3) }},
		{"Cube.At", nil, func() { cube.At(2, 0, 0) }},
		{"Cube.SetAt", nil, func() { cube.SetAt(1, 0, 0, 4) }},
		{"Cube.Row", nil, func() { cube.Row(0, 3) }},

		{"View.SetAt, read-only", array.ErrReadOnly, func() { readOnly.SetAt(1, 0) }},
		{"View.SetAt, broadcast", array.ErrReadOnly, func() { broadcast.SetAt(1, 0, 0, 0, 0) }},
		{"View.Fill, read-only", array.ErrReadOnly, func() { readOnly.Fill(1) }},
		{"View.Update, read-only", array.ErrReadOnly, func() { readOnly.Update(index.C)(func([]int8) bool { return true }) }},
		{"Vector.SetAt, read-only", array.ErrReadOnly, func() { roVec.SetAt(1, 0) }},
		{"TextView.SetAt, read-only", array.ErrReadOnly, func() { roText.SetAt("a", 0) }},

		{"View.All, order", array.ErrShape, func() { v.All(9)(func([]int, float64) bool { return true }) }},
		{"View.Blocks, order", array.ErrShape, func() { v.Blocks(9)(func([]float64) bool { return true }) }},
		{"View.Update, order", array.ErrShape, func() { v.Update(9)(func([]float64) bool { return true }) }},
		{"View.Find, dimensions", array.ErrShape, func() { v.Find(func(float64) bool { return true }) }},
		{"View.Split", array.ErrShape, func() { v.Split(0) }},
		{"Min of nothing", array.ErrShape, func() { array.Min(empty) }},
		{"Max of nothing", array.ErrShape, func() { array.Max(empty) }},
		{"MinMax of nothing", array.ErrShape, func() { array.MinMax(empty) }},
		{"ArgMin of nothing", array.ErrShape, func() { array.ArgMin(empty) }},
		{"ArgMax of nothing", array.ErrShape, func() { array.ArgMax(empty) }},
		{"View.Array, scaled", array.ErrNotDirect, func() { must(array.Scaled[float64](f.Array, 2, 1)).Array() }},

		{"Array.DType, zero", fs.ErrClosed, func() { array.Array{}.DType() }},
		{"View.At, zero", fs.ErrClosed, func() { var0.At(0) }},
		{"View.SetAt, zero", fs.ErrClosed, func() { var0.SetAt(1, 0) }},
		{"View.AppendRows, zero", fs.ErrClosed, func() { var0.AppendRows(nil, nil) }},
		{"Array.Take, zero", fs.ErrClosed, func() { array.Array{}.Take(0, nil) }},
		{"Array.Compress, zero", fs.ErrClosed, func() { array.Array{}.Compress(0, nil) }},
		{"TakeInto, zero", fs.ErrClosed, func() { array.TakeInto(array.Array{}, array.Array{}, 0, nil) }},
		{"Vector.At, zero", fs.ErrClosed, func() { new(array.Vector[int]).At(0) }},
		{"Matrix.SetAt, zero", fs.ErrClosed, func() { new(array.Matrix[int]).SetAt(1, 0, 0) }},
		{"Save, zero", fs.ErrClosed, func() { array.Save("x", array.Array{}) }},
		{"Sum, zero", fs.ErrClosed, func() { array.Sum[float64](var0) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			func() {
				defer func() {
					v := recover()
					err, ok := v.(error)
					if ok && tt.is == nil {
						_, ok = errors.AsType[*index.BoundsError](err)
					} else if ok {
						ok = errors.Is(err, tt.is)
					}
					if !ok {
						t.Errorf("%s: panic with %T %v, want an error that wraps %v, or a *index.BoundsError", tt.name, v, v, tt.is)
					}
				}()
				tt.run()
			}()
		})
	}
}

// TestBadAxis tests that every function with an axis parameter returns a *index.BoundsError for an axis out of range.
func TestBadAxis(t *testing.T) {
	f := must(array.New(dtype.Float64, index.C, 2, 3))
	defer f.Close()
	v, lay := must(array.As[float64](f.Array)), f.Layout()
	for _, axis := range []int{2, -3} {
		for name, err := range map[string]error{
			"index.Layout.Transpose":   errorOf(lay.Transpose(0, axis)),
			"index.Layout.MoveAxis":    errorOf(lay.MoveAxis(0, axis)),
			"index.Layout.Squeeze":     errorOf(lay.Squeeze(axis)),
			"Array.Transpose":          errorOf(f.Transpose(axis, 0)),
			"View.Transpose":           errorOf(v.Transpose(axis, 0)),
			"Array.MoveAxis":           errorOf(f.MoveAxis(axis, 0)),
			"View.MoveAxis":            errorOf(v.MoveAxis(0, axis)),
			"Array.Squeeze":            errorOf(f.Squeeze(axis)),
			"View.Squeeze":             errorOf(v.Squeeze(axis)),
			"Array.Diagonal":           errorOf(f.Diagonal(0, 0, axis)),
			"View.Diagonal":            errorOf(v.Diagonal(0, axis, 1)),
			"Array.Take":               errorOf(f.Take(axis, nil)),
			"Array.Compress":           errorOf(f.Compress(axis, nil)),
			"TakeInto":                 array.TakeInto(f.Array, f.Array, axis, nil),
			"Concatenate":              array.Concatenate(f.Array, axis, f.Array),
			"Reduction.Shape":          errorOf(array.Reduction{Axes: []int{axis}}.Shape(f.Array)),
			"Reduction.Of":             errorOf(array.Reduction{Axes: []int{axis}}.Of(f.Array)),
			"Reduction.Into":           array.Reduction{Axes: []int{axis}}.Into(f.Array, f.Array),
			"Reduction.Of, a position": errorOf(array.Reduction{Op: array.OpArgMax, Axes: []int{axis}}.Of(f.Array)),
		} {
			t.Run(name, func(t *testing.T) {
				got, ok := errors.AsType[*index.BoundsError](err)
				if !ok || got.Index != axis || got.Len != 2 || errors.Is(err, array.ErrShape) {
					t.Errorf("%s along axis %d: %v, want a *index.BoundsError", name, axis, err)
				}
			})
		}
	}
}

// header is the header of the file npy.
const header = "{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }"

// npy is a .npy file of two int8.
var npy = append([]byte("\x93NUMPY\x01\x00\x3a\x00"+header+"\n"), 1, 2)

// errorOf returns the error of a call.
func errorOf(_ any, err error) error { return err }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

package array_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestFieldTooManyAxes tests a sub-array field that has more than 64 axes together with the axes of the array. The
// error must name the file and wrap index.ErrShape. Such a file is valid, and its remaining fields can be used.
func TestFieldTooManyAxes(t *testing.T) {
	d := dtype.MustParse("[('m', '<f4', (1, 2)), ('in', [('m', '<f4', (2,))]), ('n', '<i2')]")
	create := func(ndim int) (string, array.Array) {
		shape := make([]int, ndim)
		for axis := range shape {
			shape[axis] = 1
		}
		path := filepath.Join(t.TempDir(), "a.npy")
		f := check(array.Create(path, d, index.C, shape...))
		f.Close()
		f = check(array.Open(path, mmap.ReadOnly))
		t.Cleanup(func() { f.Close() })
		return path, f.Array
	}
	for _, tt := range []struct {
		ndim  int
		field string
		want  string // empty if the field has 64 axes and there is no error
	}{
		{62, "m", ""},
		{63, "m", "PATH: shape has 65 dimensions, want at most 64"},
		{64, "m", "PATH: shape has 66 dimensions, want at most 64"},
		{63, "in.m", ""},
		{64, "in.m", "PATH: shape has 65 dimensions, want at most 64"},
		{64, "n", ""},
	} {
		path, a := create(tt.ndim)
		f, err := a.Field(tt.field)
		if tt.want == "" {
			if err != nil || f.NDim() != index.MaxDims {
				t.Errorf("field %s of %d dimensions: %d dimensions, %v; want 64", tt.field, tt.ndim, f.NDim(), err)
			}
			continue
		}
		want := path + tt.want[len("PATH"):]
		if !errors.Is(err, index.ErrShape) || err.Error() != want {
			t.Errorf("field %s of %d dimensions:\n got %v\nwant %s, an index.ErrShape", tt.field, tt.ndim, err, want)
		}
	}
	a := check(array.FromBytes(make([]byte, d.ItemSize()), d, index.C, make([]int, 0, 1)...))
	for range index.MaxDims { // an array in memory
		a = check(a.Select(index.NewAxis, index.Ellipsis))
	}
	if _, err := a.Field("m"); err == nil || err.Error() != "array: shape has 66 dimensions, want at most 64" ||
		!errors.Is(err, index.ErrShape) {
		t.Errorf("without a file: %v", err)
	}
}

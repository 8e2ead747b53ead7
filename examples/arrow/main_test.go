package main

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"

	arrowarray "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/tensor"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestArrow tests that Arrow uses the memory of the file and closes it with the last Release.
func TestArrow(t *testing.T) {
	for _, order := range []index.Order{index.C, index.F} {
		path := filepath.Join(t.TempDir(), "a.npy")
		f, err := array.Create(path, dtype.Float64, order, 3, 4)
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.As[float64](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			for j := range 4 {
				v.SetAt(float64(10*i+j), i, j)
			}
		}
		data, err := arrowData(f)
		if err != nil {
			t.Fatal(err)
		}
		x := newTensor(f, data).(*tensor.Float64)
		list, err := newList(f, data)
		if (err == nil) != (order == index.C) {
			t.Fatal(err)
		}
		data.Release()
		v.SetAt(-1, 2, 3) // visible to both, because they share the memory
		if got := x.Value([]int64{2, 3}); got != -1 || x.Value([]int64{1, 2}) != 12 || x.IsRowMajor() != (order == index.C) {
			t.Errorf("order %v: element 2, 3 is %v", order, got)
		}
		if list != nil {
			row := arrowarray.NewSlice(list.ListValues(), 8, 12).(*arrowarray.Float64)
			if got := row.Float64Values(); list.Len() != 3 || !slices.Equal(got, []float64{20, 21, 22, -1}) {
				t.Errorf("row 2 of %d is %v", list.Len(), got)
			}
			row.Release()
			list.Release()
		}
		if f.Map().Bytes() == nil {
			t.Error("the file is closed while a tensor uses it")
		}
		x.Release()
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Arrow has released everything, Close returns %v", err)
		}
		f, err = array.Open(path, mmap.ReadOnly)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := arrowData(f); err != nil {
			t.Fatal(err)
		}
		if err := show(path); (err == nil) != (order == index.C) {
			t.Error(err)
		}
	}
}

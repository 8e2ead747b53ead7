// Arrow passes a mapped .npy file to Apache Arrow without a copy: as a Tensor and, for a matrix, as a FixedSizeList of
// its rows, the column type that vector databases take. The file is closed when Arrow releases the last of them.
//
//	go run . MATRIX.npy
//
// It prints a description of both. The file must contain numbers in native byte order, and the matrix must be in C
// order.
package main

import (
	"fmt"
	"os"

	"github.com/apache/arrow-go/v18/arrow"
	arrowarray "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/apache/arrow-go/v18/arrow/tensor"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: arrow FILE.npy")
		os.Exit(2)
	}
	if err := show(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "arrow:", err)
		os.Exit(1)
	}
}

func show(path string) error {
	f, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return err
	}
	data, err := arrowData(f)
	if err != nil {
		return err
	}
	defer data.Release()             // closes the file, unless an Arrow value still uses it
	return mmap.Guard(func() error { // also covers reads by Arrow
		t := newTensor(f, data)
		defer t.Release()
		if _, err := fmt.Println(t.DataType(), t.Shape(), t.Strides(), t.IsRowMajor(), t.IsColMajor()); err != nil {
			return err
		}
		list, err := newList(f, data)
		if err != nil {
			return err
		}
		defer list.Release()
		_, err = fmt.Println(list.DataType(), list.Len())
		return err
	})
}

// newTensor returns the elements of f as a Tensor with the same shape and strides.
func newTensor(f *array.File, data arrow.ArrayData) tensor.Interface {
	return tensor.New(data, int64s(f.Shape()), int64s(f.Strides()), nil)
}

// newList returns the rows of the matrix f as a column of fixed-size lists.
func newList(f *array.File, data arrow.ArrayData) (*arrowarray.FixedSizeList, error) {
	shape := f.Shape()
	if len(shape) != 2 || !f.Contiguous(index.C) {
		return nil, fmt.Errorf("%s: shape %v, order %v: want a matrix in C order", f.Path(), shape, f.Order())
	}
	list := arrow.FixedSizeListOfNonNullable(int32(shape[1]), data.DataType())
	d := arrowarray.NewData(list, shape[0], []*memory.Buffer{nil}, []arrow.ArrayData{data}, 0, 0)
	defer d.Release()
	return arrowarray.NewFixedSizeListData(d), nil
}

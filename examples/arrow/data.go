package main

import (
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	arrowarray "github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// types maps dtypes to the Arrow types with the same memory format.
var types = map[dtype.DType]arrow.DataType{
	dtype.Int8: arrow.PrimitiveTypes.Int8, dtype.Uint8: arrow.PrimitiveTypes.Uint8,
	dtype.Int16: arrow.PrimitiveTypes.Int16, dtype.Uint16: arrow.PrimitiveTypes.Uint16,
	dtype.Int32: arrow.PrimitiveTypes.Int32, dtype.Uint32: arrow.PrimitiveTypes.Uint32,
	dtype.Int64: arrow.PrimitiveTypes.Int64, dtype.Uint64: arrow.PrimitiveTypes.Uint64,
	dtype.Float32: arrow.PrimitiveTypes.Float32, dtype.Float64: arrow.PrimitiveTypes.Float64,
}

// arrowData returns the elements of f, in file order, as an Arrow column that uses the mapping as its memory. f is
// closed by the last Release of the column and of all values derived from it, or at once if arrowData returns an error.
func arrowData(f *array.File) (arrow.ArrayData, error) {
	d, ok := types[f.DType()]
	if !ok {
		f.Close()
		return nil,
			fmt.Errorf("%s: no Arrow type for dtype %v; want int8 to int64, uint8 to uint64, float32 or float64 in native byte order", f.Path(),
				f.DType())
	}
	elements := f.Map().Bytes()[f.DataOffset():][:f.NBytes()]
	buffer := memory.NewBufferWithAllocator(elements, &mappedAllocator{f})
	defer buffer.Release()
	return arrowarray.NewData(d, f.Size(), []*memory.Buffer{nil, buffer}, nil, 0, 0), nil
}

// A mappedAllocator is an Arrow allocator for memory that is already mapped.
type mappedAllocator struct{ f *array.File }

func (m *mappedAllocator) Allocate(int) []byte           { panic(errors.ErrUnsupported) }
func (m *mappedAllocator) Reallocate(int, []byte) []byte { panic(errors.ErrUnsupported) }
func (m *mappedAllocator) Free([]byte)                   { m.f.Close() }

func int64s(s []int) []int64 {
	t := make([]int64, len(s))
	for i, n := range s {
		t[i] = int64(n)
	}
	return t
}

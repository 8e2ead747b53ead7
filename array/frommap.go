package array

import (
	"fmt"
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/mmap"
)

// FromMap returns an array of dtype d in the bytes of m from byte offset on, without a copy.
// It is read-only where m is, and its errors name the file of m and the byte. m may have more
// bytes; if it has fewer, the error wraps [ErrShape], as for an order other than C and F. The
// elements need not be aligned.
//
// m belongs to the caller, who closes it once the array is not used any more; a closed m is
// an error that wraps [fs.ErrClosed]. Grow and Refresh of m do not change the array.
func FromMap(m *mmap.Map, offset int, d dtype.DType, order index.Order, shape ...int) (Array, error) {
	b := m.Bytes()
	if b == nil {
		return Array{}, &fs.PathError{Op: "array", Path: m.Path(), Err: fs.ErrClosed}
	}
	lay, err := index.NewLayout(shape, d.ItemSize(), order)
	switch {
	case err == nil && d.Kind() == dtype.KindInvalid:
		err = fmt.Errorf("the zero DType describes no elements")
	case err == nil && (offset < 0 || offset > len(b)):
		err = fmt.Errorf("%w: byte %d is not within the mapping, which has %d", ErrShape, offset, len(b))
	}
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(m.Path()), err)
	}
	mem := strided.Memory{Path: m.Path(), Base: strided.Start(b[offset:]), Size: len(b) - offset, ReadOnly: m.Mode() == mmap.ReadOnly}
	if m.Path() != "" {
		mem.File, mem.Offset = m, offset
	}
	c, err := new(owner).set(mem, d, 0, lay)
	if err != nil {
		return Array{}, fmt.Errorf("%s%w", prefix(m.Path()), err)
	}
	return Array{c}, nil
}

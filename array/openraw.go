package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
	"github.com/ndmap/ndmap/mmap"
)

// OpenRaw maps the file at path, which has no header, as an array of dtype d in the order C or F, as numpy.memmap does.
// Its elements start at byte offset, aligned or not. One length may be -1: it becomes the largest that fits in the
// file. If -1 is the first length, or in F order the last, [File.Refresh] finds the complete rows that other
// processes write to the end of the file.
//
// A file that is too short, an offset or a shape that is invalid, and -1 for rows without bytes are errors that wrap
// [ErrShape]. Errors of the system are *[fs.PathError]. File.Append returns an error that wraps
// [errors.ErrUnsupported].
func OpenRaw(path string, mode Mode, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return OpenConfig{Mode: mode}.OpenRaw(path, offset, d, order, shape...)
}

// OpenRaw is like the function [OpenRaw], configured by cfg.
func (cfg OpenConfig) OpenRaw(path string, offset int64, d dtype.DType, order index.Order, shape ...int) (*File,
	error) {
	return cfg.closeOnError(cfg.openRaw(path, offset, d, order, shape))
}

// openRaw is OpenRaw, except that it does not close cfg.File after every error.
func (cfg OpenConfig) openRaw(path string, offset int64, d dtype.DType, order index.Order, shape []int) (*File, error) {
	m, err := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File}.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{m: m, growth: newGrowth(m, cfg.Progress)}
	if err := f.setRawArray(offset, d, order, shape); err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

// CreateRaw creates a file at path without a header: offset zero bytes, followed by the elements of an array of dtype
// d, which are zero, too. For the errors see [Create]. [OpenRaw] opens the file again.
func CreateRaw(path string, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, err := newRaw(d, order, shape)
	switch {
	case err != nil:
	case offset < 0:
		err = fmt.Errorf("%w: negative offset %d", ErrShape, offset)
	case int64(h.NBytes) > math.MaxInt-offset:
		err = fmt.Errorf("%w: the end of %d bytes at offset %d overflows int", ErrShape, h.NBytes, offset)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	h.DataOffset = int(offset)
	return SaveConfig{}.create(nil, path, h, nil)
}

// FromMap returns an array of dtype d in the memory of m, starting at byte offset, without a copy. The array is
// read-only if m is. It is valid until the caller closes m. For the errors see [OpenRaw]; if m is closed, the error
// wraps [fs.ErrClosed].
func FromMap(m *mmap.Map, offset int, d dtype.DType, order index.Order, shape ...int) (Array, error) {
	f := &File{m: m}
	err := f.setRawArray(int64(offset), d, order, shape)
	return f.Array, err
}

// headerless reports whether f is a file without a header.
func (f *File) headerless() bool { return f.h.Version[0] == 0 }

// setRawArray sets f to the array of dtype d that starts at byte offset of its mapping. At most one length may be -1.
func (f *File) setRawArray(offset int64, d dtype.DType, order index.Order, shape []int) error {
	b, path := f.m.Bytes(), f.m.Path()
	if b == nil {
		return &fs.PathError{Op: "array", Path: path, Err: fs.ErrClosed}
	}
	f.inferredAxis = slices.Index(shape, -1)
	if f.inferredAxis >= 0 {
		shape = slices.Clone(shape)
		shape[f.inferredAxis] = 1
		if slices.Contains(shape, -1) {
			return fmt.Errorf("%s%w: only one length may be -1", nd.Prefix(path), ErrShape)
		}
	}
	h, err := newRaw(d, order, shape)
	if err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(path), err)
	}
	msg := ""
	switch have := int64(len(b)) - offset; {
	case offset < 0:
		msg = "the offset is negative"
	case have < 0:
		msg = fmt.Sprintf("the mapping ends at byte %d", len(b))
	case f.inferredAxis >= 0 && h.NBytes == 0:
		shape[f.inferredAxis] = -1
		msg = fmt.Sprintf("shape %s of %v takes no bytes for any length; give the length instead of -1", nd.Tuple(shape), d)
	case f.inferredAxis >= 0:
		h.Shape[f.inferredAxis] = int(have) / h.NBytes
		h.NBytes *= h.Shape[f.inferredAxis]
	case int64(h.NBytes) > have:
		msg = fmt.Sprintf("%d bytes do not fill shape %s of %v, which takes %d", have, nd.Tuple(shape), d, h.NBytes)
	}
	if msg != "" {
		return fmt.Errorf("%sdata at byte %d: %w: %s", nd.Prefix(path), offset, ErrShape, msg)
	}
	h.DataOffset = int(offset)
	f.h = h
	return f.setArray(path, b[offset:][:h.NBytes])
}

// newRaw returns a header that describes a file without one, except for the offset of the data.
func newRaw(d dtype.DType, order index.Order, shape []int) (npy.Header, error) {
	switch err := checkMemoryDType(d); {
	case err != nil:
		return npy.Header{}, err
	case d.Kind() == dtype.KindSubarray:
		return npy.Header{},
			nd.OfKind(fmt.Errorf("%v is a sub-array; want its base as dtype and its shape as last dimensions", d), ErrDType)
	case order != index.C && order != index.F:
		return npy.Header{}, fmt.Errorf("%w: order %v for a file; want C or F", ErrShape, order)
	}
	_, n, err := index.Size(shape, d.ItemSize())
	return npy.Header{DType: d, Order: order, Shape: slices.Clone(shape), NBytes: n}, err
}

// refreshLength sets f to the longest array that now fits in the file, if a length passed to OpenRaw was -1.
func (f *File) refreshLength() (grew bool, err error) {
	if f.inferredAxis < 0 {
		return false, nil
	}
	if _, err := f.m.Refresh(); err != nil {
		return false, err
	}
	shape := f.Shape()
	old := shape[f.inferredAxis]
	shape[f.inferredAxis] = -1
	longer := *f
	if err := longer.setRawArray(f.DataOffset(), f.h.DType, f.h.Order, shape); err != nil {
		return false, err
	}
	switch n := longer.h.Shape[f.inferredAxis]; {
	case n == old:
		return false, nil
	case n < old:
		return false,
			fmt.Errorf("%sdata at byte %d: the file has become shorter: axis %d had length %d and the file has room for %d; open it again", nd.Prefix(f.Path()), f.h.DataOffset, f.inferredAxis, old, n)
	case f.inferredAxis != f.h.Axis():
		return false,
			fmt.Errorf("%saxis %d would have length %d instead of %d, and elements would be at other offsets: %w; open it again",
				nd.Prefix(f.Path()), f.inferredAxis, n, old, errors.ErrUnsupported)
	}
	f.h, f.Array = longer.h, longer.Array
	return true, nil
}

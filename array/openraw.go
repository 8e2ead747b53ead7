package array

import (
	"cmp"
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

// OpenRaw maps the file at path, which has no header, as an array of dtype d whose elements start at byte offset,
// aligned or not, and follow one another in the order C or F, as numpy.memmap does.
//
// One length may be -1: it is then as long as the file has bytes for, but for those behind the last whole row. Where
// the other lengths, or the elements, make no bytes, -1 is an error. A file that is too short is an error in every
// mode, and never made longer. That error, and the one of an offset or shape that cannot be, wraps [ErrShape]. An error
// of the system is a *[fs.PathError]; that of [File.Append] wraps [errors.ErrUnsupported].
//
// Where the length of its first axis was given as -1, or in F order that of its last, [File.Refresh] sees the whole
// rows that others have written to its end. A row counts as soon as the file is as long as that.
func OpenRaw(path string, mode Mode, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{Mode: mode}.OpenRaw(path, offset, d, order, shape...)
}

// OpenRaw is the function [OpenRaw] with the fields of cfg.
func (cfg Config) OpenRaw(path string, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return cfg.closeIf(cfg.openRaw(path, offset, d, order, shape))
}

func (cfg Config) openRaw(path string, offset int64, d dtype.DType, order index.Order, shape []int) (*File, error) {
	if err := cfg.check(forOpen); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	m, err := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, Sparse: cfg.Sparse, File: cfg.File}.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{m: m, growth: cfg.growth(m)}
	if err := f.describe(offset, d, order, shape); err != nil {
		m.Close()
		return nil, err
	}
	return f, nil
}

// CreateRaw makes a new file at path that has no header: offset bytes that are zero, and then the elements of an
// array of dtype d, zero too. All else is as with [Create]. [OpenRaw] opens the file again; d, order and shape are
// not in it.
func CreateRaw(path string, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	return Config{}.CreateRaw(path, offset, d, order, shape...)
}

// CreateRaw is the function [CreateRaw] with the fields of cfg.
func (cfg Config) CreateRaw(path string, offset int64, d dtype.DType, order index.Order, shape ...int) (*File, error) {
	h, err := newRaw(d, order, shape)
	switch {
	case err != nil:
	case offset < 0:
		err = fmt.Errorf("%w: negative offset %d", ErrShape, offset)
	case int64(h.NBytes) > math.MaxInt-offset:
		err = fmt.Errorf("%w: %d bytes from byte %d on overflow int", ErrShape, h.NBytes, offset)
	}
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: path, Err: err}
	}
	h.DataOffset = int(offset)
	return cfg.createFile(path, h, nil)
}

// FromMap returns an array of dtype d in the bytes of m from byte offset on, without a copy, as [OpenRaw] does for a
// file, with the same errors; that of a closed m wraps [fs.ErrClosed]. It is read-only where m is. The caller closes m
// once the array is not used any more. Grow of m does not change it.
func FromMap(m *mmap.Map, offset int, d dtype.DType, order index.Order, shape ...int) (Array, error) {
	return Config{Mode: m.Mode(), Name: m.Path()}.FromMap(m, offset, d, order, shape...)
}

// FromMap is the function [FromMap], read-only where cfg.Mode is, too; messages name cfg.Name: for memory with what was
// in a file.
func (cfg Config) FromMap(m *mmap.Map, offset int, d dtype.DType, order index.Order, shape ...int) (Array, error) {
	if err := cfg.check(forFromMap); err != nil {
		return Array{}, fmt.Errorf("%s%w", nd.Prefix(cfg.Name), err)
	}
	f := &File{m: m, name: cfg.Name, readOnly: cfg.Mode == ReadOnly}
	err := f.describe(int64(offset), d, order, shape)
	return f.Array, err
}

// headerless reports whether f is a file without a header.
func (f *File) headerless() bool { return f.h.Version[0] == 0 }

// describe makes f the array of dtype d that starts at byte offset of its mapping.
func (f *File) describe(offset int64, d dtype.DType, order index.Order, shape []int) error {
	b, path := f.m.Bytes(), cmp.Or(f.name, f.m.Path())
	if b == nil {
		return &fs.PathError{Op: "array", Path: path, Err: fs.ErrClosed}
	}
	f.counted = slices.Index(shape, -1)
	if f.counted >= 0 {
		shape = slices.Clone(shape)
		shape[f.counted] = 1
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
	case f.counted >= 0 && h.NBytes == 0:
		shape[f.counted] = -1
		msg = fmt.Sprintf("shape %s of %v takes no bytes, whatever length stands for -1; give the length", nd.Tuple(shape), d)
	case f.counted >= 0:
		h.Shape[f.counted] = int(have) / h.NBytes
		h.NBytes *= h.Shape[f.counted]
	case int64(h.NBytes) > have:
		msg = fmt.Sprintf("%d bytes do not fill shape %s of %v, which takes %d", have, nd.Tuple(shape), d, h.NBytes)
	}
	if msg != "" {
		return fmt.Errorf("%sdata at byte %d: %w: %s", nd.Prefix(path), offset, ErrShape, msg)
	}
	h.DataOffset = int(offset)
	f.h = h
	return f.overlay(path, b[offset:][:h.NBytes])
}

// newRaw returns the header that a file without one does not have, but for the offset of the data.
func newRaw(d dtype.DType, order index.Order, shape []int) (npy.Header, error) {
	switch err := notInMemory(d); {
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

// recount makes f the array that its file has room for now, if one of its lengths is counted.
func (f *File) recount() (grew bool, err error) {
	if f.counted < 0 {
		return false, nil
	}
	if _, err := f.m.Refresh(); err != nil {
		return false, err
	}
	shape := f.Shape()
	was := shape[f.counted]
	shape[f.counted] = -1
	longer := *f
	if err := longer.describe(f.DataOffset(), f.h.DType, f.h.Order, shape); err != nil {
		return false, err
	}
	switch n := longer.h.Shape[f.counted]; {
	case n == was:
		return false, nil
	case n < was:
		return false,
			fmt.Errorf("%sdata at byte %d: the file has become shorter: axis %d had length %d and has room for %d; open it again", nd.Prefix(f.Path()), f.h.DataOffset, f.counted, was, n)
	case f.counted != f.h.Axis():
		return false,
			fmt.Errorf("%saxis %d would have length %d, and not %d, and elements would be at other bytes: %w; open it again",
				nd.Prefix(f.Path()), f.counted, n, was, errors.ErrUnsupported)
	}
	f.h, f.Array = longer.h, longer.Array
	return true, nil
}

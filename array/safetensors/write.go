package safetensors

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/report"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/tensors"
)

// Save writes the arrays and the metadata, which may be nil, to a file at path. It replaces an existing file like
// [array.Save]: at every moment, and after a crash, path names the old file or the complete new one. The keys of arrays
// are the names of the tensors. Tensors with larger elements come first; tensors with elements of the same size are in
// the order of their names. Elements are written little-endian and in C order.
//
// System errors are or wrap *[fs.PathError]. The error for a dtype that the format does not have wraps [fs.ErrInvalid].
// A page fault in an array causes a panic.
//
// The memory that Save uses does not depend on the size of the arrays. Elements that are not in C order pass through a
// buffer of at most 64 MiB.
func Save(path string, arrays map[string]array.Array, metadata map[string]string) error {
	return SaveConfig{Replace: true}.Save(path, arrays, metadata)
}

// Save is like the function [Save], configured by cfg. Without Replace, it returns an error if path exists.
func (cfg SaveConfig) Save(path string, arrays map[string]array.Array, metadata map[string]string) error {
	list := make([]Tensor, 0, len(arrays))
	for _, name := range slices.Sorted(maps.Keys(arrays)) {
		list = append(list, Tensor{Name: name, DType: arrays[name].DType(), Shape: arrays[name].Shape()})
	}
	slices.SortStableFunc(list, func(a, b Tensor) int { return cmp.Compare(b.DType.ItemSize(), a.DType.ItemSize()) })
	err := cfg.checkReplace(path)
	if err == nil {
		_, _, err = headerOf(list, metadata) // before a file exists
	}
	if err != nil {
		return &fs.PathError{Op: "create", Path: path, Err: err}
	}
	file, err := atomicfile.New(path, cfg.Replace)
	if err != nil {
		return err
	}
	named := false
	defer func() { // even if reading an array, or cfg.Progress, panics
		if !named {
			file.Remove()
		}
	}()
	file.NoSync, file.Observe = cfg.NoSync, observe
	w, err := NewWriter(file.File, list, metadata)
	if err == nil {
		w.progress.Report = cfg.Progress
		err = w.progress.Begin()
	}
	for i := 0; err == nil && i < len(list); i++ {
		err = w.Write(arrays[list[i].Name])
		observe("write", file.Temp)
	}
	if err == nil {
		err = w.progress.End()
	}
	if err == nil && !cfg.NoSync {
		err = file.Sync()
		observe("sync", file.Temp)
	}
	if err != nil {
		return file.Error(err)
	}
	named, err = file.Commit()
	if named {
		file.Close()
	}
	return err
}

// A Writer writes a .safetensors file to a stream, tensor by tensor.
type Writer struct {
	w        io.Writer
	tensors  []Tensor
	next     int // index of the next tensor
	progress report.Counter
	err      error // first error of w
	buf      []byte
}

// NewWriter returns a [Writer] that writes a file with the given tensors, in this order, and the metadata, which may be
// nil. NewWriter writes the header to w. If tensors with small elements come before tensors with larger ones, the
// latter may be unaligned: see the section about the format in the package documentation.
//
// The error is an error of w, or it wraps [fs.ErrInvalid] and names the tensor that the format cannot represent.
func NewWriter(w io.Writer, list []Tensor, metadata map[string]string) (*Writer, error) {
	all, head, err := headerOf(list, metadata)
	if err != nil {
		return nil, fmt.Errorf("safetensors: %w", err)
	}
	if _, err := w.Write(head); err != nil {
		return nil, err
	}
	z := &Writer{w: w, tensors: slices.Clone(list)}
	for i := range z.tensors {
		z.tensors[i].Shape = slices.Clone(z.tensors[i].Shape)
		z.progress.Total = all[i].End
	}
	return z, nil
}

// Write writes a as the next tensor. a must have the shape and the dtype, in either byte order, that were passed to
// [NewWriter]. Otherwise the error wraps [array.ErrShape] or is an *[array.DTypeError]. If all tensors have been
// written, the error wraps [fs.ErrInvalid]. In these cases nothing is written. After an error of the stream every Write
// returns that error. A page fault in a causes a panic.
func (w *Writer) Write(a array.Array) error {
	if w.err != nil {
		return w.err
	}
	if w.next == len(w.tensors) {
		return fmt.Errorf("safetensors: Write: all %d tensors were already written: %w", w.next, fs.ErrInvalid)
	}
	t := &w.tensors[w.next]
	d := t.DType.WithByteOrder(dtype.LittleEndian)
	if have := a.DType(); have.WithByteOrder(dtype.LittleEndian) != d {
		return &array.DTypeError{Have: have, Want: d, Msg: "tensor " + tensors.Quote(t.Name)}
	}
	if shape := a.Shape(); !slices.Equal(shape, t.Shape) {
		return fmt.Errorf("safetensors: tensor %s: %w: have shape %v, want shape %v", tensors.Quote(t.Name), array.ErrShape,
			shape,
			t.Shape)
	}
	w.next++
	w.err = errors.New("safetensors: the previous tensor was not written completely") // stays if reading a panics
	w.err = w.writeElements(a, d)
	return w.err
}

// Close returns an error that wraps [fs.ErrInvalid] if not all tensors were written, or the first error of the stream.
// It does not close the stream.
func (w *Writer) Close() error {
	if w.err == nil && w.next < len(w.tensors) {
		return fmt.Errorf("safetensors: Close: tensor %s was not written: %w", tensors.Quote(w.tensors[w.next].Name),
			fs.ErrInvalid)
	}
	return w.err
}

const (
	maxWrite  = 1 << 20  // maximum number of bytes in one write
	maxBuffer = 64 << 20 // maximum number of bytes that are reordered in one buffer
)

// writeElements writes the elements of a in C order and converted to d. If they are already stored in this form, it
// writes them directly, otherwise in parts through a buffer.
func (w *Writer) writeElements(a array.Array, d dtype.DType) error {
	n := a.NBytes()
	if n == 0 {
		return nil
	}
	if b := storedBytes(a, d); b != nil {
		return w.writeBytes(b)
	}
	size := maxWrite // stays in the cache
	if !a.Contiguous(index.C) {
		size = maxBuffer // smaller parts would read each page many times
	}
	if len(w.buf) < min(n, size) {
		w.buf = strided.Alloc(min(n, size))
	}
	return w.writeParts(a, d)
}

// storedBytes returns the elements of a as bytes, or nil if they are not in C order or not of dtype d.
func storedBytes(a array.Array, d dtype.DType) []byte {
	if !a.Contiguous(index.C) || a.DType() != d {
		return nil
	}
	flat, err := a.Ravel()
	if err == nil {
		flat, err = flat.Reinterpret(dtype.Uint8)
	}
	if err != nil {
		return nil
	}
	v, err := array.As[uint8](flat)
	if err != nil {
		return nil
	}
	b, err := v.Data()
	if err != nil {
		return nil
	}
	return b
}

// writeParts writes a through the buffer.
func (w *Writer) writeParts(a array.Array, d dtype.DType) error {
	n := a.NBytes()
	if n <= len(w.buf) {
		c, err := array.FromBytes(w.buf[:n], d, index.C, a.Shape()...)
		if err == nil {
			err = array.Copy(c, a)
		}
		if err != nil {
			return err
		}
		return w.writeBytes(w.buf[:n])
	}
	length := a.Shape()[0]
	if length == 1 {
		return w.writeParts(a.Index(0), d)
	}
	step := max(1, min(length/2, len(w.buf)/(n/length)))
	for lo := 0; lo < length; lo += step {
		part, err := a.Select(index.Range(lo, min(lo+step, length)))
		if err == nil {
			err = w.writeParts(part, d)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// writeBytes writes b.
func (w *Writer) writeBytes(b []byte) error {
	for part := range slices.Chunk(b, maxWrite) {
		var n int
		err := stable.Write(w.w, part, &n)
		if err == nil {
			err = w.progress.Add(int64(n))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

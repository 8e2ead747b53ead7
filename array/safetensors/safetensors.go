// Package safetensors maps .safetensors files, which hold the weights of models, into memory. It returns their tensors
// as arrays that are read and edited in place, in the file.
//
//	f, err := safetensors.Open("model.safetensors", array.ReadOnly)
//	if err != nil { … }
//	defer f.Close()
//	w, err := f.Array("layers.0.weight")
//	if err != nil { … }
//	v, err := array.Cast[float32](w) // from BF16, F16 or F32
//
// Functions that take or return an [array.Array] follow the rules of package array. Views and slices of a tensor are
// valid until [File.Close].
//
// # Tasks
//
//   - read and edit a file: the package's Example
//   - read a file that other programs may change: [Use]
//   - read a model whose tensors are divided among several files: [OpenSharded], [UseSharded]
//   - read parts of a tensor from a server, without the rest: [NewReader], [File.Remote]
//   - write a file: [Save]; fill it in place, all or nothing: [Make]; to a stream: [Writer]
//   - inspect a file without reading its elements: [File.Names], [File.Tensor], [File.Metadata]
//
// # The format
//
// The format is described at https://github.com/huggingface/safetensors. A file consists of the length of a JSON
// object, the object, and the data of the tensors, little-endian and in C order. The object holds the name, the dtype,
// the shape and the position of each tensor. The table lists the dtypes. Package dtype defines Go types for BF16 and
// the F8 dtypes.
//
//	BOOL                   b1
//	I8, I16, I32, I64      i1, i2, i4, i8
//	U8, U16, U32, U64      u1, u2, u4, u8
//	F16, F32, F64          f2, f4, f8
//	BF16                   bfloat16
//	F8_E4M3, F8_E5M2       float8_e4m3fn, float8_e5m2
//	C64                    c8
//	F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ   |V1: bytes, which are read but not written
//	F4, F6_E2M3, F6_E3M2   none: an element is not a whole number of bytes
//
// As in the reference implementation, these rules hold:
//
//   - The header is UTF-8, begins with '{' and may end with spaces.
//   - The header has at most 100,000,000 bytes and no duplicate keys.
//   - Each byte after the header belongs to the data of one tensor: there are no gaps between tensors, and no bytes
//     after the last one.
//
// This package writes the data at a multiple of 64 bytes. [Save] and [Create] put tensors with large elements first,
// so that all elements are aligned in a mapped file. Files of other programs may have unaligned tensors. For such a
// tensor, [array.View.Data], Vector, Matrix and Cube return an error that says how to proceed. All other functions
// read and write it like any tensor.
//
// # Security
//
// A file is untrusted input. Open returns an error if the file breaks these rules, if the header is longer than the
// file, or if the header has keys that the format does not define. Until these checks pass, Open allocates no memory
// whose size is taken from the file. No code from a file is run.
//
// # Goroutines
//
// Several goroutines may call the methods of a [File] at the same time, except Close: call it once, when all calls
// have returned. A [Writer] belongs to one goroutine.
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
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

// A File is a .safetensors file that is mapped ([Open]), in memory ([OpenBytes]) or read on demand ([NewReader]). Its
// arrays are valid until Close.
type File struct {
	m      *mmap.Map    // nil if the file is not mapped
	bytes  []byte       // set by OpenBytes
	r      *readat.File // set by NewReader
	header tensors.Header
	start  int64          // offset of the data
	index  map[string]int // maps a name to the index in header.Tensors
	closed bool           // only if m is nil: a Map knows whether it is closed

	pending *pendingFile // nil once the file is published
}

// A Tensor describes a tensor of a file, or a tensor for [Create] or [NewWriter] to write.
type Tensor struct {
	Name  string
	DType dtype.DType // KindInvalid for F4 and F6, whose elements are smaller than a byte
	Shape []int

	// Offset is the position of the data in the file, in bytes. Create and NewWriter ignore it.
	Offset int64
}

// Open maps the file at path. With [array.ReadOnly], writing through its arrays panics; with [array.ReadWrite], writes
// reach the file; with [array.CopyOnWrite], writes stay in the memory of this File.
//
// A system error is a *[fs.PathError]. The error for a malformed file is an *[array.FormatError].
//
// Open reads the header. It does not read the data.
func Open(path string, mode mmap.Mode) (*File, error) { return OpenConfig{Mode: mode}.Open(path) }

// Open is like the function [Open], configured by cfg.
func (cfg OpenConfig) Open(path string) (*File, error) {
	f, err := cfg.open(path)
	if err != nil && cfg.File != nil {
		cfg.File.Close() // mmap may have closed it already
	}
	return f, err
}

func (cfg OpenConfig) open(path string) (*File, error) {
	m, err := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, File: cfg.File}.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{m: m}
	err = mmap.Guard(func() error {
		b := m.Bytes()
		return f.read(int64(len(b)), filekind.HeadLen, func(off int64, n int) (string, error) {
			return string(b[off : off+int64(n)]), nil // a copy, because others may write the file
		})
	})
	if err != nil {
		m.Close()
		return nil, f.formatError(err)
	}
	return f, nil
}

// OpenBytes opens the file in b. Its arrays use the memory of b. If they are written to, that memory must be writable:
// see [array.FromBytes]. The error is an *[array.FormatError].
func OpenBytes(b []byte) (*File, error) {
	f := &File{bytes: b}
	err := f.read(int64(len(b)), filekind.HeadLen, func(off int64, n int) (string, error) {
		return string(b[off : off+int64(n)]), nil
	})
	if err != nil {
		return nil, f.formatError(err)
	}
	return f, nil
}

// NewReader opens the file of size bytes that r reads, such as a section of another file or an object on a server. Each
// call of [File.Array] reads the tensor into new memory, and writes to it do not reach r. To read parts of a tensor, or
// to make several requests at a time, use [File.Remote]. Do not close r before the File.
//
// The errors are the errors of r, and an *[array.FormatError] for a malformed file. If r ends before size, the errors
// of NewReader and Array wrap both an *[array.FormatError] and [io.ErrUnexpectedEOF]. They name the file if r has a
// method Name() string.
//
// NewReader reads the header, in one request or, if the header has more than 64 KiB, in two or more. It does not read
// the data.
func NewReader(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: readat.New(r, size)}
	err := f.read(size, headBytes, func(off int64, n int) (string, error) {
		b, err := readN(f.r, "header", off, n)
		if off == 0 && errors.Is(err, io.ErrUnexpectedEOF) {
			err = nil // the header may be complete
		}
		if err != nil {
			return "", fmt.Errorf("%s%w", f.prefix(), err)
		}
		return string(b), nil
	})
	if err != nil {
		return nil, f.formatError(err)
	}
	return f, nil
}

// headBytes is the number of bytes at the start of the file that NewReader reads at once. Most headers are shorter.
const headBytes = 64 << 10

// read reads the header of a file of size bytes with the function read, which returns n bytes at offset off. It first
// reads the given number of bytes at the start of the file.
func (f *File) read(size, first int64, read func(off int64, n int) (string, error)) error {
	head, err := read(0, int(min(max(size, 0), first)))
	if err != nil {
		return err
	}
	n, err := tensors.Len([]byte(head), size)
	if err != nil {
		return err
	}
	f.start = tensors.PrefixLen + int64(n)
	if more := int(f.start) - len(head); more > 0 {
		rest, err := read(int64(len(head)), more)
		if err != nil {
			return err
		}
		head += rest
	}
	text := head[tensors.PrefixLen:f.start]
	if f.header, err = tensors.Parse(text, size-f.start); err != nil {
		return err
	}
	f.index = make(map[string]int, len(f.header.Tensors))
	for i, t := range f.header.Tensors {
		f.index[t.Name] = i
	}
	return nil
}

// formatError converts a *tensors.Error to an *array.FormatError with the path of the file. It returns all other
// errors unchanged.
func (f *File) formatError(err error) error {
	if e, ok := errors.AsType[*tensors.Error](err); ok {
		return &array.FormatError{Path: f.name(), Part: e.Part, Offset: e.Offset, Msg: e.Msg}
	}
	return err
}

// Path returns the name of the file as passed to Open, Create or CreatePending. It returns "" for a file that is not
// mapped.
func (f *File) Path() string {
	if f.m == nil {
		return ""
	}
	return f.m.Path()
}

// Names returns the names of the tensors in a new slice, in the order of their data.
func (f *File) Names() []string {
	names := make([]string, len(f.header.Tensors))
	for i, t := range f.header.Tensors {
		names[i] = t.Name
	}
	return names
}

// Metadata returns the metadata of the file in a new map, or nil if the file has no metadata.
func (f *File) Metadata() map[string]string { return maps.Clone(f.header.Metadata) }

// Tensor returns the description of a tensor. If no such tensor exists, the error wraps [fs.ErrNotExist].
func (f *File) Tensor(name string) (Tensor, error) {
	t, err := f.find(name)
	if err != nil {
		return Tensor{}, err
	}
	d, _ := tensors.DType(t.Code)
	return Tensor{t.Name, d, slices.Clone(t.Shape), f.start + t.Start}, nil
}

// findWhole returns a tensor whose elements are whole bytes, and its dtype.
func (f *File) findWhole(name string) (*tensors.Tensor, dtype.DType, error) {
	t, err := f.find(name)
	if err != nil {
		return nil, dtype.DType{}, err
	}
	d, ok := tensors.DType(t.Code)
	if !ok {
		return nil, dtype.DType{}, fmt.Errorf("%stensor %s: elements of dtype %s are not whole bytes: %w",
			f.prefix(), tensors.Quote(name), t.Code, errors.ErrUnsupported)
	}
	return t, d, nil
}

func (f *File) find(name string) (*tensors.Tensor, error) {
	i, ok := f.index[name]
	if !ok {
		return nil, fmt.Errorf("%sno such tensor: %s: %w", f.prefix(), tensors.Quote(name), fs.ErrNotExist)
	}
	return &f.header.Tensors[i], nil
}

// name returns the name of the file for messages, or "".
func (f *File) name() string {
	if f.r != nil {
		return f.r.Name()
	}
	return f.Path()
}

// prefix returns the start of messages.
func (f *File) prefix() string { return cmp.Or(f.name(), "safetensors") + ": " }

// Array returns a tensor as an array. The array uses the memory of the mapped file, and is writable unless the mode is
// [array.ReadOnly], or it uses the bytes passed to [OpenBytes]. In a file of [NewReader], Array reads the elements into
// new memory.
//
// If no such tensor exists, the error wraps [fs.ErrNotExist]. If its elements are not a whole number of bytes, the
// error wraps [errors.ErrUnsupported].
func (f *File) Array(name string) (array.Array, error) {
	t, d, err := f.findWhole(name)
	switch {
	case err != nil:
		return array.Array{}, err
	case f.m != nil:
		return array.FromMap(f.m, int(f.start+t.Start), d, index.C, t.Shape...)
	case f.closed:
		return array.Array{}, fmt.Errorf("safetensors: Array: %w", fs.ErrClosed)
	case f.r == nil:
		return array.FromBytes(f.bytes[f.start+t.Start:f.start+t.End], d, index.C, t.Shape...)
	}
	n := t.End - t.Start
	if n != int64(int(n)) {
		return array.Array{}, fmt.Errorf("%stensor %s: %d bytes overflow int", f.prefix(), tensors.Quote(name), n)
	}
	b, err := readN(f.r, "data", f.start+t.Start, int(n))
	if err != nil {
		return array.Array{}, fmt.Errorf("%stensor %s: %w", f.prefix(), tensors.Quote(name), err)
	}
	return array.FromBytes(b, d, index.C, t.Shape...)
}

// readN reads n bytes at offset at, which belong to the given part of the file, into memory that is aligned for every
// dtype. The memory grows as the bytes arrive. If from ends early, readN returns the bytes before its end and an error.
func readN(from io.ReaderAt, part string, at int64, n int) ([]byte, error) {
	r := io.NewSectionReader(from, at, int64(n))
	b := strided.Alloc(min(n, 1<<20))
	got := 0
	for {
		m, err := io.ReadFull(r, b[got:])
		got += m
		switch {
		case err == io.EOF || err == io.ErrUnexpectedEOF:
			msg := fmt.Sprintf("the stream ends after %d of %d bytes", got, n)
			return b[:got], fmt.Errorf("%w: %w", &array.FormatError{Part: part, Offset: at + int64(got), Msg: msg},
				io.ErrUnexpectedEOF)
		case err != nil:
			return nil, fmt.Errorf("read bytes %d to %d: %w", at+int64(got-m), at+int64(len(b)), err)
		case got == n:
			return b, nil
		}
		more := strided.Alloc(len(b) + min(n-len(b), len(b)))
		copy(more, b)
		b = more
	}
}

// Map returns the mapping of the file, or nil if the file is not mapped. Use it to advise the system of access
// patterns. The mapping belongs to f: do not close it.
func (f *File) Map() *mmap.Map { return f.m }

// Maps returns the mapping of the file, or an empty slice if the file is not mapped.
func (f *File) Maps() []*mmap.Map {
	if f.m == nil {
		return nil
	}
	return []*mmap.Map{f.m}
}

// Sync writes all edits made so far to the arrays of a mapped file to stable storage. For a file that is not mapped it
// does nothing.
func (f *File) Sync() error {
	if f.m == nil {
		return nil
	}
	return f.m.Sync()
}

// Close closes the file. All of its arrays become invalid. Edits made with [array.ReadWrite] are in the file, but only
// [File.Sync] waits until they are on stable storage. Close discards a pending file. A second Close returns an error
// that wraps [fs.ErrClosed].
func (f *File) Close() error {
	switch {
	case f.pending != nil:
		p := f.pending
		f.pending = nil
		return p.file.RemoveMapped(f.m)
	case f.m != nil:
		return f.m.Close()
	case f.closed:
		return fmt.Errorf("safetensors: Close: %w", fs.ErrClosed)
	}
	f.closed = true
	return nil
}

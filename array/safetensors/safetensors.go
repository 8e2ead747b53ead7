// Package safetensors maps .safetensors files, in which models keep their weights, and gives their
// tensors as arrays in place: they are read where they lie in the file, and edited there.
//
//	f, err := safetensors.Open("model.safetensors", mmap.ReadOnly)
//	if err != nil { … }
//	defer f.Close()
//	w, err := f.Array("layers.0.weight")
//	if err != nil { … }
//	v, err := array.Cast[float32](w) // of BF16, F16, F32
//
// What takes an [array.Array] or returns one follows the rules of package array: views and slices
// of a tensor are valid until [File.Close].
//
// # Tasks
//
//   - read and edit a file: the package's Example
//   - write one: [Save]; one that is filled in place: [Create] with Config.Pending; to a stream: [Writer]
//   - look into one without its elements: [File.Names], [File.Tensor], [File.Metadata]
//
// # The format
//
// It is that of https://github.com/huggingface/safetensors: the length of a JSON object, that
// object, which has the name, the dtype, the shape and the place of each tensor, and their data,
// little-endian and in C order. The dtypes are those in this table; package dtype has the Go types
// of BF16 and the F8.
//
//	BOOL                   b1
//	I8, I16, I32, I64      i1, i2, i4, i8
//	U8, U16, U32, U64      u1, u2, u4, u8
//	F16, F32, F64          f2, f4, f8
//	BF16                   bfloat16
//	F8_E4M3, F8_E5M2       float8_e4m3fn, float8_e5m2
//	C64                    c8
//	F8_E8M0, F8_E4M3FNUZ, F8_E5M2FNUZ   |V1: bytes, to be read and not written here
//	F4, F6_E2M3, F6_E3M2   none: their elements have no whole bytes
//
// As in the reference, a header is UTF-8, begins with '{', may end with spaces, has at most
// 100,000,000 bytes, and has each key once; all bytes behind it are the data of one tensor each, with
// none between two and none after the last.
//
// What is written here has its data at a multiple of 64 bytes. [Save] and [Create] put tensors with
// large elements first, so that all elements are aligned where the file is mapped. Other programs
// need not: then [array.View.Data], Vector, Matrix and Cube refuse such a tensor, and say what to do; all
// else reads and writes it as any other.
//
// # Security
//
// A file is not trusted. One that breaks these rules, or whose header is longer than what there is, is
// refused before anything is allocated in proportion to a number in it, and so are keys that the format
// does not have. No code is run from it.
//
// # Goroutines
//
// The methods of a [File] may be called from several goroutines, but Close from one when the others
// are done. A [Writer] belongs to one goroutine.
package safetensors

import (
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
	"github.com/ndmap/ndmap/internal/strided"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

// A File is a .safetensors file that is mapped, that is in memory, or that is read as it is needed.
// Close ends the use of all of its arrays.
type File struct {
	m      *mmap.Map   // nil if it is not mapped
	bytes  []byte      // of OpenBytes
	r      io.ReaderAt // of NewReader
	header tensors.Header
	start  int64          // of the data
	index  map[string]int // of the tensors in header
	closed bool           // only where nothing is mapped: a Map knows that itself

	pending *pending // until it has its path
}

// A Tensor is what a file says of one of its tensors, and what [Create] and [NewWriter] make.
type Tensor struct {
	Name  string
	DType dtype.DType // KindInvalid for F4 and F6, whose elements have no whole bytes
	Shape []int

	// Offset is where its data is in the file, in bytes. Create and NewWriter do not use it.
	Offset int64
}

// Open maps the file at path. With [mmap.ReadOnly] writing through its arrays panics; with
// [mmap.ReadWrite] writes reach the file; with [mmap.CopyOnWrite] they stay in the memory of this File.
// It reads the header, and none of the data.
//
// An error of the system is a *[fs.PathError], and that of a file that is not as the format says an
// *[array.FormatError].
func Open(path string, mode mmap.Mode) (*File, error) { return Config{Mode: mode}.Open(path) }

// Open maps the file at path as the function [Open] does, with the fields of cfg.
func (cfg Config) Open(path string) (*File, error) {
	f, err := cfg.open(path)
	if err != nil && cfg.File != nil {
		cfg.File.Close() // the second time, perhaps
	}
	return f, err
}

func (cfg Config) open(path string) (*File, error) {
	if err := cfg.check("Open"); err != nil {
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	m, err := mmap.Config{Mode: cfg.Mode, Lock: cfg.Lock, File: cfg.File}.Open(path)
	if err != nil {
		return nil, err
	}
	f := &File{m: m}
	err = mmap.Guard(func() error {
		b := m.Bytes()
		return f.read(int64(len(b)), func(off int64, n int) (string, error) {
			return string(b[off : off+int64(n)]), nil // once, as others may write the file
		})
	})
	if err != nil {
		m.Close()
		return nil, f.formatError(err)
	}
	return f, nil
}

// OpenBytes returns the file that b is. Its arrays are the bytes of b, which must be memory that can
// be written if they are written to; see [array.FromBytes]. The error is an *[array.FormatError].
func OpenBytes(b []byte) (*File, error) {
	f := &File{bytes: b}
	err := f.read(int64(len(b)), func(off int64, n int) (string, error) { return string(b[off : off+int64(n)]), nil })
	if err != nil {
		return nil, f.formatError(err)
	}
	return f, nil
}

// NewReader returns the file of size bytes that r reads: a part of another file, say, or an object on
// a server. It reads the header. [File.Array] reads a tensor into memory, each time that it is called; what
// is written there does not reach r, which must not be closed before the File. The errors are those of r, and an
// *[array.FormatError], also of Array where r ends before size; then they wrap [io.ErrUnexpectedEOF], too.
func NewReader(r io.ReaderAt, size int64) (*File, error) {
	f := &File{r: r}
	err := f.read(size, func(off int64, n int) (string, error) {
		b, err := readN(r, "header", off, n)
		return string(b), err
	})
	if err != nil {
		return nil, f.formatError(err)
	}
	return f, nil
}

// read reads the header of a file of size bytes.
func (f *File) read(size int64, read func(off int64, n int) (string, error)) error {
	head, err := read(0, int(min(size, filekind.HeadLen)))
	if err != nil {
		return err
	}
	n, err := tensors.Len([]byte(head), size)
	if err != nil {
		return err
	}
	text, err := read(tensors.PrefixLen, n)
	if err != nil {
		return err
	}
	f.start = tensors.PrefixLen + int64(n)
	if f.header, err = tensors.Parse(text, size-f.start); err != nil {
		return err
	}
	f.index = make(map[string]int, len(f.header.Tensors))
	for i, t := range f.header.Tensors {
		f.index[t.Name] = i
	}
	return nil
}

// formatError names the file in an error of the header.
func (f *File) formatError(err error) error {
	if e, ok := errors.AsType[*tensors.Error](err); ok {
		return &array.FormatError{Path: f.Path(), Part: e.Part, Offset: e.Offset, Msg: e.Msg}
	}
	return err
}

// Path returns the name of the file as it was given, that it is to have with Config.Pending, "" for one that is not
// mapped.
func (f *File) Path() string {
	if f.m == nil {
		return ""
	}
	return f.m.Path()
}

// Names returns the names of the tensors, in the order of their data, in a new slice.
func (f *File) Names() []string {
	names := make([]string, len(f.header.Tensors))
	for i, t := range f.header.Tensors {
		names[i] = t.Name
	}
	return names
}

// Metadata returns the texts that the file has beside its tensors, in a new map, nil if there are none.
func (f *File) Metadata() map[string]string { return maps.Clone(f.header.Metadata) }

// Tensor returns what the file says of the tensor of that name. If there is none, the error wraps
// [fs.ErrNotExist].
func (f *File) Tensor(name string) (Tensor, error) {
	t, err := f.find(name)
	if err != nil {
		return Tensor{}, err
	}
	d, _ := tensors.DType(t.Code)
	return Tensor{t.Name, d, slices.Clone(t.Shape), f.start + t.Start}, nil
}

func (f *File) find(name string) (*tensors.Tensor, error) {
	i, ok := f.index[name]
	if !ok {
		return nil, fmt.Errorf("%sthere is no tensor %s: %w", f.prefix(), tensors.Quote(name), fs.ErrNotExist)
	}
	return &f.header.Tensors[i], nil
}

func (f *File) prefix() string {
	if path := f.Path(); path != "" {
		return path + ": "
	}
	return "safetensors: "
}

// Array returns the tensor of that name. It is in the mapped file, or in the bytes that the file is, and
// may be written to as the mode says; of a file that a reader reads, it is read into memory.
//
// If there is no such tensor the error wraps [fs.ErrNotExist], and if its elements have no whole bytes
// [errors.ErrUnsupported].
func (f *File) Array(name string) (array.Array, error) {
	t, err := f.find(name)
	if err != nil {
		return array.Array{}, err
	}
	d, ok := tensors.DType(t.Code)
	switch {
	case !ok:
		return array.Array{}, fmt.Errorf("%stensor %s: elements of dtype %s have no whole bytes: %w",
			f.prefix(), tensors.Quote(name), t.Code, errors.ErrUnsupported)
	case f.m != nil:
		return array.FromMap(f.m, int(f.start+t.Start), d, index.C, t.Shape...)
	case f.closed:
		return array.Array{}, fmt.Errorf("safetensors: Array: %w", fs.ErrClosed)
	case f.r == nil:
		return array.FromBytes(f.bytes[f.start+t.Start:f.start+t.End], d, index.C, t.Shape...)
	}
	n := t.End - t.Start
	if n != int64(int(n)) {
		return array.Array{}, fmt.Errorf("safetensors: tensor %s: %d bytes overflow int", tensors.Quote(name), n)
	}
	b, err := readN(f.r, "data", f.start+t.Start, int(n))
	if err != nil {
		return array.Array{}, fmt.Errorf("safetensors: tensor %s: %w", tensors.Quote(name), err)
	}
	return array.FromBytes(b, d, index.C, t.Shape...)
}

// readN reads n bytes from byte at on, which belong to that part of the file, into memory that is aligned for any
// number and grows with what has arrived.
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
			return nil, fmt.Errorf("%w: %w", &array.FormatError{Part: part, Offset: at + int64(got), Msg: msg},
				io.ErrUnexpectedEOF)
		case err != nil || got == n:
			return b[:got], err
		}
		more := strided.Alloc(len(b) + min(n-len(b), len(b)))
		copy(more, b)
		b = more
	}
}

// Map returns the mapping of the file, to advise the system how it will be used, nil if it is not mapped.
// It belongs to f: do not close it.
func (f *File) Map() *mmap.Map { return f.m }

// Sync returns when everything written so far to the arrays of a mapped file is on stable storage.
func (f *File) Sync() error {
	if f.m == nil {
		return nil
	}
	return f.m.Sync()
}

// Close ends the use of the file and of all of its arrays. What was written to a file that is open
// for writing reaches it; only [File.Sync] tells when it is on stable storage. A pending file is discarded. The second
// Close returns an error that wraps [fs.ErrClosed].
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

// Package readat reads from io.ReaderAts that may have a context and a name.
package readat

import (
	"context"
	"io"
	"io/fs"

	"github.com/ndmap/ndmap/mmap"
)

// Read calls r.ReadAtContext(ctx, p, off) if r has that method, and otherwise r.ReadAt. If ctx is done before r.ReadAt
// is called, the error is Cause(ctx). The message of an error leaves out the name of r, because callers add the
// name to the messages of all errors.
func Read(ctx context.Context, r io.ReaderAt, p []byte, off int64) (int, error) {
	n, err := read(ctx, r, p, off)
	if e, ok := err.(*fs.PathError); ok && e.Path == Name(r) {
		err = &unnamedError{e}
	}
	return n, err
}

func read(ctx context.Context, r io.ReaderAt, p []byte, off int64) (int, error) {
	if r, ok := r.(interface {
		ReadAtContext(ctx context.Context, p []byte, off int64) (int, error)
	}); ok {
		return r.ReadAtContext(ctx, p, off)
	}
	if err := Cause(ctx); err != nil {
		return 0, err
	}
	return r.ReadAt(p, off)
}

// Cause returns the cause of ctx if ctx is done.
func Cause(ctx context.Context) error {
	err := ctx.Err()
	if c := context.Cause(ctx); err != nil && c != nil { // a Context of the caller's own type may have no cause
		return c
	}
	return err
}

// An unnamedError is an *fs.PathError whose message is the message of its cause.
type unnamedError struct{ *fs.PathError }

func (e *unnamedError) Error() string { return e.Err.Error() }
func (e *unnamedError) Unwrap() error { return e.PathError }

// Name returns r.Name() if r has that method, and otherwise "".
func Name(r io.ReaderAt) string {
	if r, ok := r.(interface{ Name() string }); ok {
		return r.Name()
	}
	return ""
}

// A File is an io.ReaderAt of a known size. If its source ends earlier, the error is io.ErrUnexpectedEOF.
type File struct {
	r    io.ReaderAt
	size int64
	name string
}

// New returns a File of the size bytes of r, with the name of r.
func New(r io.ReaderAt, size int64) *File { return &File{r, size, Name(r)} }

// WithName returns a File of the same bytes with another name.
func (f *File) WithName(name string) *File { return &File{f.r, f.size, name} }

// Name returns the name of f for messages, or "".
func (f *File) Name() string { return f.name }

// Size returns the number of bytes.
func (f *File) Size() int64 { return f.size }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext is like ReadAt, and passes ctx on to the source.
func (f *File) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	n, err := Read(ctx, f.r, p, off)
	if err == io.EOF && off+int64(n) < f.size {
		err = io.ErrUnexpectedEOF
	}
	return n, err
}

// A Memory is an io.ReaderAt of mapped memory. It returns page faults as errors.
type Memory []byte

// ReadAt implements io.ReaderAt.
func (b Memory) ReadAt(p []byte, off int64) (n int, err error) {
	err = mmap.Guard(func() error { n = copy(p, b[min(off, int64(len(b))):]); return nil })
	if err == nil && n < len(p) {
		err = io.EOF
	}
	return n, err
}

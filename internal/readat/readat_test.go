package readat

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// A named reader has a name and takes a context.
type named struct {
	*strings.Reader
	ctx context.Context
}

func (r *named) Name() string { return "a name" }

func (r *named) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	r.ctx = ctx
	return r.ReadAt(p, off)
}

func TestFile(t *testing.T) {
	r := &named{Reader: strings.NewReader("0123456789")}
	ctx, cancel := context.WithCancelCause(context.Background())
	late := errors.New("too late")
	for _, c := range []struct {
		name string
		r    io.ReaderAt
		size int64
		off  int64
		ctx  context.Context
		want string
		err  error
	}{
		{"a name", r, 10, 3, ctx, "3456", nil},
		{"a name", r, 10, 8, ctx, "89", io.EOF},
		{"a name", r, 11, 8, ctx, "89", io.ErrUnexpectedEOF},
		{"", r.Reader, 10, 8, ctx, "89", io.EOF},
		{"", Memory("0123456789"), 10, 8, ctx, "89", io.EOF},
		{"", Memory("0123456789"), 10, 3, ctx, "3456", nil},
		{"", Memory("0123456789"), 10, 11, ctx, "", io.EOF},
		{"", Memory("0123456789"), 13, 11, ctx, "", io.ErrUnexpectedEOF},
	} {
		f := New(c.r, c.size)
		p := make([]byte, 4)
		n, err := f.ReadAtContext(c.ctx, p, c.off)
		if string(p[:n]) != c.want || err != c.err || f.Name() != c.name || f.Size() != c.size {
			t.Errorf("%T: %q, %v; name %q, size %d", c.r, p[:n], err, f.Name(), f.Size())
		}
		n, err = f.WithName("another").ReadAt(p, c.off)
		if string(p[:n]) != c.want || err != c.err || f.WithName("another").Name() != "another" {
			t.Errorf("%T: %q, %v", c.r, p[:n], err)
		}
	}
	if _, err := New(r, 10).ReadAtContext(ctx, nil, 0); err != nil || r.ctx != ctx {
		t.Errorf("the context is %v, %v", r.ctx, err)
	}
	cancel(late)
	if n, err := New(bytes.NewReader([]byte("12345")), 5).ReadAtContext(ctx, make([]byte, 4), 0); n != 0 || err != late {
		t.Errorf("cancelled: %d, %v", n, err)
	}
}

// A failing reader returns an error that names a file.
type failing struct {
	name string
	err  error
}

func (r failing) Name() string                      { return r.name }
func (r failing) ReadAt([]byte, int64) (int, error) { return 0, r.err }

// TestNames tests that errors leave out the name of the reader, and no other name.
func TestNames(t *testing.T) {
	cause := errors.New("lost")
	pathErr := &fs.PathError{Op: "read", Path: "a.npy", Err: cause}
	for _, c := range []struct {
		name string
		err  error
		want string
	}{
		{"a.npy", pathErr, "lost"},
		{"b.npy", pathErr, "read a.npy: lost"},
		{"", pathErr, "read a.npy: lost"},
		{"a.npy", cause, "lost"},
	} {
		for _, r := range []io.ReaderAt{failing{c.name, c.err}, New(failing{c.name, c.err}, 10).WithName("c.npy")} {
			_, err := Read(context.Background(), r, nil, 0)
			e, ok := errors.AsType[*fs.PathError](err)
			if err.Error() != c.want || !errors.Is(err, cause) || ok != (c.err == pathErr) || ok && e != pathErr {
				t.Errorf("name %q: error %q, want %q", c.name, err, c.want)
			}
		}
	}
}

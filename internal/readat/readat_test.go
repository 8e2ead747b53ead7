package readat

import (
	"bytes"
	"context"
	"errors"
	"io"
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

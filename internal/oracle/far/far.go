// Package far helps to test arrays behind an io.ReaderAt.
package far

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A File is a file in memory that records the requests for its bytes.
type File struct {
	B    []byte
	Fail func(off, n int) error // if not nil, returns the error of a request

	mu       sync.Mutex
	requests int
	bytes    int
	contexts []context.Context
}

// Name returns the name in error messages.
func (f *File) Name() string { return "far" }

// ReadAt implements io.ReaderAt.
func (f *File) ReadAt(p []byte, off int64) (int, error) {
	return f.ReadAtContext(context.Background(), p, off)
}

// ReadAtContext is like ReadAt, and records ctx.
func (f *File) ReadAtContext(ctx context.Context, p []byte, off int64) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.requests++
	f.bytes += len(p)
	f.contexts = append(f.contexts, ctx)
	if f.Fail != nil {
		if err := f.Fail(int(off), len(p)); err != nil {
			n, _ := bytes.NewReader(f.B).ReadAt(p[:len(p)/2], off)
			return n, err
		}
	}
	return bytes.NewReader(f.B).ReadAt(p, off)
}

// Take returns the number of requests since the last call, the number of their bytes, and their contexts.
func (f *File) Take() (requests, bytes int, contexts []context.Context) {
	requests, bytes, contexts = f.requests, f.bytes, f.contexts
	f.requests, f.bytes, f.contexts = 0, 0, nil
	return requests, bytes, contexts
}

// Select applies the same random fields, selections and transpositions to a and m. The text describes them.
func Select(r *rand.Rand, a *array.Remote, m array.Array) (*array.Remote, array.Array, string) {
	done := ""
	for range r.IntN(4) {
		if n := m.DType().NumField(); n > 0 && r.IntN(2) == 0 {
			name := m.DType().FieldAt(r.IntN(n)).Name
			a, m = must(a.Field(name)), must(m.Field(name))
			done += " " + name
			continue
		}
		if r.IntN(4) == 0 {
			axes := r.Perm(m.NDim())
			a, m = must(a.Transpose(axes...)), must(m.Transpose(axes...))
			done += fmt.Sprintf(" T%v", axes)
			continue
		}
		sel := make([]index.Selector, m.NDim())
		for k := range sel {
			from := r.IntN(m.Len(k) + 1)
			to := from + r.IntN(m.Len(k)+1-from)
			choices := []index.Selector{index.Colon, index.Range(from, to), index.Reverse(), index.Every(-1 - r.IntN(4)),
				index.Every(1 + r.IntN(5))}
			if m.Len(k) > 0 {
				choices = append(choices, index.At(r.IntN(m.Len(k))))
			}
			sel[k] = choices[r.IntN(len(choices))]
		}
		a, m = must(a.Select(sel...)), must(m.Select(sel...))
		done += fmt.Sprintf(" %v", sel)
	}
	return a, m, done
}

// Check returns an error if a differs from m in the dtype, the shape or a byte of an element, or if Read makes other
// requests to f than a announces.
func Check(f *File, a *array.Remote, m array.Array) error {
	f.Take()
	got, err := a.Read(context.Background())
	requests, size, _ := f.Take()
	wantRequests, wantSize := a.Requests()
	switch {
	case err != nil:
		return err
	case a.DType() != m.DType() || !slices.Equal(a.Shape(), m.Shape()):
		return fmt.Errorf("%v of %v, want %v of %v", a.Shape(), a.DType(), m.Shape(), m.DType())
	case requests != wantRequests || int64(size) != wantSize:
		return fmt.Errorf("%d requests of %d bytes, want %d of %d", requests, size, wantRequests, wantSize)
	case !bytes.Equal(elements(got), elements(m)):
		return fmt.Errorf("elements %x, want %x", elements(got), elements(m))
	}
	return nil
}

// elements returns the bytes of the elements of a in C order.
func elements(a array.Array) []byte {
	if a.NBytes() == 0 {
		return nil
	}
	raw := must(a.Reinterpret(dtype.Void(a.ItemSize())))
	b := make([]byte, raw.NBytes())
	c := must(array.FromBytes(b, raw.DType(), index.C, raw.Shape()...))
	if err := array.Copy(c, raw); err != nil {
		panic(err)
	}
	return b
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

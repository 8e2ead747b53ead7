package array

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// A countdownContext is a context that is done after n calls of Err.
type countdownContext struct {
	context.Context
	n *int
}

var errDone = errors.New("done")

func newCountdown(t *testing.T, n int) countdownContext { return countdownContext{t.Context(), &n} }

func (c countdownContext) Err() error {
	if *c.n--; *c.n < 0 {
		return errDone
	}
	return nil
}

// contextCopies returns functions that copy a by CopyContext and check the result.
func contextCopies(a Array) map[string]func(ctx context.Context) error {
	v := must(As[float32](a))
	same := func(got, want []float32) error {
		if !slices.Equal(got, want) {
			return errors.New("wrong elements")
		}
		return nil
	}
	return map[string]func(ctx context.Context) error{
		"to another dtype": func(ctx context.Context) error {
			dst := must(FromSlice(make([]float64, a.Size()), a.Shape()...))
			if err := CopyContext(ctx, dst.Array(), a); err != nil {
				return err
			}
			return same(must(Cast[float32](dst.Array())).Collect(), v.Collect())
		},
		"overlapping": func(ctx context.Context) error {
			c := must(As[float32](must(a.Clone(index.C))))
			dst, src := must(c.Select(index.From(1))), must(c.Select(index.Range(0, -1)))
			if err := CopyContext(ctx, dst.Array(), src.Array()); err != nil {
				return err
			}
			return same(dst.Collect(), must(v.Select(index.Range(0, -1))).Collect())
		},
		"in place": func(ctx context.Context) error {
			c := must(As[float32](must(a.Clone(index.C))))
			times := must(c.Array().Reinterpret(dtype.Int32))
			if err := CopyContext(ctx, times, c.Array()); err != nil {
				return err
			}
			return same(must(Cast[float32](times)).Collect(), v.Collect())
		},
	}
}

// TestCopyContext tests that CopyContext copies like Copy, and that it stops when ctx is done, at any moment, without
// leaving a goroutine behind.
func TestCopyContext(t *testing.T) {
	defer func(n int) { nd.ScanReportBytes = n }(nd.ScanReportBytes)
	nd.ScanReportBytes = 1 << 20
	whole := make([]float32, 9<<17)
	for i := range whole {
		whole[i] = float32(i % 1000)
	}
	large := must(FromSlice(whole, 9, 1<<17)).Array() // 4.5 MiB
	small := must(must(large.Select(index.Range(0, 2), index.Range(0, 100))).Clone(index.F))
	for _, a := range []Array{large, small, must(Stack(small, small)), must(small.AsType(dtype.Float32, index.C)).T()} {
		for name, copies := range contextCopies(a) {
			for _, ctx := range []context.Context{context.Background(), newCountdown(t, 1<<30)} {
				if err := copies(ctx); err != nil {
					t.Errorf("%s, of %v: %v", name, a.Layout(), err)
				}
			}
			most := 1
			if a.Size() == large.Size() {
				most = 3
			}
			for n := range most {
				checkNoGoroutineLeft(t, func() {
					if err := copies(newCountdown(t, n)); !errors.Is(err, errDone) || err.Error() != "array: copy: done" {
						t.Errorf("%s, of %v, after %d: %v", name, a.Layout(), n, err)
					}
				})
			}
		}
	}
	short := must(FromSlice([]float32{1, 2, 3})).Array()
	if err := CopyContext(newCountdown(t, 0), small, short); !errors.Is(err, ErrShape) {
		t.Errorf("CopyContext of another shape: %v", err)
	}
	cause := errors.New("no time")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(cause)
	if err := CopyContext(ctx, short, short); !errors.Is(err, cause) {
		t.Errorf("CopyContext with a context that is done: %v", err)
	}
}

// TestAppendContext tests that AppendContext and GrowContext stop when ctx is done, at any moment, and that nothing is
// appended then.
func TestAppendContext(t *testing.T) {
	row := must(FromSlice([]float64{1, 2})).Array()
	for name, do := range map[string]func(ctx context.Context, f *File) error{
		"append": func(ctx context.Context, f *File) error { return f.AppendContext(ctx, row, row) },
		"grow":   func(ctx context.Context, f *File) error { return f.GrowContext(ctx, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			path := tempPath(t)
			f := must(Create(path, dtype.Float64, index.C, 3, 2))
			defer f.Close()
			size := f.Map().Len()
			for n := 0; ; n++ {
				err := do(newCountdown(t, n), f)
				if err == nil {
					if n < 3 || f.Len(0) != 5 {
						t.Errorf("%s: done after %d, shape %v", name, n, f.Shape())
					}
					break
				}
				same := f.Map().Len() == size || runtime.GOOS == "windows" // Windows does not truncate mapped files
				if !errors.Is(err, errDone) || f.Len(0) != 3 || !same || n > 100 {
					t.Fatalf("%s, after %d: %v, shape %v, %d bytes", name, n, err, f.Shape(), f.Map().Len())
				}
			}
			if err := do(context.Background(), f); err != nil || f.Len(0) != 7 {
				t.Errorf("%s: %v, shape %v", name, err, f.Shape())
			}
		})
	}
}

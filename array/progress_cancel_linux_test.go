package array

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A reportingContext is a context whose Err method calls report.
type reportingContext struct {
	context.Context
	report func(done, total int64) error
	err    error
}

func (c *reportingContext) Err() error {
	if c.err == nil {
		c.err = c.report(0, 0)
	}
	return c.err
}

func (c *reportingContext) Value(any) any { return nil } // so that context.Cause returns the error of Err

// TestCancel tests that canceled work ends soon. The time between two reports, and between an error and the return, may
// be at most a tenth of a second for a file in memory, and half a second for a file on a disk. NDMAP_CANCEL sets the
// size of the file in MB; without it, the limit is a minute.
func TestCancel(t *testing.T) {
	oracle.AnyProcessor(t)
	mb, limit := 16, time.Minute // for a busy machine; with NDMAP_CANCEL, the test uses the strict limits
	if testing.Short() {
		mb = 2
	}
	if n, err := strconv.Atoi(os.Getenv("NDMAP_CANCEL")); err == nil {
		mb, limit = n, 0
	}
	path := filepath.Join(diskFolder(t), "a.npy")
	rows := mb << 20 / 8 / 1000
	f := must(Create(path, dtype.Float64, index.C, rows, 1000))
	x := 0.0
	for b := range must(As[float64](f.Array)).Update(index.C) {
		for k := range b {
			b[k] = x
			x = float64(int(x*7+1) % 1000003)
		}
	}
	if err := errors.Join(f.Sync(), f.Close()); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(filepath.Dir(path), "b.npy")
	type report = func(done, total int64) error
	reduction := func(op Op, axes []int) func(a Array, p report) error {
		return func(a Array, p report) error {
			return second(Reduction{Op: op, Qs: []float64{0.9}, Axes: axes, Progress: p}.Of(a))
		}
	}
	copyTo := func(d dtype.DType, order index.Order) func(a Array, p report) error {
		return func(a Array, p report) error {
			os.Remove(to)
			f, err := SaveConfig{Sparse: true}.Create(to, d, order, a.Shape()...)
			if err != nil {
				return err
			}
			defer f.Close()
			return CopyContext(&reportingContext{t.Context(), p, nil}, f.Array, a)
		}
	}
	for _, tt := range []struct {
		name string
		run  func(a Array, p report) error
	}{
		{"Copy", copyTo(dtype.Float64, index.C)},
		{"Copy to order F", copyTo(dtype.Float64, index.F)},
		{"Copy as >f2 to order F", copyTo(dtype.Float16.WithByteOrder(dtype.BigEndian), index.F)},
		{"Convert to order F", func(a Array, p report) error {
			return SaveConfig{Progress: p, Replace: true}.Convert(to, a, a.DType(), index.F)
		}},
		{"mean along 0", reduction(OpMean, []int{0})},
		{"mean along 1", reduction(OpMean, []int{1})},
		{"std of all", reduction(OpStd, nil)},
		{"median along 0", reduction(OpMedian, []int{0})},
		{"median along 1", reduction(OpMedian, []int{1})},
		{"quantile of all", reduction(OpQuantile, nil)},
		{"Save of each twice", func(a Array, p report) error {
			return Reduction{Op: OpMean, Axes: []int{}, Progress: p}.Save(to, a)
		}},
		{"Equal", func(a Array, p report) error { return second(Comparison{Progress: p}.Equal(a, a)) }},
		{"Rows", func(a Array, p report) error {
			var mu sync.Mutex
			return Rows(must(As[float64](a)), func(first int, rows View[float64]) error {
				Sum[float64](rows)
				mu.Lock()
				defer mu.Unlock()
				return p(0, 0)
			})
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, cold := range []bool{false, true} {
				file := must(os.Open(path))
				if cold {
					unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
				} else { // an earlier run may have released pages
					must(io.Copy(io.Discard, file))
				}
				file.Close()
				f := must(Open(path, mmap.ReadOnly))
				most, last, at := time.Duration(0), time.Now(), int64(0)
				start := last
				err := tt.run(f.Array, func(done, total int64) error {
					now := time.Now()
					if d := now.Sub(last); d > most {
						most, at = d, done
					}
					last = now
					return nil
				})
				if err != nil {
					t.Errorf("%s: %v", tt.name, err)
				}
				all := time.Since(start)
				stop, stopped := errors.New("stop"), time.Time{}
				calls := 0
				err = tt.run(f.Array, func(done, total int64) error {
					if calls++; stopped.IsZero() && (calls > 1 || done > 0) {
						stopped = time.Now()
						return stop
					}
					return nil
				})
				end := time.Since(stopped)
				limit := limit
				if limit == 0 {
					limit = 100 * time.Millisecond
					if cold {
						limit *= 5
					}
				}
				if !errors.Is(err, stop) || most > limit || end > limit {
					t.Errorf("%s, cold %v: %v; %v from one report to the next (at %d of %v), %v from an error to the return", tt.name,
						cold, err,
						most, at, all, end)
				} else {
					t.Logf("%s, cold %v: %v from one report to the next (at %d of %v), %v from an error to the return", tt.name, cold,
						most,
						at, all, end)
				}
				f.Close()
			}
		})
	}
	os.Remove(to)
}

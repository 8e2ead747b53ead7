package array

import (
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
)

// works are what reports to Config.Progress in memory, on a: each compares its result to that of the plain function.
func reportedWorks(a Array) map[string]func(cfg Config) error {
	v := must(As[float32](a))
	same := func(got, want any) error {
		if d := cmp.Diff(want, got); d != "" {
			return errors.New("want -, got +\n" + d)
		}
		return nil
	}
	return map[string]func(cfg Config) error{
		"Copy": func(cfg Config) error {
			dst := must(FromSlice(make([]float64, a.Size()), a.Shape()...))
			if err := cfg.Copy(dst.Array(), a); err != nil {
				return err
			}
			return same(Sum[float64](dst), Sum[float64](v))
		},
		"Copy of what overlaps": func(cfg Config) error {
			c := must(As[float32](must(a.Clone(index.C))))
			dst, src := must(c.Select(index.From(1))), must(c.Select(index.Range(0, -1)))
			if err := cfg.Copy(dst.Array(), src.Array()); err != nil {
				return err
			}
			return same(slices.Equal(dst.Collect(), must(v.Select(index.Range(0, -1))).Collect()), true)
		},
		"Copy of the same elements": func(cfg Config) error {
			c := must(a.Clone(index.C))
			times := must(c.Reinterpret(dtype.Int32))
			if err := cfg.Copy(times, c); err != nil {
				return err
			}
			return same(Sum[float64](must(As[int32](times))), Sum[float64](v))
		},
		"Clone": func(cfg Config) error {
			c, err := cfg.Clone(a, index.F)
			if err != nil {
				return same(c.IsZero(), true)
			}
			return same(slices.Equal(must(As[float32](c)).Collect(), v.Collect()), true)
		},
		"Quantile": func(cfg Config) error {
			q, err := cfg.Quantile(a, 0.1, 0.5)
			if err != nil {
				return err
			}
			return same(q, must(Quantile(v, 0.1, 0.5)))
		},
		"Histogram": func(cfg Config) error {
			n, err := cfg.Histogram(a, []float64{0, 10, 1e6})
			if err != nil {
				return err
			}
			return same(n, must(Histogram(v, []float64{0, 10, 1e6})))
		},
	}
}

// Progress begins with nothing, never goes back, and ends with everything; without it the works are the same.
func TestReported(t *testing.T) {
	defer func(n int) { nd.ScanReportBytes = n }(nd.ScanReportBytes)
	nd.ScanReportBytes = 1 << 20
	whole := make([]float32, 9<<17)
	for i := range whole {
		whole[i] = float32(i % 1000)
	}
	large := must(FromSlice(whole, 9, 1<<17)).Array() // 4.5 MiB
	small := must(must(large.Select(index.Range(0, 2), index.Range(0, 100))).Clone(index.F))
	for _, a := range []Array{large, small, must(Stack(small, small)), must(small.AsType(dtype.Float32,
		index.C)).T()} {
		for name, work := range reportedWorks(a) {
			if err := work(Config{}); err != nil {
				t.Errorf("%s of %v: %v", name, a.Layout(), err)
			}
			var got [][2]int64
			err := work(Config{Progress: func(done, total int64) error {
				got = append(got, [2]int64{done, total})
				return nil
			}})
			if err != nil || len(got) < 2 || a.Size() == large.Size() && len(got) < 4 || got[0][0] != 0 ||
				got[len(got)-1][0] != got[0][1] {
				t.Fatalf("%s of %v: %v; progress was %v", name, a.Layout(), err, got)
			}
			most := int64(nd.ScanReportBytes * max(1, runtime.GOMAXPROCS(0)/2))
			for i, g := range got[1:] {
				if g[1] != got[0][1] || g[0] < got[i][0] || i+2 < len(got) && g[0]-got[i][0] > most {
					t.Errorf("%s of %v: progress was %v", name, a.Layout(), got)
					break
				}
			}
		}
	}
}

// An error of Progress ends the work at any call, is what is returned, and no goroutine is left.
func TestReportedStops(t *testing.T) {
	stop := errors.New("stop")
	defer func(n int) { nd.ScanReportBytes = n }(nd.ScanReportBytes)
	nd.ScanReportBytes = 1 << 20
	a := must(FromSlice(make([]float32, 9<<17), 9, 1<<17)).Array()
	for name, work := range reportedWorks(a) {
		for n := range 2 {
			calls := 0
			noGoroutineLeft(t, func() {
				err := work(Config{Progress: func(done, total int64) error {
					if calls++; calls > n {
						return stop
					}
					return nil
				}})
				if name == "Clone" && err == nil { // it is compared there
					err = stop
				}
				if !errors.Is(err, stop) || calls != n+1 {
					t.Errorf("%s: %v after %d calls, want %v after %d", name, err, calls, stop, n+1)
				}
			})
		}
	}
}

func TestReportedErrors(t *testing.T) {
	a := must(FromSlice([]float32{1, 2})).Array()
	complex := must(FromSlice([]complex64{1, 2})).Array()
	works := func(cfg Config, a Array) map[string]error {
		_, clone := cfg.Clone(a, index.C)
		_, q := cfg.Quantile(a, 0.5)
		_, h := cfg.Histogram(a, []float64{0, 1})
		return map[string]error{"Copy": cfg.Copy(a, a), "Clone": clone, "Quantile": q, "Histogram": h}
	}
	for field, cfg := range map[string]Config{"Lock": {Lock: true}, "Replace": {Replace: true}, "NoSync": {NoSync: true},
		"Sparse": {Sparse: true}, "Name": {Name: "x"}, "Mode ReadWrite": {Mode: ReadWrite}} {
		for method, err := range works(cfg, a) {
			want := fmt.Sprintf("array: invalid argument: %s has no use for Config.%s", method, field)
			if err == nil || err.Error() != want || !errors.Is(err, fs.ErrInvalid) {
				t.Errorf("got  %v\nwant %s", err, want)
			}
		}
	}
	for method, err := range works(Config{}, complex) {
		if real := method == "Quantile" || method == "Histogram"; real != errors.Is(err, ErrDType) {
			t.Errorf("%s of complex numbers: %v", method, err)
		}
	}
	short := must(FromSlice([]float32{1, 2, 3})).Array()
	cfg := Config{Progress: func(done, total int64) error { t.Error("told of an error"); return nil }}
	if err := cfg.Copy(a, short); !errors.Is(err, ErrShape) {
		t.Errorf("Copy of another shape: %v", err)
	}
	if err := cfg.Copy(a, must(FromBytes(make([]byte, 8), dtype.Bytes(4), index.C, 2))); !errors.Is(err, ErrDType) {
		t.Errorf("Copy of text: %v", err)
	}
}

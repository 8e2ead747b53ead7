package array

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/mmap"
)

// A plainReal is a type of real numbers with arithmetic operators in Go.
type plainReal interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~float32 | ~float64
}

// slowQuantile defines the result of Quantile for sorted numbers.
func slowQuantile[T plainReal](sorted []T, q float64) float64 {
	i, j, t := reduce.Between(len(sorted), q)
	a, b := sorted[i], sorted[j]
	diff := float64(b - a) // as in NumPy, floats are rounded to T first
	if T(1)/2 == 0 {
		diff = float64(uint64(b) - uint64(a)) // b-a may overflow, even for int8
	}
	switch {
	case t == 0 || a == b:
		return float64(a)
	case math.IsInf(diff, 0):
		return float64(float64(a)*(1-t)) + float64(float64(b)*t)
	case t < 0.5:
		return float64(a) + float64(diff*t)
	}
	return float64(b) - float64(diff*(1-t))
}

// testQuantile compares Quantile with sorting. Large numbers of elements are counted before they are sorted, or are
// never sorted.
func testQuantile[T plainReal](t *testing.T, r *rand.Rand, draw func() T) {
	for _, n := range []int{1, 2, 1000, reduce.MaxSortedKeys + r.IntN(reduce.MaxSortedKeys)} {
		s := make([]T, n)
		for i := range s {
			s[i] = draw()
		}
		v := must(FromSlice(s))
		if n%2 == 0 {
			v = must(v.Reshape(2, -1)).T()
		}
		qs := []float64{0, 1, 0.5, 0.25, 1e-6, 1 - 1e-6, r.Float64(), r.Float64()}
		sorted := slices.Sorted(slices.Values(s))
		eachGOMAXPROCS(func(procs int) {
			if procs == 1 && testing.Short() {
				return
			}
			got, err := Quantile(v, qs...)
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range qs {
				if want := slowQuantile(sorted, q); got[i] != want {
					t.Fatalf("%d of %T, %d goroutines: quantile %v is %v, want %v", n, s[0], procs, q, got[i], want)
				}
			}
		})
	}
}

func TestQuantile(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 43)
	testQuantile(t, r, r.NormFloat64)
	testQuantile(t, r, func() float64 { return math.Ldexp(r.NormFloat64(), r.IntN(2000)-1000) })
	testQuantile(t, r, func() float64 { return 1 + float64(r.IntN(3))*0x1p-52 }) // differ in their last bits
	testQuantile(t, r, func() float32 { return float32(r.NormFloat64()) })
	testQuantile(t, r, func() int64 { return int64(r.Uint64()) })
	testQuantile(t, r, func() int64 { return -5 })
	testQuantile(t, r, func() int32 { return int32(r.Uint32()) >> r.IntN(32) })
	testQuantile(t, r, func() uint64 { return r.Uint64() >> r.IntN(64) })
	testQuantile(t, r, func() uint16 { return uint16(r.Uint32()) })
	testQuantile(t, r, func() int8 { return int8(r.Uint32()) })
	testQuantile(t, r, func() int { return r.IntN(1<<20) - 1<<19 })
}

// TestQuantileMany tests many quantiles at once. They need many counters, and therefore more passes with fewer bits
// each.
func TestQuantileMany(t *testing.T) {
	oracle.Slow(t)
	r := oracle.Rand(t, 44)
	s := make([]float64, 3*reduce.MaxSortedKeys)
	for i := range s {
		s[i] = math.Ldexp(r.NormFloat64(), r.IntN(200))
	}
	qs := make([]float64, 5000)
	for i := range qs {
		qs[i] = r.Float64()
	}
	got, err := Quantile(must(FromSlice(s)), qs...)
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(s)
	for i, q := range qs {
		if want := slowQuantile(s, q); got[i] != want {
			t.Fatalf("quantile %v is %v, want %v", q, got[i], want)
		}
	}
}

// TestQuantileViews tests Quantile on views of any layout, byte order and dtype.
func TestQuantileViews(t *testing.T) {
	r := oracle.Rand(t, 45)
	for range oracle.Cases(t, 100) {
		v := randomView(r, 20)
		if v.Size() == 0 {
			continue
		}
		sorted := slices.Sorted(slices.Values(collect(v)))
		q := r.Float64()
		if got, err := Quantile(v, q); err != nil || got[0] != slowQuantile(sorted, q) {
			t.Fatalf("%v %v: %v, %v; want %v", v.DType(), v.Layout(), got, err, slowQuantile(sorted, q))
		}
	}
}

func TestQuantileSpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	negative := math.Float64frombits(1<<63 | math.Float64bits(nan)) // a NaN with a sign
	for _, tt := range []struct {
		s    []float64
		q    float64
		want float64
	}{
		{[]float64{1, nan, 2}, 0, nan},
		{[]float64{1, negative, 2}, 1, nan},
		{[]float64{1, 2, inf}, 0.5, 2}, // NumPy: NaN
		{[]float64{1, inf}, 0.5, inf},  // NumPy: NaN
		{[]float64{-inf, 3}, 0.25, -inf},
		{[]float64{-inf, inf}, 0.5, nan},
		{[]float64{-inf, inf}, 1, inf},
		{[]float64{inf, inf}, 0.3, inf},
		{[]float64{-1e308, 1e308}, 0.5, 0}, // NumPy: inf
		{[]float64{3}, 0.7, 3},
	} {
		got, err := Quantile(must(FromSlice(tt.s)), tt.q)
		if err != nil || got[0] != tt.want && (got[0] == got[0] || tt.want == tt.want) {
			t.Errorf("%v at %v: %v, %v; want %v", tt.s, tt.q, got, err, tt.want)
		}
	}
	many := make([]float32, 2*reduce.MaxSortedKeys)
	many[reduce.MaxSortedKeys] = float32(nan)
	if got, err := Quantile(must(FromSlice(many)), 0.1); err != nil || got[0] == got[0] {
		t.Errorf("one NaN of many: %v, %v", got, err)
	}
	wide := must(FromSlice([]int8{-128, 127})) // NumPy's difference wraps around, which gives 127.5
	if got, err := Quantile(wide, 0.5); err != nil || got[0] != -0.5 {
		t.Errorf("int8: %v, %v", got, err)
	}
	far := must(FromSlice([]int64{math.MinInt64, math.MaxInt64}))
	if got, err := Quantile(far, 0.25); err != nil || got[0] != -0x1p62 {
		t.Errorf("int64: %v, %v", got, err)
	}
	if got, err := Quantile(far); err != nil || len(got) != 0 {
		t.Errorf("no q: %v, %v", got, err)
	}
}

func TestQuantileErrors(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 0))
	defer f.Close()
	empty, one := must(As[float64](f.Array)), must(FromSlice([]float64{1}))
	for _, tt := range []struct {
		v    View[float64]
		q    float64
		want string
	}{
		{empty, 0.5, path + ": shape mismatch: quantiles of no elements are undefined"},
		{one, 1.5, "array: quantile 1.5 out of range; want 0 to 1"},
		{one, -1e-9, "array: quantile -1e-09 out of range; want 0 to 1"},
		{one, math.NaN(), "array: quantile NaN out of range; want 0 to 1"},
	} {
		if got, err := Quantile(tt.v, tt.q); got != nil || err == nil || err.Error() != tt.want {
			t.Errorf("%v, %v; want %q", got, err, tt.want)
		}
	}
}

// TestQuantileChanging tests that Quantile does not panic if elements change between two passes. It must return an
// error or a number. The writer has its own mapping of the file.
func TestQuantileChanging(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 2*reduce.MaxSortedKeys))
	defer f.Close()
	g := must(Open(path, mmap.ReadOnly))
	defer g.Close()
	written, read := must(As[float64](f.Array)), must(As[float64](g.Array))
	var writer sync.WaitGroup
	var done atomic.Bool
	writer.Go(func() {
		for x := 1.0; !done.Load(); x *= -1.7 {
			if written.Fill(x); x < -1e300 {
				x = 1
			}
		}
	})
	failed := 0
	for range 20 {
		if _, err := Quantile(read, 0.2, 0.7); err != nil {
			failed++
			if err.Error() != path+": the elements changed while their quantiles were computed" {
				t.Errorf("%v", err)
			}
		}
	}
	done.Store(true)
	writer.Wait()
	t.Logf("%d of 20 failed", failed)
}

// TestQuantileMemory tests that Quantile allocates only a few counters for each goroutine.
func TestQuantileMemory(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	r := oracle.Rand(t, 46)
	s := make([]float64, 4<<20)
	for i := range s {
		s[i] = r.NormFloat64()
	}
	v := must(FromSlice(s))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if _, err := Quantile(v, 0.5); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 16<<20 {
		t.Errorf("%d bytes allocated for 32 MiB", n)
	}
}

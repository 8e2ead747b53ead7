package array

import (
	"errors"
	"fmt"
	"math"
	"math/cmplx"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestProductsInAnyOrder tests that intermediate products neither overflow nor become 0, as they may in NumPy.
func TestProductsInAnyOrder(t *testing.T) {
	large, small, nan, inf := 1e300, 1e-300, math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		s       []float64
		want    float64
		wantNaN float64 // with SkipNaN
	}{
		{[]float64{}, 1, 1},
		{[]float64{large, large, small, small}, 1, 1},
		{[]float64{small, small, small, large, large, large, -3}, -3, -3},
		{[]float64{large, large}, inf, inf},
		{[]float64{small, -small}, math.Copysign(0, -1), math.Copysign(0, -1)},
		{[]float64{5e-324, 2}, 1e-323, 1e-323},
		{[]float64{2, nan, 3}, nan, 6},
		{[]float64{nan}, nan, 1},
		{[]float64{inf, 0}, nan, nan},
		{[]float64{inf, -2}, -inf, -inf},
	} {
		wide := slices.Repeat(tt.s, 40) // 40 columns with the same numbers
		for i := range wide {
			if len(tt.s) > 0 {
				wide[i] = tt.s[i/40]
			}
		}
		for _, skip := range []bool{false, true} {
			r := Reduction{Op: OpProd, SkipNaN: skip}
			results := []Array{must(r.Of(must(FromSlice(tt.s)).Array()))}
			r.Axes = []int{0}
			columns := must(r.Of(must(FromSlice(wide, len(tt.s), 40)).Array()))
			z := must(Cast[complex128](must(FromSlice(tt.s)).Array()))
			r.Axes = nil
			results = append(results, columns.Index(39))
			want := map[bool]float64{false: tt.want, true: tt.wantNaN}[skip]
			for _, got := range results {
				x := must(As[float64](got)).At()
				if math.Abs(x-want) > 1e-14*math.Abs(want) && x != want || (x != x) != (want != want) || 1/x != 1/want && x == 0 {
					t.Errorf("%v, skip %v: %v, want %v", tt.s, skip, x, want)
				}
			}
			c := must(As[complex128](must(r.Of(must(z.Clone(index.C)).Array())))).At()
			if x := real(c); want-want == 0 && math.Abs(x-want) > 1e-14*math.Abs(want) {
				t.Errorf("%v as complex numbers: %v, want %v", tt.s, c, want)
			}
		}
	}
}

// TestAnyAll tests OpAny and OpAll for all dtypes and for no elements.
func TestAnyAll(t *testing.T) {
	nan := math.NaN()
	for _, tt := range []struct {
		s        []complex128
		any, all bool
	}{
		{nil, false, true},
		{[]complex128{0, complex(math.Copysign(0, -1), 0)}, false, false},
		{[]complex128{0, 1, 0}, true, false},
		{[]complex128{1, 2}, true, true},
		{[]complex128{complex(nan, 0), 0}, true, false},
		{[]complex128{complex(nan, 0)}, true, true},
		{[]complex128{1i, 256}, true, true}, // 1i has no real part, and the low byte of 256 is 0
	} {
		for _, d := range []string{"|b1", "|i1", ">i2", "<u4", ">i8", "<f2", ">f4", "<f8", "<c8", ">c16"} {
			to := dtype.MustParse(d)
			isComplex, isFloat := to.Kind() == dtype.KindComplex, to.Kind() == dtype.KindFloat
			fits := true
			for _, x := range tt.s {
				fits = fits && (!cmplx.IsNaN(x) || isComplex || isFloat) && (imag(x) == 0 || isComplex) &&
					(real(x) < 128 || to.ItemSize() > 1)
			}
			if !fits {
				continue
			}
			real8 := make([]float64, len(tt.s))
			for i, x := range tt.s {
				real8[i] = real(x)
			}
			from := must(FromSlice(tt.s)).Array()
			if !isComplex {
				from = must(FromSlice(real8)).Array()
			}
			a := must(from.AsType(to, index.C))
			for op, want := range map[Op]bool{OpAny: tt.any, OpAll: tt.all} {
				got := must(Reduction{Op: op, SkipNaN: true}.Of(a))
				rows := must(Reduction{Op: op, Axes: []int{1}}.Of(must(a.Broadcast(20, len(tt.s)))))
				if got := must(As[bool](got)).At(); got != want || must(As[bool](rows)).At(19) != want {
					t.Errorf("%v of %v as %s: %v, want %v", op, tt.s, d, got, want)
				}
			}
		}
	}
}

// TestAnyReadsNoFurther tests that reading stops when the first elements decide the result. The rest of the file has
// been truncated away.
func TestAnyReadsNoFurther(t *testing.T) {
	if isEmulated() {
		t.Skip("the emulator reports other fault addresses")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for _, d := range []dtype.DType{dtype.Bool, dtype.Int32, dtype.Float64} {
		path := tempPath(t)
		f := must(Create(path, d, index.C, 64<<20/d.ItemSize()))
		defer f.Close()
		one := must(FromSlice([]bool{true})).Array().Index(0)
		must(0, Copy(f.Index(7), one))
		truncate(t, path, 1<<20)
		var total int64
		r := Reduction{Op: OpAny, Progress: func(done, _ int64) error { total = done; return nil }}
		if got, err := r.Of(f.Array); err != nil || !must(As[bool](got)).At() || total != int64(f.NBytes()) {
			t.Errorf("%v: %v, %v, %d bytes", d, got, err, total)
		}
		r.Op = OpAll
		if got, err := r.Of(f.Array); err != nil || must(As[bool](got)).At() {
			t.Errorf("%v: %v, %v", d, got, err)
		}
	}
}

// TestRanksOfHardRows compares medians and quantiles with sorting, for rows of many lengths in orders that are hard for
// a selection algorithm.
func TestRanksOfHardRows(t *testing.T) {
	r := oracle.Rand(t, 109)
	rows := map[string]func(i, n int) int64{
		"ascending":     func(i, n int) int64 { return int64(i) },
		"descending":    func(i, n int) int64 { return int64(-i) },
		"equal":         func(i, n int) int64 { return 7 },
		"two values":    func(i, n int) int64 { return int64(i % 2) },
		"one of all":    func(i, n int) int64 { return int64(i / max(1, n-1)) },
		"organ pipe":    func(i, n int) int64 { return int64(min(i, n-i)) },
		"random":        func(i, n int) int64 { return int64(r.Uint64()) },
		"few":           func(i, n int) int64 { return int64(r.IntN(5)) },
		"large samples": func(i, n int) int64 { return int64(map[bool]int{true: n, false: 0}[i%16 == 0] + i) },
	}
	for name, draw := range rows {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{1, 2, 3, 24, 25, 31, 33, 100, 1000, 20_000} {
				s := make([]int64, n)
				for i := range s {
					s[i] = draw(i, n)
				}
				sorted := slices.Sorted(slices.Values(s))
				for _, q := range []float64{0, 1, 0.5, 0.01, r.Float64()} {
					got := must(As[float64](must(Reduction{Op: OpQuantile, Qs: []float64{q}}.Of(must(FromSlice(s)).Array())))).At()
					if want := slowQuantile(sorted, q); got != want {
						t.Fatalf("%d %s: quantile %v is %v, want %v", n, name, q, got, want)
					}
				}
				got := must(As[float64](must(Reduction{Op: OpMedian}.Of(must(FromSlice(s)).Array())))).At()
				if want := (float64(sorted[(n-1)/2]) + float64(sorted[n/2])) / 2; got != want {
					t.Fatalf("%d %s: the median is %v, want %v", n, name, got, want)
				}
			}
		})
	}
}

// TestSeveralQuantiles tests that several quantiles computed at once equal those computed one at a time, also for
// joined arrays and destinations, and for rows of many lengths.
func TestSeveralQuantiles(t *testing.T) {
	defer func(n int) { longRow = n }(longRow)
	r := oracle.Rand(t, 112)
	random := func(shape ...int) Array {
		a := must(New(among(r, dtype.Float64, dtype.Float32, dtype.Int16), index.C, shape...)).Array
		s := make([]float64, a.Size())
		for i := range s {
			if s[i] = float64(r.IntN(100)); r.IntN(100) == 0 {
				s[i] = math.NaN()
			}
		}
		must(0, Copy(a, must(FromSlice(s, shape...)).Array()))
		return a
	}
	same := func(d dtype.DType, shape ...int) Array { return must(random(shape...).AsType(d, index.C)) }
	f4 := dtype.Float32
	qs := []float64{0.9, 0, 0.25, 0.9, 1, 1. / 3}
	for name, a := range map[string]Array{
		"short": random(40, 5), "long": random(3, 4000), "three axes": random(6, 7, 8).T(),
		"stack":   must(Stack(same(f4, 20, 30), same(f4, 20, 30))),
		"join":    must(Join(same(f4, 20, 30), same(f4, 7, 30))),
		"columns": must(Join(same(f4, 20, 30), same(f4, 9, 30))).T(),
	} {
		t.Run(name, func(t *testing.T) {
			for _, axes := range [][]int{nil, {0}, {-1}, {0, 1}, {}} {
				for _, longRow = range []int{16 << 20, 8} {
					red := Reduction{Op: OpQuantile, Axes: axes, SkipNaN: r.IntN(2) == 0, Qs: qs}
					all := must(red.Of(a))
					parts := make([]Array, len(qs))
					for k := range parts {
						parts[k] = must(New(dtype.Float64, index.F, all.Shape()[1:]...)).Array
					}
					must(0, red.Into(must(Stack(parts...)), a))
					for k, q := range qs {
						red.Qs = []float64{q}
						want := fmt.Sprint(must(red.Of(a)))
						if got := fmt.Sprint(all.Index(k)); got != want || fmt.Sprint(parts[k]) != want {
							t.Errorf("%s along %v: quantile %v: %s and %v, want %s", name, axes, q, got, parts[k], want)
						}
					}
				}
			}
		})
	}
	none := must(New(dtype.Float64, index.C, 3, 0)).Array
	red := Reduction{Op: OpQuantile, Axes: []int{1}, SkipNaN: true, Qs: qs[:2]}
	if got := fmt.Sprint(must(red.Of(none))); got != "[[nan nan nan]\n [nan nan nan]]" {
		t.Errorf("without elements: %s", got)
	}
}

// TestRanksProgress tests that medians report progress from 0 to all bytes and that an error of the callback ends them,
// for gathered and for counted rows.
func TestRanksProgress(t *testing.T) {
	oracle.AnyProcessor(t)
	defer func(n int) { longRow = n }(longRow)
	a := must(New(dtype.Float32, index.C, 150, 1<<15)) // enough for several reports
	defer a.Close()
	stop := errors.New("enough")
	for _, axes := range [][]int{nil, {0}, {1}} {
		for _, longRow = range []int{0, 1 << 30} {
			if longRow == 0 && axes != nil {
				continue
			}
			r, calls, last := Reduction{Op: OpMedian, Axes: axes}, 0, int64(-1)
			r.Progress = func(done, total int64) error {
				if calls++; done < last || total != int64(a.NBytes()) || calls == 1 && done != 0 {
					t.Errorf("%d of %d after %d", done, total, last)
				}
				last = done
				return nil
			}
			if _, err := r.Of(a.Array); err != nil || last != int64(a.NBytes()) || calls < 2 {
				t.Errorf("%v: %d calls, the last with %d: %v", axes, calls, last, err)
			}
			calls = 0
			r.Progress = func(done, total int64) error {
				if calls++; done > 0 {
					return stop
				}
				return nil
			}
			if _, err := r.Of(a.Array); !errors.Is(err, stop) || calls != 2 {
				t.Errorf("%v: %v after %d calls", axes, err, calls)
			}
		}
	}
}

// TestMedianOfLarge tests the median of two numbers whose sum overflows, and of infinite numbers.
func TestMedianOfLarge(t *testing.T) {
	most, inf := math.MaxFloat64, math.Inf(1)
	for _, tt := range []struct {
		s    []float64
		want float64
	}{
		{[]float64{most, most}, most}, {[]float64{-most, -most}, -most}, {[]float64{inf, inf}, inf}, {[]float64{1, inf}, inf},
		{[]float64{-inf, inf}, math.NaN()}, {[]float64{-most, most}, 0},
	} {
		got := must(As[float64](must(Reduction{Op: OpMedian}.Of(must(FromSlice(tt.s)).Array())))).At()
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%v: %v, want %v", tt.s, got, tt.want)
		}
	}
}

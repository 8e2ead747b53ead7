package array

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestReductionOfAndSave tests that Of and Save give the same result as Into. Of returns it in new memory, and the file
// of Save equals one that array.Save writes.
func TestReductionOfAndSave(t *testing.T) {
	path, want := tempPath(t), tempPath(t)
	v := must(FromSlice([]float32{1, 2, float32(math.NaN()), 4, 5, 7}, 2, 3))
	for _, a := range []Array{v.Array(), v.T().Array(), must(As[float32](v.Array())).Array().Index(0)} {
		for op := OpSum; op <= OpQuantile; op++ {
			for _, axes := range [][]int{nil, {0}} {
				r := Reduction{Op: op, Axes: axes, SkipNaN: true, Qs: []float64{0.25, 0.5}}
				got, err := r.Of(a)
				if err != nil {
					t.Fatal(err)
				}
				f := must(New(must(r.DType(a)), index.C, must(r.Shape(a))...))
				must(0, r.Into(f.Array, a))
				if fmt.Sprint(got) != fmt.Sprint(f.Array) || got.DType() != f.DType() || !got.Contiguous(index.C) {
					t.Errorf("%v %v: Of returns %v, Into %v", op, axes, got, f.Array)
				}
				must(0, r.Save(path, a)) // replaces the file of the previous case
				must(0, Save(want, f.Array))
				if string(must(os.ReadFile(path))) != string(must(os.ReadFile(want))) {
					t.Errorf("%v %v: the file differs", op, axes)
				}
				f.Close()
			}
		}
	}
	none := Reduction{Op: OpMax}
	if _, err := none.Of(must(FromSlice([]int8{})).Array()); !errors.Is(err, ErrShape) {
		t.Errorf("the maximum of no elements: %v", err)
	}
}

// TestReductionSaveFails tests that a Save that fails for any reason leaves the file unchanged and no other file
// behind.
func TestReductionSaveFails(t *testing.T) {
	dir := t.TempDir()
	path, from := filepath.Join(dir, "out.npy"), tempPath(t)
	f := must(Create(from, dtype.Float64, index.C, 3, 100_000))
	defer f.Close()
	first := must(FromSlice([]int8{1, 2, 3})).Array()
	must(0, Save(path, first))
	before := string(must(os.ReadFile(path)))
	unchanged := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		if names := must(os.ReadDir(dir)); len(names) != 1 || string(must(os.ReadFile(path))) != before {
			t.Errorf("%s: files %v, or the file has changed", what, names)
		}
	}
	unchanged("no axis", Reduction{Axes: []int{2}}.Save(path, f.Array))
	unchanged("no dtype", Reduction{}.Save(path, must(FromBytes([]byte("ab"), dtype.Bytes(1), index.C, 2))))
	unchanged("nothing", Reduction{Op: OpMin, Axes: []int{0}}.Save(path, must(f.Select(index.Range(0, 0)))))
	stop := errors.New("enough")
	calls, last := 0, int64(0)
	count := func(done, total int64) error {
		if calls++; done < last || done > total || total != int64(f.NBytes())+8*100_000 {
			t.Errorf("%d of %d after %d", done, total, last)
		}
		last = done
		return nil
	}
	elsewhere := filepath.Join(t.TempDir(), "out.npy")
	if err := (Reduction{Axes: []int{0}, Progress: count}).Save(elsewhere, f.Array); err != nil || last != 3_200_000 {
		t.Errorf("%v at %d", err, last)
	}
	for at, n := 1, calls; at <= n; at++ {
		calls = 0
		err := Reduction{Axes: []int{0}, Progress: func(done, total int64) error {
			if calls++; calls == at {
				return stop
			}
			return nil
		}}.Save(path, f.Array)
		if unchanged(fmt.Sprintf("stop at call %d of %d", at, n), err); !errors.Is(err, stop) {
			t.Errorf("call %d: %v", at, err)
		}
	}
	nowhere := filepath.Join(dir, "none", "out.npy")
	asked := false
	err := Reduction{Progress: func(done, total int64) error { asked = true; return nil }}.Save(nowhere, f.Array)
	if unchanged("no folder", err); asked || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v; Progress called: %v", err, asked)
	}
	if isEmulated() || runtime.GOOS == "windows" {
		return
	}
	truncate(t, from, 4096)
	err = Reduction{Axes: []int{0}}.Save(path, f.Array)
	if fault, ok := errors.AsType[*mmap.FaultError](err); !ok || fault.Path != from {
		t.Errorf("a truncated file: %v", err)
	}
	unchanged("a fault", err)
}

// TestMeanStd tests that means and deviations computed in one pass equal the results of two passes, to the last bit, in
// any layout and for numbers of any size.
func TestMeanStd(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 108)
	defer func(n int) { runtime.GOMAXPROCS(n) }(runtime.GOMAXPROCS(0))
	for k, d := range []string{"|b1", "|u1", ">i2", "<i4", "<u8", "<f2", ">f4", "<f8", "<c8", ">c16"} {
		runtime.GOMAXPROCS(1 + k%3)
		a := must(New(dtype.MustParse(d), index.C, 7, 40, 30+200*(k%2))).Array
		fillNumbers(r, a, a.Size())
		if k%2 == 1 {
			a = must(a.Transpose(2, 0, 1))
		}
		for _, axes := range [][]int{nil, {0}, {2}, {0, 2}, {}} {
			for _, skip := range []bool{false, true} {
				red := Reduction{Op: OpMax, Axes: axes, SkipNaN: skip, DDof: r.IntN(3)}
				mean, std, err := red.MeanStd(a)
				if err != nil {
					t.Fatal(err)
				}
				for op, got := range map[Op]Array{OpMean: mean, OpStd: std} {
					red.Op = op
					want := must(red.Of(a))
					if got.DType() != want.DType() || fmt.Sprint(got.Shape()) != fmt.Sprint(want.Shape()) ||
						!got.Contiguous(index.C) {
						t.Fatalf("%v of %s: %v %v, want %v %v", op, d, got.DType(), got.Shape(), want.DType(), want.Shape())
					}
					y := must(Cast[complex128](want)).Collect()
					for i, p := range must(Cast[complex128](got)).Collect() {
						if q := y[i]; !sameNumber(real(p), real(q)) || !sameNumber(imag(p), imag(q)) {
							t.Fatalf("%v of %s along %v, skip %v: %v at %d, want %v", op, d, axes, skip, p, i, q)
						}
					}
				}
			}
		}
	}
	for _, tt := range []struct {
		s         []float64
		skip      bool
		ddof      int
		mean, std float64
	}{
		{s: []float64{1, 3}, mean: 2, std: 1},
		{s: []float64{1, 3}, ddof: 1, mean: 2, std: math.Sqrt2},
		{s: []float64{1, math.NaN(), 3}, skip: true, mean: 2, std: 1},
		{s: []float64{1, math.NaN(), 3}, mean: math.NaN(), std: math.NaN()},
		{s: []float64{math.NaN()}, skip: true, mean: math.NaN(), std: math.NaN()},
		{s: []float64{5}, ddof: 1, mean: 5, std: math.NaN()},
		{s: []float64{}, mean: math.NaN(), std: math.NaN()},
		{s: []float64{math.Inf(1), 1}, mean: math.Inf(1), std: math.NaN()},
	} {
		mean, std, err := Reduction{SkipNaN: tt.skip, DDof: tt.ddof}.MeanStd(must(FromSlice(tt.s)).Array())
		x, y := must(As[float64](mean)).At(), must(As[float64](std)).At()
		if err != nil || !isNear(x, tt.mean) || !isNear(y, tt.std) {
			t.Errorf("%v: %v and %v, %v; want %v and %v", tt.s, x, y, err, tt.mean, tt.std)
		}
	}
	for _, a := range []Array{
		must(FromSlice([]int64{1 << 61, 5, -(1 << 61), 4})).Array(),
		must(FromSlice([]uint64{1 << 63, 5, 1 << 63, 4})).Array(),
		must(FromSlice([]int32{math.MaxInt32, 3, math.MinInt32, math.MaxInt32, -math.MaxInt32, 1})).Array(),
		must(FromSlice([]float64{1e16, 3, -1e16, 1})).Array(),
		must(FromSlice([]float32{1e8, 3, -1e8, 1})).Array(),
		must(FromSlice([]complex128{1e16 + 2i, 3, -1e16, 1})).Array(),
	} {
		mean, std, err := Reduction{}.MeanStd(a)
		wantMean, wantStd := must(Reduction{Op: OpMean}.Of(a)), must(Reduction{Op: OpStd}.Of(a))
		if err != nil || !must(Equal(mean, wantMean)) || !must(Equal(std, wantStd)) {
			t.Errorf("%v of %v: %v and %v, %v; want %v and %v", a, a.DType(), mean, std, err, wantMean, wantStd)
		}
	}
	text := must(FromBytes([]byte("ab"), dtype.Bytes(1), index.C, 2))
	if _, _, err := (Reduction{}).MeanStd(text); !errors.Is(err, ErrDType) {
		t.Errorf("of text: %v", err)
	}
	_, _, err := (Reduction{Axes: []int{1}}).MeanStd(text)
	if want := "array: axis 1 out of range for 1 dimension"; fmt.Sprint(err) != want {
		t.Errorf("along no axis: %v, want %s", err, want)
	}
	stop := errors.New("enough")
	_, _, err = Reduction{Progress: func(done,
		total int64) error {
		return stop
	}}.MeanStd(must(FromSlice([]int8{1})).Array())
	if !errors.Is(err, stop) {
		t.Errorf("stopped: %v", err)
	}
}

// TestMeanStdLongRows reduces rows so long that no part of 64 MiB contains whole tiles of both accumulators.
func TestMeanStdLongRows(t *testing.T) {
	if testing.Short() {
		t.Skip("66 MiB")
	}
	a := must(New(dtype.Float64, index.C, 64, 135_000))
	defer a.Close()
	x := must(must(As[float64](a.Array)).Data())
	for i := range x {
		x[i] = float64(i%1009) / 7
	}
	var calls []int64
	mean, std, err := Reduction{Axes: []int{0}, Progress: func(done, total int64) error {
		calls = append(calls, done)
		return nil
	}}.MeanStd(a.Array)
	if err != nil {
		t.Fatal(err)
	}
	for op, got := range map[Op]Array{OpMean: mean, OpStd: std} {
		if want := must(Reduction{Op: op, Axes: []int{0}}.Of(a.Array)); !must(Equal(got, want)) {
			t.Errorf("%v differs from the result of Of", op)
		}
	}
	if !slices.IsSorted(calls) || calls[len(calls)-1] != int64(a.NBytes()) {
		t.Errorf("Progress: %v", calls)
	}
}

// TestMeanStdInfinite tests that one infinite part of a complex number, among many blocks, makes the real part of the
// mean NaN, as NumPy's complex division does.
func TestMeanStdInfinite(t *testing.T) {
	for _, at := range []int{0, 3, 39_999} {
		s := make([]complex64, 40_000)
		for i := range s {
			s[i] = complex(float32(i%7), 2)
		}
		s[at] = complex(1, float32(math.Inf(1)))
		a := must(FromSlice(s, 4, 10_000)).Array()
		for _, axes := range [][]int{nil, {0}, {1}} {
			red := Reduction{Op: OpMean, Axes: axes}
			mean, std, err := red.MeanStd(a)
			x, want := must(As[complex64](mean)).Collect(), must(As[complex64](must(red.Of(a)))).Collect()
			sigma, nans := must(As[float32](std)).Collect(), 0
			for i, y := range want {
				if math.IsInf(float64(imag(y)), 1) {
					nans++
					if re := real(x[i]); re == re || !math.IsInf(float64(imag(x[i])), 1) || sigma[i] == sigma[i] {
						t.Errorf("an infinity at %d, along %v: mean %v, want %v, std %v", at, axes, x[i], y, sigma[i])
					}
				}
			}
			if err != nil || nans != 1 {
				t.Errorf("an infinity at %d, along %v: %d infinite means, %v", at, axes, nans, err)
			}
		}
	}
}

// sameNumber reports whether two numbers are equal, or both NaN.
func sameNumber(x, y float64) bool { return x == y || x != x && y != y }

// isNear reports whether two numbers are equal except for rounding, or both NaN.
func isNear(x, y float64) bool {
	return x == y || x != x && y != y || math.Abs(x-y) <= 1e-6*max(math.Abs(x), math.Abs(y))
}

// TestMeanStdOfStack reduces a stack of files.
func TestMeanStdOfStack(t *testing.T) {
	dir := t.TempDir()
	var files []Array
	for k := range 3 {
		path := filepath.Join(dir, fmt.Sprint(k))
		must(0, Save(path, must(FromSlice([]int16{int16(k), int16(10 * k), 7})).Array()))
		f := must(Open(path, mmap.ReadOnly))
		defer f.Close()
		files = append(files, f.Array)
	}
	stack := must(Stack(files...))
	mean, std, err := Reduction{Axes: []int{0}}.MeanStd(stack)
	if err != nil {
		t.Fatal(err)
	}
	median := must(Reduction{Op: OpMedian, Axes: []int{0}}.Of(stack))
	ofAll := must(Reduction{Op: OpMedian}.Of(stack))
	if got := fmt.Sprint(mean, std, median,
		ofAll); got != "[ 1. 10.  7.] [0.81649658 8.16496581 0.        ] [ 1. 10.  7.] 7.0" {
		t.Error(got)
	}
}

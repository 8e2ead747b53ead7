package array

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestReductionErrors(t *testing.T) {
	a := must(FromSlice(make([]float64, 6), 2, 3)).Array()
	c := must(FromSlice(make([]complex128, 6), 2, 3)).Array()
	none := must(FromSlice([]float64{}, 0, 3)).Array()
	text := must(FromBytes(make([]byte, 6), dtype.Bytes(1), index.C, 2, 3))
	times := must(FromBytes(make([]byte, 48), dtype.MustParse("<M8[ns]"), index.C, 2, 3))
	to := func(shape ...int) Array { return must(New(dtype.Float64, index.C, shape...)).Array }
	for _, tt := range []struct {
		name     string
		r        Reduction
		dst, src Array
		want     string
	}{
		{"an axis out of range", Reduction{Axes: []int{2}}, to(3), a,
			"array: axis 2 out of range for 2 dimensions"},
		{"a negative axis out of range", Reduction{Axes: []int{-3}}, to(3), a,
			"array: axis -3 out of range for 2 dimensions"},
		{"an axis twice", Reduction{Axes: []int{1, -1}}, to(2), a, "array: shape mismatch: duplicate axis -1"},
		{"positions along two axes", Reduction{Op: OpArgMax, Axes: []int{0, 1}}, to(), a,
			"array: shape mismatch: argmax along 2 axes; want one axis, or nil for all"},
		{"positions along none", Reduction{Op: OpArgMin, Axes: []int{}}, to(), a,
			"array: shape mismatch: argmin along 0 axes; want one axis, or nil for all"},
		{"no such operation", Reduction{Op: 77}, to(), a, "array: unknown operation Op(77)"},
		{"wrong shape", Reduction{Axes: []int{0}}, to(2), a,
			"array: shape mismatch: the result has shape (3,), but dst has shape (2,)"},
		{"text", Reduction{Op: OpMean}, to(), text, "array: mean requires numbers: have dtype |S1"},
		{"times", Reduction{}, to(), times, "array: cannot reduce times; Reinterpret them as int64: have dtype <M8[ns]"},
		{"complex to real", Reduction{}, to(), c,
			"array: cannot convert complex numbers to real numbers: have dtype <f8, want <c16"},
		{"complex moments", Reduction{Op: OpMoments}, to(), c,
			"array: complex numbers have no minimum, so no moments; Reinterpret them as real and imaginary parts along a longer last axis: have dtype <c16"},
		{"complex medians", Reduction{Op: OpMedian}, to(), c,
			"array: complex numbers have no median; Reinterpret them as real and imaginary parts along a longer last axis: have dtype <c16"},
		{"a quantile beyond 1", Reduction{Op: OpQuantile, Qs: []float64{1.5}}, to(), a,
			"array: quantile 1.5 out of range; want 0 to 1"},
		{"a quantile of NaN", Reduction{Op: OpQuantile, Qs: []float64{0, math.NaN()}}, to(2), a,
			"array: quantile NaN out of range; want 0 to 1"},
		{"no quantile", Reduction{Op: OpQuantile}, to(), a, "array: no quantile in Qs; want numbers from 0 to 1"},
		{"two quantiles to a number", Reduction{Op: OpQuantile, Qs: []float64{0, 1}}, to(), a,
			"array: shape mismatch: the result has shape (2,), but dst has shape ()"},
		{"two quantiles along the last axis", Reduction{Op: OpQuantile, Qs: []float64{0, 1}, Axes: []int{1}}, to(4), a,
			"array: shape mismatch: the result has shape (2, 2), but dst has shape (4,)"},
		{"a quantile of no elements", Reduction{Op: OpQuantile, Qs: []float64{0.5}, Axes: []int{0}}, to(3), none,
			"array: shape mismatch: no elements along the axes: quantile is undefined"},
		{"any of text", Reduction{Op: OpAny}, to(), text, "array: any requires numbers: have dtype |S1"},
		{"moments to numbers", Reduction{Op: OpMoments}, to(), a,
			"array: cannot convert between these dtypes: have dtype <f8, want [('count', '<i8'), ('nan', '<i8'), ('min', '<f8'), ('max', '<f8'), ('mean', '<f8'), ('m2', '<f8')]"},
		{"the least of no elements", Reduction{Op: OpMin, Axes: []int{0}}, to(3), none,
			"array: shape mismatch: no elements along the axes: min is undefined"},
		{"to itself", Reduction{Axes: []int{}}, a, a,
			"array: dst shares memory with src; reduce to another array"},
		{"read-only", Reduction{Axes: []int{0}}, must(to(1).Broadcast(3)), a, "array: array is read-only"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.ReplaceAll(fmt.Sprint(tt.r.Into(tt.dst, tt.src)), ">",
				"<"); got != tt.want { // for either byte order
				t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
			}
		})
	}
	const allNaN = "array: all elements are NaN and were skipped, so ArgMin and ArgMax are undefined"
	nan := must(FromSlice([]float64{math.NaN(), math.NaN()})).Array()
	if err := (Reduction{Op: OpArgMin, SkipNaN: true}).Into(to(), nan); fmt.Sprint(err) != allNaN {
		t.Error(err)
	}
	rows := must(FromSlice(make([]float64, 200_000), 2000, 100)) // enough rows for several goroutines
	rows.Index(1234).Fill(math.NaN())
	if err := (Reduction{Op: OpArgMax, Axes: []int{1}, SkipNaN: true}).Into(to(2000),
		rows.Array()); fmt.Sprint(err) != allNaN {
		t.Errorf("rows with one row of NaN: %v", err)
	}
}

// TestSumTypes tests sums that do not fit the type of the elements, and sums of converted elements.
func TestSumTypes(t *testing.T) {
	if got := Sum[int64](must(FromSlice([]uint16{65535, 65535, 1}))); got != 131071 {
		t.Error(got)
	}
	for _, n := range []int{100, 3 << 20} { // one goroutine, and several
		u := must(New(dtype.Uint16, index.C, n))
		v := must(As[uint16](u.Array))
		v.Fill(40000)
		w := must(v.Select(index.Reverse()))
		if got, rev := Sum[int64](v), Sum[uint64](w); got != int64(n)*40000 || rev != uint64(n)*40000 {
			t.Errorf("%d: %v, %v", n, got, rev)
		}
		if got := Sum[float64](must(Cast[int16](u.Array))); got != float64(n)*(40000-65536) {
			t.Error(got)
		}
		u.Close()
	}
	if got := Sum[int64](must(FromSlice([]float64{1.9, -1.9, 2.5}))); got != 2 {
		t.Errorf("the sum of converted elements is %v, want 2", got)
	}
	if got := Sum[float64](must(FromSlice([]dtype.Half{dtype.HalfFrom32(60000),
		dtype.HalfFrom32(60000)}))); got != 120000 {
		t.Error(got)
	}
	if got := Sum[uint64](must(FromSlice([]bool{true, false, true}))); got != 2 {
		t.Error(got)
	}
	z := must(FromSlice([]complex64{1 + 2i, 3}))
	if got := SumComplex(z); got != 4+2i {
		t.Error(got)
	}
	if got := SumComplex(must(FromSlice([]int8{1, -2}))); got != -1 {
		t.Error(got)
	}
}

func TestWhole(t *testing.T) {
	v := must(FromSlice([]float32{3, -1, 4, -1, 5, 0}, 2, 3))
	if got := []any{Mean(v), Var(v, 0), Var(v, 1), ArgMin(v), ArgMax(v), CountNonzero(v)}; !cmp.Equal(got, []any{10. / 6,
		52./6 - 100./36, (52 - 100./6) / 5, 1, 4, 5}, cmp.Comparer(isClose)) {
		t.Error(got)
	}
	if got := []int{ArgMin(v.T()), ArgMax(must(v.Select(index.Colon, index.Reverse())))}; !cmp.Equal(got, []int{1, 4}) {
		t.Error(got)
	}
	h := must(FromSlice([]dtype.Half{dtype.HalfFrom32(1), dtype.HalfFrom32(-2)}))
	if lo, hi := MinMax(h); lo.Float32() != -2 || hi.Float32() != 1 || Mean(h) != -0.5 {
		t.Error(lo, hi)
	}
	b := must(FromSlice([]bool{true, true, false}))
	if lo, hi := MinMax(b); lo || !hi || CountNonzero(b) != 2 || ArgMin(b) != 2 {
		t.Error(lo, hi)
	}
	wantPanic(t, noElements, ErrShape, func() { ArgMax(must(FromSlice([]int8{}))) })
}

// TestSumShort sums n copies of the greatest or least value of each small integer type, for the largest n whose sum
// fits 32 bits, and for n+1.
func TestSumShort(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	testSumShort[uint8](t, 255)
	testSumShort[uint16](t, 65535)
	testSumShort[int8](t, -128)
	testSumShort[int16](t, -32768)
}

func testSumShort[T int8 | int16 | uint8 | uint16](t *testing.T, x T) {
	row := must(FromSlice(slices.Repeat([]T{x}, 33)))
	size := row.Array().ItemSize()
	room := 1 << (32 - 8*size)
	type along struct {
		axis int
		a    Array
	}
	for n := room; n <= room+1; n++ {
		all := []along{
			{0, must(row.Broadcast(n, 33)).Array()},
			{1, must(FromSlice(slices.Repeat([]T{x}, 2*n), 2, n)).Array()},
		}
		if size > 1 { // an array of bytes would have half a GiB
			all = append(all, along{0, must(FromSlice(slices.Repeat([]T{x}, 33*n), n, 33)).Array()})
		}
		for _, tt := range all {
			for op, want := range map[Op]float64{OpSum: float64(n) * float64(x), OpMean: float64(x)} {
				r := Reduction{Op: op, Axes: []int{tt.axis}}
				dst := must(New(dtype.Float64, index.C, must(r.Shape(tt.a))...))
				if err := r.Into(dst.Array, tt.a); err != nil {
					t.Fatal(err)
				}
				for y := range must(As[float64](dst.Array)).Values() {
					if y != want {
						t.Fatalf("%v of %d numbers %d, of dtype %v along axis %d: %v, want %v", op, n, x, tt.a.DType(), tt.axis, y, want)
					}
				}
				dst.Close()
			}
		}
	}
}

func isClose(x, y float64) bool { return math.Abs(x-y) <= 1e-14*math.Abs(y) }

func TestMoments(t *testing.T) {
	r := oracle.Rand(t, 92)
	s := make([]float64, 1000)
	for i := range s {
		if s[i] = 1e6 + r.NormFloat64(); r.IntN(10) == 0 {
			s[i] = math.NaN()
		}
	}
	v := must(FromSlice(s))
	want := MomentsOf(v)
	var got Moments
	for _, part := range v.Split(7) {
		got.Merge(MomentsOf(part))
	}
	if got.Count != want.Count || got.NaN != want.NaN || got.Min != want.Min || got.Max != want.Max || !isClose(got.Mean,
		want.Mean) || math.Abs(got.M2-want.M2) > 1e-6*want.M2 {
		t.Errorf("merged %+v, want %+v", got, want)
	}
	if want.Count+want.NaN != 1000 || math.Abs(want.Std(1)-1) > 0.1 {
		t.Errorf("%+v", want)
	}
	if m := MomentsOf(must(FromSlice([]float64{math.NaN()}))); m != (Moments{NaN: 1}) || !math.IsNaN(m.Var(0)) {
		t.Errorf("%+v", m)
	}
	infinite := MomentsOf(must(FromSlice([]float64{1, math.Inf(1), 2})))
	infinite.Merge(Moments{Count: 1, Min: 5, Max: 5, Mean: 5})
	if !math.IsInf(infinite.Mean, 1) || infinite.Max != math.Inf(1) || !math.IsNaN(infinite.M2) || infinite.Count != 4 {
		t.Errorf("%+v", infinite)
	}
	along := must(New(must(dtype.Of[Moments]()), index.C, 10))
	defer along.Close()
	if err := (Reduction{Op: OpMoments, Axes: []int{1}}).Into(along.Array, must(v.Reshape(10,
		100)).Array()); err != nil {
		t.Fatal(err)
	}
	for i, m := range must(As[Moments](along.Array)).All(index.C) {
		if w := MomentsOf(must(v.Reshape(10, 100)).Index(i[0])); m.Count != w.Count || m.Min != w.Min || !isClose(m.Mean,
			w.Mean) {
			t.Errorf("%v: %+v, want %+v", i, m, w)
		}
	}
}

// TestReductionShared reduces large arrays, which goroutines divide in every possible way. The result must be the same
// for any number of goroutines and for stacks.
func TestReductionShared(t *testing.T) {
	oracle.Slow(t)
	r := oracle.Rand(t, 93)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	n, goroutines, ops := 1<<19, []int{1, 2, 5}, []Op{OpSum, OpStd, OpMax, OpArgMax, OpMoments}
	if testing.Short() {
		n = 1 << 18
	}
	if oracle.Race {
		n, goroutines, ops = 3<<16, []int{5}, []Op{OpStd, OpArgMax} // still divided in each way
	}
	s := make([]float64, n)
	for i := range s {
		s[i] = math.Trunc(1000*r.Float64()) / 7
	}
	for _, shape := range [][]int{{n}, {n / 4, 4}, {4, n / 4}, {n / 512, 512}, {n / 4096, 8, 512}, {2, n / 2048, 1024},
		{n / (3 * 4096), 3, 2048, 2}} {
		size := 1
		for _, k := range shape {
			size *= k
		}
		a := must(FromSlice(s[:size], shape...)).Array()
		plain := must(a.Clone(index.C))
		var parts []Array
		for i := range min(a.Len(0), 5) {
			parts = append(parts, a.Index(i))
		}
		stack := must(Stack(parts...))
		joined := must(must(a.Select(index.Range(0, len(parts)))).Clone(index.C))
		for mask := range 1 << len(shape) {
			var axes []int
			for k := range shape {
				if mask>>k&1 == 1 {
					axes = append(axes, k)
				}
			}
			for _, op := range ops {
				red := Reduction{Op: op, Axes: axes}
				if op == OpArgMax && len(axes) != 1 {
					red.Axes = nil
				}
				var first []byte
				for _, procs := range goroutines {
					runtime.GOMAXPROCS(procs)
					got := memoryOf(must(randomReduce(r, red, plain)).view.Store)
					if first == nil {
						first = got
					} else if string(got) != string(first) {
						t.Fatalf("%v of %v along %v: %d goroutines have a different result", op, shape, axes, procs)
					}
				}
				if len(parts) > 1 {
					got, want := must(randomReduce(r, red, stack)), must(randomReduce(r, red, joined))
					if op == OpMax || op == OpArgMax {
						if string(memoryOf(got.view.Store)) != string(memoryOf(want.view.Store)) {
							t.Fatalf("%v of a stack of %v along %v differs", op, shape, axes)
						}
					} else if op == OpStd &&
						Sum[float64](must(As[float64](got))) == 0 != (Sum[float64](must(As[float64](want))) == 0) {
						t.Fatalf("%v of a stack of %v along %v: %v, want %v", op, shape, axes, got, want)
					}
				}
			}
		}
	}
}

// TestReductionParts reduces large arrays whose first axes are kept. A goroutine may own the results for several
// indices along one axis, or along one of several axes. If there are very many results, goroutines wait for each other.
func TestReductionParts(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 96)
	x := make([]uint8, 1_700_000)
	for i := range x {
		x[i] = uint8(r.IntN(251))
	}
	back := index.Reverse()
	for _, c := range []struct {
		shape, axes []int
	}{
		{[]int{1700, 1000}, []int{1}},
		{[]int{5, 7, 46, 1000}, []int{3}},
		{[]int{5, 7, 46, 1000}, []int{2}},
		{[]int{40, 5, 8, 1000}, []int{1, 3}},
		{[]int{850_000, 2}, []int{1}},
		{[]int{3, 2, 250_000}, []int{1}},
		{[]int{2, 3, 2, 140_000}, []int{2}},
	} {
		a := must(FromSlice(x[:product(c.shape)], c.shape...)).Array()
		for name, src := range map[string]Array{
			"as it is": a,
			"backward": must(a.Select(back, back)),
			"stacked":  must(Stack(a.Index(0), a.Index(1), a.Index(0))),
		} {
			t.Run(name, func(t *testing.T) {
				at, results := make([]int, src.NDim()), 1 // strides of the results
				for k := src.NDim() - 1; k >= 0; k-- {
					if !slices.Contains(c.axes, k) {
						at[k] = results
						results *= src.Len(k)
					}
				}
				sum, greatest := make([]int64, results), make([]int64, results)
				for idx, y := range must(As[uint8](src)).All(index.C) {
					to := 0
					for k, i := range idx {
						to += i * at[k]
					}
					sum[to] += int64(y)
					greatest[to] = max(greatest[to], int64(y))
				}
				for op, want := range map[Op][]int64{OpSum: sum, OpMax: greatest} {
					red := Reduction{Op: op, Axes: c.axes}
					for _, order := range []index.Order{index.C, index.F} {
						dst := must(New(dtype.Int64, order, must(red.Shape(src))...))
						if err := red.Into(dst.Array, src); err != nil {
							t.Fatal(err)
						}
						if got := must(must(As[int64](must(dst.Array.Clone(index.C)))).Data()); !slices.Equal(got, want) {
							t.Errorf("%v of %v, %s, along %v, to order %v, differs", op, c.shape, name, c.axes, order)
						}
						dst.Close()
					}
				}
			})
		}
	}
}

// TestReductionMemory tests that the memory for intermediate results is reused if each result has few elements. The
// reduction must allocate less memory than the elements take.
func TestReductionMemory(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.CountsAllocations(t)
	oracle.Slow(t)
	floats, bytes := must(New(dtype.Float64, index.C, 1<<20, 2)), must(New(dtype.Uint8, index.C, 1<<22, 6))
	defer floats.Close()
	defer bytes.Close()
	for _, tt := range []struct {
		op Op
		a  Array
	}{{OpSum, floats.Array}, {OpStd, floats.Array}, {OpArgMax, floats.Array}, {OpSum, bytes.Array}, {OpMean, bytes.Array},
		{OpMax, bytes.Array}} {
		op, a := tt.op, tt.a
		dst := must(New(dtype.Float64, index.C, a.Len(0)))
		defer dst.Close()
		red := Reduction{Op: op, Axes: []int{1}}
		least := uint64(math.MaxUint64)
		for range 5 { // the first run has nothing to reuse, and with -race, sync.Pool drops a quarter
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			if err := red.Into(dst.Array, a); err != nil {
				t.Fatal(err)
			}
			runtime.ReadMemStats(&after)
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > uint64(a.NBytes()) {
			t.Errorf("%v of %v: %d bytes allocated for %d bytes of elements", op, a.DType(), least, a.NBytes())
		}
	}
}

// TestReductionMemoryFreed tests that the memory for many intermediate results is not kept for later reductions.
func TestReductionMemoryFreed(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	a := must(New(dtype.Float64, index.C, 2, 1<<22))
	defer a.Close()
	dst := must(New(dtype.Float64, index.C, 1<<22))
	defer dst.Close()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	if err := (Reduction{Op: OpStd, Axes: []int{0}}).Into(dst.Array, a.Array); err != nil {
		t.Fatal(err)
	}
	runtime.GC() // once; a second collection would empty the pool
	runtime.ReadMemStats(&after)
	if kept := int64(after.HeapAlloc) - int64(before.HeapAlloc); kept > int64(dst.NBytes()) {
		t.Errorf("%d bytes are kept after a reduction to %d bytes", kept, dst.NBytes())
	}
}

// TestReductionReversed tests that reductions of numbers in foreign byte order give the same results as in native
// order. Some lengths of rows and columns are multiples of the vector length. The numbers include ties, zeros of both
// signs, and NaN.
func TestReductionReversed(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 94)
	for _, d := range []dtype.DType{dtype.Int16, dtype.Uint16, dtype.Int32, dtype.Int64, dtype.Uint64, dtype.Float32,
		dtype.Float64} {
		other := d.WithByteOrder(dtype.LittleEndian)
		if other.IsNative() {
			other = d.WithByteOrder(dtype.BigEndian)
		}
		for _, shape := range [][]int{{5003}, {3, 4099}, {15, 4099}, {61, 300}, {691, 191}, {16, 512}, {7, 19, 130}} {
			native, reversed := must(New(d, index.C, shape...)), must(New(other, index.C, shape...))
			x := make([]float64, native.Size())
			for i := range x {
				switch x[i] = float64(r.IntN(2000)); {
				case d.Kind() != dtype.KindFloat:
				case r.IntN(4) == 0:
					x[i] = math.Copysign(0, x[i]-1000)
				case r.IntN(2000) == 0:
					x[i] = math.NaN()
				default:
					x[i] = (x[i] - 1000) / 7
				}
			}
			for _, a := range []Array{native.Array, reversed.Array} {
				if err := Copy(a, must(FromSlice(x, shape...)).Array()); err != nil {
					t.Fatal(err)
				}
			}
			for mask := range 1 << len(shape) {
				var axes []int
				for k := range shape {
					if mask>>k&1 == 1 {
						axes = append(axes, k)
					}
				}
				for op := OpSum; op <= OpCount; op++ {
					red := Reduction{Op: op, Axes: axes, SkipNaN: r.IntN(4) == 0}
					if len(axes) != 1 && (op == OpArgMin || op == OpArgMax) {
						red.Axes = nil
					}
					got, err := randomReduce(r, red, reversed.Array)
					want, wantErr := randomReduce(r, red, native.Array)
					if err != nil || wantErr != nil {
						if fmt.Sprint(err) != fmt.Sprint(wantErr) {
							t.Fatalf("%v of %v %v along %v: %v, want %v", op, d, shape, red.Axes, err, wantErr)
						}
						continue
					}
					a, b := must(Cast[float64](got)), must(Cast[float64](want))
					for idx, x := range a.All(index.C) {
						// A sum may differ from 0 by rounding.
						if y := b.At(idx...); !(math.Abs(x-y) <= 1e-12*max(1, math.Abs(y))) && (x == x || y == y) {
							t.Fatalf("%v of %v %v along %v, skip %v: %v at %v, want %v", op, d, shape, red.Axes, red.SkipNaN, x, idx, y)
						}
					}
				}
			}
		}
	}
}

// TestReductionToAnyLayout tests that results do not depend on the layout of the destination.
func TestReductionToAnyLayout(t *testing.T) {
	r := oracle.Rand(t, 95)
	x := make([]int64, 3*6*222)
	for i := range x {
		x[i] = int64(r.Uint64())
	}
	a := must(must(FromSlice(x, 3, 6, 222)).Transpose(2, 1,
		0)) // found by a random test:
	a = must(must(must(a.ExpandDims(1)).Broadcast(222, 4, 6, 3)).Select(index.Ellipsis,
		index.Colon)) // the axes of lengths 6 and 3 may be merged into one
	for _, op := range []Op{OpSum, OpMean, OpStd, OpMoments} {
		red := Reduction{Op: op, Axes: []int{0}, DDof: 1}
		d := must(red.DType(a.Array()))
		c, f := must(New(d, index.C, 4, 6, 3)), must(New(d, index.F, 4, 6, 3))
		for _, dst := range []Array{c.Array, f.Array} {
			if err := red.Into(dst, a.Array()); err != nil {
				t.Fatal(err)
			}
		}
		if want, got := must(c.Array.Clone(index.C)),
			must(f.Array.Clone(index.C)); !bytes.Equal(memoryOf(want.view.Store),
			memoryOf(got.view.Store)) {
			t.Errorf("%v: in C order %v, in Fortran order %v", op, want, got)
		}
	}
}

// TestExtremesToAnyLayout tests that the sign of a zero and the bits of a NaN do not depend on the layout of the
// destination. In short rows, -0 is less than 0, and a NaN is math.NaN().
func TestExtremesToAnyLayout(t *testing.T) {
	x := make([]float64, 2*103*40)
	for i := range x {
		switch x[i] = math.Copysign(0, -1); {
		case i%40 == 0:
			x[i] = 0
		case i >= len(x)/2 && i%40 < 3:
			x[i] = []float64{1: math.NaN(), 2: -math.NaN()}[i%40]
		}
	}
	a := must(FromSlice(x, 2, 103, 40)).Array()
	for op, want := range map[Op]float64{OpMin: math.Copysign(0, -1), OpMax: 0} {
		for _, order := range []index.Order{index.C, index.F} {
			dst := must(New(dtype.Float64, order, 2, 103))
			if err := (Reduction{Op: op, Axes: []int{2}}).Into(dst.Array, a); err != nil {
				t.Fatal(err)
			}
			for i, y := range must(As[float64](dst.Array)).All(index.C) {
				w := want
				if i[0] == 1 {
					w = math.NaN()
				}
				if math.Float64bits(y) != math.Float64bits(w) {
					t.Fatalf("%v, to order %v, at %v: %v (%#x), want %v", op, order, i, y, math.Float64bits(y), w)
				}
			}
			dst.Close()
		}
	}
}

func TestReductionFault(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 512, 1<<13))
	defer f.Close()
	truncate(t, path, 1<<20)
	for _, axes := range [][]int{nil, {0}, {1}} {
		red := Reduction{Op: OpStd, Axes: axes}
		dst := must(New(dtype.Float64, index.C, must(red.Shape(f.Array))...))
		var fault *mmap.FaultError
		if err := mmap.Guard(func() error { return red.Into(dst.Array, f.Array) }); !errors.As(err, &fault) ||
			fault.Path != path {
			t.Errorf("%v, want a fault in %s", err, path)
		}
		dst.Close()
	}
}

func TestReductionProgress(t *testing.T) {
	oracle.Slow(t)
	f := must(New(dtype.Float32, index.C, 300, 1<<17)) // 150 MiB
	defer f.Close()
	stop := errors.New("enough")
	for _, axes := range [][]int{nil, {0}, {1}} {
		red := Reduction{Op: OpSum, Axes: axes}
		dst := must(New(dtype.Float64, index.C, must(red.Shape(f.Array))...))
		calls, last := 0, int64(-1)
		red.Progress = func(done, total int64) error {
			if calls++; done <= last || total != int64(f.NBytes()) || calls == 1 && done != 0 {
				t.Errorf("%d of %d after %d", done, total, last)
			}
			last = done
			return nil
		}
		if err := red.Into(dst.Array, f.Array); err != nil || last != int64(f.NBytes()) || calls < 3 {
			t.Errorf("%v: %d calls, the last with %d: %v", axes, calls, last, err)
		}
		calls = 0
		red.Progress = func(done, total int64) error {
			if calls++; done > 0 {
				return stop
			}
			return nil
		}
		if err := red.Into(dst.Array, f.Array); !errors.Is(err, stop) || calls != 2 {
			t.Errorf("%v: %v after %d calls", axes, err, calls)
		}
		dst.Close()
	}
}

// TestReductionProgressOfBroadcast tests that the last report covers all bytes, even if broadcast elements are read
// once.
func TestReductionProgressOfBroadcast(t *testing.T) {
	a := must(must(FromSlice([]int16{3, 1, 2})).Broadcast(4, 3)).Array()
	for op := OpSum; op <= OpQuantile; op++ {
		last := int64(-1)
		red := Reduction{Op: op, Qs: []float64{0.5}, Progress: func(done, total int64) error {
			if last = done; total != 24 {
				t.Errorf("%v: %d of %d", op, done, total)
			}
			return nil
		}}
		if _, err := red.Of(a); err != nil || last != 24 {
			t.Errorf("%v: ends with %d of 24: %v", op, last, err)
		}
	}
}

// TestReductionBesideItself tests that a field of records can be reduced into another field, because they share no
// bytes, but not into itself.
func TestReductionBesideItself(t *testing.T) {
	d := dtype.MustParse("[('x', '<f8'), ('sum', '<f8')]")
	a := must(FromBytes(make([]byte, 6*16), d, index.C, 2, 3))
	x, sum := must(a.Field("x")), must(a.Field("sum"))
	for i := range 6 {
		must(As[float64](x)).SetAt(float64(i), i/3, i%3)
	}
	if err := (Reduction{Axes: []int{0}}).Into(sum.Index(1), x); err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(a); got != "[[(0., 0.) (1., 0.) (2., 0.)]\n [(3., 3.) (4., 5.) (5., 7.)]]" {
		t.Errorf("%s", got)
	}
	if err := (Reduction{Axes: []int{0}}).Into(x.Index(1), x); err == nil {
		t.Error("x was reduced into a part of itself")
	}
}

// TestArgComplexNaN tests that the position of the least or greatest complex number equals NumPy's, even if there are
// infinities and NaN is skipped. NumPy's nanargmin replaces NaN by infinity.
func TestArgComplexNaN(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		op   Op
		x    []complex128
		want int64
	}{
		{OpArgMax, []complex128{complex(nan, 0), complex(-inf, -5)}, 0},
		{OpArgMax, []complex128{complex(nan, 0), complex(-inf, 5)}, 1},
		{OpArgMax, []complex128{complex(-inf, -5), complex(0, nan), complex(-inf, -6)}, 1},
		{OpArgMin, []complex128{complex(nan, 0), complex(inf, -5)}, 1},
		{OpArgMin, []complex128{complex(nan, 0), complex(inf, 5)}, 0},
		{OpArgMin, []complex128{complex(nan, 0), 1}, 1},
	} {
		got := must(New(dtype.Int64, index.C))
		if err := (Reduction{Op: tt.op, SkipNaN: true}).Into(got.Array, must(FromSlice(tt.x)).Array()); err != nil ||
			must(As[int64](got.Array)).At() != tt.want {
			t.Errorf("%v of %v: %v, %v, want %d", tt.op, tt.x, got, err, tt.want)
		}
		got.Close()
	}
}

// TestSumNamesItsType tests that Sum does not compile without an explicit accumulator type, because the type of small
// integers easily overflows.
func TestSumNamesItsType(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil || testing.Short() {
		t.Skip("needs the go command, and some time")
	}
	for call, want := range map[string]string{
		"array.Sum(v)":         "cannot infer A",
		"array.Sum[uint16](v)": "uint16 does not satisfy",
	} {
		t.Run(call, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			program := "package main\n\nimport \"github.com/ndmap/ndmap/array\"\n\nfunc main() {\n\tvar v array.View[uint16]\n\tprintln(" + call + ")\n}\n"
			if err := os.WriteFile(file, []byte(program), 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("go", "build", "-o", os.DevNull, file).CombinedOutput()
			if err == nil || !strings.Contains(string(out), want) {
				t.Errorf("%s: %v\n%s\nwant %q", call, err, out, want)
			}
		})
	}
}

// TestSkipNaNShared tests that NaN is skipped in the parts that several goroutines reduce, and counted correctly over
// all parts.
func TestSkipNaNShared(t *testing.T) {
	oracle.AnyProcessor(t)
	const rows, cols = 1 << 16, 4
	s := make([]float64, rows*cols) // 2 MiB
	for i := range s {
		if s[i] = float64(i % 7); i%cols == 1 || i%cols == 2 && i%3 > 0 {
			s[i] = math.NaN()
		}
	}
	a := must(FromSlice(s, rows, cols)).Array()
	for _, axes := range [][]int{{0}, nil} {
		for _, op := range []Op{OpMean, OpMin, OpMax, OpSum, OpVar} {
			red := Reduction{Op: op, Axes: axes, SkipNaN: true}
			dst := must(New(dtype.Float64, index.C, must(red.Shape(a))...))
			if err := red.Into(dst.Array, a); err != nil {
				t.Fatal(err)
			}
			got := collect(must(As[float64](dst.Array)))
			for k, x := range got {
				var kept []float64
				for i, y := range s {
					if (axes == nil || i%cols == k) && y == y {
						kept = append(kept, y)
					}
				}
				want := math.NaN()
				if sum := 0.0; len(kept) > 0 || op == OpSum {
					for _, y := range kept {
						sum += y
					}
					mean, squares := sum/float64(len(kept)), 0.0
					for _, y := range kept {
						squares += (y - mean) * (y - mean)
					}
					switch op {
					case OpSum:
						want = sum
					case OpMean:
						want = mean
					case OpVar:
						want = squares / float64(len(kept))
					case OpMin:
						want = slices.Min(kept)
					case OpMax:
						want = slices.Max(kept)
					}
				}
				if math.Abs(x-want) > 1e-12*math.Abs(want) || (x == x) != (want == want) {
					t.Errorf("%v along %v: result %d is %v, want %v", op, axes, k, x, want)
				}
			}
			dst.Close()
		}
	}
}

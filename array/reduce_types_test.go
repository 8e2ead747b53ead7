package array

import (
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// These types are defined from numbers. The dtype of a halfBits is uint16, not float16.
type (
	celsius  float64
	narrow   float32
	flag     bool
	levels   int16
	halfBits dtype.Half
	phasor   complex64
)

// testReal compares all functions of real numbers with the results for float64. toFloat converts an element.
func testReal[T Real](t *testing.T, v View[T], toFloat func(T) float64) {
	t.Helper()
	name := reflect.TypeFor[T]().String() + " of " + v.DType().String()
	want := make([]float64, 0, v.Size())
	for x := range v.Values() {
		want = append(want, toFloat(x))
	}
	w := must(FromSlice(want, v.Shape()...))
	lo, hi := MinMax(v)
	numbers := func(sum, mean, variance, lo, hi, least, greatest float64, argMin, argMax, nonzero int) []any {
		return []any{sum, mean, variance, lo, hi, least, greatest, argMin, argMax, nonzero}
	}
	l, h := MinMax(w)
	got := numbers(Sum[float64](v), Mean(v), Var(v, 1), toFloat(lo), toFloat(hi), toFloat(Min(v)), toFloat(Max(v)),
		ArgMin(v), ArgMax(v), CountNonzero(v))
	all := numbers(Sum[float64](w), Mean(w), Var(w, 1), l, h, Min(w), Max(w), ArgMin(w), ArgMax(w), CountNonzero(w))
	for i, x := range got {
		if y, ok := x.(float64); ok && math.Abs(y-all[i].(float64)) > 1e-12*math.Abs(y) || !ok && x != all[i] {
			t.Errorf("%s: result %d is %v, want %v", name, i, x, all[i])
		}
	}
	if got, want := SumComplex(v), complex(Sum[float64](v), 0); got != want {
		t.Errorf("%s: SumComplex is %v, want %v", name, got, want)
	}
	if got, want := MomentsOf(v), MomentsOf(w); got.Count != want.Count || got.Min != want.Min || got.Max != want.Max {
		t.Errorf("%s: moments are %v, want %v", name, got, want)
	}
	edges := []float64{-3, -1.5, 0, 1, 2.5, 1000}
	if got, want := must(Histogram(v, edges)), must(Histogram(w, edges)); !slices.Equal(got, want) {
		t.Errorf("%s: histogram %v, want %v", name, got, want)
	}
	for _, q := range []float64{0, 0.5, 1} { // for these, the type of the difference hardly matters
		if got, want := must(Quantile(v, q))[0], must(Quantile(w, q))[0]; math.Abs(got-want) > 1e-3*math.Abs(want) {
			t.Errorf("%s: quantile %v is %v, want %v", name, q, got, want)
		}
	}
	for v.NDim() > 1 {
		v, w = v.Index(0), w.Index(0)
	}
	positions := slices.Collect(v.Find(func(x T) bool { return toFloat(x) > 0 }))
	if want := slices.Collect(w.Find(func(x float64) bool { return x > 0 })); !slices.Equal(positions, want) {
		t.Errorf("%s: Find yields %v, want %v", name, positions, want)
	}
}

// drawn returns a view of two rows with n elements, which next returns.
func drawn[T any](n int, next func(i int) T) View[T] {
	s := make([]T, n)
	for i := range s {
		s[i] = next(i)
	}
	return must(FromSlice(s, 2, n/2))
}

// drawnModels calls testReal for a float type of machine learning models.
func drawnModels[T Real](t *testing.T, r *rand.Rand, n int, from func(float64) T, to func(T) float64) {
	t.Helper()
	v := drawn(n, func(i int) T { return from([]float64{r.NormFloat64(), -2, 0, 0x1p-8, 400}[min(i%7, 4)]) })
	testReal(t, v, to)
	testReal(t, v.T(), to)
	testReal(t, must(As[T](toBigEndian(t, v.Array()))), to)
	testReal(t, must(Cast[T](drawn(n, func(int) int32 { return int32(r.IntN(800) - 400) }).Array())), to)
	testReal(t, must(As[T](must(Stack(v.Array(), v.Array())))), to)
}

// TestDefinedTypes tests that the dtype of a view decides how its elements are reduced, not the type that its Go type
// is defined from.
func TestDefinedTypes(t *testing.T) {
	r := oracle.Rand(t, 39)
	for _, n := range []int{6, 2000, 300_000} {
		if n > 2000 && testing.Short() {
			break
		}
		testReal(t, drawn(n, func(int) celsius { return celsius(r.NormFloat64()) }),
			func(x celsius) float64 { return float64(x) })
		testReal(t, drawn(n, func(int) narrow { return narrow(r.NormFloat64()) }),
			func(x narrow) float64 { return float64(x) })
		testReal(t, drawn(n, func(int) levels { return levels(r.IntN(1000) - 400) }),
			func(x levels) float64 { return float64(x) })
		testReal(t, drawn(n, func(int) halfBits { return halfBits(r.Uint32()) }),
			func(x halfBits) float64 { return float64(x) })
		toBool := func(x bool) float64 { return map[bool]float64{true: 1}[x] }
		testReal(t, drawn(n, func(i int) flag { return i == 1 || r.IntN(2) == 0 }),
			func(x flag) float64 { return toBool(bool(x)) })
		testReal(t, drawn(n, func(i int) bool { return i == 1 || r.IntN(2) == 0 }), toBool)

		halves := drawn(n, func(i int) dtype.Half {
			return dtype.HalfFrom64([]float64{r.NormFloat64(), -2, 0, 0x1p-24, 60000}[min(i%7, 4)])
		})
		testReal(t, halves, dtype.Half.Float64)
		testReal(t, halves.T(), dtype.Half.Float64)
		testReal(t, must(As[dtype.Half](toBigEndian(t, halves.Array()))), dtype.Half.Float64)
		testReal(t, must(Cast[dtype.Half](drawn(n, func(int) int32 { return int32(r.IntN(2000) - 1000) }).Array())),
			dtype.Half.Float64)
		drawnModels(t, r, n, dtype.BF16From64, dtype.BF16.Float64)
		drawnModels(t, r, n, dtype.F8E4M3FNFrom64, dtype.F8E4M3FN.Float64)
		drawnModels(t, r, n, dtype.F8E5M2From64, dtype.F8E5M2.Float64)
		testReal(t, must(Cast[celsius](halves.Array())), func(x celsius) float64 { return float64(x) })
		testReal(t, must(As[dtype.Half](must(Stack(halves.Array(), halves.Array())))), dtype.Half.Float64)
	}
	if got := Sum[celsius](must(FromSlice([]celsius{1.5, 2}))); got != 3.5 {
		t.Errorf("the sum is %v", got)
	}
	if got := SumComplex(must(FromSlice([]phasor{1i, 2}))); got != 2+1i {
		t.Errorf("the sum is %v", got)
	}
	if _, err := As[halfBits](must(FromSlice([]dtype.Half{1})).Array()); !errors.Is(err, ErrDType) {
		t.Errorf("As with a type defined from Half, whose dtype is uint16: %v", err)
	}
}

// toBigEndian returns a big-endian copy of a.
func toBigEndian(t *testing.T, a Array) Array {
	f := must(New(a.DType().WithByteOrder(dtype.BigEndian), index.C, a.Shape()...))
	t.Cleanup(func() { f.Close() })
	must(0, Copy(f.Array, a))
	return f.Array
}

const noElements = "array: no elements, so no minimum or maximum; check Size first"

// TestNothing tests the rules of the package documentation for views without elements.
func TestNothing(t *testing.T) {
	v := must(FromSlice([]float32{}))
	if got := []any{Sum[int64](v), Sum[float64](v), SumComplex(v), CountNonzero(v), MomentsOf(v)}; !slices.Equal(got,
		[]any{int64(0), 0., 0i, 0, Moments{}}) {
		t.Errorf("without elements: %v", got)
	}
	moments := MomentsOf(v)
	for name, x := range map[string]float64{"Mean": Mean(v), "Var": Var(v, 0), "Moments.Var": moments.Var(0),
		"Moments.Std": moments.Std(0)} {
		t.Run(name, func(t *testing.T) {
			if x == x {
				t.Errorf("%s without elements is %v", name, x)
			}
		})
	}
	for name, f := range map[string]func(){
		"Min": func() { Min(v) }, "Max": func() { Max(v) }, "MinMax": func() { MinMax(v) }, "ArgMin": func() { ArgMin(v) },
		"ArgMax": func() { ArgMax(v) },
	} {
		t.Run(name, func(t *testing.T) {
			func() {
				defer func() {
					if err, ok := recover().(runtime.Error); !ok || err.Error() != noElements {
						t.Errorf("%s without elements panics with %v", name, err)
					}
				}()
				f()
			}()
		})
	}
	if _, err := Quantile(v, 0.5); !errors.Is(err, ErrShape) {
		t.Errorf("Quantile without elements: %v", err)
	}
	dst := must(FromSlice([]float64{7}))
	for op := OpSum; op < OpMoments; op++ {
		err := Reduction{Op: op}.Into(must(dst.Reshape()).Array(), v.Array())
		if isExtreme := op >= OpMin && op <= OpArgMax; isExtreme != errors.Is(err, ErrShape) || !isExtreme && err != nil {
			t.Errorf("%v without elements: %v", op, err)
		}
	}
}

// TestErrorKinds tests that errors about a file wrap ErrFormat, and errors about a dtype wrap ErrDType.
func TestErrorKinds(t *testing.T) {
	dir := t.TempDir()
	numbers, text := must(FromSlice([]float64{1})).Array(), must(New(dtype.Bytes(3), index.C, 2))
	defer text.Close()
	_, notNpy := Open(rawFile(t, []byte("text")), ReadOnly)
	_, short := Open(rawFile(t, writtenBytes(t, numbers)[:130]), ReadOnly)
	_, noHeader := OpenAt(rawFile(t, countingBytes(100)), ReadOnly, 100)
	zarr := filepath.Join(dir, ".zarray")
	must(0, Save(zarr, numbers))
	_, folder := Open(dir, ReadOnly)
	_, as := As[int8](numbers)
	_, goType := FromSlice([]string{"a"})
	_, cast := Cast[float64](text.Array)
	_, sum := Reduction{}.DType(text.Array)
	_, field := text.Field("x")
	_, fields := Fields(numbers, "x")
	_, view := numbers.Reinterpret(dtype.DType{})
	_, zero := New(dtype.DType{}, index.C, 1)
	_, bytes := FromBytes(nil, dtype.DType{}, index.C, 0)
	_, raw := CreateRaw(filepath.Join(dir, "new"), 0, must(dtype.SubarrayOf(dtype.Int8, 2)), index.C, 1)
	for name, tt := range map[string]struct{ err, want error }{
		"text": {notNpy, ErrFormat}, "short": {short, ErrFormat}, "offset": {noHeader, ErrFormat}, "folder": {folder,
			ErrFormat},
		"As": {as, ErrDType}, "string": {goType, ErrDType}, "Cast": {cast, ErrDType}, "Reduction": {sum, ErrDType},
		"Field":  {field, ErrDType},
		"Fields": {fields, ErrDType}, "Reinterpret": {view, ErrDType}, "New": {zero, ErrDType}, "FromBytes": {bytes,
			ErrDType}, "CreateRaw": {raw, ErrDType},
		"Copy": {Copy(text.Array, numbers), ErrDType}, "Save": {Convert(filepath.Join(dir, "out"), numbers, dtype.Bytes(2),
			index.C), ErrDType},
	} {
		t.Run(name, func(t *testing.T) {
			other := ErrFormat
			if tt.want == ErrFormat {
				other = ErrDType
			}
			if !errors.Is(tt.err, tt.want) || errors.Is(tt.err, other) {
				t.Errorf("%s: %v; want %v", name, tt.err, tt.want)
			}
		})
	}
}

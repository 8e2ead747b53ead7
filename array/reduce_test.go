package array

import (
	"errors"
	"math"
	"math/big"
	"runtime"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestSumError compares Sum with exact summation, on numbers that cancel.
func TestSumError(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	r := oracle.Rand(t, 12)
	for range 20 {
		s := make([]float64, 1+r.IntN(100000))
		exact, scale := new(big.Float).SetPrec(2000), 0.0
		for i := range s {
			s[i] = (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(60)))
			exact.Add(exact, big.NewFloat(s[i]))
			scale += math.Abs(s[i])
		}
		got := Sum[float64](must(FromSlice(s)))
		diff, _ := new(big.Float).Sub(exact, big.NewFloat(got)).Float64()
		// Pairwise summation: log2 of the number of leaves, and the 16 additions in a leaf.
		if limit := scale * 0x1p-53 * (math.Log2(float64(len(s))) + 17); math.Abs(diff) > limit {
			t.Errorf("%d numbers: error %g, want at most %g", len(s), diff, limit)
		}
	}
}

func TestReduce(t *testing.T) {
	testReduce[int8](t, dtype.Int8)
	testReduce[int16](t, dtype.Int16)
	testReduce[int32](t, dtype.Int32)
	testReduce[int64](t, dtype.Int64)
	testReduce[uint8](t, dtype.Uint8)
	testReduce[uint16](t, dtype.Uint16)
	testReduce[uint32](t, dtype.Uint32)
	testReduce[uint64](t, dtype.Uint64)
	testReduce[float32](t, dtype.Float32)
	testReduce[float64](t, dtype.Float64)
}

// testReduce compares reductions with a loop over At, on views of any layout, in both byte orders, aligned or not. The
// sums are exact in float64.
func testReduce[T kernel.Real](t *testing.T, d dtype.DType) {
	seed, r := oracle.Seed(t), oracle.Rand(t, 14)
	for range oracle.Cases(t, 60) {
		shape := []int{1 + r.IntN(30), 1 + r.IntN(30), 1 + r.IntN(30)}
		d := d.WithByteOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[r.IntN(2)])
		mem := make([]byte, d.ItemSize()*shape[0]*shape[1]*shape[2]+1)[r.IntN(2):]
		a := must(FromBytes(mem, d, []index.Order{index.C, index.F}[r.IntN(2)], shape...))
		v := randomPart(r, must(As[T](a)))
		var sum int64
		total := 0.0
		var all []T
		for idx := range index.All(v.Shape(), index.C) {
			x := T(r.IntN(256))
			if r.IntN(2) == 0 {
				x = -x
			}
			v.SetAt(x, idx...)
			sum, total = sum+int64(x), total+float64(x)
			all = append(all, x)
		}
		nan := false
		if one := T(1); one/2 != 0 && len(all) > 0 && r.IntN(3) == 0 {
			i := make([]int, v.NDim())
			for k := range i {
				i[k] = r.IntN(v.Len(k))
			}
			if nan = r.IntN(2) == 0; nan {
				v.SetAt(T(math.NaN()), i...)
			}
		}
		if got := sumOf(v); !nan && got != float64(sum) {
			t.Fatalf("NDMAP_SEED=%d: Sum of %v %v: %v, want %v", seed, d, v.Layout(), got, sum)
		}
		if got := Mean(v) * float64(v.Size()); !nan && math.Abs(got-total) > 1e-9*math.Abs(total) {
			t.Fatalf("NDMAP_SEED=%d: Mean of %v %v: %v, want %v", seed, d, v.Layout(), got, total)
		}
		switch {
		case len(all) == 0:
		case nan:
			if lo, hi := MinMax(v); lo == lo || hi == hi || sumOf(v) == sumOf(v) {
				t.Fatalf("NDMAP_SEED=%d: %v %v: NaN is lost", seed, d, v.Layout())
			}
		default:
			if lo, hi := slices.Min(all), slices.Max(all); Min(v) != lo || Max(v) != hi {
				t.Fatalf("NDMAP_SEED=%d: %v %v: Min %v Max %v, want %v %v", seed, d, v.Layout(), Min(v), Max(v), lo, hi)
			}
		}
	}
}

// sumOf calls Sum with the result type that a program would choose.
func sumOf[T kernel.Real](v View[T]) float64 {
	switch zero := T(0); {
	case T(1)/2 != 0:
		return Sum[float64](v)
	case zero-1 > 0:
		return float64(int64(Sum[uint64](v)))
	}
	return float64(Sum[int64](v))
}

func TestReduceSpecial(t *testing.T) {
	v := must(FromSlice([]float64{1, math.NaN(), 3}))
	if !math.IsNaN(Min(v)) || !math.IsNaN(Max(v)) || !math.IsNaN(Sum[float64](v)) {
		t.Error("NaN is lost")
	}
	empty := must(FromSlice([]float32{}))
	if Sum[float64](empty) != 0 || !math.IsNaN(Mean(empty)) {
		t.Error("Sum or Mean without elements")
	}
	wantPanic(t, noElements, ErrShape, func() { Min(empty) })
}

// TestSumDeterministic tests that the sum is the same to the last bit for any number of goroutines.
func TestSumDeterministic(t *testing.T) {
	oracle.AnyProcessor(t)
	r := oracle.Rand(t, 16)
	s := make([]float32, 5<<20)
	for i := range s {
		s[i] = r.Float32() - 0.5
	}
	v := must(must(FromSlice(s, 5<<10, 1<<10)).Select(index.Colon, index.Every(-3)))
	want := Mean(v)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		if got := Mean(v); got != want {
			t.Errorf("%d goroutines: %v, want %v", n, got, want)
		}
	}
}

// TestSumFault tests that a fault in a goroutine of a reduction reaches the caller's Guard.
func TestSumFault(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 4<<20))
	defer f.Close()
	v := must(As[float64](f.Array))
	truncate(t, path, 1<<20)
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	var fault *mmap.FaultError
	if err := mmap.Guard(func() error { sink = Sum[float64](v); return nil }); !errors.As(err, &fault) ||
		fault.Path != path {
		t.Errorf("%v, want a fault in %s", err, path)
	}
}

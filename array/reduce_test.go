package array

import (
	"errors"
	"math"
	"math/big"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// The error of Sum against exact summation, on numbers that cancel.
func TestSumError(t *testing.T) {
	r := oracle.Rand(t, 12)
	for range 20 {
		s := make([]float64, 1+r.IntN(100000))
		exact, scale := new(big.Float).SetPrec(2000), 0.0
		for i := range s {
			s[i] = (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(60)))
			exact.Add(exact, big.NewFloat(s[i]))
			scale += math.Abs(s[i])
		}
		got := Sum(must(FromSlice(s)))
		diff, _ := new(big.Float).Sub(exact, big.NewFloat(got)).Float64()
		// Pairwise: log2 of the number of leaves, and the 16 additions in one.
		if limit := scale * 0x1p-53 * (math.Log2(float64(len(s))) + 17); math.Abs(diff) > limit {
			t.Errorf("%d numbers: error %g, at most %g", len(s), diff, limit)
		}
	}
}

func TestReduce(t *testing.T) {
	r := oracle.Rand(t, 14)
	for range 300 {
		shape := []int{1 + r.IntN(30), 1 + r.IntN(30), 1 + r.IntN(30)}
		f := must(New(dtype.Int32.WithOrder([]dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian}[r.IntN(2)]), index.F, shape...))
		v := randomPart(r, must(As[int32](f.Array)))
		sum, lo, hi := int32(0), int32(math.MaxInt32), int32(math.MinInt32)
		for idx := range index.All(v.Shape(), index.C) {
			x := int32(r.Uint32())
			v.Set(x, idx...)
			sum, lo, hi = sum+x, min(lo, x), max(hi, x)
		}
		if got := Sum(v); got != sum {
			t.Fatalf("Sum %d, want %d", got, sum)
		}
		if v.Size() > 0 && (Min(v) != lo || Max(v) != hi) {
			t.Fatalf("Min %d Max %d, want %d %d", Min(v), Max(v), lo, hi)
		}
		f.Close()
	}
	v := must(FromSlice([]float64{1, math.NaN(), 3}))
	if !math.IsNaN(Min(v)) || !math.IsNaN(Max(v)) || !math.IsNaN(Sum(v)) {
		t.Error("NaN is lost")
	}
	empty := must(FromSlice([]float32{}))
	if Sum(empty) != 0 || !math.IsNaN(Mean(empty)) {
		t.Error("sum or mean of nothing")
	}
	wantPanic(t, "x", nil, func() {
		defer func() {
			panic(errors.New(map[bool]string{true: "x"}[recover() == "array: no elements, so none is least or greatest"]))
		}()
		Min(empty)
	})
}

// The same sum to the last bit, for any number of goroutines.
func TestSumDeterministic(t *testing.T) {
	r := oracle.Rand(t, 16)
	s := make([]float32, 5<<20)
	for i := range s {
		s[i] = r.Float32() - 0.5
	}
	v := must(must(FromSlice(s, 5<<10, 1<<10)).Select(index.Colon, index.Step(index.Omit, index.Omit, -3)))
	want := Mean(v)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, n := range []int{1, 2, 3, 8} {
		runtime.GOMAXPROCS(n)
		if got := Mean(v); got != want {
			t.Errorf("%d goroutines: %v, want %v", n, got, want)
		}
	}
}

// A fault in a goroutine of a reduction is the caller's.
func TestSumFault(t *testing.T) {
	path := temp(t)
	f := must(Create(path, dtype.Float64, index.C, 4<<20))
	defer f.Close()
	v := must(As[float64](f.Array))
	truncate(t, path, 1<<20)
	if emulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	var fault *mmap.FaultError
	if err := mmap.Guard(func() error { sink = Sum(v); return nil }); !errors.As(err, &fault) || fault.Path != path {
		t.Errorf("%v, want a fault in %s", err, path)
	}
}

package kernel

import (
	"math"
	"os"
	"runtime"
	"sync"
	"testing"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// The functions below use dtype.Half to convert bits as the loops do.

func halfToSingle(h uint16) uint32 { return math.Float32bits(dtype.Half(h).Float32()) }

func halfToDouble(h uint16) uint64 {
	return math.Float64bits(float64(dtype.Half(h).Float32()))
}

func singleToHalf(b uint32) uint16 {
	if b&(1<<31-1) > 0xFF<<23 {
		b |= 1 << 22 // quiet
	}
	return uint16(dtype.HalfFrom32(math.Float32frombits(b)))
}

func doubleToHalf(b uint64) uint16 { return uint16(dtype.HalfFrom64(math.Float64frombits(b))) }

// holdHalves converts src with and without loops, and tests that both results equal want.
func holdHalves[D, S uint16 | uint32 | uint64](t *testing.T, to, from Num, src []S, want func(S) D) {
	t.Helper()
	dst := make([]D, len(src))
	for _, use := range []bool{false, true} {
		defer useLoops(use)()
		clear(dst)
		Convert(unsafe.Pointer(&dst[0]), to, unsafe.Pointer(&src[0]), from, len(src), false)
		for i, x := range src {
			if w := want(x); dst[i] != w {
				t.Fatalf("loops %v: %#x becomes %#x, want %#x", use, x, dst[i], w)
			}
		}
	}
}

// TestFromHalf tests the conversion of all halves to floats.
func TestFromHalf(t *testing.T) {
	all := make([]uint16, 1<<16)
	for i := range all {
		all[i] = uint16(i)
	}
	holdHalves(t, F32, F16, all, halfToSingle)
	holdHalves(t, F64, F16, all, halfToDouble)
}

// TestToHalf tests the conversion to halves of all halves, the ties between neighbors, and the floats next to both.
// Some of the float64s would become a tie if they were rounded to a float32 first.
func TestToHalf(t *testing.T) {
	var singles []uint32
	var doubles []uint64
	for h := range uint16(0x7C00) {
		low, high := dtype.Half(h).Float64(), 65536.0
		if h+1 < 0x7C00 {
			high = dtype.Half(h + 1).Float64()
		}
		for _, x := range []float64{low, -low, (low + high) / 2, -(low + high) / 2} {
			b32, b64 := math.Float32bits(float32(x)), math.Float64bits(x)
			for d := range uint32(5) {
				singles = append(singles, b32+d-2)
				doubles = append(doubles, b64+uint64(d)-2)
			}
			for _, d := range []uint64{1<<28 - 1, 1 << 28, 1<<28 + 1, 1<<32 - 1, 1 << 32, 1<<32 + 1} {
				doubles = append(doubles, b64-d, b64+d)
			}
		}
	}
	// Infinities, and NaNs and subnormal numbers with one bit, or with all bits below one bit.
	for bit := range 64 {
		for _, b := range []uint64{1 << bit, 1<<bit - 1} {
			b32 := uint32(b)
			doubles = append(doubles, b, b|1<<63, b|0x7FF<<52, b|0xFFF<<52)
			singles = append(singles, b32, b32|1<<31, b32|0xFF<<23, b32|0x1FF<<23)
		}
	}
	holdHalves(t, F16, F32, singles, singleToHalf)
	holdHalves(t, F16, F64, doubles, doubleToHalf)
}

// TestToHalfRandom tests the conversion of random floats to halves. Half of the floats are near the range of a half.
func TestToHalfRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	singles, doubles := make([]uint32, 5000), make([]uint64, 5000)
	for range oracle.Cases(t, 100) {
		for i := range singles {
			singles[i], doubles[i] = r.Uint32(), r.Uint64()
			if i%2 == 0 {
				singles[i] = singles[i]&^(0xFF<<23) | (127-28+r.Uint32N(48))<<23
				doubles[i] = doubles[i]&^(0x7FF<<52) | (1023-28+r.Uint64N(48))<<52
			}
		}
		holdHalves(t, F16, F32, singles, singleToHalf)
		holdHalves(t, F16, F64, doubles, doubleToHalf)
	}
}

// TestToHalfEvery tests the conversion of every float32 to a half if NDMAP_EVERY_FLOAT32 is set. It takes half a
// minute.
func TestToHalfEvery(t *testing.T) {
	if os.Getenv("NDMAP_EVERY_FLOAT32") == "" {
		t.Skip("NDMAP_EVERY_FLOAT32 is not set")
	}
	const part = 1 << 16
	var wait sync.WaitGroup
	for k := range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			src, dst := make([]uint32, part), make([]uint16, part)
			for high := uint32(k); high < 1<<16 && !t.Failed(); high += uint32(runtime.GOMAXPROCS(0)) {
				for i := range src {
					src[i] = high<<16 | uint32(i)
				}
				Convert(unsafe.Pointer(&dst[0]), F16, unsafe.Pointer(&src[0]), F32, part, false)
				for i, b := range src {
					if want := singleToHalf(b); dst[i] != want || halfOfSingle(b) != want {
						t.Errorf("%#x becomes %#x and %#x, want %#x", b, dst[i], halfOfSingle(b), want)
						break
					}
				}
			}
		})
	}
	wait.Wait()
}

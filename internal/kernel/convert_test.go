package kernel

import (
	"math"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
)

func one[D, S any](x S, from, to Num) D {
	var d [2]D
	Convert(unsafe.Pointer(&d), to, unsafe.Pointer(&[]S{x}[0]), from, 1)
	return d[0]
}

func TestConvertEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := []any{
		one[int8](300.0, F64, I8), one[int8](-300.0, F64, I8), one[int8](127.9, F64, I8), one[int8](-128.9, F64, I8), one[int8](nan, F64, I8),
		one[uint8](-0.9, F64, U8), one[uint8](-1.0, F64, U8), one[uint8](255.9, F64, U8), one[uint8](256.0, F64, U8),
		one[int64](inf, F64, I64), one[int64](-inf, F64, I64), one[int64](9.223372036854775e18, F64, I64),
		one[uint64](1e20, F64, U64), one[uint64](9.3e18, F64, U64), one[uint64](-5.0, F64, U64), one[uint64](math.Nextafter(1<<64, 0), F64, U64),
		one[int32](float32(1<<31), F32, I32), one[int64](float32(1<<62), F32, I64),
		one[int8](int64(300), I64, I8), one[uint8](int8(-1), I8, U8), one[float32](int64(1<<24+1), I64, F32),
		one[bool](nan, F64, Bool), one[bool](complex(0, 1), C128, Bool), one[bool](complex(0, 0), C128, Bool), one[bool](uint8(7), Bool, Bool),
		one[int32](uint8(7), Bool, I32), one[complex64](uint8(7), Bool, C64),
		one[float32](complex(1.5, 2), C128, F32), one[complex128](complex64(complex(1.5, 2)), C64, C128), one[complex64](int16(-3), I16, C64),
		one[uint64](uint64(math.MaxUint64), U64, U64), one[float64](uint64(math.MaxUint64), U64, F64),
	}
	want := []any{
		int8(127), int8(-128), int8(127), int8(-128), int8(0),
		uint8(0), uint8(0), uint8(255), uint8(255),
		int64(math.MaxInt64), int64(math.MinInt64), int64(9223372036854774784),
		uint64(math.MaxUint64), uint64(9300000000000000000), uint64(0), uint64(math.MaxUint64 - 2047),
		int32(math.MaxInt32), int64(1 << 62),
		int8(44), uint8(255), float32(1 << 24),
		true, true, false, true,
		int32(1), complex64(1),
		float32(1.5), complex(1.5, 2), complex64(-3),
		uint64(math.MaxUint64), float64(1 << 64),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("want -, got +\n", d)
	}
}

// Blocks of complex numbers and booleans end where the run ends.
func TestConvertBlocks(t *testing.T) {
	for n := range 600 {
		src := make([]complex64, n)
		flags := make([]uint8, n)
		for i := range src {
			src[i] = complex(float32(i), -1)
			flags[i] = uint8(i)
		}
		dst, mask := make([]int32, n+1), make([]int32, n+1)
		dst[n], mask[n] = -7, -7
		Convert(unsafe.Pointer(&dst[0]), I32, unsafe.Pointer(unsafe.SliceData(src)), C64, n)
		Convert(unsafe.Pointer(&mask[0]), I32, unsafe.Pointer(unsafe.SliceData(flags)), Bool, n)
		for i := range n {
			if dst[i] != int32(i) || mask[i] != min(int32(uint8(i)), 1) {
				t.Fatalf("n %d: element %d is %d, %d", n, i, dst[i], mask[i])
			}
		}
		if dst[n] != -7 || mask[n] != -7 {
			t.Fatalf("n %d: written past the end", n)
		}
	}
}

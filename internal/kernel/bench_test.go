package kernel

import (
	"math"
	"testing"
	"unsafe"
)

// BenchmarkKernels measures the gain of assembly: it runs each loop on 64 KiB, which fit the second cache, in plain Go
// and in assembly.
//
//	go test ./internal/kernel -run '^$' -bench . -count 5
func BenchmarkKernels(b *testing.B) {
	src, dst := make([]float64, 32<<10), make([]float64, 32<<10)
	for i := range src {
		src[i] = float64(i)
	}
	s, d := unsafe.Pointer(&src[0]), unsafe.Pointer(&dst[0])
	sums := make([]int32, 100)
	const bytes = 64 << 10
	for _, k := range []struct {
		name string
		run  func()
	}{
		{"reverse 8 bytes", func() { Move(1, bytes/8, Side{d, 0, 8}, Side{s, 0, 8}, 8, 8) }},
		{"every second float64", func() { Move(1, bytes/8, Side{d, 0, 8}, Side{s, 0, 16}, 8, 0) }},
		{"transpose 64 × 128 float64", func() { Transpose(d, 1024, s, 512, 64, 128, 8, 0) }},
		{"transpose 128 × 128 float32", func() { Transpose(d, 512, s, 512, 128, 128, 4, 0) }},
		{"transpose 128 × 256 int16", func() { Transpose(d, 512, s, 256, 128, 256, 2, 0) }},
		{"float64 to float32", func() { Convert(d, F32, s, F64, bytes/8, false) }},
		{"float32 to float64", func() { Convert(d, F64, s, F32, bytes/4, false) }},
		{"int16 to float32", func() { Convert(d, F32, s, I16, bytes/2, false) }},
		{"uint8 to float64", func() { Convert(d, F64, s, U8, bytes/4, false) }},
		{"float16 to float32", func() { Convert(d, F32, s, F16, bytes/4, false) }},
		{"float16 to float64", func() { Convert(d, F64, s, F16, bytes/8, false) }},
		{"float32 to float16", func() { Convert(d, F16, s, F32, bytes/4, false) }},
		{"float64 to float16", func() { Convert(d, F16, s, F64, bytes/8, false) }},
		{"bfloat16 to float32", func() { Convert(d, F32, s, BF16, bytes/4, false) }},
		{"bfloat16 to float64", func() { Convert(d, F64, s, BF16, bytes/8, false) }},
		{"float8_e4m3fn to float64", func() { Convert(d, F64, s, E4M3FN, bytes/8, false) }},
		{"float32 to bfloat16", func() { Convert(d, BF16, s, F32, bytes/4, false) }},
		{"float64 to bfloat16", func() { Convert(d, BF16, s, F64, bytes/8, false) }},
		{"float8_e4m3fn to float32", func() { Convert(d, F32, s, E4M3FN, bytes/4, false) }},
		{"float32 to float8_e4m3fn", func() { Convert(d, E4M3FN, s, F32, bytes/4, false) }},
		{"float64 to float8_e4m3fn", func() { Convert(d, E4M3FN, s, F64, bytes/8, false) }},
		{"float8_e5m2 to float32", func() { Convert(d, F32, s, E5M2, bytes/4, false) }},
		{"float32 to float8_e5m2", func() { Convert(d, E5M2, s, F32, bytes/4, false) }},
		{"float64 to float8_e5m2", func() { Convert(d, E5M2, s, F64, bytes/8, false) }},
		{"sum of float64", func() { sink = Sum(src[:bytes/8]) }},
		{"sum of float32", func() { sink = Sum(unsafe.Slice((*float32)(s), bytes/4)) }},
		{"least and greatest float64", func() { sink, _ = MinMax(src[:bytes/8], 0) }},
		{"least and greatest int64", func() {
			lo, _ := MinMax(unsafe.Slice((*int64)(s), bytes/8), 0)
			sink = math.Float64frombits(uint64(lo))
		}},
		{"rows of 12 bytes", func() { Move(bytes/16, 12, Side{d, 14, 1}, Side{s, 16, 1}, 1, 0) }},
		{"float64 scaled", func() { Scale(d, F64, s, F64, bytes/8, 2, 3) }},
		{"sum of uint16", func() { wide = SumWide(unsafe.Slice((*uint16)(s), bytes/2), 0) }},
		{"nonzero float32", func() { wide = int64(Nonzero(unsafe.Slice((*float32)(s), bytes/4))) }},
		{"squares of int16", func() { wide, _ = SumAndSquares(unsafe.Slice((*int16)(s), bytes/2)) }},
		{"greatest of 100 columns of float64", func() { GreatestOf(dst[:100], s, 800, bytes/800, 0) }},
		{"sums of 100 columns of int16", func() { AddIntegers[int16](sums, s, 200, bytes/200, 0) }},
		{"sums of 100 columns of float64", func() { AddFloats[float64](dst[:100], dst[100:200], s, 800, bytes/800, 0) }},
		{"deviations of 100 columns", func() { AddDeviations(dst[:100], src[:100], s, 800, bytes/800, 0) }},
		{"squared deviations of 100 columns", func() {
			AddSquaredDeviations(dst[:100], dst[100:200], src[:100], s, 800, bytes/800, 0)
		}},
		{"deviations of a row", func() { sink = SumDeviations(src[:bytes/8], 3, 0) }},
		{"least and greatest uint8", func() { lo, _ := MinMax(unsafe.Slice((*uint8)(s), bytes), 0); sink = float64(lo) }},
	} {
		for _, way := range []string{"plain", "loops"} {
			b.Run(k.name+"/"+way, func(b *testing.B) {
				use := way == "loops"
				if use && !hasLoops {
					b.Skip("no loops in this build, or on this processor")
				}
				defer useLoops(use)()
				b.SetBytes(bytes)
				for range b.N {
					k.run()
				}
			})
		}
	}
}

// sink and wide keep the compiler from removing computations.
var (
	sink float64
	wide int64
)

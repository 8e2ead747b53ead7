package kernel

import (
	"bytes"
	"math"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestModelsToF32 tests that Convert converts all floats of machine learning models to the same float32 as package
// dtype.
func TestModelsToF32(t *testing.T) {
	for _, m := range []struct {
		name string
		n    int
		from Num
		want func(i int) float32
	}{
		{"bfloat16", 1 << 16, BF16, func(i int) float32 { return dtype.BF16(i).Float32() }},
		{"float8_e4m3fn", 256, E4M3FN, func(i int) float32 { return dtype.F8E4M3FN(i).Float32() }},
		{"float8_e5m2", 256, E5M2, func(i int) float32 { return dtype.F8E5M2(i).Float32() }},
	} {
		t.Run(m.name, func(t *testing.T) {
			src8, src16, dst := make([]uint8, m.n), make([]uint16, m.n), make([]float32, m.n)
			for i := range m.n {
				src8[i], src16[i] = uint8(i), uint16(i)
			}
			src := Pointer(&src8[0])
			if m.n > 256 {
				src = Pointer(&src16[0])
			}
			compareConversions(t, Pointer(&dst[0]), F32, src, m.from, m.n)
			for i, x := range dst {
				if want := m.want(i); math.Float32bits(x) != math.Float32bits(want) {
					t.Errorf("%s %#x is %v, want %v", m.name, i, x, want)
				}
			}
		})
	}
}

// TestModelsFrom tests that Convert converts random numbers and numbers near ties to the same floats of machine
// learning models as package dtype.
func TestModelsFrom(t *testing.T) {
	r := oracle.Rand(t, 11)
	n := oracle.Cases(t, 1<<17)
	f32, f64, i64, u64 := make([]float32, n), make([]float64, n), make([]int64, n), make([]uint64, n)
	for i := range n {
		u64[i] = r.Uint64() >> r.IntN(64)
		if r.IntN(2) == 0 {
			u64[i] &^= 1<<r.IntN(64) - 1
			u64[i] += uint64(r.IntN(3)) - 1
		}
		i64[i] = int64(u64[i])
		f32[i] = math.Float32frombits(r.Uint32())
		f64[i] = math.Float64frombits(r.Uint64())
		if r.IntN(4) > 0 { // in the range of all of these types and near ties
			b := uint32(127-20+r.IntN(40))<<23 | r.Uint32()&(1<<23-1)&^(1<<r.IntN(24)-1)
			f32[i] = math.Float32frombits(b + uint32(r.IntN(3)) - 1)
			f64[i] = math.Float64frombits(math.Float64bits(float64(math.Float32frombits(b))) + uint64(r.IntN(3)) - 1)
			if r.IntN(2) == 0 {
				f32[i], f64[i] = -f32[i], -f64[i]
			}
		}
	}
	for bit := range 52 { // infinities, and NaNs with one bit of the payload, or with all bits below it
		for k, b := range []uint64{1 << bit, 1<<bit - 1} {
			i, low := 4*bit+2*k, uint32(b)&(1<<23-1)
			f32[i], f32[i+1] = math.Float32frombits(0xFF<<23|low), math.Float32frombits(0x1FF<<23|low)
			f64[i], f64[i+1] = math.Float64frombits(0x7FF<<52|b), math.Float64frombits(0xFFF<<52|b)
		}
	}
	d16, d8 := make([]uint16, n), make([]uint8, n)
	for _, m := range []struct {
		name     string
		to, from Num
		src      Pointer
		want     func(i int) uint16
	}{
		{"F32 to BF16", BF16, F32, Pointer(&f32[0]), func(i int) uint16 { return uint16(dtype.BF16From32(f32[i])) }},
		{"F64 to BF16", BF16, F64, Pointer(&f64[0]), func(i int) uint16 { return uint16(dtype.BF16From64(f64[i])) }},
		{"I64 to BF16", BF16, I64, Pointer(&i64[0]), func(i int) uint16 {
			x := i64[i]
			if x < 0 {
				return 0x8000 | slowBF16(-uint64(x))
			}
			return slowBF16(uint64(x))
		}},
		{"U64 to BF16", BF16, U64, Pointer(&u64[0]), func(i int) uint16 { return slowBF16(u64[i]) }},
		{"F32 to E4M3FN", E4M3FN, F32, Pointer(&f32[0]), func(i int) uint16 { return uint16(dtype.F8E4M3FNFrom32(f32[i])) }},
		{"F64 to E4M3FN", E4M3FN, F64, Pointer(&f64[0]), func(i int) uint16 { return uint16(dtype.F8E4M3FNFrom64(f64[i])) }},
		{"F32 to E5M2", E5M2, F32, Pointer(&f32[0]), func(i int) uint16 { return uint16(dtype.F8E5M2From32(f32[i])) }},
		{"F64 to E5M2", E5M2, F64, Pointer(&f64[0]), func(i int) uint16 { return uint16(dtype.F8E5M2From64(f64[i])) }},
	} {
		t.Run(m.name, func(t *testing.T) {
			dst := Pointer(&d8[0])
			if m.to == BF16 {
				dst = Pointer(&d16[0])
			}
			compareConversions(t, dst, m.to, m.src, m.from, n)
			for i := range n {
				got := uint16(d8[i])
				if m.to == BF16 {
					got = d16[i]
				}
				if want := m.want(i); got != want {
					t.Fatalf("%s, number %d (%b, %b, %d) is %#x, want %#x", m.name, i, f32[i], f64[i], u64[i], got, want)
				}
			}
		})
	}
}

// compareConversions tests that conversions with and without loops have the same results.
func compareConversions(t *testing.T, dst Pointer, to Num, src Pointer, from Num, n int) {
	t.Helper()
	var plain []byte
	for _, use := range []bool{false, true} {
		undo := useLoops(use)
		Convert(dst, to, src, from, n, false)
		undo()
		b := Bytes(dst, n*sizes[to])
		if plain == nil {
			plain = bytes.Clone(b)
		}
		for i := range b {
			if b[i] != plain[i] {
				t.Fatalf("%d to %d: number %d is %x with loops, and %x without", from, to, i/sizes[to], b[i], plain[i])
			}
		}
	}
}

// slowBF16 rounds an integer to the nearest BF16, ties to even, using integers only.
func slowBF16(x uint64) uint16 {
	exp := 127
	half := uint64(0) // the lost bits: the top bit is the first of them, and the other bits are nonzero if one is set
	for ; x >= 1<<8; exp++ {
		half = half>>1 | half&1 | x&1<<63
		x >>= 1
	}
	if half > 1<<63 || half == 1<<63 && x&1 == 1 {
		x++
	}
	switch {
	case x == 0:
		return 0
	case x == 1<<8:
		x, exp = 1<<7, exp+1
	}
	exp += 7
	for x < 1<<7 {
		x, exp = x<<1, exp-1
	}
	return uint16(exp)<<7 | uint16(x)&0x7F
}

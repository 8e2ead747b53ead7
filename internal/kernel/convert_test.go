package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	stdslices "slices"
	"testing"
	"unsafe"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func one[D, S any](x S, from, to Num) D {
	var d [2]D
	Convert(unsafe.Pointer(&d), to, unsafe.Pointer(&[]S{x}[0]), from, 1, false)
	return d[0]
}

// TestConvertEdges tests conversions of edge cases.
func TestConvertEdges(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	got := []any{
		one[int8](300.0, F64, I8), one[int8](-300.0, F64, I8), one[int8](127.9, F64, I8), one[int8](-128.9, F64, I8),
		one[int8](nan, F64, I8),
		one[uint8](-0.9, F64, U8), one[uint8](-1.0, F64, U8), one[uint8](255.9, F64, U8), one[uint8](256.0, F64, U8),
		one[int64](inf, F64, I64), one[int64](-inf, F64, I64), one[int64](9.223372036854775e18, F64, I64),
		one[uint64](1e20, F64, U64), one[uint64](9.3e18, F64, U64), one[uint64](-5.0, F64, U64),
		one[uint64](math.Nextafter(1<<64, 0), F64, U64),
		one[int32](float32(1<<31), F32, I32), one[int64](float32(1<<62), F32, I64),
		one[int64](int8(-1), I8, I64), one[uint64](int8(-1), I8, U64), one[float32](int64(1<<24+1), I64, F32),
		one[bool](nan, F64, Bool), one[bool](float32(0), F32, Bool), one[bool](uint8(7), Bool, Bool),
		one[uint8](uint8(7), Bool, U8),
		one[complex64](complex(1.5, 2), C128, C64), one[complex128](complex64(complex(1.5, 2)), C64, C128),
		one[complex64](float32(-3), F32, C64),
		one[float64](uint64(math.MaxUint64), U64, F64),
	}
	want := []any{
		int8(127), int8(-128), int8(127), int8(-128), int8(0),
		uint8(0), uint8(0), uint8(255), uint8(255),
		int64(math.MaxInt64), int64(math.MinInt64), int64(9223372036854774784),
		uint64(math.MaxUint64), uint64(9300000000000000000), uint64(0), uint64(math.MaxUint64 - 2047),
		int32(math.MaxInt32), int64(1 << 62),
		int64(-1), uint64(math.MaxUint64), float32(1 << 24),
		true, false, true,
		uint8(1),
		complex64(complex(1.5, 2)), complex(1.5, 2), complex64(-3),
		float64(1 << 64),
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error("want -, got +\n", d)
	}
}

// TestConvertBlocks tests conversions of runs of booleans of many lengths, and that no byte after a run is written.
func TestConvertBlocks(t *testing.T) {
	for n := range 600 {
		flags := make([]uint8, n)
		for i := range flags {
			flags[i] = uint8(i)
		}
		mask := make([]uint8, n+1)
		mask[n] = 7
		Convert(unsafe.Pointer(&mask[0]), U8, unsafe.Pointer(unsafe.SliceData(flags)), Bool, n, false)
		for i := range n {
			if mask[i] != min(uint8(i), 1) {
				t.Fatalf("n %d: element %d is %d", n, i, mask[i])
			}
		}
		if mask[n] != 7 {
			t.Fatalf("n %d: written past the end", n)
		}
	}
}

// TestConvertRoundsOnce tests that 64-bit integers are rounded to floats only once, even on machines without such
// integers. Integers near a tie reveal double rounding.
func TestConvertRoundsOnce(t *testing.T) {
	r := oracle.Rand(t, 2)
	for range 100_000 {
		x := r.Uint64() >> r.IntN(64)
		if r.IntN(4) == 0 {
			x = -x // near the end of uint64
		}
		if n := bits.Len64(x); n > 25 {
			x = x>>(n-25)<<(n-25) | 1<<(n-25) // a tie
			x += uint64(r.IntN(3)) - 1
		}
		want, _ := new(big.Float).SetUint64(x).Float32()
		if got := one[float32](x, U64, F32); got != want {
			t.Fatalf("uint64 %d is %v, want %v", x, got, want)
		}
		want, _ = new(big.Float).SetInt64(int64(x)).Float32()
		if got := one[float32](int64(x), I64, F32); got != want {
			t.Fatalf("int64 %d is %v, want %v", int64(x), got, want)
		}
	}
}

// slowConvert is a readable version of Convert for one number.
func slowConvert(dst []byte, to Num, src []byte, from Num) {
	ne := binary.NativeEndian
	var bits [2]uint64 // the number, or its real and imaginary part
	whole := sizes[from]
	if from == C64 || from == C128 {
		whole /= 2
	}
	for i := range sizes[from] / whole {
		part := src[i*whole:]
		switch whole {
		case 1:
			bits[i] = uint64(part[0])
		case 2:
			bits[i] = uint64(ne.Uint16(part))
		case 4:
			bits[i] = uint64(ne.Uint32(part))
		case 8:
			bits[i] = ne.Uint64(part)
		}
	}
	n := uint64(0) // the number as an integer, modulo 1<<64
	var f [2]float64
	var f32 [2]float32 // not converted from f, which would make a signaling NaN quiet
	integer := true
	switch from {
	case BF16:
		integer = false
		f32[0] = dtype.BF16(bits[0]).Float32()
		f[0] = float64(f32[0])
	case E4M3FN:
		integer = false
		f32[0] = dtype.F8E4M3FN(bits[0]).Float32()
		f[0] = float64(f32[0])
	case E5M2:
		integer = false
		f32[0] = dtype.F8E5M2(bits[0]).Float32()
		f[0] = float64(f32[0])
	case F16:
		integer = false
		f32[0] = dtype.Half(bits[0]).Float32()
		f[0] = float64(f32[0])
	case Bool:
		n = min(bits[0], 1)
	case U8, U16, U32, U64:
		n = bits[0]
	case I8, I16, I32, I64:
		shift := 64 - 8*whole
		n = uint64(int64(bits[0]<<shift) >> shift)
	default:
		integer = false
		for i := range f {
			if whole == 4 {
				f32[i] = math.Float32frombits(uint32(bits[i]))
				f[i] = float64(f32[i])
			} else {
				f[i] = math.Float64frombits(bits[i])
				f32[i] = float32(f[i])
			}
		}
	}
	signed := from >= I8 && from <= I64
	if integer {
		x := new(big.Float).SetUint64(n) // on 32-bit machines float32(n) is not always the nearest float32
		if signed {
			x.SetInt64(int64(n))
		}
		f[0], _ = x.Float64()
		f32[0], _ = x.Float32()
	}
	width := 8 * sizes[to]
	switch to {
	case Bool:
		dst[0] = 0
		if f != [2]float64{} {
			dst[0] = 1
		}
		return
	case BF16:
		switch {
		case from == F32:
			ne.PutUint16(dst, uint16(dtype.BF16From32(f32[0])))
		case from == F64:
			ne.PutUint16(dst, uint16(dtype.BF16From64(math.Float64frombits(bits[0]))))
		case from == I64 && int64(n) < 0:
			ne.PutUint16(dst, 1<<15|slowBF16(-n))
		default:
			ne.PutUint16(dst, slowBF16(n))
		}
		return
	case E4M3FN:
		dst[0] = uint8(dtype.F8E4M3FNFrom64(f[0]))
		return
	case E5M2:
		if dst[0] = uint8(dtype.F8E5M2From32(f32[0])); from == F64 {
			dst[0] = uint8(dtype.F8E5M2From64(f[0]))
		}
		return
	case F16:
		if ne.PutUint16(dst, singleToHalf(math.Float32bits(f32[0]))); from == F64 {
			ne.PutUint16(dst, doubleToHalf(bits[0]))
		}
		return
	case F32:
		ne.PutUint32(dst, math.Float32bits(f32[0]))
		return
	case F64:
		ne.PutUint64(dst, math.Float64bits(f[0]))
		return
	case C64:
		ne.PutUint32(dst, math.Float32bits(f32[0]))
		ne.PutUint32(dst[4:], math.Float32bits(f32[1]))
		return
	case C128:
		ne.PutUint64(dst, math.Float64bits(f[0]))
		ne.PutUint64(dst[8:], math.Float64bits(f[1]))
		return
	}
	if !integer && f[0] == f[0] {
		low, high := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(width))
		if to >= I8 && to <= I64 {
			low.Neg(high.Rsh(high, 1))
		}
		high.Sub(high, big.NewInt(1))
		x := new(big.Int)
		switch {
		case math.IsInf(f[0], -1):
			x = low
		case math.IsInf(f[0], 1):
			x = high
		default:
			big.NewFloat(f[0]).Int(x)
		}
		if x.Cmp(low) < 0 {
			x = low
		}
		if x.Cmp(high) > 0 {
			x = high
		}
		if n = x.Uint64(); x.IsInt64() {
			n = uint64(x.Int64())
		}
	}
	switch width {
	case 8:
		dst[0] = byte(n)
	case 16:
		ne.PutUint16(dst, uint16(n))
	case 32:
		ne.PutUint32(dst, uint32(n))
	case 64:
		ne.PutUint64(dst, n)
	}
}

func randomConvert(c *randomCase) {
	from, to := F64, F32
	for ok := false; !ok; {
		from, to = Num(c.IntN(int(nums))), Num(c.IntN(int(nums)))
		f, t := equivalentTypes(from, to)
		ok = table[f][t] != nil || from != to && from.IsComplex() && to.IsComplex()
	}
	n := c.length(300)
	c.fill(c.src)
	c.fill(c.dst)
	align := func(mem []byte, size int) int { return c.offset(mem, n*size) &^ (min(size, 8) - 1) }
	d, s := align(c.dst, sizes[to]), align(c.src, sizes[from])
	tame := c.IntN(4)
	for i := range n {
		c.putNumber(c.src[s+i*sizes[from]:], to, from, tame)
	}
	want := bytes.Clone(c.dst)
	for i := range n {
		slowConvert(want[d+i*sizes[to]:], to, c.src[s+i*sizes[from]:], from)
	}
	Convert(unsafe.Pointer(unsafe.SliceData(c.dst[d:])), to, unsafe.Pointer(unsafe.SliceData(c.src[s:])), from, n,
		IsNonTemporal(n*sizes[to]))
	c.check(want, "Convert(%d numbers, %d to %d), from %d to %d", n, from, to, s, d)
}

// putNumber stores a number of type from at src. In most cases it is an edge case for type to, as random bytes are
// rarely near an integer. If tame is 1, numbers are below 1<<51; if tame is 2, they are not negative; if tame is 3,
// every type can hold them.
func (c *randomCase) putNumber(src []byte, to, from Num, tame int) {
	x := math.Ldexp(float64(c.IntN(512)-256), c.IntN(70)-6)
	if c.IntN(2) == 0 { // near the limits of integers
		x = math.Ldexp(1, []int{0, 7, 8, 15, 16, 31, 32, 63, 64}[c.IntN(9)]) + float64(c.IntN(5)-2)/2
		x = math.Copysign(x, float64(c.IntN(2))-0.5)
	}
	if to == F16 { // in the range of a half
		x = math.Ldexp(x, c.IntN(32)-24) * (1 + math.Ldexp(float64(c.IntN(3)-1), -c.IntN(53)))
	}
	if to >= BF16 { // near a tie
		x = math.Ldexp(1+float64(c.IntN(4))/4+math.Ldexp(1, -[]int{8, 4, 3}[to-BF16]),
			c.IntN(40)-22) * (1 + math.Ldexp(float64(c.IntN(3)-1), -c.IntN(53)))
		x = math.Copysign(x, float64(c.IntN(2))-0.5)
	}
	edge := c.IntN(12)
	if tame == 1 || tame == 2 {
		x, edge = math.Ldexp(float64(c.IntN(512*tame)-512*(2-tame)), c.IntN(48)-6)+0.75*float64(c.IntN(2)), c.IntN(6)
	}
	if tame == 3 {
		x, edge = float64(c.IntN(256))/2, 0
		src[sizes[from]-1] &= 0x7f // so that an integer is not negative
		src[0] &= 0x7f
	}
	switch from {
	case F32, C64:
		if edge < 6 {
			binary.NativeEndian.PutUint32(src, math.Float32bits(float32(x)))
		}
	case F64, C128:
		if edge < 6 {
			binary.NativeEndian.PutUint64(src, math.Float64bits(x))
		} else if edge == 6 {
			binary.NativeEndian.PutUint64(src, math.Float64bits([]float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0,
				-1)}[c.IntN(4)]))
		}
	}
}

// randomConvertStrided checks the rows that ConvertStrided reports as converted. ConvertStrided may have written
// numbers of the remaining rows, but nothing between them.
func randomConvertStrided(c *randomCase) {
	from, to := Num(c.IntN(int(nums))), Num(c.IntN(int(nums)))
	if !CanConvertStrided(to, from) {
		return
	}
	m, n := 1+c.IntN(9), 1+c.length(40)
	drow, ditem, d, dn := c.strides(m, n, sizes[to])
	srow, sitem, s, sn := c.strides(m, n, sizes[from])
	if max(dn, sn) > len(c.dst) {
		return
	}
	c.fill(c.src)
	c.fill(c.dst)
	d += c.offset(c.dst, dn)
	s += c.offset(c.src, sn)
	tame := c.IntN(4)
	dswap, sswap := c.IntN(2), c.IntN(2)
	for i := range m {
		for j := range n {
			number := c.src[s+i*srow+j*sitem:]
			c.putNumber(number, to, from, tame)
			if sswap != 0 {
				reverse(number, from)
			}
		}
	}
	want := bytes.Clone(c.dst)
	rows := ConvertStrided(m, n, Side{unsafe.Pointer(&c.dst[d]), drow, ditem}, to, Side{unsafe.Pointer(&c.src[s]), srow,
		sitem}, from, dswap, sswap)
	if rows < m && (tame == 3 || !from.IsFloat() && from != U64) {
		c.Fatalf("NDMAP_SEED=%d: ConvertStrided(%d × %d numbers, %d to %d) converts %d rows", c.seed, m, n, from, to, rows)
	}
	for i := range m {
		for j := range n {
			at := d + i*drow + j*ditem
			if i < rows {
				number := bytes.Clone(c.src[s+i*srow+j*sitem:][:sizes[from]])
				if sswap != 0 {
					reverse(number, from)
				}
				if slowConvert(want[at:], to, number, from); dswap != 0 {
					reverse(want[at:], to)
				}
			} else {
				copy(want[at:at+sizes[to]], c.dst[at:])
			}
		}
	}
	c.check(want, "ConvertStrided(%d × %d numbers, %d to %d, reversed %d %d, strides %d %d to %d %d), from %d to %d", m, n,
		from, to, dswap, sswap, srow, sitem, drow, ditem, s, d)
}

// reverse reverses the bytes of the number at the start of b, or of each part of a complex number.
func reverse(b []byte, n Num) {
	if n >= C64 {
		half := sizes[n] / 2
		stdslices.Reverse(b[:half])
		b = b[half : 2*half]
		stdslices.Reverse(b)
		return
	}
	stdslices.Reverse(b[:sizes[n]])
}

package dtype

import (
	"math"
	"math/big"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// A slowFloat implements a floating-point format by its definition, in integers.
type slowFloat struct {
	name            string
	exp, frac, bias int
	finite          bool // no infinities; NaN has all bits set
	to32            func(uint16) float32
	to64            func(uint16) float64
	from32          func(float32) uint16
	from64          func(float64) uint16
}

var slowFloats = []slowFloat{
	{"bfloat16", 8, 7, 127, false,
		func(u uint16) float32 { return BF16(u).Float32() }, func(u uint16) float64 { return BF16(u).Float64() },
		func(x float32) uint16 { return uint16(BF16From32(x)) }, func(x float64) uint16 { return uint16(BF16From64(x)) }},
	{"float8_e4m3fn", 4, 3, 7, true,
		func(u uint16) float32 { return F8E4M3FN(u).Float32() }, func(u uint16) float64 { return F8E4M3FN(u).Float64() },
		func(x float32) uint16 { return uint16(F8E4M3FNFrom32(x)) },
		func(x float64) uint16 { return uint16(F8E4M3FNFrom64(x)) }},
	{"float8_e5m2", 5, 2, 15, false,
		func(u uint16) float32 { return F8E5M2(u).Float32() }, func(u uint16) float64 { return F8E5M2(u).Float64() },
		func(x float32) uint16 { return uint16(F8E5M2From32(x)) }, func(x float64) uint16 { return uint16(F8E5M2From64(x)) }},
}

func (f *slowFloat) sign() uint16 { return 1 << (f.exp + f.frac) }

// top returns the least pattern of bits, without a sign, that is not a finite number.
func (f *slowFloat) top() uint16 {
	if f.finite {
		return f.sign() - 1
	}
	return f.sign() - 1<<f.frac
}

// scaled returns the magnitude of a pattern without a sign, in units of the smallest subnormal. An
// infinity has the magnitude that its bits would have as a number.
func (f *slowFloat) scaled(u uint16) *big.Int {
	e, m := int(u)>>f.frac, int64(u)&(1<<f.frac-1)
	if e == 0 {
		return big.NewInt(m)
	}
	return new(big.Int).Lsh(big.NewInt(m+1<<f.frac), uint(e-1))
}

// unit returns the exponent of the least subnormal.
func (f *slowFloat) unit() int { return 1 - f.bias - f.frac }

// nearest returns the pattern nearest to sign × n × 2^exp, ties to even, by search.
func (f *slowFloat) nearest(negative bool, n *big.Int, exp int) uint16 {
	// Compute in half of the finer of the two units.
	shift := exp - f.unit()
	a, up := new(big.Int).Lsh(n, 1), 0
	if shift >= 0 {
		a.Lsh(a, uint(shift))
	} else {
		up = -shift
	}
	at := func(u uint16) *big.Int { return new(big.Int).Lsh(f.scaled(u), uint(1+up)) }
	lo, hi := uint16(0), f.top() // at(lo) <= a, and at(hi) > a or hi is the top
	for hi-lo > 1 {
		if mid := lo + (hi-lo)/2; at(mid).Cmp(a) <= 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	middle := new(big.Int).Add(at(lo), at(hi))
	middle.Rsh(middle, 1)
	u := lo
	if c := a.Cmp(middle); c > 0 || c == 0 && lo&1 == 1 {
		u = hi
	}
	if negative {
		u |= f.sign()
	}
	return u
}

// split64 returns |x| as n × 2^exp.
func split64(x float64) (n *big.Int, exp int) {
	b := math.Float64bits(x)
	e, m := int(b>>52&0x7FF), int64(b&(1<<52-1))
	if e == 0 {
		return big.NewInt(m), -1074
	}
	return big.NewInt(m | 1<<52), e - 1075
}

func (f *slowFloat) isNaN(u uint16) bool {
	if m := u &^ f.sign(); f.finite {
		return m == f.top()
	} else {
		return m > f.top()
	}
}

// TestModelFloats converts all patterns of bits to float32 and float64 and back.
func TestModelFloats(t *testing.T) {
	for k := range slowFloats {
		f := &slowFloats[k]
		for i := range 2 * int(f.sign()) {
			u := uint16(i)
			x, y := f.to32(u), f.to64(u)
			m, sign := u&^f.sign(), u&f.sign() != 0
			if (math.Float32bits(x)>>31 == 1) != sign || math.Signbit(y) != sign {
				t.Errorf("%s %#x is %v and %v: the sign is lost", f.name, u, x, y)
			}
			switch {
			case f.isNaN(u):
				quiet := f.finite || u>>(f.frac-1)&1 == 1
				if x == x || y == y {
					t.Fatalf("%s %#x is %v and %v, want NaN", f.name, u, x, y)
				}
				b := math.Float64bits(y)
				if !f.finite && (b>>52&0x7FF != 0x7FF || b<<12>>(64-f.frac) != uint64(m)&(1<<f.frac-1)) {
					t.Errorf("%s %#x is %#x: the payload is lost", f.name, u, b)
				}
				want := u // a signalling NaN becomes quiet, and its other bits stay
				if !quiet {
					want |= 1 << (f.frac - 1)
				}
				if g, h := f.from32(x), f.from64(y); g != want || h != want {
					t.Errorf("%s %#x there and back is %#x and %#x, want %#x", f.name, u, g, h, want)
				}
				continue
			case !f.finite && m == f.top():
				if !math.IsInf(float64(x), 0) || !math.IsInf(y, 0) {
					t.Errorf("%s %#x is %v and %v, want an infinity", f.name, u, x, y)
				}
			default:
				want, _ := new(big.Float).SetMantExp(new(big.Float).SetInt(f.scaled(m)), f.unit()).Float64()
				if math.Abs(float64(x)) != want || math.Abs(y) != want {
					t.Errorf("%s %#x is %v and %v, want %v", f.name, u, x, y, want)
				}
			}
			if g, h := f.from32(x), f.from64(y); g != u || h != u {
				t.Errorf("%s %#x there and back is %#x and %#x", f.name, u, g, h)
			}
		}
	}
}

// TestModelFloatsRound compares the results for float32 and float64 numbers around each halfway point with a search
// in integers.
func TestModelFloatsRound(t *testing.T) {
	around := 2 // patterns of float32 on either side
	if testing.Short() {
		around = 1
	}
	for k := range slowFloats {
		f := &slowFloats[k]
		check := func(x float64) {
			n, exp := split64(x)
			want := f.nearest(math.Signbit(x), n, exp)
			if got := f.from64(x); got != want {
				t.Fatalf("%s from the float64 %b is %#x, want %#x", f.name, x, got, want)
			}
			if x32 := float32(x); float64(x32) == x {
				if got := f.from32(x32); got != want {
					t.Fatalf("%s from the float32 %b is %#x, want %#x", f.name, x32, got, want)
				}
			}
		}
		for u := uint16(0); u < f.top(); u++ {
			mid := new(big.Float).SetInt(new(big.Int).Add(f.scaled(u), f.scaled(u+1)))
			x, _ := mid.SetMantExp(mid, f.unit()-1).Float64() // exact
			b := math.Float32bits(float32(x))
			for d := -around; d <= around; d++ {
				y := float64(math.Float32frombits(b + uint32(d)))
				if int64(b)+int64(d) < 0 || math.IsInf(y, 0) || y != y {
					continue
				}
				check(y)
				check(-y)
			}
			for _, y := range []float64{math.Nextafter(x, 0), math.Nextafter(x, math.Inf(1))} {
				check(y)
				check(-y)
			}
		}
		for _, y := range []float64{math.MaxFloat64, math.MaxFloat32, 0x1p128, 0x1p-1074, 0x1p-149, 0x1p-1022, 1e300,
			464, 480, 512, 57344, 61440, 65536} {
			for _, y := range []float64{y, math.Nextafter(y, 0), math.Nextafter(y, math.Inf(1))} {
				if !math.IsInf(y, 0) {
					check(y)
					check(-y)
				}
			}
		}
	}
}

// TestModelFloatsEveryFloat32 compares conversions of the 1<<20 float32 numbers around each halfway point (for
// bfloat16, these are all float32 numbers) with slow conversions in integers. With NDMAP_LONG it tests all numbers, and
// otherwise every 997th.
func TestModelFloatsEveryFloat32(t *testing.T) {
	step := uint32(997)
	switch {
	case oracle.Long(t):
		step = 1
	case testing.Short():
		step = 99991
	}
	f := &slowFloats[0]
	for b := uint64(0); b < 1<<32; b += uint64(step) {
		sign, m := uint16(b>>31)<<15, b&0x7FFFFFFF
		if m > 0x7F800000 {
			continue // see TestModelFloats
		}
		want := m >> 16 // float32 has the same exponents, so the patterns are the upper halves
		if twice := 2 * (m - want<<16); twice > 1<<16 || twice == 1<<16 && want&1 == 1 {
			want++
		}
		if got := f.from32(math.Float32frombits(uint32(b))); got != sign|uint16(want) {
			t.Fatalf("%s from the float32 %#x is %#x, want %#x", f.name, b, got, sign|uint16(want))
		}
	}
	for k := range slowFloats[1:] {
		f := &slowFloats[1+k]
		const unit = 46 // all numbers here are multiples of 1<<-unit
		at := func(u uint16) uint64 { return f.scaled(u).Uint64() << (unit + f.unit()) }
		for u := range f.top() {
			middle := at(u)/2 + at(u+1)/2
			center := math.Float32bits(float32(middle) * 0x1p-46)
			for d := uint32(0); d < 1<<20; d += step {
				b := center - 1<<19 + d
				x := uint64(1<<23|b&(1<<23-1)) << (int(b>>23) - 150 + unit) // of at most 63 bits
				want := u                                                   // or a neighbour
				for want > 0 && x <= at(want) {
					want--
				}
				for want+1 < f.top() && x > at(want+1) {
					want++
				}
				if half := at(want)/2 + at(want+1)/2; x > half || x == half && want&1 == 1 {
					want++
				}
				y := math.Float32frombits(b)
				if got, minus := f.from32(y), f.from32(-y); got != want || minus != want|f.sign() {
					t.Fatalf("%s from the float32 %b is %#x, and of its negative %#x; want %#x", f.name, y, got, minus, want)
				}
			}
		}
	}
}

func TestModelFloatsSpecial(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	minus := math.Copysign(nan, -1)
	for _, tt := range []struct {
		x    float64
		want [3]uint16
	}{
		{0, [3]uint16{}},
		{math.Copysign(0, -1), [3]uint16{0x8000, 0x80, 0x80}},
		{1, [3]uint16{0x3F80, 0x38, 0x3C}},
		{448, [3]uint16{0x43E0, 0x7E, 0x5F}},
		{464, [3]uint16{0x43E8, 0x7E, 0x5F}},                      // halfway to 480, which would be the next number
		{math.Nextafter(464, 500), [3]uint16{0x43E8, 0x7F, 0x5F}}, // NaN
		{inf, [3]uint16{0x7F80, 0x7F, 0x7C}},
		{-inf, [3]uint16{0xFF80, 0xFF, 0xFC}},
		{nan, [3]uint16{0x7FC0, 0x7F, 0x7E}},
		{minus, [3]uint16{0xFFC0, 0xFF, 0xFE}},
		// A signalling NaN whose payload is lost entirely.
		{math.Float64frombits(0x7FF0000000000001), [3]uint16{0x7FC0, 0x7F, 0x7E}},
		{0x1.ffp127, [3]uint16{0x7F80, 0x7F, 0x7C}},
		{math.Nextafter(0x1.ffp127, 0), [3]uint16{0x7F7F, 0x7F, 0x7C}},
		// Rounded to float32 first, this number would become a tie and round in the opposite direction.
		{1 + 0x1p-8 + 0x1p-40, [3]uint16{0x3F81, 0x38, 0x3C}},
		{1 + 0x1p-4 + 0x1p-40, [3]uint16{0x3F88, 0x39, 0x3C}},
		{1 + 0x1p-3 + 0x1p-40, [3]uint16{0x3F90, 0x39, 0x3D}},
	} {
		for k := range slowFloats {
			if got := slowFloats[k].from64(tt.x); got != tt.want[k] {
				t.Errorf("%s from %v is %#x, want %#x", slowFloats[k].name, tt.x, got, tt.want[k])
			}
		}
	}
}

func TestModelDTypes(t *testing.T) {
	for _, tt := range []struct{ in, str, descr string }{
		{"<bfloat16", "<bfloat16", "'<V2'"},
		{">bfloat16", ">bfloat16", "'>V2'"},
		{"float8_e4m3fn", "float8_e4m3fn", "'|V1'"},
		{"|float8_e5m2", "float8_e5m2", "'|V1'"},
		{"<f1", "float8_e5m2", "'|V1'"}, // as ml_dtypes wrote it
		{"[('a', '<bfloat16'), ('b', 'float8_e5m2', (2,))]", "[('a', '<bfloat16'), ('b', 'float8_e5m2', (2,))]",
			"[('a', '<V2'), ('b', '|V1', (2,))]"},
	} {
		d, err := Parse(tt.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", tt.in, err)
			continue
		}
		descr, err := d.Descr()
		if d.String() != tt.str || descr != tt.descr || err != nil {
			t.Errorf("Parse(%q) is %v, in a header %s, %v; want %s and %s", tt.in, d, descr, err, tt.str, tt.descr)
		}
		if e, err := Parse(d.String()); e != d {
			t.Errorf("Parse(%q) is %v, %v", d.String(), e, err)
		}
	}
	native := map[ByteOrder]string{LittleEndian: "<", BigEndian: ">"}[Native]
	for d, want := range map[DType]string{
		BFloat16: native + "bfloat16", Float8E4M3FN: "float8_e4m3fn", Float8E5M2: "float8_e5m2",
	} {
		if !d.IsNumber() || d.IsVariable() || d.String() != want || d.Kind() < KindBFloat16 {
			t.Errorf("%v, a %v: number %v, variable %v", d, d.Kind(), d.IsNumber(), d.IsVariable())
		}
		if got, err := Parse(d.Kind().String()); got != d || err != nil {
			t.Errorf("Parse(%q) is %v, %v", d.Kind(), got, err)
		}
	}
	for in, want := range map[string]string{
		"|bfloat16":     `dtype: unknown dtype "|bfloat16"; want one like <f8, |b1, |S10 or <M8[us]`,
		"bfloat8":       `dtype: unknown dtype "bfloat8"; want one like <f8, |b1, |S10 or <M8[us]`,
		"float8_e4m3":   `dtype: unknown dtype "float8_e4m3"; want one like <f8, |b1, |S10 or <M8[us]`,
		"<float8_e5m2x": `dtype: unknown dtype "<float8_e5m2x"; want one like <f8, |b1, |S10 or <M8[us]`,
	} {
		t.Run(in, func(t *testing.T) {
			if d, err := Parse(in); err == nil || err.Error() != want {
				t.Errorf("Parse(%q) is %v, %v; want %q", in, d, err, want)
			}
		})
	}
	// A field without a name would be read as padding, and lost.
	if d, err := Packed(Field{Type: BFloat16}); err != nil {
		t.Error(err)
	} else if s, err := d.Descr(); err == nil {
		t.Errorf("a field without a name is written as %s", s)
	}
	type weights struct {
		W BF16
		S [4]F8E4M3FN
		G F8E5M2 `npy:"g,x"`
	}
	if got, want := item[weights](), "{0 W bfloat16; 2 S [4]float8_e4m3fn; 6 g,x float8_e5m2; 8}"; got != want {
		t.Errorf("Of(weights) is %s, want %s", got, want)
	}
}

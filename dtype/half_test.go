package dtype

import (
	"math"
	"math/big"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// half returns the value of a finite f by the definition of the format.
func half(f Half) float64 {
	sign, exp, frac := 1.0, int(f>>10&0x1F), float64(f&0x3FF)
	if f&0x8000 != 0 {
		sign = -1
	}
	if exp == 0 {
		return math.Copysign(math.Ldexp(frac, -24), sign)
	}
	return sign * math.Ldexp(1024+frac, exp-25)
}

func isNaN16(f Half) bool { return f&0x7FFF > 0x7C00 }

// TestHalfExhaustive tests all values of Half.
func TestHalfExhaustive(t *testing.T) {
	for i := range 1 << 16 {
		f := Half(i)
		x, y := f.Float32(), f.Float64()
		switch {
		case isNaN16(f):
			// NaNs keep their sign and payload, and signalling NaNs stay signalling.
			if b := math.Float32bits(x); b != uint32(f&0x8000)<<16|0x7F800000|uint32(f&0x3FF)<<13 {
				t.Errorf("%#04x as float32 is %#08x", i, b)
			}
			if b := math.Float64bits(y); b != uint64(f&0x8000)<<48|0x7FF0000000000000|uint64(f&0x3FF)<<42 {
				t.Errorf("%#04x as float64 is %#016x", i, b)
			}
		case f&0x7FFF == 0x7C00:
			if sign := 1 - int(f>>15)*2; !math.IsInf(float64(x), sign) || !math.IsInf(y, sign) {
				t.Errorf("%#04x is %v and %v", i, x, y)
			}
		default:
			want := half(f)
			if math.Float32bits(x) != math.Float32bits(float32(want)) || math.Float64bits(y) != math.Float64bits(want) {
				t.Errorf("%#04x is %v and %v, want %v", i, x, y, want)
			}
		}
		if g := HalfFrom32(x); g != f {
			t.Errorf("%#04x as float32 and back is %#04x", i, g)
		}
		if g := HalfFrom64(y); g != f {
			t.Errorf("%#04x as float64 and back is %#04x", i, g)
		}
	}
}

// TestHalfRounds tests the rounding of numbers between neighbours f < g: to f below the middle, to g above it, and to
// the even neighbour in the middle.
func TestHalfRounds(t *testing.T) {
	check := func(x float64, want Half) {
		if got := HalfFrom64(x); got != want {
			t.Errorf("HalfFrom64(%b) is %#04x, want %#04x", x, got, want)
		}
		if got := HalfFrom64(-x); got != want|0x8000 {
			t.Errorf("HalfFrom64(%b) is %#04x, want %#04x", -x, got, want|0x8000)
		}
	}
	check32 := func(x float32, want Half) {
		if got := HalfFrom32(x); got != want {
			t.Errorf("HalfFrom32(%b) is %#04x, want %#04x", x, got, want)
		}
		if got := HalfFrom32(-x); got != want|0x8000 {
			t.Errorf("HalfFrom32(%b) is %#04x, want %#04x", -x, got, want|0x8000)
		}
	}
	inf64, inf32 := math.Inf(1), float32(math.Inf(1))
	for f := Half(0); f < 0x7C00; f++ {
		low, high := half(f), 65536.0 // above the largest finite Half, 2¹⁶ takes the place of infinity
		if f+1 < 0x7C00 {
			high = half(f + 1)
		}
		middle := (low + high) / 2 // exact, also in float32
		even := f + f&1
		check(middle, even)
		check32(float32(middle), even)
		check(math.Nextafter(middle, 0), f)
		check32(math.Nextafter32(float32(middle), 0), f)
		check(math.Nextafter(middle, inf64), f+1)
		check32(math.Nextafter32(float32(middle), inf32), f+1)
		check(math.Nextafter(low, inf64), f)
		check32(math.Nextafter32(float32(low), inf32), f)
		check(math.Nextafter(high, 0), f+1)
		check32(math.Nextafter32(float32(high), 0), f+1)
		check((low+middle)/2, f)
		check((high+middle)/2, f+1)
	}
}

// TestHalfEveryFloat32 compares float32s that do not round to zero or infinity with the nearest Half, found by
// search. All of them would take a minute, so it tests every 2,039th.
func TestHalfEveryFloat32(t *testing.T) {
	step := uint32(2039)
	if testing.Short() {
		step = 200003
	}
	f := Half(0) // the largest Half up to x
	for b := uint32(0); b <= 0x7F800000; b += step {
		x := float64(math.Float32frombits(b))
		for f < 0x7C00 && half(f+1) <= x {
			f++
		}
		want := f
		if f < 0x7C00 {
			below, above := x-half(f), half(f+1)-x
			if above < below || above == below && f&1 == 1 {
				want++
			}
		}
		if got := HalfFrom32(float32(x)); got != want {
			t.Fatalf("HalfFrom32(%b) is %#04x, want %#04x", float32(x), got, want)
		}
		if got := HalfFrom64(x); got != want {
			t.Fatalf("HalfFrom64(%b) is %#04x, want %#04x", x, got, want)
		}
	}
}

func TestHalfSpecial(t *testing.T) {
	for _, tt := range []struct {
		x    float64
		want Half
	}{
		{0, 0}, {math.Copysign(0, -1), 0x8000}, {1, 0x3C00}, {-2, 0xC000}, {65504, 0x7BFF}, {0x1p-24, 1}, {0x1p-14, 0x0400},
		{65519.99, 0x7BFF}, {65520, 0x7C00}, {0x1p-25, 0}, {math.Nextafter(0x1p-25, 1), 1}, {0x1.8p-25, 1}, {-0x1p-26,
			0x8000},
		{math.Inf(1), 0x7C00}, {math.Inf(-1), 0xFC00},
		// Numbers above the largest float32. Their exponent was once mistaken for the exponent of a NaN.
		{0x1p128, 0x7C00}, {-0x1.8p128, 0xFC00}, {math.MaxFloat64, 0x7C00}, {math.SmallestNonzeroFloat64, 0}, {0x1p-1022, 0},
		// Rounded to float32 first, these numbers would become ties and round in the opposite direction.
		{1 + 0x1p-11 + 0x1p-40, 0x3C01}, {1 + 3*0x1p-11 - 0x1p-40, 0x3C01}, {0x1p-25 + 0x1p-60, 1}, {65520 - 0x1p-30, 0x7BFF},
	} {
		if got := HalfFrom64(tt.x); got != tt.want {
			t.Errorf("HalfFrom64(%b) is %#04x, want %#04x", tt.x, got, tt.want)
		}
	}
	for _, tt := range []struct {
		bits uint64
		want Half
	}{
		{0x7FF8000000000000, 0x7E00}, {0xFFF8000000000000, 0xFE00}, {0x7FF0000000000001, 0x7C01}, {0xFFF0040000000000,
			0xFC01},
		{0x7FFFFFFFFFFFFFFF, 0x7FFF}, {0x7FF003FFFFFFFFFF, 0x7C01},
	} {
		if got := HalfFrom64(math.Float64frombits(tt.bits)); got != tt.want {
			t.Errorf("HalfFrom64 of NaN %#x is %#04x, want %#04x", tt.bits, got, tt.want)
		}
	}
	for _, tt := range []struct {
		bits uint32
		want Half
	}{
		{0x7FC00000, 0x7E00}, {0xFFC00000, 0xFE00}, {0x7F800001, 0x7C01}, {0xFF802000, 0xFC01}, {0x7FFFFFFF, 0x7FFF},
		{1, 0}, {0x80000001, 0x8000}, {0x007FFFFF, 0}, {0x7F7FFFFF, 0x7C00},
	} {
		if got := HalfFrom32(math.Float32frombits(tt.bits)); got != tt.want {
			t.Errorf("HalfFrom32 of %#x is %#04x, want %#04x", tt.bits, got, tt.want)
		}
	}
}

// TestHalfBig compares the results for random values with exact arithmetic.
func TestHalfBig(t *testing.T) {
	r := oracle.Rand(t, 2)
	for range 20000 {
		x := math.Ldexp(1+r.Float64(), r.IntN(44)-27)
		if r.IntN(2) == 0 { // few bits, so that some numbers are ties
			x = math.Ldexp(math.Round(math.Ldexp(x, 30)), -30)
		}
		g := HalfFrom64(x)
		if g >= 0x7C00 {
			if x < 65520 {
				t.Errorf("%b is infinite", x)
			}
			continue
		}
		distance := func(f Half) *big.Float {
			d := new(big.Float).SetPrec(200).SetFloat64(half(f))
			return d.Sub(d, big.NewFloat(x)).Abs(d)
		}
		have := distance(g)
		for _, f := range []Half{g - 1, g + 1} {
			if f >= 0x7C00 {
				continue
			}
			if c := have.Cmp(distance(f)); c > 0 || c == 0 && g&1 == 1 {
				t.Errorf("HalfFrom64(%b) is %#04x, but %#04x is nearer", x, g, f)
			}
		}
	}
}

// TestHalfOracle compares conversions with NumPy's, also for NaNs.
func TestHalfOracle(t *testing.T) {
	p := oracle.Start(t)
	r := oracle.Rand(t, 4)
	n := 100_000
	in := make([]byte, 0, 8*n)
	xs := make([]float64, n)
	for i := range xs {
		b := r.Uint64()
		switch i % 3 {
		case 0: // near the range of a half
			b = b&^(0x7FF<<52) | uint64(1023-28+r.IntN(48))<<52
		case 1: // few bits: ties, infinities and NaNs
			b &= 0xFFFF_E000_0000_0000 | uint64(r.IntN(2))
			if r.IntN(2) == 0 {
				b = b&^(0x7FF<<52) | uint64(1023-28+r.IntN(48))<<52
			}
		}
		xs[i] = math.Float64frombits(b)
		for s := range 8 {
			in = append(in, byte(b>>(8*s)))
		}
	}
	var out struct{ From64, From32, To64, To32, Single []byte }
	err := p.Run(`
with np.errstate(all="ignore"):
    a = np.frombuffer(b64(x), "<f8")
    single = a.astype("<f4")
    h = np.arange(65536, dtype="<u2").view("<f2")
    out = dict(From64=a.astype("<f2").tobytes(), From32=single.astype("<f2").tobytes(), Single=single.tobytes(),
        To64=h.astype("<f8").tobytes(), To32=h.astype("<f4").tobytes())
`, in, &out)
	if err != nil {
		t.Fatal(err)
	}
	u16 := func(b []byte, i int) uint16 { return uint16(b[2*i]) | uint16(b[2*i+1])<<8 }
	u32 := func(b []byte, i int) uint32 { return uint32(u16(b, 2*i)) | uint32(u16(b, 2*i+1))<<16 }
	u64 := func(b []byte, i int) uint64 { return uint64(u32(b, 2*i)) | uint64(u32(b, 2*i+1))<<32 }
	for i, x := range xs {
		if got, want := uint16(HalfFrom64(x)), u16(out.From64, i); got != want {
			t.Errorf("%#x (%v): %#04x, NumPy's %#04x", math.Float64bits(x), x, got, want)
		}
		if got, want := uint16(HalfFrom32(math.Float32frombits(u32(out.Single, i)))), u16(out.From32, i); got != want {
			t.Errorf("float32 %#x: %#04x, NumPy's %#04x", u32(out.Single, i), got, want)
		}
	}
	for i := range 1 << 16 {
		// Depending on the machine, NumPy converts bits, or the processor converts and makes signalling NaNs quiet. So the
		// test compares NaNs without the quiet bit.
		quiet32, quiet64 := uint32(0), uint64(0)
		if isNaN16(Half(i)) {
			quiet32, quiet64 = 1<<22, 1<<51
		}
		if got, want := math.Float32bits(Half(i).Float32()), u32(out.To32, i); got|quiet32 != want|quiet32 {
			t.Errorf("%#04x as float32 is %#x, NumPy's %#x", i, got, want)
		}
		if got, want := math.Float64bits(Half(i).Float64()), u64(out.To64, i); got|quiet64 != want|quiet64 {
			t.Errorf("%#04x as float64 is %#x, NumPy's %#x", i, got, want)
		}
	}
}

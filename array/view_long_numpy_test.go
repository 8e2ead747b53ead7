package array

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// longCode is a Python program that draws n long doubles of x86, valid and invalid ones, and converts them to float64.
const longCode = `
r = np.random.default_rng(x["Seed"])
n = x["N"]
b = r.integers(0, 256, (n, 16), dtype="u1")
exponent = r.choice(np.concatenate([np.arange(16383 - 1140, 16383 - 950), np.arange(16383 - 70, 16383 + 70),
    np.arange(16383 + 1000, 16383 + 1030), [0, 1, 32766, 32767]]), n) + r.choice([0, 32768], n)
random = r.random(n) < .1
b[~random, 8], b[~random, 9] = exponent[~random] & 255, exponent[~random] >> 8
b[r.random(n) < .9, 7] |= 128              # the explicit bit of the significand
low = r.choice([0, 1, 2**10 - 1, 2**10, 2**10 + 1, 2**11 - 1, 3 * 2**10], n).astype("<u2").view("u1").reshape(n, 2)
k = r.random(n) < .6                       # near ties
b[k, 0], b[k, 1] = low[k, 0], low[k, 1] + (b[k, 1] & 0xF8)
b[r.random(n) < .2, :7] = 0
b[r.random(n) < .1, :7] = 255
a = b.reshape(-1).view("<f16")
with np.errstate(all="ignore"):
    out = {"X87": bool(np.finfo(np.longdouble).nmant == 63), "Long": b.tobytes(), "Float64": a.astype("<f8").tobytes(),
        "Complex128": b.reshape(-1).view("<c32").astype("<c16").tobytes()}
`

// TestLongNumPy tests that long doubles are converted to float64 and complex128 as NumPy converts them on x86.
func TestLongNumPy(t *testing.T) {
	var drawn struct {
		X87                       bool
		Long, Float64, Complex128 []byte
	}
	n := 2 * oracle.Cases(t, 20000)
	check(t, oracle.Start(t).Run(longCode, map[string]any{"N": n, "Seed": oracle.Rand(t, 0).Uint32()}, &drawn))
	if !drawn.X87 {
		t.Skip("NumPy's long doubles are not those of x86 on this machine")
	}
	for _, tt := range []struct {
		long, float string
		n           int
		want        []byte
	}{{"<f16", "f8", n, drawn.Float64}, {"<c32", "c16", n / 2, drawn.Complex128}} {
		for _, order := range "<>" {
			t.Run(tt.long+" to "+string(order)+tt.float, func(t *testing.T) {
				src := must(FromBytes(drawn.Long, dtype.MustParse(tt.long), index.C, tt.n/10, 10))
				d := dtype.MustParse(string(order) + tt.float)
				want := must(FromBytes(tt.want, dtype.MustParse("<"+tt.float), index.C, tt.n/10, 10))
				got := must(New(d, index.F, tt.n/10, 10)).Array
				check(t, Copy(got, src))
				checkBits(t, got, want, drawn.Long)
			})
		}
	}
	src := must(FromBytes(drawn.Long, dtype.MustParse("<f16"), index.C, n))
	v := must(Cast[float64](src))
	for i, x := range v.Collect() {
		if want := binary.LittleEndian.Uint64(drawn.Float64[8*i:]); math.Float64bits(x) != want {
			t.Fatalf("%x: got %x, want %x", drawn.Long[16*i:16*i+10], math.Float64bits(x), want)
		}
	}
}

// checkBits tests that got and want have the same bits. They were converted from the long doubles in long.
func checkBits(t *testing.T, got, want Array, long []byte) {
	t.Helper()
	x, y := must(got.AsType(want.DType(), index.C)), want
	a, b := must(As[uint64](must(x.Reinterpret(dtype.Uint64)))).Collect(),
		must(As[uint64](must(y.Reinterpret(dtype.Uint64)))).Collect()
	for i := range a {
		if a[i] != b[i] {
			t.Fatalf("%x: got %x, want %x", long[16*i:16*i+10], a[i], b[i])
		}
	}
}

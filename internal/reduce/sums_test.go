package reduce

import (
	"math"
	"math/big"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestNearest tests that integers of 128 bits are rounded once, ties to even.
func TestNearest(t *testing.T) {
	r := oracle.Rand(t, 41)
	for range oracle.Cases(t, 2000) {
		hi, lo := int64(r.Uint64())>>r.IntN(64), r.Uint64()
		switch r.IntN(4) {
		case 0: // often exactly halfway between two floats
			lo = 1 << r.IntN(64)
		case 1:
			lo = 1<<r.IntN(64) + uint64(r.IntN(3)) - 1
		}
		x := new(big.Int).Lsh(big.NewInt(hi), 64)
		x.Add(x, new(big.Int).SetUint64(lo))
		want, _ := new(big.Float).SetInt(x).Float64()
		if got := nearestFloat64(hi, lo); got != want {
			t.Fatalf("nearest(%v) = %v, want %v", x, got, want)
		}
	}
}

// TestVariance tests that a variance is the sum of squares, in two parts, divided by the number of elements and rounded
// once.
func TestVariance(t *testing.T) {
	r := oracle.Rand(t, 43)
	for range oracle.Cases(t, 2000) {
		e := engine{Job: Job{Op: Var, DDof: r.IntN(3)}}
		n := 3 + r.IntN(1+r.IntN(1<<30))
		m2 := math.Ldexp(1+r.Float64(), r.IntN(100)-50)
		lo := (r.Float64() - 0.5) * (math.Nextafter(m2, math.Inf(1)) - m2)
		x := new(big.Float).SetPrec(500).SetFloat64(m2)
		x.Add(x, big.NewFloat(lo))
		want, _ := x.Quo(x, big.NewFloat(float64(n-e.DDof))).Float64()
		if got := e.variance(float64(n), m2, lo); got != want {
			t.Fatalf("(%v + %v) / (%d - %d) = %v, want %v", m2, lo, n, e.DDof, got, want)
		}
		e.Op = Std
		if got := e.variance(float64(n), m2, lo); got != math.Sqrt(want) {
			t.Fatalf("standard deviation = %v, want the square root of %v", got, want)
		}
	}
	for _, skip := range []bool{false, true} {
		for _, tt := range []struct{ n, m2, want float64 }{{2, 0, math.NaN()}, {2, 1, math.Inf(1)}, {1, 1, math.Inf(1)},
			{0, 0, math.NaN()}, {3, math.Inf(1), math.Inf(1)}, {3, math.NaN(), math.NaN()}, {3, 5, 5}, {3, 0, 0}} {
			e := engine{Job: Job{Op: Var, DDof: 2, SkipNaN: skip}}
			want := tt.want
			if skip && tt.n <= 2 {
				want = math.NaN()
			}
			if got := e.variance(tt.n, tt.m2, 0); got != want && (got == got || want == want) {
				t.Errorf("skip NaN %v, %v numbers, squares %v: %v, want %v", skip, tt.n, tt.m2, got, want)
			}
		}
	}
}

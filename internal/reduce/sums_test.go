package reduce

import (
	"math/big"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// Integers of 128 bits are rounded once, ties to even.
func TestNearest(t *testing.T) {
	r := oracle.Rand(t, 41)
	for range oracle.Cases(t, 2000) {
		hi, lo := int64(r.Uint64())>>r.IntN(64), r.Uint64()
		switch r.IntN(4) {
		case 0: // as halfway as can be
			lo = 1 << r.IntN(64)
		case 1:
			lo = 1<<r.IntN(64) + uint64(r.IntN(3)) - 1
		}
		x := new(big.Int).Lsh(big.NewInt(hi), 64)
		x.Add(x, new(big.Int).SetUint64(lo))
		want, _ := new(big.Float).SetInt(x).Float64()
		if got := nearest(hi, lo); got != want {
			t.Fatalf("%v is %v, want %v", x, got, want)
		}
	}
}

package reduce

import (
	"math"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestFirstRows tests firstRow and firstRows on few and many rows, with ties, NaN, and zeros of both signs.
func TestFirstRows(t *testing.T) {
	r := oracle.Rand(t, 3)
	some := []float64{0, math.Copysign(0, -1), 1, 2, math.NaN()}
	for range oracle.Cases(t, 300) {
		m, n := 1+r.IntN(70), 4+r.IntN(3)
		numbers := make([]float64, m*n)
		for i := range numbers {
			numbers[i] = some[r.IntN(len(some))]
			if r.IntN(40) > 0 {
				numbers[i] = 7
			}
		}
		x := [4]float64{some[r.IntN(5)], some[r.IntN(5)], some[r.IntN(4)], some[r.IntN(4)]}
		want := [4]int{m, m, m, m}
		for j := range want {
			for i := m - 1; i >= 0; i-- {
				if y := numbers[i*n+j]; y == x[j] || y != y && x[j] != x[j] {
					want[j] = i
				}
			}
		}
		if got := firstRows(x, pointer(&numbers[0]), 8*n, m); got != want {
			t.Fatalf("%v in %d rows of %d of %v: %v, want %v", x, m, n, numbers, got, want)
		}
	}
}

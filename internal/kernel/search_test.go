package kernel

import (
	"slices"
)

func randomNonzero[T Real](c *randomCase) {
	s := randomReals[T](c)
	want := 0
	for _, x := range s {
		if x != 0 {
			want++
		}
	}
	if got := Nonzero(s); got != want {
		c.Fatalf("NDMAP_SEED=%d: %d of %d %T are not 0, want %d", c.seed, got, len(s), T(0), want)
	}
}

func randomCountNonzero[T Real](c *randomCase) {
	x := randomMatrix[T](c)
	got, all := results[int64](c, x.n)
	want := slices.Clone(got)
	for j, column := range x.columns {
		for _, y := range column {
			if y != 0 {
				want[j]++
			}
		}
	}
	p, stride, m, _ := x.args()
	if x.swap != 0 { // reversing bytes makes a difference only to -0
		return
	}
	CountNonzero[T](got, p, stride, m)
	checkColumns(c, x, got, want, all)
}

// randomDeviations tests that the sums of a row equal those of plain Go.
func randomDeviations(c *randomCase) {
	s := randomReals[float64](c)
	from := float64(c.IntN(100))
	other := slices.Clone(s)
	swap := maybeReverse(c, s)
	sum := SumDeviations(s, from, swap)
	squares, lo := SumSquaredDeviations(s, from, swap)
	defer useLoops(false)()
	wantSquares, wantLo := SumSquaredDeviations(other, from, 0)
	if want := SumDeviations(other, from, 0); !same(sum, want) || !same(squares, wantSquares) || !same(lo, wantLo) {
		c.Fatalf("NDMAP_SEED=%d: the deviations of %d, %d bytes reversed, are %v, their squares %v + %v, want %v, %v + %v",
			c.seed, len(s), swap, sum, squares, lo, want, wantSquares, wantLo)
	}
}

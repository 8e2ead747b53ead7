package kernel

import (
	"slices"
	"unsafe"
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

// randomSkipNotBetter tests SkipNotBetter on slices next to inaccessible pages.
func randomSkipNotBetter[T Real](c *randomCase) {
	size := int(unsafe.Sizeof(T(0)))
	n := 1 + c.length(len(c.src)/size-1)
	s, best := randomRealsOf[T](c, c.src, n), randomRealsOf[T](c, c.dst, n)
	least := c.IntN(2) == 0
	better := func(x, y T) bool {
		if least {
			x, y = y, x
		}
		return !(x <= y)
	}
	if c.IntN(3) > 0 { // make few or no numbers better
		for i, x := range s {
			if better(x, best[i]) {
				best[i] = x
			}
		}
		s[c.IntN(n)] = s[c.IntN(n)]
	}
	want := 0 // NaN is better than all numbers, and all numbers are better than NaN
	for want < n && !better(s[want], best[want]) {
		want++
	}
	swap := maybeReverse(c, s)
	got := SkipNotBetter(best, s, swap, least, c.IntN(9000)-4000)
	if got > want || got < want-max(4, vectorBytes/size) && got < want&^(4*vectorBytes/size-1) {
		c.Fatalf("NDMAP_SEED=%d: of %d %T, %d bytes reversed, %d are skipped, want %d", c.seed, n, T(0), swap, got, want)
	}
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

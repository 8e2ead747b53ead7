package kernel

import "math"

// randomTally counts one by one.
func randomTally[T int16 | uint16 | float64](c *chance) {
	s := randomReals[T](c)
	bounds := make([]T, c.IntN(MostBounds+1))
	for k := range bounds {
		bounds[k] = T(c.IntN(64))
		if len(s) > 0 && c.IntN(2) == 0 {
			bounds[k] = s[c.IntN(len(s))]
		}
	}
	t := NewTally(bounds...)
	at := c.IntN(len(s) + 1)
	t.Add(s[:at])
	t.Add(s[at:])
	for k, bound := range bounds {
		want := 0
		for _, x := range s {
			if x < bound {
				want++
			}
		}
		if got := t.Less(k); got != want {
			c.Fatalf("NDMAP_SEED=%d: %d of %d numbers are less than %v, want %d", c.seed, got, len(s), bound, want)
		}
	}
}

// slowPairs adds the second half to the first, of which there is one at last.
func slowPairs(s []float64) float64 {
	if len(s) == 1 {
		return s[0]
	}
	half := make([]float64, len(s)/2)
	for i := range half {
		half[i] = s[i] + s[len(half)+i]
	}
	return slowPairs(half)
}

func randomSumPairs(c *chance) {
	s := randomReals[float64](c)
	s = s[:min(len(s), PairsLen)]
	want := slowPairs(append(s[:len(s):len(s)], make([]float64, PairsLen-len(s))...))
	if got := SumPairs(s); !same(got, want) {
		c.Fatalf("NDMAP_SEED=%d: the sum of %d floats is %v, want %v", c.seed, len(s), got, want)
	}
}

func randomSquarePairs(c *chance) {
	s := randomReals[float64](c)
	s = s[:min(len(s), PairsLen)]
	unit, mean := math.Ldexp(1, c.IntN(9)-4), c.NormFloat64()
	squares := make([]float64, PairsLen)
	for i, x := range s {
		if d := x*unit - mean; d == d {
			squares[i] = d * d
		}
	}
	want := slowPairs(squares)
	if got := SquarePairs(s, unit, mean); !same(got, want) {
		c.Fatalf("NDMAP_SEED=%d: the squares of %d floats are %v, want %v", c.seed, len(s), got, want)
	}
}

func randomSumSquares[T int16 | uint16](c *chance) {
	s := randomReals[T](c)
	var sum, squares int64
	for _, x := range s {
		sum += int64(x)
		squares += int64(x) * int64(x)
	}
	if a, b := SumSquares(s); a != sum || b != uint64(squares) {
		c.Fatalf("NDMAP_SEED=%d: the sum of %d numbers is %d, that of their squares %d, want %d, %d", c.seed, len(s), a, b, sum, squares)
	}
}

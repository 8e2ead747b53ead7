package main

// A twofold is a sum of floats and what rounding took from it.
type twofold struct{ sum, lost float64 }

// add adds x, and what its addition loses: see "TwoSum", Knuth, 1969.
func (t *twofold) add(x float64) {
	sum := t.sum + x
	part := sum - t.sum
	t.lost += (t.sum - (sum - part)) + (x - part)
	t.sum = sum
}

func (t *twofold) merge(u twofold) {
	t.add(u.sum)
	t.lost += u.lost
}

func (t twofold) total() float64 {
	if finite(t.sum) {
		return t.sum + t.lost
	}
	return t.sum // then nobody knows what was lost
}

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return x-x == 0 }

// addUp is the sum of a few floats, which are added in pairs, the sums in pairs, and so
// on, so that little is lost.
func addUp(s []float64) float64 {
	var t [few / 2]float64
	for i, x := range s[copy(t[:], s):] {
		t[i] += x
	}
	for half := len(t) / 2; half > 0; half /= 2 {
		a, b := t[:half], t[half:2*half]
		for i := range a {
			a[i] += b[i]
		}
	}
	return t[0]
}

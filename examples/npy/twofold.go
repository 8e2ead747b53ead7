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

// addUp is the sum of a few floats, by eight sums of every eighth.
func addUp(s []float64) float64 {
	var t [8]float64
	for ; len(s) >= 8; s = s[8:] {
		for k, x := range (*[8]float64)(s) {
			t[k] += x
		}
	}
	for k, x := range s {
		t[k] += x
	}
	return ((t[0] + t[1]) + (t[2] + t[3])) + ((t[4] + t[5]) + (t[6] + t[7]))
}

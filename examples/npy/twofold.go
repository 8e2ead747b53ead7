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

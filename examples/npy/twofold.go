package main

// A compensatedSum is a sum of floats together with its accumulated rounding error.
type compensatedSum struct{ sum, lost float64 }

// add adds x to the sum and the rounding error of this addition to lost. TwoSum (Knuth, 1969) computes the error
// exactly.
func (t *compensatedSum) add(x float64) {
	sum := t.sum + x
	part := sum - t.sum
	t.lost += (t.sum - (sum - part)) + (x - part)
	t.sum = sum
}

func (t *compensatedSum) merge(u compensatedSum) {
	t.add(u.sum)
	t.lost += u.lost
}

// plus returns the sum of t and u.
func (t compensatedSum) plus(u compensatedSum) compensatedSum {
	t.merge(u)
	return t
}

func (t compensatedSum) total() float64 { return t.sum + t.lost }

// finite reports whether a sum of finite floats has not overflowed.
func (t compensatedSum) finite() bool { return finite(t.sum) && finite(t.lost) }

// finite reports whether x is neither infinite nor NaN.
func finite(x float64) bool { return x-x == 0 }

// A wideSum is a sum of finite floats whose intermediate sums may overflow. high accumulates them in units of 2^128.
type wideSum struct{ low, high compensatedSum }

const wideUnit = 1 << 64 * (1 << 64)

// add adds x, which is finite.
func (t *wideSum) add(x float64) {
	low := t.low
	if low.add(x); !low.finite() {
		t.raise()
		low = compensatedSum{sum: x}
	}
	t.low = low
}

func (t *wideSum) merge(u wideSum) {
	low := t.low
	if low.merge(u.low); !low.finite() {
		t.raise()
		low = u.low
	}
	t.low = low
	t.high.merge(u.high)
}

// raise adds low to high, in units of 2^128, and sets low to zero.
func (t *wideSum) raise() {
	t.high.merge(compensatedSum{t.low.sum / wideUnit, t.low.lost / wideUnit})
	t.low = compensatedSum{}
}

// total returns the sum and the mean of n floats. The sum is infinite if the final result overflows.
func (t wideSum) total(n int) (sum, mean float64) {
	low := t.low
	if low.merge(compensatedSum{t.high.sum * wideUnit, t.high.lost * wideUnit}); low.finite() {
		return low.total(), low.total() / float64(n)
	}
	t.raise()
	return t.high.total() * wideUnit, t.high.total() / float64(n) * wideUnit
}

package main

// pairsLen is the maximum number of floats that pairwiseSum and pairwiseSquares add up.
const pairsLen = 256

// pairwiseSum returns the sum of up to pairsLen floats. To keep rounding errors small, it adds s[i] and
// s[i+pairsLen/2], then pairs of these sums that are pairsLen/4 apart, and so on. Missing floats count as zeros.
func pairwiseSum(s []float64) float64 {
	if len(s) < pairsLen {
		var all [pairsLen]float64
		copy(all[:], s)
		return sumAll(&all)
	}
	return sumAll((*[pairsLen]float64)(s))
}

func sumAll(s *[pairsLen]float64) float64 {
	var r [pairsLen / 8]float64
	for j := range r {
		r[j] = ((s[j] + s[j+128]) + (s[j+64] + s[j+192])) + ((s[j+32] + s[j+160]) + (s[j+96] + s[j+224]))
	}
	return sumEighth(&r)
}

// pairwiseSquares returns the sum of (s[i]*unit-mean)^2, added up like pairwiseSum. NaN counts as 0.
func pairwiseSquares(s []float64, unit, mean float64) float64 {
	var all [pairsLen]float64
	for i, x := range s {
		if d := float64(x*unit) - mean; d == d {
			all[i] = float64(d * d)
		}
	}
	return sumAll(&all)
}

func sumEighth(r *[pairsLen / 8]float64) float64 {
	var q [4]float64
	for j := range q {
		q[j] = ((r[j] + r[j+16]) + (r[j+8] + r[j+24])) + ((r[j+4] + r[j+20]) + (r[j+12] + r[j+28]))
	}
	return (q[0] + q[2]) + (q[1] + q[3])
}

package kernel

import "unsafe"

// AddDeviations adds x - from[j] to sum[j], for each number x of column j.
func AddDeviations(sum, from []float64, p Pointer, stride, m, swap int) {
	deviationsOf(active.deviations, sum, nil, from, p, stride, m, swap)
}

// AddSquaredDeviations adds (x - from[j])² to sum[j], for each number x of column j, and the rounding errors of these
// additions to lo[j].
func AddSquaredDeviations(sum, lo, from []float64, p Pointer, stride, m, swap int) {
	deviationsOf(active.squaredDeviations, sum, lo, from, p, stride, m, swap)
}

// deviationsOf implements AddDeviations if lo is nil, and AddSquaredDeviations otherwise.
func deviationsOf(loop deviationsLoop, sum, lo, from []float64, p Pointer, stride, m, swap int) {
	n, done, whole := len(sum), 0, m&^3
	from = from[:n]
	if n == 0 || m == 0 {
		return
	}
	if loop != nil && whole > 0 {
		ahead := prefetchPlan{first: 4 * stride, apart: stride, next: 32, back: 4*stride - 8*(n&^3)}
		if lo != nil {
			ahead.first = 8 * (n &^ 3) // these rows have just been read for their sums: prefetch the next columns
		}
		if areShortRows(stride, 8*n) {
			next := 4 * stride / max(1, n/4)
			ahead = prefetchPlan{first: max(4*stride, 2<<10), apart: next / 4, next: next}
		}
		done = loop(Hide(Pointer(&sum[0])), Hide(Pointer(unsafe.SliceData(lo))), Hide(Pointer(&from[0])), p, stride, whole, n,
			swap, ahead)
	}
	plain := func(p Pointer, stride, m, first, n int) {
		if lo != nil {
			squaredDeviationsPlain(sum[first:n], lo[first:n], from[first:n], p, stride, m)
		} else {
			deviationsPlain(sum[first:n], from[first:n], p, stride, m)
		}
	}
	eachNative[float64](p, stride, whole, done, n, swap, plain)
	if whole < m {
		eachNative[float64](Add(p, whole*stride), stride, m-whole, 0, n, swap, plain)
	}
}

// deviationsPlain implements AddDeviations in plain Go, for native order.
func deviationsPlain(sum, from []float64, p Pointer, stride, m int) {
	n, i := len(sum), 0
	from = from[:n]
	for ; i+4 <= m; i += 4 {
		a, b, c, d := fourRows[float64](Add(p, i*stride), stride, n)
		for j, x := range from {
			sum[j] += ((a[j] - x) + (b[j] - x)) + ((c[j] - x) + (d[j] - x))
		}
	}
	for ; i < m; i++ {
		a := rowAt[float64](p, stride, i, n)
		for j, x := range from {
			sum[j] += a[j] - x
		}
	}
}

// squaredDeviationsPlain implements AddSquaredDeviations in plain Go, for native order.
func squaredDeviationsPlain(sum, lo, from []float64, p Pointer, stride, m int) {
	n, i := len(sum), 0
	from, lo = from[:n], lo[:n]
	for ; i+4 <= m; i += 4 {
		a, b, c, d := fourRows[float64](Add(p, i*stride), stride, n)
		for j, x := range from {
			e, f, g, h := a[j]-x, b[j]-x, c[j]-x, d[j]-x
			TwoSum(&sum[j], &lo[j], (float64(e*e)+float64(f*f))+(float64(g*g)+float64(h*h)))
		}
	}
	for ; i < m; i++ {
		a := rowAt[float64](p, stride, i, n)
		for j, x := range from {
			e := a[j] - x
			TwoSum(&sum[j], &lo[j], float64(e*e))
		}
	}
}

// TwoSum adds x to hi, and the rounding error of this addition to lo.
func TwoSum(hi, lo *float64, x float64) {
	sum, lost := twoSum(*hi, x)
	*lo += lost
	*hi = sum
}

// twoSum returns the sum of x and y, and the rounding error (Knuth, TAOCP 4.2.2, theorem B).
func twoSum(x, y float64) (sum, lost float64) {
	sum = x + y
	back := sum - x
	return sum, (x - (sum - back)) + (y - back)
}

// rowColumns is the number of columns into which a row is split to reduce it as a block: number i is in column
// i%rowColumns.
const rowColumns = 8

// SumDeviations returns the sum of x - from for the numbers x of s.
func SumDeviations(s []float64, from float64, swap int) float64 {
	var sum, lo [rowColumns]float64
	for i, x := range s[deviationsOfRow(&sum, &lo, s, from, swap, false):] {
		sum[i%rowColumns] += Native(x, swap) - from
	}
	return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]))
}

// SumSquaredDeviations returns the sum of (x - from)² for the numbers x of s, and the rounding error of the sum.
func SumSquaredDeviations(s []float64, from float64, swap int) (all, lo float64) {
	var sum, lost [rowColumns]float64
	for i, x := range s[deviationsOfRow(&sum, &lost, s, from, swap, true):] {
		e := Native(x, swap) - from
		TwoSum(&sum[i%rowColumns], &lost[i%rowColumns], float64(e*e))
	}
	for i, x := range sum {
		var low float64
		all, low = twoSum(all, x)
		lo += low
		lo += lost[i]
	}
	return all, lo
}

// deviationsOfRow reduces the first numbers of s to rowColumns sums, like AddDeviations, or like AddSquaredDeviations
// if squares is true. It returns the number of numbers that it reduced.
func deviationsOfRow(sum, lo *[rowColumns]float64, s []float64, from float64, swap int, squares bool) (done int) {
	whole := len(s) &^ (4*rowColumns - 1)
	if whole == 0 {
		return 0
	}
	loop := active.rowDeviations
	if squares {
		loop = active.squaredRowDeviations
	}
	if loop != nil {
		if done = loop(hideArray(sum), hideArray(lo), from, Hide(Pointer(&s[0])), whole, swap); done == whole {
			return done
		}
	}
	of := [rowColumns]float64{from, from, from, from, from, from, from, from}
	p, m := Hide(Pointer(&s[done])), (whole-done)/rowColumns
	if squares {
		AddSquaredDeviations(sum[:], lo[:], of[:], p, 8*rowColumns, m, swap)
	} else {
		AddDeviations(sum[:], of[:], p, 8*rowColumns, m, swap)
	}
	return whole
}

// hideArray calls Hide for a pointer to an array.
func hideArray(x *[rowColumns]float64) *[rowColumns]float64 {
	return (*[rowColumns]float64)(Hide(Pointer(x)))
}

package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// An exchange puts the lesser of two numbers at index i, and the greater one at index j. If less is false, it may leave
// the number at i unchanged, and if greater is false, the number at j, because no later exchange needs that number.
type exchange struct {
	i, j          uint8
	less, greater bool
}

// sortingNetwork returns the exchanges that sort n numbers: Batcher's odd-even merge sort (Knuth, The Art of Computer
// Programming, 5.2.2, algorithm M). If at is given, it returns only the exchanges that are needed to put the right
// numbers at these indices.
func sortingNetwork(n int, at ...int) (all []exchange) {
	for p := 1; p < n; p *= 2 {
		for k := p; k >= 1; k /= 2 {
			for j := k % p; j+k < n; j += 2 * k {
				for i := j; i < min(j+k, n-k); i++ {
					if i/(2*p) == (i+k)/(2*p) {
						all = append(all, exchange{uint8(i), uint8(i + k), true, true})
					}
				}
			}
		}
	}
	needed := make([]bool, n)
	for i := range needed {
		needed[i] = at == nil || slices.Contains(at, i)
	}
	var kept []exchange
	for _, x := range slices.Backward(all) {
		if x.less, x.greater = needed[x.i], needed[x.j]; x.less || x.greater {
			needed[x.i], needed[x.j] = true, true
			kept = append(kept, x)
		}
	}
	slices.Reverse(kept)
	return kept
}

// setColumns sets r.columns if sorting the numbers of several results at once, by the same exchanges, is worth it.
func (r *ranking) setColumns(results int) {
	if r.count == 0 || r.count*max(4, r.width) > 4*sortedNumbers || results < sortedColumns {
		return
	}
	r.columns = true
	r.neededExchanges = sortingNetwork(r.count, RanksOf(nil, r.places)...)
	if r.SkipNaN {
		r.allExchanges = sortingNetwork(r.count)
	}
	if r.sortsFloats() {
		r.keys.Sign, r.keys.Negative = 0, 0
	}
}

// sortsFloats reports whether sortColumns sorts the numbers, as float64, instead of their keys. Package kernel has
// loops in assembly for float64, but not for integers of 8 bytes.
func (r *ranking) sortsFloats() bool { return r.columns && r.work.Equal(dtype.Float64) }

// sortColumns does the work of rankWords if the numbers of each result are a column. prepare replaces the numbers of a
// row by the values to sort, as keysOrGreatest does, and key returns the key of such a value.
func sortColumns[T kernel.Real](r *ranking, out []float64, p pointer, lo, hi, n int, w *ranker,
	prepare func(row []T, k *Keys, nans []int32) bool, key func(x T) uint64) {
	tmp := strided.Slice[T](pointer(&w.row), sortedBytes/r.width)
	var memory [sortedNumbers][]T
	rows := memory[:r.count]
	step := max(1, min(sortedBytes, kernel.L1Bytes/r.count)/r.width)
	for first := lo; first < hi; first += step {
		nans := w.nans[:min(step, hi-first)]
		clear(nans)
		exchanges := r.neededExchanges
		for i := range rows {
			rows[i] = strided.Slice[T](add(p, (i*n+first)*r.width), len(nans))
			if prepare(rows[i], &r.keys, nans) && r.SkipNaN {
				exchanges = r.allExchanges
			}
		}
		for _, x := range exchanges {
			lesser, greater := rows[x.i], rows[x.j]
			if x.less && x.greater {
				copy(tmp, lesser)
				kernel.LeastOf(lesser, pointer(&greater[0]), 0, 1, 0)
				kernel.GreatestOf(greater, pointer(&tmp[0]), 0, 1, 0)
			} else if x.less {
				kernel.LeastOf(lesser, pointer(&greater[0]), 0, 1, 0)
			} else {
				kernel.GreatestOf(greater, pointer(&lesser[0]), 0, 1, 0)
			}
		}
		for c, nan := range nans {
			left := r.count - int(nan)
			if left == 0 || nan > 0 && !r.SkipNaN {
				for k := range r.places {
					out[k*n+first+c] = math.NaN()
				}
				continue
			}
			places, _ := r.placesOf(left, w)
			for k, at := range places {
				out[k*n+first+c] = r.keys.Of(r.Op, key(rows[at.Lo][c]), key(rows[at.Hi][c]), at.T)
			}
		}
	}
}

// keysOrGreatest replaces the bits of numbers in words by the keys of the numbers, and NaN by the greatest key. It
// increments nans at the index of each NaN, and reports whether there is any.
func keysOrGreatest[W Word](words []W, k *Keys, nans []int32) bool {
	sign, negative, top := W(k.Sign), W(k.Negative), uint8(k.Bits-1)
	least, width := W(k.Least), W(k.Greatest-k.Least)
	if k.Sign == 0 {
		return false
	}
	hasNaN := false
	for i, w := range words {
		key := w ^ sign ^ negative&-(w>>top)
		if key-least > width {
			key = ^W(0)
			nans[i]++
			hasNaN = true
		}
		words[i] = key
	}
	return hasNaN
}

func key[W Word](w W) uint64 { return uint64(w) }

// infinityForNaN replaces NaN by +Inf. It increments nans at the index of each NaN, and reports whether there is any.
func infinityForNaN(numbers []float64, _ *Keys, nans []int32) bool {
	hasNaN := false
	for i, x := range numbers {
		if x != x {
			numbers[i] = math.Inf(1)
			nans[i]++
			hasNaN = true
		}
	}
	return hasNaN
}

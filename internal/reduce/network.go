package reduce

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// An exchange has the lesser of the numbers with two indices at the first one, and the greater at the second. One of
// the two may be left as it is, if nobody asks for it.
type exchange struct {
	i, j          uint8
	less, greater bool
}

// network returns the exchanges that sort n numbers, or all of these that have a part in which are at some indices:
// Batcher's odd-even merge sort (Knuth, The Art of Computer Programming, 5.2.2, algorithm M).
func network(n int, at ...int) (all []exchange) {
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
	if at == nil {
		return all
	}
	needed := make([]bool, n)
	for _, i := range at {
		needed[i] = true
	}
	var some []exchange
	for _, x := range slices.Backward(all) {
		if x.less, x.greater = needed[x.i], needed[x.j]; x.less || x.greater {
			needed[x.i], needed[x.j] = true, true
			some = append(some, x)
		}
	}
	slices.Reverse(some)
	return some
}

// setColumns decides whether the numbers of several results are sorted at once, by the same exchanges.
func (r *ranking) setColumns(results int) {
	if r.count == 0 || r.count*max(4, r.width) > 4*sortedNumbers || results < sortedColumns {
		return
	}
	r.columns = true
	lo, hi, _ := r.Ranks(r.count)
	r.few = network(r.count, lo, hi)
	if r.SkipNaN {
		r.all = network(r.count)
	}
	if r.work.Equal(dtype.Float64) { // for which there are loops, and for integers as large there are none
		r.keys.Sign, r.keys.Negative = 0, 0
	}
}

// sortColumns is rank where the numbers of a result are a column.
func (r *ranking) sortColumns(out []float64, p pointer, first, n int, w *ranker) {
	switch {
	case r.width == 1:
		sortColumns(r, out, p, first, n, w, keysOrGreatest[uint8], key[uint8])
	case r.width == 2:
		sortColumns(r, out, p, first, n, w, keysOrGreatest[uint16], key[uint16])
	case r.width == 4:
		sortColumns(r, out, p, first, n, w, keysOrGreatest[uint32], key[uint32])
	case r.work.Kind() == dtype.KindFloat:
		sortColumns(r, out, p, first, n, w, numbersOrInfinity, math.Float64bits)
	default:
		sortColumns(r, out, p, first, n, w, keysOrGreatest[uint64], key[uint64])
	}
}

// sortColumns has what is sorted made of the bits of a number by prepare, and the key of that by key.
func sortColumns[T kernel.Real](r *ranking, out []float64, p pointer, first, n int, w *ranker,
	prepare func(row []T, k *Keys, nans []int32) bool, key func(x T) uint64) {
	tmp := strided.Slice[T](pointer(&w.row), sortedBytes/r.width)
	var memory [sortedNumbers][]T
	rows := memory[:r.count]
	step := max(1, min(sortedBytes, kernel.L1Bytes/r.count)/r.width)
	for ; len(out) > 0; first, out = first+step, out[min(step, len(out)):] {
		some := out[:min(step, len(out))]
		nans := w.nans[:len(some)]
		clear(nans)
		hasNaN := false
		for i := range rows {
			rows[i] = strided.Slice[T](add(p, (i*n+first)*r.width), len(some))
			if prepare(rows[i], &r.keys, nans) {
				hasNaN = true
			}
		}
		exchanges := r.few
		if hasNaN && r.SkipNaN {
			exchanges = r.all
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
		lo, hi, t := r.Ranks(r.count)
		for c, nan := range nans {
			if nan > 0 {
				left := r.count - int(nan)
				if some[c] = math.NaN(); !r.SkipNaN || left == 0 {
					continue
				}
				lo, hi, t := r.Ranks(left)
				some[c] = r.keys.Of(r.Op, key(rows[lo][c]), key(rows[hi][c]), t)
				continue
			}
			some[c] = r.keys.Of(r.Op, key(rows[lo][c]), key(rows[hi][c]), t)
		}
	}
}

// keysOrGreatest makes words the keys of the numbers that they are the bits of, and of NaN the greatest key. It counts
// these, and reports whether there are some.
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

// numbersOrInfinity is keysOrGreatest where numbers are sorted as they are.
func numbersOrInfinity(numbers []float64, _ *Keys, nans []int32) bool {
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

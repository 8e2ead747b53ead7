package array

import (
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// What follows is done by one goroutine. Numbers that lie in memory one after the other are
// reduced as slices, others as strips, wherever they lie and in either byte order, and
// those that are converted, or come from a Stack, as blocks.

// startStrips begins to walk through v in strips, if it can. Its elements are T in Go.
func startStrips[T any](v *view, w *strided.Strips, zero bool) bool {
	el, size := v.el, strided.Sizeof[T]()
	if el.stack != nil || el.cast || !el.dtype.IsNumber() || el.dtype.ItemSize() != size {
		return false
	}
	return w.Start(v.piece(), size, !el.dtype.IsNative(), zero)
}

// memoryOf returns the elements of v in memory order if they follow one another there as Go
// values.
func memoryOf[T any](v *view) ([]T, bool) {
	if v.load != direct || !v.lay.Contiguous(index.K, strided.Sizeof[T]()) || v.Size() == 0 {
		return nil, false
	}
	lo, _ := v.lay.Bounds(strided.Sizeof[T]())
	return strided.Slice[T](strided.Add(v.p, lo), v.Size()), true
}

// total adds up in float64. Which numbers are added first depends on v alone: those of
// every block, then the sums of these.
func total[T kernel.Real](v view) float64 {
	if !v.isSmall() {
		return kernel.Sum[float64](slices.Concat(inParts(v, blockSums[T])...))
	}
	if s, ok := memoryOf[T](&v); ok && v.NBytes() <= strided.BlockBytes {
		return kernel.Sum[float64](s)
	}
	if sum, ok := sumStrips[T](v); ok {
		return sum
	}
	return kernel.Sum[float64](blockSums[T](v))
}

// blockSums returns the sums of blocks, in memory order.
func blockSums[T kernel.Real](v view) (sums []float64) {
	if s, ok := memoryOf[T](&v); ok {
		for block := range slices.Chunk(s, strided.BlockBytes/strided.Sizeof[T]()) {
			sums = append(sums, kernel.Sum[float64](block))
		}
		return sums
	}
	if sum, ok := sumStrips[T](v); ok {
		return []float64{sum}
	}
	blocks := v.blocks(index.K, strided.InPlace)
	for p, n := blocks.nextBlock(); n > 0; p, n = blocks.nextBlock() {
		sums = append(sums, kernel.Sum[float64](strided.Slice[T](p, n)))
	}
	return sums
}

// sumStrips adds up floats that do not follow one another in memory.
func sumStrips[T kernel.Real](v view) (sum float64, ok bool) {
	var w strided.Strips
	if _, ok := memoryOf[T](&v); ok || T(1)/2 == 0 || !startStrips[T](&v, &w, true) {
		return 0, false
	}
	var all pairwise
	for p, strips, step, rows := w.Next(); rows > 0; p, strips, step, rows = w.Next() {
		var sums kernel.Sums
		kernel.SumStrips[T](&sums, p, strips, step, rows)
		all.add(kernel.Total[float64, T](&sums))
	}
	return all.total(), true
}

// A pairwise sum adds up numbers in pairs, the sums of pairs in pairs, and so on. If bit
// k of n is set, sums[k] is that of 2^k numbers.
type pairwise struct {
	n    uint
	sums [48]float64
}

func (a *pairwise) add(x float64) {
	k := 0
	for ; a.n>>k&1 == 1; k++ {
		x += a.sums[k]
	}
	a.sums[k] = x
	a.n++
}

func (a *pairwise) total() (sum float64) {
	for k := range a.sums {
		if a.n>>k&1 == 1 {
			sum += a.sums[k]
		}
	}
	return sum
}

// totalIntegers adds up integers in 64 bits, which wrap around.
func totalIntegers[T kernel.Real](v view) (sum int64) {
	if v.isSmall() {
		return sumIntegers[T](v)
	}
	for _, part := range inParts(v, sumIntegers[T]) {
		sum += part
	}
	return sum
}

func sumIntegers[T kernel.Real](v view) (sum int64) {
	if s, ok := memoryOf[T](&v); ok {
		return kernel.SumWide(s, 0)
	}
	var w strided.Strips
	if strided.Sizeof[T]() == 8 && startStrips[T](&v, &w, true) {
		var sums kernel.Sums
		for p, strips, step, rows := w.Next(); rows > 0; p, strips, step, rows = w.Next() {
			kernel.SumStrips[T](&sums, p, strips, step, rows)
		}
		return kernel.Total[int64, T](&sums)
	}
	blocks := v.blocks(index.K, strided.InPlace)
	for p, n := blocks.nextBlock(); n > 0; p, n = blocks.nextBlock() {
		sum += kernel.SumWide(strided.Slice[T](p, n), 0)
	}
	return sum
}

// A pair is the least and the greatest of some elements.
type pair[T kernel.Real] struct{ lo, hi T }

func (p pair[T]) both() (lo, hi T) { return p.lo, p.hi }

func (p pair[T]) with(q pair[T]) pair[T] { return pair[T]{min(p.lo, q.lo), max(p.hi, q.hi)} }

func pairOf[T kernel.Real](lo, hi T) pair[T] { return pair[T]{lo, hi} }

// extremes is MinMax.
func extremes[T kernel.Real](v view) pair[T] {
	if s, ok := memoryOf[T](&v); ok {
		return pairOf(kernel.MinMax(s, 0))
	}
	var w strided.Strips
	if startStrips[T](&v, &w, false) {
		e := kernel.NoExtremes[T]()
		for p, strips, step, rows := w.Next(); rows > 0; p, strips, step, rows = w.Next() {
			kernel.MinMaxStrips[T](&e, p, strips, step, rows)
		}
		return pairOf(kernel.MinMaxOf[T](&e))
	}
	blocks := v.blocks(index.K, strided.InPlace)
	p, n := blocks.nextBlock()
	all := pairOf(kernel.MinMax(strided.Slice[T](p, n), 0))
	for p, n := blocks.nextBlock(); n > 0; p, n = blocks.nextBlock() {
		all = all.with(pairOf(kernel.MinMax(strided.Slice[T](p, n), 0)))
	}
	return all
}

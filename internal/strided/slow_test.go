package strided

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
)

// random returns a source of random numbers, the same ones in each run.
func random(t testing.TB, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(1, stream)) }

// cases returns how many random cases to draw: n, or a quarter with -short.
func cases(t testing.TB, n int) int {
	if testing.Short() {
		return n / 4
	}
	return n
}

func strided(shape, strides []int) index.Layout { return must(index.Strided(shape, strides)) }

// slowOffsets lists where the elements of a layout are, in C order, by definition: the
// sum of index times stride. In F order if last is true: the last axis is slowest.
func slowOffsets(l index.Layout, last bool) []int {
	axes := make([]int, l.NDim()) // slowest first
	for k := range axes {
		axes[k] = k
	}
	if last {
		slices.Reverse(axes)
	}
	offs := []int{0}
	for _, k := range axes {
		var longer []int
		for _, off := range offs {
			for i := range l.Len(k) {
				longer = append(longer, off+i*l.Stride(k))
			}
		}
		offs = longer
	}
	return offs
}

// randomShape draws up to rank lengths, of about size elements at most.
func randomShape(r *rand.Rand, rank, size int) []int {
	lens := []int{1, 1, 2, 2, 3, 3, 4, 5, 7, 20}
	shape := make([]int, r.IntN(rank+1))
	if len(shape) > smallRank && r.IntN(4) == 0 {
		for k := range shape {
			shape[k] = 2 // as many axes as can be, though that is more elements
		}
		return shape
	}
	for k := range shape {
		shape[k] = lens[r.IntN(len(lens))]
		if shape[k] > size {
			shape[k] = 1
		}
		size /= shape[k]
	}
	if len(shape) > 0 && r.IntN(20) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	return shape
}

// randomLayout draws a layout of items of size bytes, none of which overlap: with the
// axes in any order, of either direction, with gaps between them.
func randomLayout(r *rand.Rand, shape []int, size int) index.Layout {
	strides := make([]int, len(shape))
	axes := r.Perm(len(shape))
	switch r.IntN(4) {
	case 0:
		slices.Sort(axes)
	case 1:
		slices.Sort(axes)
		slices.Reverse(axes)
	}
	gaps, reversed := r.IntN(2), r.IntN(3) == 0
	for _, k := range axes {
		size += gaps * r.IntN(2) * r.IntN(2) * r.IntN(9)
		strides[k] = size
		if reversed && r.IntN(2) == 0 {
			strides[k] = -size
		}
		size *= max(shape[k], 1)
	}
	return strided(shape, strides)
}

// randomSource draws a layout whose elements may also be the same ones, as broadcasting
// makes them, or overlap in any way.
func randomSource(r *rand.Rand, shape []int, size int) index.Layout {
	l := randomLayout(r, shape, size)
	strides := l.Strides()
	for k := range strides {
		switch r.IntN(8) {
		case 0:
			strides[k] = 0
		case 1:
			strides[k] = r.IntN(4*size+9) - 2*size
		}
	}
	return strided(shape, strides)
}

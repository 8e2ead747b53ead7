package index

import (
	"fmt"
	"math/big"
	"slices"
)

// This file contains a slow reference implementation with which tests compare the package. A slowView lists the offset
// of the element at each index. Each operation maps each index of the result to an index of the operand. The
// implementation uses no strides, and computes slices with big ints.

type slowView struct {
	shape []int
	offs  []int // in C order
}

// slowIndices lists the indices of a shape in C order.
func slowIndices(shape []int) [][]int {
	list := [][]int{{}}
	for _, n := range shape {
		var longer [][]int
		for _, idx := range list {
			for i := range n {
				longer = append(longer, append(slices.Clone(idx), i))
			}
		}
		list = longer
	}
	return list
}

// slowIndicesF lists the indices of a shape in F order, by reversing the indices of the reversed shape.
func slowIndicesF(shape []int) [][]int {
	shape = slices.Clone(shape)
	slices.Reverse(shape)
	list := slowIndices(shape)
	for _, idx := range list {
		slices.Reverse(idx)
	}
	return list
}

// slowBuild returns the view whose element at idx has offset at(idx).
func slowBuild(shape []int, at func(idx []int) int) slowView {
	v := slowView{shape: slices.Clone(shape)}
	for _, idx := range slowIndices(shape) {
		v.offs = append(v.offs, at(idx))
	}
	return v
}

func (v slowView) at(idx []int) int {
	n := 0
	for k, i := range idx {
		if i < 0 || i >= v.shape[k] {
			panic(fmt.Sprint("slow index ", idx, " of shape ", v.shape))
		}
		n = n*v.shape[k] + i
	}
	return v.offs[n]
}

// slowSlice lists the indices that lo:hi:step takes from an axis of length n, as the Python reference defines them. A
// missing bound or step is nil.
func slowSlice(n int, lo, hi, step *big.Int) []int {
	if step == nil {
		step = big.NewInt(1)
	}
	var first, last int64 = 0, int64(n) // bounds to clip to, and defaults
	if step.Sign() < 0 {
		first, last = -1, int64(n)-1
	}
	norm := func(b *big.Int, missing int64) *big.Int {
		if b == nil {
			return big.NewInt(missing)
		}
		b = new(big.Int).Set(b)
		if b.Sign() < 0 {
			b.Add(b, big.NewInt(int64(n)))
		}
		if b.Cmp(big.NewInt(first)) < 0 {
			b.SetInt64(first)
		}
		if b.Cmp(big.NewInt(last)) > 0 {
			b.SetInt64(last)
		}
		return b
	}
	var taken []int
	if step.Sign() > 0 {
		for i, stop := norm(lo, first), norm(hi, last); i.Cmp(stop) < 0; i.Add(i, step) {
			taken = append(taken, int(i.Int64()))
		}
	} else {
		for i, stop := norm(lo, last), norm(hi, first); i.Cmp(stop) > 0; i.Add(i, step) {
			taken = append(taken, int(i.Int64()))
		}
	}
	return taken
}

// slowTake lists the indices that a selector takes from an axis.
func slowTake(s Selector, n int) []int {
	if s == Colon {
		return slowSlice(n, nil, nil, nil)
	}
	var lo, hi *big.Int
	if s.kind&hasLo != 0 {
		lo = big.NewInt(int64(s.lo))
	}
	if s.kind&hasHi != 0 {
		hi = big.NewInt(int64(s.hi))
	}
	return slowSlice(n, lo, hi, big.NewInt(int64(s.step)))
}

func (v slowView) sel(sels []Selector) (slowView, bool) {
	used, dots := 0, 0
	for _, s := range sels {
		switch s {
		case NewAxis:
		case Ellipsis:
			dots++
		default:
			used++
		}
	}
	if used > len(v.shape) || dots > 1 {
		return v, false
	}
	if dots == 0 {
		sels = append(slices.Clone(sels), Ellipsis)
	}
	var shape []int
	var axes [][]int // for each axis of v, the indices taken
	var from []int   // for each axis of v, the axis of the result, or -1 for At
	for _, s := range sels {
		switch {
		case s == NewAxis:
			shape = append(shape, 1)
		case s == Ellipsis:
			for range len(v.shape) - used {
				n := v.shape[len(axes)]
				axes = append(axes, slowTake(Colon, n))
				from = append(from, len(shape))
				shape = append(shape, n)
			}
		case s.kind == takeAt:
			n := v.shape[len(axes)]
			i := s.lo
			if i < 0 {
				i += n
			}
			if i < 0 || i >= n {
				return v, false
			}
			axes = append(axes, []int{i})
			from = append(from, -1)
		default:
			if s != Colon && s.step == 0 {
				return v, false
			}
			taken := slowTake(s, v.shape[len(axes)])
			axes = append(axes, taken)
			from = append(from, len(shape))
			shape = append(shape, len(taken))
		}
	}
	return slowBuild(shape, func(idx []int) int {
		src := make([]int, len(axes))
		for k := range axes {
			if from[k] < 0 {
				src[k] = axes[k][0]
			} else {
				src[k] = axes[k][idx[from[k]]]
			}
		}
		return v.at(src)
	}), true
}

// permute returns v with its axes in another order: axis k of the result is axis perm[k] of v.
func (v slowView) permute(perm []int) slowView {
	shape := make([]int, len(perm))
	for k, p := range perm {
		shape[k] = v.shape[p]
	}
	return slowBuild(shape, func(idx []int) int {
		src := make([]int, len(perm))
		for k, p := range perm {
			src[p] = idx[k]
		}
		return v.at(src)
	})
}

func (v slowView) reshape(shape []int) slowView {
	return slowView{slices.Clone(shape), v.offs}
}

func (v slowView) broadcast(shape []int) slowView {
	return slowBuild(shape, func(idx []int) int {
		src := slices.Clone(idx[len(shape)-len(v.shape):])
		for k := range src {
			if v.shape[k] == 1 {
				src[k] = 0
			}
		}
		return v.at(src)
	})
}

func (v slowView) diagonal(offset, axis1, axis2 int) slowView {
	var shape, keep []int
	for k, n := range v.shape {
		if k != axis1 && k != axis2 {
			shape = append(shape, n)
			keep = append(keep, k)
		}
	}
	n := 0
	for i := range v.shape[axis1] {
		if j := i + offset; j >= 0 && j < v.shape[axis2] {
			n++
		}
	}
	return slowBuild(append(shape, n), func(idx []int) int {
		src := make([]int, len(v.shape))
		for i, k := range keep {
			src[k] = idx[i]
		}
		src[axis1] = idx[len(keep)] + max(-offset, 0)
		src[axis2] = idx[len(keep)] + max(offset, 0)
		return v.at(src)
	})
}

// contiguous reports whether the offsets, in the order of the indices, ascend from the first offset in steps of the
// item
// size.
func (v slowView) contiguous(order Order, itemsize int) bool {
	var offs []int
	switch order {
	case F:
		for _, idx := range slowIndicesF(v.shape) {
			offs = append(offs, v.at(idx))
		}
	case K:
		// Sort the offsets. The first element must come first, and offsets must rise along each axis, so that a view
		// with negative strides is not contiguous.
		offs = slices.Clone(v.offs)
		slices.Sort(offs)
		if len(offs) > 0 && offs[0] != v.offs[0] {
			return false
		}
	default:
		offs = v.offs
	}
	for k, off := range offs {
		if off != offs[0]+k*itemsize {
			return false
		}
	}
	return true
}

// strided reports whether any strides could describe the view.
func (v slowView) strided() bool {
	if len(v.offs) == 0 {
		return true
	}
	return slices.IndexFunc(slowIndices(v.shape), func(idx []int) bool {
		want := v.offs[0]
		for k, i := range idx {
			if i > 0 {
				unit := make([]int, len(idx))
				unit[k] = 1
				want += i * (v.at(unit) - v.offs[0])
			}
		}
		return v.at(idx) != want
	}) < 0
}

// bounds returns the range of bytes of the elements, relative to the first element.
func (v slowView) bounds(itemsize int) (lo, hi int) {
	if len(v.offs) == 0 {
		return 0, 0
	}
	return slices.Min(v.offs) - v.offs[0], slices.Max(v.offs) + itemsize - v.offs[0]
}

// slowOf lists the elements of a layout by its lengths and strides.
func slowOf(l Layout, start int) slowView {
	return slowBuild(l.Shape(), func(idx []int) int {
		off := start
		for k, i := range idx {
			off += i * l.Stride(k)
		}
		return off
	})
}

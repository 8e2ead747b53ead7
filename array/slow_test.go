package array

import (
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// slowView is a reference implementation of a view. It contains the lengths of the axes and the byte offset of every
// element, in C order, and no strides. Every operation goes through the elements of its result and looks up the source
// of each.
type slowView struct {
	shape    []int
	at       []int
	readOnly bool
}

// newSlowView returns an array of the given shape whose elements follow each other in order C or F, starting at byte
// off.
func newSlowView(shape []int, itemsize int, order index.Order, off int) slowView {
	return makeSlowView(shape, func(idx []int) int {
		k, n := 0, 1 // number of the element in memory, and number of elements that one step along this axis skips
		for i := range idx {
			axis := i
			if order == index.C {
				axis = len(idx) - 1 - i
			}
			k += n * idx[axis]
			n *= shape[axis]
		}
		return off + k*itemsize
	})
}

// makeSlowView returns the view of the given shape whose element idx is at byte at(idx).
func makeSlowView(shape []int, at func(idx []int) int) slowView {
	s := slowView{shape: slices.Clone(shape)}
	for idx := range slowIndices(shape) {
		s.at = append(s.at, at(idx))
	}
	return s
}

// slowIndices yields every index of the shape in C order, each in a new slice.
func slowIndices(shape []int) func(yield func(idx []int) bool) {
	return func(yield func(idx []int) bool) {
		var walk func(front []int) bool
		walk = func(front []int) bool {
			if len(front) == len(shape) {
				return yield(slices.Clone(front))
			}
			for i := range shape[len(front)] {
				if !walk(append(front, i)) {
					return false
				}
			}
			return true
		}
		if !slices.Contains(shape, 0) { // otherwise walk would go through the axes before the empty one
			walk(make([]int, 0, len(shape)))
		}
	}
}

func (s slowView) size() int { return slowSize(s.shape) }

func slowSize(shape []int) int {
	n := 1
	for _, d := range shape {
		n *= d
	}
	return n
}

// elem returns the offset of element idx.
func (s slowView) elem(idx []int) int {
	k := 0
	for axis, i := range idx {
		k = k*s.shape[axis] + i
	}
	return s.at[k]
}

// remap returns the view of the given shape whose element idx is element source(idx) of s.
func (s slowView) remap(shape []int, source func(idx []int) []int) slowView {
	r := makeSlowView(shape, func(idx []int) int { return s.elem(source(idx)) })
	r.readOnly = s.readOnly
	return r
}

// contiguous reports whether the elements lie in memory one after another, without gaps, in order C or F.
func (s slowView) contiguous(order index.Order, itemsize int) bool {
	if s.size() == 0 {
		return true
	}
	want := newSlowView(s.shape, itemsize, order, s.at[0])
	return slices.Equal(s.at, want.at)
}

// hasStrides reports whether strides can describe the offsets of all elements, so that a view of them exists.
func (s slowView) hasStrides() bool {
	if s.size() == 0 {
		return true
	}
	strides := make([]int, len(s.shape))
	for axis, n := range s.shape {
		if n > 1 {
			second := make([]int, len(s.shape))
			second[axis] = 1
			strides[axis] = s.elem(second) - s.at[0]
		}
	}
	want := makeSlowView(s.shape, func(idx []int) int {
		at := s.at[0]
		for axis, i := range idx {
			at += i * strides[axis]
		}
		return at
	})
	return slices.Equal(s.at, want.at)
}

// apply returns the view that o creates from s; ok is false if o is invalid.
func (s slowView) apply(o op) (r slowView, ok bool) {
	switch o.name {
	case "select":
		return s.selectItems(o.items)
	case "index":
		return s.selectItems([]selectorItem{{kind: 'i', lo: o.args[0]}})
	case "part": // number args[1] of the iterator over axis args[0]
		items := make([]selectorItem, o.args[0]+1)
		for k := range items {
			items[k] = selectorItem{kind: ':', lo: omit, hi: omit, step: omit}
		}
		items[o.args[0]] = selectorItem{kind: 'i', lo: o.args[1]}
		return s.selectItems(items)
	case "transpose":
		axes, ok := s.axes(o.args, len(s.shape))
		if len(o.args) == 0 {
			for axis := range s.shape {
				axes = append([]int{axis}, axes...)
			}
		}
		if !ok || len(axes) != len(s.shape) {
			return slowView{}, false
		}
		return s.permute(axes), true
	case "moveaxis":
		src, ok1 := s.axes(o.args[:1], len(s.shape))
		dst, ok2 := s.axes(o.args[1:], len(s.shape))
		if !ok1 || !ok2 {
			return slowView{}, false
		}
		axes := []int{}
		for axis := range s.shape {
			if axis != src[0] {
				axes = append(axes, axis)
			}
		}
		return s.permute(slices.Insert(axes, dst[0], src[0])), true
	case "expanddims":
		axes, ok := s.axes(o.args, len(s.shape)+1)
		if !ok {
			return slowView{}, false
		}
		return s.remap(slices.Insert(slices.Clone(s.shape), axes[0], 1), func(idx []int) []int {
			return slices.Delete(idx, axes[0], axes[0]+1)
		}), true
	case "squeeze":
		axes, ok := s.axes(o.args, len(s.shape))
		for axis, n := range s.shape {
			if len(o.args) == 0 && n == 1 {
				axes = append(axes, axis)
			}
		}
		for _, axis := range axes {
			ok = ok && s.shape[axis] == 1
		}
		if !ok {
			return slowView{}, false
		}
		shape := []int{}
		for axis, n := range s.shape {
			if !slices.Contains(axes, axis) {
				shape = append(shape, n)
			}
		}
		return s.remap(shape, func(idx []int) (full []int) {
			for axis := range s.shape {
				if slices.Contains(axes, axis) {
					full = append(full, 0)
				} else {
					full = append(full, idx[0])
					idx = idx[1:]
				}
			}
			return full
		}), true
	case "broadcast":
		more := len(o.args) - len(s.shape)
		if more < 0 {
			return slowView{}, false
		}
		for axis, n := range s.shape {
			if n != 1 && n != o.args[more+axis] {
				return slowView{}, false
			}
		}
		for _, n := range o.args {
			if n < 0 {
				return slowView{}, false
			}
		}
		r := s.remap(o.args, func(idx []int) []int {
			idx = idx[more:]
			for axis, n := range s.shape {
				if n == 1 {
					idx[axis] = 0
				}
			}
			return idx
		})
		r.readOnly = true
		return r, true
	case "reshape":
		return s.reshape(o.args)
	case "diagonal":
		axes, ok := s.axes(o.args[1:], len(s.shape))
		if !ok {
			return slowView{}, false
		}
		return s.diagonal(o.args[0], axes[0], axes[1]), true
	}
	panic("no operation " + o.name)
}

// axes converts negative axes of n axes to nonnegative ones; ok is false if an axis is out of range or repeated.
func (s slowView) axes(args []int, n int) (axes []int, ok bool) {
	for _, axis := range args {
		if axis < 0 {
			axis += n
		}
		if axis < 0 || axis >= n || slices.Contains(axes, axis) {
			return nil, false
		}
		axes = append(axes, axis)
	}
	return axes, true
}

// permute returns s with axis axes[k] as axis k.
func (s slowView) permute(axes []int) slowView {
	shape := make([]int, len(axes))
	for k, axis := range axes {
		shape[k] = s.shape[axis]
	}
	return s.remap(shape, func(idx []int) []int {
		full := make([]int, len(axes))
		for k, axis := range axes {
			full[axis] = idx[k]
		}
		return full
	})
}

// reshape returns a view with the same elements in C order. The second result reports whether a view can have the new
// shape.
func (s slowView) reshape(shape []int) (slowView, bool) {
	shape = slices.Clone(shape)
	known, unknown := 1, -1
	for axis, n := range shape {
		switch {
		case n == -1 && unknown < 0:
			unknown = axis
		case n < 0:
			return slowView{}, false
		default:
			known *= n
		}
	}
	if unknown >= 0 {
		if known == 0 || s.size()%known != 0 {
			return slowView{}, false
		}
		shape[unknown] = s.size() / known
	}
	if slowSize(shape) != s.size() {
		return slowView{}, false
	}
	r := slowView{shape, s.at, s.readOnly}
	return r, r.hasStrides()
}

// diagonal returns a view whose last axis is a diagonal of axis1 and axis2. Its element k has index k along axis1 and
// k+offset along axis2; for a negative offset, k-offset and k.
func (s slowView) diagonal(offset, axis1, axis2 int) slowView {
	n := 0
	for i := range s.shape[axis1] {
		for j := range s.shape[axis2] {
			if j-i == offset {
				n++
			}
		}
	}
	shape := []int{}
	for axis, n := range s.shape {
		if axis != axis1 && axis != axis2 {
			shape = append(shape, n)
		}
	}
	return s.remap(append(shape, n), func(idx []int) []int {
		full := make([]int, len(s.shape))
		rest, k := idx[:len(idx)-1], idx[len(idx)-1]
		for axis := range full {
			switch axis {
			case axis1:
				full[axis] = k + max(0, -offset)
			case axis2:
				full[axis] = k + max(0, offset)
			default:
				full[axis], rest = rest[0], rest[1:]
			}
		}
		return full
	})
}

// selectItems implements basic indexing. For every axis of s it lists the positions that the selector takes.
func (s slowView) selectItems(items []selectorItem) (slowView, bool) {
	named, dots := 0, 0
	for _, it := range items {
		switch it.kind {
		case 'i', ':':
			named++
		case '.':
			dots++
		}
	}
	if named > len(s.shape) || dots > 1 {
		return slowView{}, false
	}
	colon := selectorItem{kind: ':', lo: omit, hi: omit, step: omit}
	if dots == 0 {
		items = append(slices.Clone(items), selectorItem{kind: '.'})
	}
	var (
		shape []int
		lists [][]int // positions taken along each axis of s
		axis  []int   // axis of the result for each axis of s, or -1
	)
	take := func(it selectorItem) bool {
		n := s.shape[len(lists)]
		if it.kind == 'i' {
			i := it.lo
			if i < 0 {
				i += n
			}
			lists, axis = append(lists, []int{i}), append(axis, -1)
			return i >= 0 && i < n
		}
		if it.step == 0 {
			return false
		}
		list := it.positions(n)
		lists, axis = append(lists, list), append(axis, len(shape))
		shape = append(shape, len(list))
		return true
	}
	for _, it := range items {
		switch it.kind {
		case 'n':
			shape = append(shape, 1)
		case '.':
			for range len(s.shape) - named {
				take(colon)
			}
		default:
			if !take(it) {
				return slowView{}, false
			}
		}
	}
	return s.remap(shape, func(idx []int) []int {
		full := make([]int, len(s.shape))
		for k := range full {
			full[k] = lists[k][0]
			if axis[k] >= 0 {
				full[k] = lists[k][idx[axis[k]]]
			}
		}
		return full
	}), true
}

// positions returns the positions that the slice takes of n elements, as in Python's reference: lo, lo+step, lo+2*step
// and so on, before hi. Negative bounds count from the end, and bounds beyond an end are moved to it.
func (it selectorItem) positions(n int) (list []int) {
	step := it.step
	if step == omit {
		step = 1
	}
	first, last := 0, n // limits for the bounds
	if step < 0 {
		first, last = -1, n-1
	}
	bound := func(b, missing int) int {
		switch {
		case b == omit:
			return missing
		case b < 0:
			b += n
		}
		return min(max(b, first), last)
	}
	if step > 0 {
		lo, hi := bound(it.lo, first), bound(it.hi, last)
		for x := range n {
			if x >= lo && x < hi && (x-lo)%step == 0 {
				list = append(list, x)
			}
		}
		return list
	}
	lo, hi := bound(it.lo, last), bound(it.hi, first)
	for x := n - 1; x >= 0; x-- {
		if x <= lo && x > hi && (lo-x)%max(step, -math.MaxInt) == 0 {
			list = append(list, x)
		}
	}
	return list
}

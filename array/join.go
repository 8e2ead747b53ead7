package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Join returns one array of several of the same dtype and byte order, one after the other along the first axis, as
// [Concatenate] makes one, without copying: shards of any length read as one array. Their shapes are the same but for
// the first axis, and so are their strides; each has its first axis as the slowest one in memory, upwards, as the
// order C has it. Other arrays are errors, as of [Stack]: a *[DTypeError], or one that wraps [ErrShape]. Transposes
// of arrays in Fortran order fit, and the transpose of what they become is that along the last axis.
//
// What Stack says of the parts, and of what works and what it costs, holds; access to an element also looks up which
// part it is in. A Reshape, or a Reinterpret, that makes one element or one index of the slowest axis of what is in
// two parts is an error that wraps [ErrCopy].
func Join(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= maxParts {
		return Array{}, fmt.Errorf("array: %w: %d arrays to join; want 1 to %d", ErrShape, len(arrays), maxParts-1)
	}
	first := arrays[0].view
	first.mustBeSet()
	if first.lay.NDim() == 0 {
		return Array{}, fmt.Errorf("%s%w: an array without dimensions is not joined", prefix(first.el.mem.Path), ErrShape)
	}
	var parts []view
	readOnly, length, stride := false, 0, 0
	for k, a := range arrays {
		c := a.view
		switch c.mustBeSet(); {
		case c.el.stack != nil:
			return Array{}, fmt.Errorf("%sarray %d is several itself: join all its parts at once", prefix(c.el.mem.Path), k)
		case !c.el.dtype.Equal(first.el.dtype):
			return Array{}, &DTypeError{Path: c.el.mem.Path, Have: c.el.dtype, Want: first.el.dtype,
				Msg: fmt.Sprintf("array %d is not of the same dtype as the first; AsType and Convert make one that is", k)}
		case c.lay.NDim() != first.lay.NDim() || !slices.Equal(c.lay.Shape()[1:], first.lay.Shape()[1:]):
			return Array{}, fmt.Errorf("%s%w: shape %s of array %d does not follow that of the first, %s",
				prefix(c.el.mem.Path), ErrShape, tuple(c.Shape()), k, tuple(first.Shape()))
		}
		readOnly = readOnly || c.save == denied
		if length > math.MaxInt-c.lay.Len(0) {
			return Array{}, fmt.Errorf("array: %w: arrays of more than %d rows", ErrShape, math.MaxInt)
		}
		length += c.lay.Len(0)
		if c.lay.Len(0) > 1 && stride == 0 {
			stride = c.lay.Stride(0)
		}
		if c.lay.Size() > 0 {
			parts = append(parts, c)
		}
	}
	if len(parts) == 0 { // some axis has length 0, or all first ones
		shape := first.lay.Shape()
		shape[0] = length
		lay, err := index.NewLayout(shape, first.el.dtype.ItemSize(), index.C)
		c, err := first.derive(lay, 0, err)
		return Array{shaped{c}}, err
	}
	c, err := joinViews(parts, length, stride)
	if err != nil {
		return Array{}, err
	}
	if readOnly {
		c.save = denied
	}
	return Array{shaped{c}}, nil
}

// joinViews is Join of views with elements, of that many rows in all, which are stride bytes apart where there are two.
func joinViews(parts []view, length, stride int) (view, error) {
	row, _ := parts[0].lay.Index(0)
	size := parts[0].el.dtype.ItemSize()
	lo, hi := row.Bounds(size)
	switch {
	case size == 0: // anywhere will do
		shape := append([]int{length}, row.Shape()...)
		lay, err := index.NewLayout(shape, 0, index.C)
		return parts[0].derive(lay, 0, err)
	case stride == 0: // all have one row
		stride = hi - lo
	}
	s := &stack{parts: parts, low: lo, starts: []int{0}}
	mem := &strided.Memory{Path: parts[0].el.mem.Path}
	for k, c := range parts {
		inner, _ := c.lay.Index(0)
		differ := false
		for axis := range row.NDim() {
			differ = differ || row.Len(axis) > 1 && inner.Stride(axis) != row.Stride(axis)
		}
		switch n := c.lay.Len(0); {
		case differ || n > 1 && c.lay.Stride(0) != stride:
			return view{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first, %v",
				prefix(c.el.mem.Path), ErrShape, c.lay, k, parts[0].lay)
		case stride < hi-lo:
			return view{}, fmt.Errorf("%s%w: layout %v, where the first axis is not the slowest, upwards; join transposes",
				prefix(c.el.mem.Path), ErrShape, c.lay)
		case stride > 0 && s.starts[k] > math.MaxInt-(n*stride):
			return view{}, fmt.Errorf("array: %w: arrays of more bytes than can be addressed", ErrShape)
		}
		mem.ReadOnly = mem.ReadOnly || c.el.mem.ReadOnly
		s.starts = append(s.starts, s.starts[k]+c.lay.Len(0)*stride)
	}
	shape, strides := append([]int{length}, row.Shape()...), append([]int{stride}, row.Strides()...)
	_, _, err := index.Size(shape, size)
	var lay index.Layout
	if err == nil {
		lay, err = index.Strided(shape, strides)
	}
	if err != nil {
		return view{}, fmt.Errorf("array: %w", err)
	}
	if len(parts) == 1 {
		return parts[0].sub(lay, 0), nil
	}
	el := newElement(mem, parts[0].el.dtype)
	el.stack = s
	return view{p: parts[0].p, lay: lay, el: el, load: stacked, save: stacked}, nil
}

// locateJoined is locate where parts are joined, of the byte inner bytes from the lowest of part k.
func (s *stack) locateJoined(inner, k int) (int, pointer) {
	inner += s.starts[k]
	if inner < s.starts[k] || inner >= s.starts[k+1] {
		k, _ = slices.BinarySearch(s.starts[1:], inner+1)
	}
	return k, strided.Add(s.parts[k].p, inner-s.starts[k]+s.low)
}

// start returns where part k starts in the memory of s; that after the last is where this ends.
func (s *stack) start(k int) int {
	if s.starts != nil {
		return s.starts[k]
	}
	return k * s.span
}

// within returns how many indices along an axis, from i on, have all their elements in the part of a stack that index i
// has: 0 if that is in several.
func (c *view) within(axis, i int) int {
	left := c.lay.Len(axis) - i
	if c.el.stack == nil || c.lay.Size() == 0 {
		return left
	}
	if c.ItemSize() == 0 { // Bounds says nothing of where they are
		return 0
	}
	s, stride := c.el.stack, c.lay.Stride(axis)
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	one, off, err := c.lay.Select(sel...)
	lo, hi := must(one, err).Bounds(c.ItemSize())
	first, _ := s.locate(c.p, off+lo, int(c.part))
	last, _ := s.locate(c.p, off+max(lo, hi-1), int(c.part))
	if first != last {
		return 0
	}
	at := s.start(int(c.part)) + strided.Distance(c.p, s.parts[c.part].p) - s.low + off // of index i, in that memory
	switch {
	case stride > 0:
		return min(left, 1+(s.start(first+1)-at-hi)/stride)
	case stride < 0:
		return min(left, 1+(at+lo-s.start(first))/-stride)
	}
	return left
}

// run returns n indices of c along an axis, from i on; of one, or none, it returns that without the axis.
func (c *view) run(axis, i, n int) view {
	if n <= 1 {
		return c.at(axis, i)
	}
	return must(c.derive(rangeOf(c.lay, axis, i, n)))
}

// mustNotStraddle returns c, or an error if an element, or one index of the slowest axis, is in two parts that are
// joined.
func (c view) mustNotStraddle() (view, error) {
	s := c.el.stack
	if s == nil || s.starts == nil || c.lay.Size() == 0 || c.ItemSize() == 0 {
		return c, nil
	}
	lo, hi := c.lay.Bounds(c.ItemSize())
	first, _ := s.locate(c.p, lo, int(c.part))
	last, _ := s.locate(c.p, hi-1, int(c.part))
	if first == last {
		return c, nil
	}
	axis := slowestAxis(c.lay)
	for i := 0; c.lay.NDim() > 0 && i < c.lay.Len(axis); {
		run := c.within(axis, i)
		if run == 0 {
			return view{}, fmt.Errorf("%w: index %d of axis %d would be in two of the arrays that are joined", ErrCopy, i, axis)
		}
		i += run
	}
	return c, nil
}

package nd

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// JoinArrays is Join of views with elements, of that many rows in all, which are stride bytes apart where there are two.
func JoinArrays(parts []Array, length, stride int) (Array, error) {
	row, _ := parts[0].Layout.Index(0)
	size := parts[0].Store.DType.ItemSize()
	lo, hi := row.Bounds(size)
	switch {
	case size == 0: // anywhere will do
		shape := append([]int{length}, row.Shape()...)
		lay, err := index.NewLayout(shape, 0, index.C)
		return parts[0].Derive(lay, 0, err)
	case stride == 0: // all have one row
		stride = hi - lo
	}
	s := &Joined{Parts: parts, Low: lo, Starts: []int{0}}
	mem := &strided.Memory{Path: parts[0].Store.Mem.Path}
	for k, c := range parts {
		inner, _ := c.Layout.Index(0)
		differ := false
		for axis := range row.NDim() {
			differ = differ || row.Len(axis) > 1 && inner.Stride(axis) != row.Stride(axis)
		}
		switch n := c.Layout.Len(0); {
		case differ || n > 1 && c.Layout.Stride(0) != stride:
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first, %v",
				Prefix(c.Store.Mem.Path), ErrShape, c.Layout, k, parts[0].Layout)
		case stride < hi-lo:
			return Array{}, fmt.Errorf("%s%w: layout %v, where the first axis is not the slowest, upwards; join transposes",
				Prefix(c.Store.Mem.Path), ErrShape, c.Layout)
		case stride > 0 && s.Starts[k] > math.MaxInt-(n*stride):
			return Array{}, fmt.Errorf("array: %w: arrays of more bytes than can be addressed", ErrShape)
		}
		mem.ReadOnly = mem.ReadOnly || c.Store.Mem.ReadOnly
		s.Starts = append(s.Starts, s.Starts[k]+c.Layout.Len(0)*stride)
	}
	shape, strides := append([]int{length}, row.Shape()...), append([]int{stride}, row.Strides()...)
	_, _, err := index.Size(shape, size)
	var lay index.Layout
	if err == nil {
		lay, err = index.Strided(shape, strides)
	}
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	if len(parts) == 1 {
		return parts[0].sub(lay, 0), nil
	}
	el := NewStorage(mem, parts[0].Store.DType)
	el.Joined = s
	return Array{P: parts[0].P, Layout: lay, Store: el, Read: InParts, Write: InParts}, nil
}

// locateJoined is locate where parts are joined, of the byte inner bytes from the lowest of part k.
func (s *Joined) locateJoined(inner, k int) (int, pointer) {
	inner += s.Starts[k]
	if inner < s.Starts[k] || inner >= s.Starts[k+1] {
		k, _ = slices.BinarySearch(s.Starts[1:], inner+1)
	}
	return k, strided.Add(s.Parts[k].P, inner-s.Starts[k]+s.Low)
}

// start returns where part k starts in the memory of s; that after the last is where this ends.
func (s *Joined) start(k int) int {
	if s.Starts != nil {
		return s.Starts[k]
	}
	return k * s.Span
}

// Within returns how many indices along an axis, from i on, have all their elements in the part of a stack that index i
// has: 0 if that is in several.
func (c *Array) Within(axis, i int) int {
	left := c.Layout.Len(axis) - i
	if c.Store.Joined == nil || c.Layout.Size() == 0 {
		return left
	}
	if c.ItemSize() == 0 { // Bounds says nothing of where they are
		return 0
	}
	s, stride := c.Store.Joined, c.Layout.Stride(axis)
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	one, off, err := c.Layout.Select(sel...)
	lo, hi := Must(one, err).Bounds(c.ItemSize())
	first, _ := s.locate(c.P, off+lo, int(c.part))
	last, _ := s.locate(c.P, off+max(lo, hi-1), int(c.part))
	if first != last {
		return 0
	}
	at := s.start(int(c.part)) + strided.Distance(c.P, s.Parts[c.part].P) - s.Low + off // of index i, in that memory
	switch {
	case stride > 0:
		return min(left, 1+(s.start(first+1)-at-hi)/stride)
	case stride < 0:
		return min(left, 1+(at+lo-s.start(first))/-stride)
	}
	return left
}

// run returns n indices of c along an axis, from i on; of one, or none, it returns that without the axis.
func (c *Array) run(axis, i, n int) Array {
	if n <= 1 {
		return c.AtAxis(axis, i)
	}
	return Must(c.Derive(RangeOf(c.Layout, axis, i, n)))
}

// MustNotStraddle returns c, or an error if an element, or one index of the slowest axis, is in two parts that are
// joined.
func (c Array) MustNotStraddle() (Array, error) {
	s := c.Store.Joined
	if s == nil || s.Starts == nil || c.Layout.Size() == 0 || c.ItemSize() == 0 {
		return c, nil
	}
	lo, hi := c.Layout.Bounds(c.ItemSize())
	first, _ := s.locate(c.P, lo, int(c.part))
	last, _ := s.locate(c.P, hi-1, int(c.part))
	if first == last {
		return c, nil
	}
	axis := slowestAxis(c.Layout)
	for i := 0; c.Layout.NDim() > 0 && i < c.Layout.Len(axis); {
		run := c.Within(axis, i)
		if run == 0 {
			return Array{}, fmt.Errorf("%w: index %d of axis %d would be in two of the arrays that are joined", ErrCopy, i, axis)
		}
		i += run
	}
	return c, nil
}

package array

import (
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/index"
)

// A stack makes one array of several, which lie anywhere in memory: Cython's
// indirect dimension, the suboffsets of PEP 3118
// (https://peps.python.org/pep-3118/). Its layout is that of a memory that does not
// exist, in which part k starts at byte k*span; whoever reads or writes an element
// translates. So selections, transposes and iteration need to know nothing of it,
// and nothing that is not a stack pays for it.
type stack struct {
	parts []core
	span  int // more than a part has bytes, so that no run goes from one to the next
	low   int // where the lowest byte of a part is, from its first element
}

// stacked is the access of a view of a stack; the bits above say in which part
// its first element is.
const (
	stacked   access = 0x80
	partShift        = 8
	maxParts         = 1 << 24
)

// Stack is one array of several of the same dtype, byte order, shape and strides,
// with one leading dimension more: a directory of equal shards reads as one array.
// The parts stay where they are, and have to live as long as the stack is used.
//
// Everything works on a stack but what needs its elements in one piece of memory:
// [View.Data], the fixed-rank views, and a Reshape across the parts; those errors
// say so. Index on the leading dimension is the part itself, at its full speed;
// other access to elements is slower by one division. Stacks do not stack again.
func Stack(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= maxParts {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays; want 1 to %d", ErrShape, len(arrays), maxParts-1)
	}
	first := arrays[0].core
	first.some()
	s := &stack{parts: make([]core, len(arrays))}
	o := &origin{path: first.o.path, dtype: first.o.dtype, stack: s}
	for k, a := range arrays {
		switch a.some(); {
		case a.o.stack != nil:
			return Array{}, fmt.Errorf("%sarray %d is a stack itself: stack all its parts at once", prefix(a.o.path), k)
		case !a.o.dtype.Equal(o.dtype):
			return Array{}, &DTypeError{Path: a.o.path, Have: a.o.dtype, Want: o.dtype, Msg: fmt.Sprintf("array %d is not of the same dtype as the first of the stack", k)}
		case !a.lay.Equal(first.lay) && a.lay.Size() > 0 || !a.lay.SameShape(first.lay):
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first of the stack, %v", prefix(a.o.path), ErrShape, a.lay, k, first.lay)
		}
		o.readOnly = o.readOnly || a.save == denied
		s.parts[k] = a.core
	}
	lo, hi := first.lay.Bounds(o.dtype.ItemSize())
	s.low = lo
	for s.span = 64; s.span <= hi-lo && s.span <= math.MaxInt/2; s.span *= 2 {
	}
	shape, strides := append([]int{len(arrays)}, first.lay.Shape()...), append([]int{s.span}, first.lay.Strides()...)
	if _, _, err := index.Size(shape, s.span); (err != nil || s.span <= hi-lo) && first.lay.Size() > 0 {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays of %d bytes is more than can be addressed", ErrShape, len(arrays), hi-lo)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	c := core{p: first.p, lay: lay, o: o, load: stacked, save: stacked}
	if o.readOnly {
		c.save = denied
	}
	return Array{c.whole()}, nil
}

// place translates: it is the number of the part and the address of the byte off
// bytes from p, which is in the part that a says.
func (s *stack) place(p pointer, off int, a access) (int, pointer) {
	k := int(a >> partShift)
	inner := addressDiff(p, s.parts[k].p) - s.low + off
	step := inner / s.span
	if inner %= s.span; inner < 0 {
		inner += s.span
		step--
	}
	k += step
	return k, offset(s.parts[k].p, inner+s.low)
}

// restack is c.sub for a view of a stack.
func (c core) restack(lay index.Layout, off int) core {
	c.lay = lay
	if lay.Size() == 0 {
		return c
	}
	k, p := c.o.stack.place(c.p, off, c.load)
	c.p = p
	c.load = stacked | access(k)<<partShift
	if c.save != denied {
		c.save = c.load
	}
	return c.whole()
}

// whole is the view of a part itself, with its own way of access, if c lies
// within one.
func (c core) whole() core {
	if c.lay.Size() == 0 || c.across() >= 0 {
		return c
	}
	part := c.o.stack.parts[c.load>>partShift]
	part.p, part.lay = c.p, c.lay
	if c.save == denied {
		part.save = denied
	}
	return part
}

// across is an axis of c to split it along when c has elements in more than one
// part, and -1 when it lies within one.
func (c *core) across() int {
	if c.o.stack == nil || c.lay.Size() == 0 {
		return -1
	}
	lo, hi := c.lay.Bounds(1)
	first, _ := c.o.stack.place(c.p, lo, c.load)
	last, _ := c.o.stack.place(c.p, hi-1, c.load)
	if first == last {
		return -1
	}
	longest := 0
	for axis := range c.lay.NDim() {
		if c.lay.Dim(axis).Len > 1 && abs(c.lay.Stride(axis)) > abs(c.lay.Stride(longest)) {
			longest = axis
		}
	}
	return longest
}

func abs(i int) int { return max(i, -i) }

// copyAcross copies where one of the two is a stack: part by part.
func copyAcross(dst, src core) error {
	if shareMemory(&dst, &src) {
		tmp, err := src.clone(index.C)
		if err != nil {
			return err
		}
		src = tmp
	}
	return copyParts(dst, src)
}

func copyParts(dst, src core) error {
	axis := max(dst.across(), src.across())
	if axis < 0 {
		return copyElements(dst, src)
	}
	sel := make([]index.Selector, axis+1)
	for i := range dst.lay.Len(axis) {
		sel[axis] = index.At(i)
		d, err := dst.derive(dst.lay.Select(sel...))
		if err != nil {
			return err
		}
		s, err := src.derive(src.lay.Select(sel...))
		if err != nil {
			return err
		}
		if err := copyParts(d, s); err != nil {
			return err
		}
	}
	return nil
}

// shareMemory reports whether a part of a may share bytes with one of b.
func shareMemory(a, b *core) bool {
	type extent struct {
		lo, hi uintptr
		b      bool
	}
	var all []extent
	for i, c := range []*core{a, b} {
		parts := []core{*c}
		if c.o.stack != nil {
			parts = c.o.stack.parts
		}
		for k := range parts {
			lo, hi := parts[k].lay.Bounds(parts[k].o.dtype.ItemSize())
			at := address(parts[k].p)
			all = append(all, extent{at + uintptr(lo), at + uintptr(hi), i == 1})
		}
	}
	slices.SortFunc(all, func(x, y extent) int {
		if x.lo < y.lo {
			return -1
		}
		return 1
	})
	var end [2]uintptr // the highest end so far, of a and of b
	for _, x := range all {
		self, other := 0, 1
		if x.b {
			self, other = 1, 0
		}
		if x.lo < end[other] {
			return true
		}
		end[self] = max(end[self], x.hi)
	}
	return false
}

package array

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A stack makes one array of several, which lie anywhere in memory: Cython's
// indirect dimension, the suboffsets of PEP 3118
// (https://peps.python.org/pep-3118/). Its layout is that of a memory that does not
// exist, in which part k starts at byte k*span; whoever reads or writes an element
// translates. So selections, transposes and iteration need to know nothing of it,
// and nothing that is not a stack pays for it.
//
// A view within one part is a view of that part; else its part field says in which one its first element is. What
// works on memory asks whether a view is whole, and takes it apart if not: copyParts, forPairs, retype, decodeParts.
type stack struct {
	parts  []view
	span   int   // more than a part has bytes, so that no run goes from one to the next
	low    int   // where the lowest byte of a part is, from its first element
	starts []int // of Join: where each part starts, and the last ends; they follow one another without gaps
}

const maxParts = 1 << 24

// severalArrays is why the elements of a stack are not direct.
const severalArrays = "they are those of several arrays (see Stack)"

// Stack returns one array of several of the same dtype, byte order, shape and strides, with one leading dimension more:
// a directory of equal shards reads as one array. The parts stay where they are, and their files must stay open; it is
// read-only where one of them is. Stack copies no elements. No arrays, other dtypes, shapes or strides, and a stack
// among the arrays, are errors: a *[DTypeError], or one that wraps [ErrShape].
//
// Everything works on a stack except what needs the elements in one piece of memory: [View.Data], the fixed-rank views,
// and a Reshape that joins parts. Index on the leading dimension is the part itself; other access to elements is slower
// by one division. Loops over values and blocks read up to 8 KiB ahead, and where that lies in several parts they
// allocate some small objects for each of these; As, Cast and selections may allocate once for each part. [Map] takes
// parts for sharing memory whose bounds overlap.
func Stack(arrays ...Array) (Array, error) {
	if len(arrays) == 0 || len(arrays) >= maxParts {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays; want 1 to %d", ErrShape, len(arrays), maxParts-1)
	}
	first := arrays[0].view
	first.mustBeSet()
	s := &stack{parts: make([]view, len(arrays))}
	readOnly := false
	mem := &strided.Memory{Path: first.el.mem.Path}
	el := newElement(mem, first.el.dtype)
	el.stack = s
	for k, a := range arrays {
		switch a.view.mustBeSet(); {
		case a.view.el.stack != nil:
			return Array{}, fmt.Errorf("%sarray %d is a stack itself: stack all its parts at once", prefix(a.view.el.mem.Path),
				k)
		case !a.view.el.dtype.Equal(el.dtype):
			return Array{}, &DTypeError{Path: a.view.el.mem.Path, Have: a.view.el.dtype, Want: el.dtype,
				Msg: fmt.Sprintf("array %d is not of the same dtype as the first of the stack; AsType and Convert make one that is",
					k)}
		case !a.view.lay.Equal(first.lay) && a.view.lay.Size() > 0 || !a.view.lay.SameShape(first.lay):
			return Array{}, fmt.Errorf("%s%w: layout %v of array %d is not that of the first of the stack, %v",
				prefix(a.view.el.mem.Path), ErrShape, a.view.lay, k, first.lay)
		}
		mem.ReadOnly = mem.ReadOnly || a.view.el.mem.ReadOnly
		readOnly = readOnly || a.view.save == denied
		s.parts[k] = a.view
	}
	lo, hi := first.lay.Bounds(el.dtype.ItemSize())
	s.low = lo
	for s.span = 64; s.span <= hi-lo && s.span <= math.MaxInt/2; s.span *= 2 {
	}
	shape, strides := append([]int{len(arrays)}, first.lay.Shape()...), append([]int{s.span}, first.lay.Strides()...)
	_, _, err := index.Size(shape, el.dtype.ItemSize())
	if (err != nil || s.span <= hi-lo || s.span > math.MaxInt/len(arrays)) && first.lay.Size() > 0 {
		return Array{}, fmt.Errorf("array: %w: a stack of %d arrays of %d bytes is more than can be addressed", ErrShape,
			len(arrays), hi-lo)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, fmt.Errorf("array: %w", err)
	}
	c := view{p: first.p, lay: lay, el: el, load: stacked, save: stacked}
	if readOnly {
		c.save = denied
	}
	return Array{shaped{c.unstack()}}, nil
}

// locate translates: it returns the number of the part and the address of the byte off bytes from p, which is in
// part k.
func (s *stack) locate(p pointer, off, k int) (int, pointer) {
	inner := strided.Distance(p, s.parts[k].p) - s.low + off
	if s.starts != nil {
		return s.locateJoined(inner, k)
	}
	step := inner / s.span
	if inner %= s.span; inner < 0 {
		inner += s.span
		step--
	}
	k += step
	return k, strided.Add(s.parts[k].p, inner+s.low)
}

// locate returns the part of the stack c in which the byte off bytes after the first element is, and its address.
func (c *view) locate(off int) (part *view, p pointer) {
	k, p := c.el.stack.locate(c.p, off, int(c.part))
	return &c.el.stack.parts[k], p
}

// address returns that of the byte off bytes after the first element of c.
func (c *view) address(off int) pointer {
	if c.el.isWhole() {
		return strided.Add(c.p, off)
	}
	_, p := c.locate(off)
	return p
}

// isWhole reports whether elements of el lie in one memory.
func (el *element) isWhole() bool { return el.stack == nil }

// isWhole reports whether c lies in one memory. It inlines.
func (c *view) isWhole() bool { return c.el.stack == nil || c.partAxis() < 0 }

// memories returns the memories of c.
func (c *view) memories() []*strided.Memory {
	if c.el.isWhole() {
		return []*strided.Memory{c.el.mem}
	}
	var all []*strided.Memory
	for k := range c.el.stack.parts {
		all = append(all, c.el.stack.parts[k].el.mem)
	}
	return all
}

// isOfSameParts reports whether c and d are made of the same parts, and begin in the same one.
func (c *view) isOfSameParts(d *view) bool {
	a, b := c.el.stack, d.el.stack
	if a == nil || b == nil {
		return a == b
	}
	if len(a.parts) != len(b.parts) || a.span != b.span || c.part != d.part || !slices.Equal(a.starts, b.starts) {
		return false
	}
	for k := range a.parts {
		if a.parts[k].p != b.parts[k].p {
			return false
		}
	}
	return true
}

// restack is c.sub for a view of a stack.
func (c view) restack(lay index.Layout, off int) view {
	c.lay = lay
	if lay.Size() == 0 {
		return c
	}
	k, p := c.el.stack.locate(c.p, off, int(c.part))
	c.p, c.part, c.load = p, uint32(k), stacked
	if c.save != denied {
		c.save = stacked
	}
	return c.unstack()
}

// withElement returns c, whose parts have been retyped already, with elements el, another layout, and the first element
// off bytes later.
func (c view) withElement(el *element, lay index.Layout, off int) view {
	el.stack = c.el.stack
	c.el, c.lay = el, lay
	if lay.Size() > 0 {
		c.p = strided.Add(c.p, off)
	}
	return c
}

// unstack returns the view of a part itself, with its own way of access, if c lies
// within one.
func (c view) unstack() view {
	if c.lay.Size() == 0 || c.partAxis() >= 0 {
		return c
	}
	part := c.el.stack.parts[c.part]
	part.p, part.lay = c.p, c.lay
	if c.save == denied {
		part.save = denied
	}
	return part
}

// partAxis returns an axis of c to split it along where c has elements in more than
// one part, and -1 where it lies within one.
func (c *view) partAxis() int {
	if c.el.stack == nil || c.lay.Size() == 0 {
		return -1
	}
	lo, hi := c.lay.Bounds(1)
	first, _ := c.el.stack.locate(c.p, lo, int(c.part))
	last, _ := c.el.stack.locate(c.p, hi-1, int(c.part))
	if first == last {
		return -1
	}
	return slowestAxis(c.lay)
}

// slowestAxis returns the axis with the longest stride of those with several indices.
func slowestAxis(lay index.Layout) int {
	slowest, longest := 0, 0
	for axis := range lay.NDim() {
		if n := abs(lay.Stride(axis)); lay.Len(axis) > 1 && n > longest {
			slowest, longest = axis, n
		}
	}
	return slowest
}

// copyParts copies part by part where one of the two is not whole.
func copyParts(dst, src view) error {
	if shareMemory(&dst, &src) {
		tmp, err := src.uncasted().clone(index.C)
		if err != nil {
			return err
		}
		if src.el.cast { // the same conversions, of elements elsewhere
			el := *src.el
			if el.stack != nil {
				el = *el.stack.parts[0].el
			}
			el.mem = tmp.el.mem
			tmp.el = &el
		}
		src = tmp
	}
	for _, c := range []view{dst, src} {
		if c.wantParts(); c.el.stack == nil {
			defer strided.Calm(c.piece(), c.piece())()
		}
	}
	return forTiles(dst, src, copyElements)
}

// forTiles is forPairs of two that may be large, in tiles: each part of a stack alone may be on all pages of the other.
// What a tile has of a stack on a disk is read before f comes to it, and nothing beside that, and then leaves.
func forTiles(dst, src view, f func(dst, src view) error) error {
	sides := [2]view{dst, src}
	var cold [2]bool
	for k := range sides {
		c := &sides[k]
		cold[k] = c.partAxis() >= 0 && max(dst.pages(), src.pages()) > strided.PartBytes && c.el.stack.isCold()
		for i := 0; cold[k] && i < len(c.el.stack.parts); i++ {
			defer c.el.stack.parts[i].piece().Calm()()
		}
	}
	return tiles(sides, cold, f)
}

// pages returns about how many bytes the pages of c have, also of a stack.
func (c *view) pages() int { return strided.Piece{Layout: c.lay, ItemSize: c.ItemSize()}.OnPages() }

func tiles(sides [2]view, cold [2]bool, f func(dst, src view) error) error {
	dst, src := sides[0], sides[1]
	if n := max(dst.pages(), src.pages()); n > strided.PartBytes && dst.lay.Size() > 1 && n > strided.TileBytes() &&
		(dst.partAxis() >= 0 || src.partAxis() >= 0) {
		axis := strided.HalvedAxis(dst.lay, src.lay, dst.ItemSize(), src.ItemSize())
		err := tiles([2]view{dst.half(axis, 0), src.half(axis, 0)}, cold, f)
		if err == nil {
			err = tiles([2]view{dst.half(axis, 1), src.half(axis, 1)}, cold, f)
		}
		return err
	}
	for k, c := range sides {
		if cold[k] {
			forPairs(c, c, func(c, _ view) error { c.piece().WantAll(); return nil })
			defer forPairs(c, c, func(c, _ view) error { c.piece().Leave(k == 0); return nil })
		}
	}
	return forPairs(dst, src, f)
}

// retype returns c with f applied to it, and for a stack first to all of its parts: f changes what the elements are.
func (c view) retype(f func(view) (view, error)) (view, error) {
	if c.el.stack == nil {
		return f(c)
	}
	s := *c.el.stack
	s.parts = make([]view, len(c.el.stack.parts))
	for k := range s.parts {
		var err error
		if s.parts[k], err = f(c.el.stack.parts[k]); err != nil {
			return view{}, err
		}
		if s.parts[k].el.dtype.ItemSize() == 0 { // anywhere will do, but how far apart they are counts
			s.parts[k].p = c.el.stack.parts[k].p
		}
	}
	el := *c.el
	el.stack = &s
	c.el = &el
	load, save := c.load, c.save
	c, err := f(c)
	if err != nil {
		return view{}, err
	}
	for k := range s.parts { // c may lie off the alignment that its parts have
		p := &s.parts[k]
		if c.load == coded && p.load == direct {
			p.load = coded
		}
		if c.save == coded && p.save == direct {
			p.save = coded
		}
	}
	c.load, c.save = load, save
	return c, nil
}

// forPairs calls f with parts of a and b, which have one shape, that lie within one
// part of a stack.
func forPairs(a, b view, f func(a, b view) error) error {
	axis := max(a.partAxis(), b.partAxis())
	if axis < 0 {
		return f(a, b)
	}
	for i := 0; i < a.lay.Len(axis); {
		run := min(a.within(axis, i), b.within(axis, i))
		x, y := a.run(axis, i, run), b.run(axis, i, run)
		if err := forPairs(x, y, f); err != nil {
			return err
		}
		i += max(1, run)
	}
	return nil
}

// decodeParts has the elements of a stack in C order in buf, as Go values, and returns
// an array of these.
func (c *view) decodeParts(buf []byte) view {
	size := c.el.stack.parts[0].el.size
	b := must(onBytes(buf, dtype.Void(size), must(c.lay.Compact(size, index.C))))
	b.el.size, b.el.load, b.el.save = size, elem.Repeat(size), elem.Repeat(size)
	b.load, b.save = direct, direct
	must(0, forTiles(b, *c, func(b, c view) error { return strided.Copy(b.piece(), c.piece(), &c.el.load) }))
	return b
}

// shareMemory reports whether a part of a may share bytes with one of b.
func shareMemory(a, b *view) bool {
	type extent struct {
		lo, hi uintptr
		b      bool
	}
	var all []extent
	for i, c := range []*view{a, b} {
		parts := []view{*c}
		if c.el.stack != nil {
			parts = c.el.stack.parts
		}
		for k := range parts {
			lo, hi := parts[k].lay.Bounds(parts[k].el.dtype.ItemSize())
			at := strided.Address(parts[k].p)
			all = append(all, extent{at + uintptr(lo), at + uintptr(hi), i == 1})
		}
	}
	slices.SortFunc(all, func(x, y extent) int {
		return cmp.Compare(x.lo, y.lo)
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

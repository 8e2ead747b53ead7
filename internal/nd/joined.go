package nd

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

// A Joined makes one array of several, which lie anywhere in memory: Cython's
// indirect dimension, the suboffsets of PEP 3118
// (https://peps.python.org/pep-3118/). Its layout is that of a memory that does not
// exist, in which part k starts at byte k*span; whoever reads or writes an element
// translates. So selections, transposes and iteration need to know nothing of it,
// and nothing that is not a stack pays for it.
//
// A view within one part is a view of that part; else its part field says in which one its first element is. What
// works on memory asks whether a view is whole, and takes it apart if not: copyParts, forPairs, retype, decodeParts.
type Joined struct {
	Parts  []Array
	Span   int   // more than a part has bytes, so that no run goes from one to the next
	Low    int   // where the lowest byte of a part is, from its first element
	Starts []int // of Join: where each part starts, and the last ends; they follow one another without gaps
}

const MaxParts = 1 << 24

// severalArrays is why the elements of a stack are not direct.
const severalArrays = "they are those of several arrays (see Stack)"

// locate translates: it returns the number of the part and the address of the byte off bytes from p, which is in
// part k.
func (s *Joined) locate(p pointer, off, k int) (int, pointer) {
	inner := strided.Distance(p, s.Parts[k].P) - s.Low + off
	if s.Starts != nil {
		return s.locateJoined(inner, k)
	}
	step := inner / s.Span
	if inner %= s.Span; inner < 0 {
		inner += s.Span
		step--
	}
	k += step
	return k, strided.Add(s.Parts[k].P, inner+s.Low)
}

// locate returns the part of the stack c in which the byte off bytes after the first element is, and its address.
func (c *Array) locate(off int) (part *Array, p pointer) {
	k, p := c.Store.Joined.locate(c.P, off, int(c.part))
	return &c.Store.Joined.Parts[k], p
}

// address returns that of the byte off bytes after the first element of c.
func (c *Array) address(off int) pointer {
	if c.Store.IsWhole() {
		return strided.Add(c.P, off)
	}
	_, p := c.locate(off)
	return p
}

// IsWhole reports whether elements of el lie in one memory.
func (el *Storage) IsWhole() bool { return el.Joined == nil }

// IsWhole reports whether c lies in one memory. It inlines.
func (c *Array) IsWhole() bool { return c.Store.Joined == nil || c.PartAxis() < 0 }

// memories returns the memories of c.
func (c *Array) memories() []*strided.Memory {
	if c.Store.IsWhole() {
		return []*strided.Memory{c.Store.Mem}
	}
	var all []*strided.Memory
	for k := range c.Store.Joined.Parts {
		all = append(all, c.Store.Joined.Parts[k].Store.Mem)
	}
	return all
}

// isOfSameParts reports whether c and d are made of the same parts, and begin in the same one.
func (c *Array) isOfSameParts(d *Array) bool {
	a, b := c.Store.Joined, d.Store.Joined
	if a == nil || b == nil {
		return a == b
	}
	if len(a.Parts) != len(b.Parts) || a.Span != b.Span || c.part != d.part || !slices.Equal(a.Starts, b.Starts) {
		return false
	}
	for k := range a.Parts {
		if a.Parts[k].P != b.Parts[k].P {
			return false
		}
	}
	return true
}

// restack is c.sub for a view of a stack.
func (c Array) restack(lay index.Layout, off int) Array {
	c.Layout = lay
	if lay.Size() == 0 {
		return c
	}
	k, p := c.Store.Joined.locate(c.P, off, int(c.part))
	c.P, c.part, c.Read = p, uint32(k), InParts
	if c.Write != NoWrite {
		c.Write = InParts
	}
	return c.Unstack()
}

// withElement returns c, whose parts have been retyped already, with elements el, another layout, and the first element
// off bytes later.
func (c Array) withElement(el *Storage, lay index.Layout, off int) Array {
	el.Joined = c.Store.Joined
	c.Store, c.Layout = el, lay
	if lay.Size() > 0 {
		c.P = strided.Add(c.P, off)
	}
	return c
}

// Unstack returns the view of a part itself, with its own way of access, if c lies
// within one.
func (c Array) Unstack() Array {
	if c.Layout.Size() == 0 || c.PartAxis() >= 0 {
		return c
	}
	part := c.Store.Joined.Parts[c.part]
	part.P, part.Layout = c.P, c.Layout
	if c.Write == NoWrite {
		part.Write = NoWrite
	}
	return part
}

// PartAxis returns an axis of c to split it along where c has elements in more than
// one part, and -1 where it lies within one.
func (c *Array) PartAxis() int {
	if c.Store.Joined == nil || c.Layout.Size() == 0 {
		return -1
	}
	lo, hi := c.Layout.Bounds(1)
	first, _ := c.Store.Joined.locate(c.P, lo, int(c.part))
	last, _ := c.Store.Joined.locate(c.P, hi-1, int(c.part))
	if first == last {
		return -1
	}
	return slowestAxis(c.Layout)
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
func copyParts(dst, src Array) error {
	if shareMemory(&dst, &src) {
		tmp, err := src.WithoutGoType().Clone(index.C)
		if err != nil {
			return err
		}
		if src.Store.Converts { // the same conversions, of elements elsewhere
			el := *src.Store
			if el.Joined != nil {
				el = *el.Joined.Parts[0].Store
			}
			el.Mem = tmp.Store.Mem
			tmp.Store = &el
		}
		src = tmp
	}
	for _, c := range []Array{dst, src} {
		if c.wantParts(); c.Store.Joined == nil {
			defer strided.SuppressReadaheadIfLarge(c.Piece(), c.Piece())()
		}
	}
	return forTiles(dst, src, Copy)
}

// forTiles is forPairs of two that may be large, in tiles: each part of a stack alone may be on all pages of the other.
// What a tile has of a stack on a disk is read before f comes to it, and nothing beside that, and then leaves.
func forTiles(dst, src Array, f func(dst, src Array) error) error {
	sides := [2]Array{dst, src}
	var cold [2]bool
	for k := range sides {
		c := &sides[k]
		cold[k] = c.PartAxis() >= 0 && max(dst.pages(), src.pages()) > strided.PartBytes && c.Store.Joined.isCold()
		for i := 0; cold[k] && i < len(c.Store.Joined.Parts); i++ {
			defer strided.SuppressReadahead(c.Store.Joined.Parts[i].Piece())()
		}
	}
	return tiles(sides, cold, f)
}

// pages returns about how many bytes the pages of c have, also of a stack.
func (c *Array) pages() int { return strided.Piece{Layout: c.Layout, ItemSize: c.ItemSize()}.OnPages() }

func tiles(sides [2]Array, cold [2]bool, f func(dst, src Array) error) error {
	dst, src := sides[0], sides[1]
	if n := max(dst.pages(), src.pages()); n > strided.PartBytes && dst.Layout.Size() > 1 && n > strided.TileBytes() &&
		(dst.PartAxis() >= 0 || src.PartAxis() >= 0) {
		axis := strided.HalvedAxis(dst.Layout, src.Layout, dst.ItemSize(), src.ItemSize())
		err := tiles([2]Array{dst.half(axis, 0), src.half(axis, 0)}, cold, f)
		if err == nil {
			err = tiles([2]Array{dst.half(axis, 1), src.half(axis, 1)}, cold, f)
		}
		return err
	}
	for k, c := range sides {
		if cold[k] {
			forPairs(c, c, func(c, _ Array) error { c.Piece().Prefetch(strided.Everywhere); return nil })
			defer forPairs(c, c, func(c, _ Array) error { c.Piece().Release(k == 0); return nil })
		}
	}
	return forPairs(dst, src, f)
}

// Retype returns c with f applied to it, and for a stack first to all of its parts: f changes what the elements are.
func (c Array) Retype(f func(Array) (Array, error)) (Array, error) {
	if c.Store.Joined == nil {
		return f(c)
	}
	s := *c.Store.Joined
	s.Parts = make([]Array, len(c.Store.Joined.Parts))
	for k := range s.Parts {
		var err error
		if s.Parts[k], err = f(c.Store.Joined.Parts[k]); err != nil {
			return Array{}, err
		}
		if s.Parts[k].Store.DType.ItemSize() == 0 { // anywhere will do, but how far apart they are counts
			s.Parts[k].P = c.Store.Joined.Parts[k].P
		}
	}
	el := *c.Store
	el.Joined = &s
	c.Store = &el
	load, save := c.Read, c.Write
	c, err := f(c)
	if err != nil {
		return Array{}, err
	}
	for k := range s.Parts { // c may lie off the alignment that its parts have
		p := &s.Parts[k]
		if c.Read == ByCodec && p.Read == InPlace {
			p.Read = ByCodec
		}
		if c.Write == ByCodec && p.Write == InPlace {
			p.Write = ByCodec
		}
	}
	c.Read, c.Write = load, save
	return c, nil
}

// forPairs calls f with parts of a and b, which have one shape, that lie within one
// part of a stack.
func forPairs(a, b Array, f func(a, b Array) error) error {
	axis := max(a.PartAxis(), b.PartAxis())
	if axis < 0 {
		return f(a, b)
	}
	for i := 0; i < a.Layout.Len(axis); {
		run := min(a.Within(axis, i), b.Within(axis, i))
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
func (c *Array) decodeParts(buf []byte) Array {
	size := c.Store.Joined.Parts[0].Store.Size
	b := Must(OnBytes(buf, dtype.Void(size), Must(c.Layout.Compact(size, index.C))))
	b.Store.Size, b.Store.Decode, b.Store.Encode = size, elem.Repeat(size), elem.Repeat(size)
	b.Read, b.Write = InPlace, InPlace
	Must(0, forTiles(b, *c, func(b, c Array) error { return strided.Copy(b.Piece(), c.Piece(), &c.Store.Decode) }))
	return b
}

// shareMemory reports whether a part of a may share bytes with one of b.
func shareMemory(a, b *Array) bool {
	type extent struct {
		lo, hi uintptr
		b      bool
	}
	var all []extent
	for i, c := range []*Array{a, b} {
		parts := []Array{*c}
		if c.Store.Joined != nil {
			parts = c.Store.Joined.Parts
		}
		for k := range parts {
			lo, hi := parts[k].Layout.Bounds(parts[k].Store.DType.ItemSize())
			at := strided.Address(parts[k].P)
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

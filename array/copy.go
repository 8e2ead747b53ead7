package array

import (
	"fmt"
	"runtime"
	"slices"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
)

// Copy assigns the elements of src to those of dst, converting them from one
// dtype to the other, as dst[...] = src does in NumPy. The shape of src must be
// that of dst or broadcast to it; otherwise the error wraps [ErrShape]. If dst is
// read-only it wraps [ErrReadOnly], and dtypes that do not convert are a
// *[DTypeError]. After an error dst is as it was.
//
// The result is as if src were copied elsewhere first, also where the two share
// memory; Copy makes such a copy only where no direction of walking through the
// elements does. What is not noticed is memory shared through two mappings of one
// file.
//
// Goroutines, GOMAXPROCS of them, share the copy of a large array. A page fault in
// one of them happens again in the caller's, where [mmap.Guard] can have it; then
// some elements are copied and others not.
//
// Numbers convert so: integers wrap around; floats are truncated toward zero to an
// integer, where NaN becomes 0 and what is out of range the nearest integer that
// there is (NumPy leaves those to the machine); floats round to the nearest,
// ties to even; the imaginary part is dropped; anything but zero is true. Text is
// cut or filled with NULs. Structured types must agree in all but byte order. Times
// are the integers that count them, NaT the least one, but NaN becomes NaT. What they
// count is not converted: dates of one unit do not become dates of another, nor do
// durations.
func Copy(dst, src Array) error { return copyElements(dst.core, src.core) }

// CopyFrom assigns the elements of src to those of v; see [Copy].
func (v View[T]) CopyFrom(src View[T]) error { return copyElements(v.core, src.core) }

func copyElements(dst, src core) error {
	dst.some()
	src.some()
	if dst.save == denied {
		return fmt.Errorf("%s%w", prefix(dst.o.path), ErrReadOnly)
	}
	for src.lay.NDim() > dst.lay.NDim() && src.lay.Len(0) == 1 {
		src = src.index(0) // as NumPy, which drops leading axes of length 1
	}
	lay, err := src.lay.Broadcast(dst.lay.Shape()...)
	if err != nil {
		return fmt.Errorf("%s%w", prefix(dst.o.path), err)
	}
	src = src.sub(lay, 0)
	if dst.across() >= 0 || src.across() >= 0 {
		return copyAcross(dst, src)
	}
	c, err := newCopier(dst, src)
	if err != nil || dst.lay.Size() == 0 {
		return err
	}
	if overlap(&dst, &src) && !c.inPlace() {
		tmp, err := src.clone(index.C)
		if err != nil {
			return err
		}
		if c, err = newCopier(dst, tmp); err != nil {
			return err
		}
	}
	c.run()
	return nil
}

// overlap reports whether an element of a may share bytes with one of b.
func overlap(a, b *core) bool {
	// Addresses are below 1<<63, or their distance from one another is.
	return index.Overlaps(a.lay, 0, b.lay, b.distance(a), a.o.dtype.ItemSize(), b.o.dtype.ItemSize())
}

// A copier has what a copy does at each run of elements.
type copier struct {
	dst, src   pointer
	lanes      []lane
	contrary   bool // walk down instead of up
	serial     bool // the order of the walk matters
	size, swap int  // of a move
	skip       int  // bytes of each element of src before those that are moved
	convert    *converter
	each       func(dst, src []byte) // instead of a move
	dsize      int                   // of an element of dst
	delta      int                   // from what is moved of src to dst
}

// A lane is one axis of two layouts that are walked together.
type lane struct{ n, ds, ss int }

func newCopier(dst, src core) (*copier, error) {
	c := &copier{dst: dst.p, src: src.p, delta: dst.distance(&src), dsize: dst.o.dtype.ItemSize()}
	if err := c.plan(dst.o, src.o); err != nil {
		return nil, err
	}
	ls, err := index.SortByStride(dst.lay, src.lay)
	if err == nil {
		ls, err = index.CoalesceAll(ls...)
	}
	if err != nil {
		return nil, fmt.Errorf("%s%w", prefix(dst.o.path), err)
	}
	if dst.lay.Size() == 0 {
		return c, nil
	}
	// All strides of dst upwards, so that memory is written in order.
	d, s := 0, 0
	for axis := range ls[0].NDim() {
		l := lane{ls[0].Len(axis), ls[0].Stride(axis), ls[1].Stride(axis)}
		if l.ds < 0 {
			d += (l.n - 1) * l.ds
			s += (l.n - 1) * l.ss
			l.ds, l.ss = -l.ds, -l.ss
		}
		c.lanes = append(c.lanes, l)
	}
	if len(c.lanes) == 0 {
		c.lanes = []lane{{1, c.dsize, src.o.dtype.ItemSize()}}
	}
	c.dst, c.src = dst.ptr(d), src.ptr(s+c.skip)
	return c, nil
}

// inPlace reports whether walking in some direction never overwrites an element
// that is still to be read, and chooses that direction. It is so when source
// and destination are the same pattern of bytes, at some distance, and the walk
// goes through memory in order.
func (c *copier) inPlace() bool {
	if c.convert != nil || c.each != nil || c.swap > 1 && c.size != c.swap {
		return false
	}
	for _, l := range c.lanes {
		if l.ds != l.ss {
			return false
		}
	}
	if !c.nested() {
		return false
	}
	c.contrary = c.delta > 0
	c.serial = c.delta != 0
	return true
}

// nested reports whether the walk goes through the memory of dst in order.
func (c *copier) nested() bool {
	extent := c.dsize
	for _, l := range slices.Backward(c.lanes) {
		if l.ds < extent {
			return false
		}
		extent += (l.n - 1) * l.ds
	}
	return true
}

// run copies all elements. Where there are many, goroutines share them.
func (c *copier) run() {
	bytes := c.dsize
	for _, l := range c.lanes {
		bytes *= l.n
	}
	n := min(bytes/partBytes, 8*runtime.GOMAXPROCS(0))
	if n < 2 || c.serial || !c.nested() {
		c.walk()
		return
	}
	cut := 0 // the lane to cut: the first one that gives long parts, or the longest
	for k, l := range c.lanes {
		if l.n > c.lanes[cut].n {
			cut = k
		}
		if c.lanes[cut].n >= 64*n {
			break
		}
	}
	share(n, func(k int) {
		part := *c
		part.lanes = slices.Clone(c.lanes)
		l := &part.lanes[cut]
		lo, hi := bound(l.n/8, k, n)*8, bound(l.n/8, k+1, n)*8 // tiles are of 8
		if k == n-1 {
			hi = l.n
		}
		if lo == hi {
			return
		}
		l.n = hi - lo
		part.dst, part.src = offset(c.dst, lo*l.ds), offset(c.src, lo*l.ss)
		if c.convert != nil {
			part.convert = &converter{from: c.convert.from, to: c.convert.to, times: c.convert.times}
		}
		part.walk()
	})
}

// walk copies all elements in this goroutine.
func (c *copier) walk() {
	last := len(c.lanes) - 1
	d, s := 0, 0
	if c.contrary {
		for k := range c.lanes {
			if k == last && c.swap <= 1 && c.lanes[k].ds == c.size {
				break // one after the other: kernel.Move knows the direction
			}
			d, s = c.lanes[k].turn(d, s)
		}
	}
	outer, inner := c.lanes[:last], c.lanes[last]
	along := lane{n: 1}
	if k := c.tiled(); k >= 0 {
		along = outer[k]
		outer = slices.Delete(outer, k, k+1)
	}
	var idx [index.MaxDims]int
	for {
		c.plane(along, inner, offset(c.dst, d), offset(c.src, s))
		k := len(outer) - 1
		for ; k >= 0; k-- {
			l := outer[k]
			d += l.ds
			s += l.ss
			if idx[k]++; idx[k] < l.n {
				break
			}
			d -= l.n * l.ds
			s -= l.n * l.ss
			idx[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// tiled is the axis to go along together with the innermost one, when the source
// lies across that: each cache line that a run touches has more elements along that
// axis. It is -1 where the source lies along the runs.
func (c *copier) tiled() int {
	inner := c.lanes[len(c.lanes)-1]
	best := -1
	least := abs(inner.ss) / 2
	for k, l := range c.lanes[:len(c.lanes)-1] {
		if l.ss != 0 && abs(l.ss) < least {
			best, least = k, abs(l.ss)
		}
	}
	if c.contrary || c.dsize == 0 || abs(inner.ss) < 64 {
		return -1
	}
	return best
}

// tileBytes is how much of a run is copied at a time when the source lies across:
// the lines that this takes stay in the cache until the other runs are copied too.
const tileBytes = 512

// plane copies all runs like inner along another lane.
func (c *copier) plane(along, inner lane, dst, src pointer) {
	if c.convert == nil && c.each == nil && inner.ds == c.size && along.ss == c.size {
		kernel.Transpose(dst, along.ds, src, inner.ss, along.n, inner.n, c.size, c.swap)
		return
	}
	if c.convert != nil && along.n > 1 && along.ss == c.convert.from.size {
		c.convert.across(dst, src, along, inner)
		return
	}
	step := inner.n
	if along.n > 1 {
		step = max(8, tileBytes/c.dsize)
	}
	for done := 0; done < inner.n; done += step {
		for i := range along.n {
			c.line(offset(dst, i*along.ds+done*inner.ds), inner.ds,
				offset(src, i*along.ss+done*inner.ss), inner.ss, min(step, inner.n-done))
		}
	}
}

// turn makes l go the other way, and moves the start at d and s to its end.
func (l *lane) turn(d, s int) (int, int) {
	d += (l.n - 1) * l.ds
	s += (l.n - 1) * l.ss
	l.ds, l.ss = -l.ds, -l.ss
	return d, s
}

// line copies one run.
func (c *copier) line(dst pointer, ds int, src pointer, ss int, n int) {
	switch {
	case c.convert != nil:
		c.convert.line(dst, ds, src, ss, n)
	case c.each != nil:
		for i := range n {
			c.each(memory(offset(dst, i*ds), c.dsize), memory(offset(src, i*ss), c.size))
		}
	default:
		kernel.Move(dst, ds, src, ss, n, c.size, c.swap)
	}
}

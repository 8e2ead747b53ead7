package array

import (
	"sync/atomic"

	"github.com/ndmap/ndmap/mmap"
)

const (
	// partBytes is how much of a large array is worked on at a time.
	partBytes = 4 << 20

	// aheadParts is how many parts are being read while one is worked on: enough
	// for a disk that answers late, and few enough to bound the memory of a pass.
	aheadParts = 8
)

// A pass goes once through a large mapped file, part after part, by one goroutine
// or several. It has the parts read from the disk that it will come to next. From
// the first one on that was not in memory, it lets go of the parts that it is done
// with, so that the program does not grow with the file: the system may still keep
// them, but is free to take them. A file that is in memory stays mapped as it is,
// for the next pass. None of this changes a byte, so what fails is not looked at. A
// nil pass does nothing.
type pass struct {
	m           *mmap.Map
	start, size int // bytes, in the file
	n           int // parts
	cold        atomic.Bool
	k, due      int // of advance
}

// pass is a pass through the memory of c in n parts.
func (c *core) pass(n int) *pass {
	if c.o.file == nil || n <= aheadParts {
		return nil
	}
	lo, hi := c.lay.Bounds(c.o.dtype.ItemSize())
	return &pass{m: c.o.file, start: c.o.start + c.offset() + lo, size: hi - lo, n: n}
}

// enter is called before the first byte of part k is touched. It reads parts
// further on; at the start of the pass, all up to there.
func (p *pass) enter(k int) {
	if p == nil {
		return
	}
	first := k + aheadParts
	if k == 0 {
		first = 0
	}
	for ; first <= min(k+aheadParts, p.n-1); first++ {
		off, n := p.part(first)
		if in, err := p.m.Resident(off+n-1, 1); err == nil && in == 0 {
			p.cold.Store(true)
			p.m.Advise(off, n, mmap.WillNeed)
		}
	}
}

// leave is called when part k will not be touched again.
func (p *pass) leave(k int) {
	if p != nil && p.cold.Load() {
		off, n := p.part(k)
		p.m.Advise(off, n, mmap.DontNeed)
	}
}

// part is where part k is in the file, and its size.
func (p *pass) part(k int) (off, n int) {
	lo, hi := bound(p.size, k, p.n), bound(p.size, k+1, p.n)
	return p.start + lo, hi - lo
}

// sweep is a pass of one goroutine that walks through c in C order, if that is the
// order of the memory.
func (c *core) sweep() *pass {
	n := 1 + c.NBytes()/partBytes
	if n <= aheadParts {
		return nil
	}
	inner := 0 // bytes that the axes within this one cover
	for axis := c.lay.NDim() - 1; axis >= 0; axis-- {
		d := c.lay.Dim(axis)
		if d.Len == 1 { // its stride is never used
			continue
		}
		if d.Stride < max(inner, 1) {
			return nil
		}
		inner = d.Stride * d.Len
	}
	return c.pass(n)
}

// advance enters and leaves parts on the way to the byte off from the first one.
func (p *pass) advance(off int) {
	if p != nil && off >= p.due {
		p.step(off)
	}
}

func (p *pass) step(off int) {
	if p.due == 0 {
		p.enter(0)
		p.due = bound(p.size, 1, p.n)
	}
	for ; off >= p.due && p.k < p.n-1; p.due = bound(p.size, p.k+1, p.n) {
		p.leave(p.k)
		p.k++
		p.enter(p.k)
	}
}

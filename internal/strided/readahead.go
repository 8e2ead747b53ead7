package strided

import (
	"sync/atomic"

	"github.com/ndmap/ndmap/mmap"
)

// A Readahead goes once through a large mapped file, part after part, by one goroutine
// or several. It has the parts read from the disk that it will come to next. From
// the first one on that was not in memory, it lets go of the parts that it is done
// with, so that the program does not grow with the file: the system may still keep
// them, but is free to take them. A file that is in memory stays mapped as it is,
// for the next time. These are hints, so errors are ignored. A nil Readahead does
// nothing.
type Readahead struct {
	m           *mmap.Map
	start, size int // bytes, in the file
	n           int // parts
	ahead       int // parts that are being read while one is worked on
	cold        atomic.Bool
	k, due      int // of advance

	wanted  atomic.Int64 // how many parts are to be read
	asked   int64        // how many read has passed to Advise
	reading atomic.Bool  // whether a goroutine runs read
}

// Readahead returns one for the memory of p in n parts, nil where p is small or no file.
func (p Piece) Readahead(n int) *Readahead {
	if p.Mem.File == nil || n <= 1 || p.Layout.Size()*p.ItemSize < aheadBytes {
		return nil
	}
	lo, hi := p.Layout.Bounds(p.ItemSize)
	start, size := p.Mem.Offset+Distance(p.P, p.Mem.Base)+lo, hi-lo
	return &Readahead{m: p.Mem.File, start: start, size: size, n: n, ahead: max(1, aheadBytes/(size/n))}
}

// Enter is called before the first byte of part k is touched. It reads parts
// further on; at the start, all up to there.
func (r *Readahead) Enter(k int) {
	if r == nil {
		return
	}
	first := k + r.ahead
	if k == 0 {
		first = 0
	}
	for ; first <= min(k+r.ahead, r.n-1); first++ {
		off, n := r.part(first)
		if in, err := r.m.Resident(off+n-1, 1); err == nil && in == 0 {
			r.cold.Store(true)
			r.want(int64(first) + 1)
		}
	}
}

// want starts to read the first n parts. Advise took half of the time of a cold pass when the
// caller waited for it, so a goroutine calls it, part after part, and ends after part n-1.
func (r *Readahead) want(n int64) {
	for old := r.wanted.Load(); n > old; old = r.wanted.Load() {
		if r.wanted.CompareAndSwap(old, n) {
			break
		}
	}
	if r.reading.CompareAndSwap(false, true) {
		go r.read()
	}
}

// read passes parts to Advise until there are none that are wanted.
func (r *Readahead) read() {
	for {
		k := r.asked
		for ; k < r.wanted.Load(); k++ {
			off, n := r.part(int(k))
			r.m.Advise(off, n, mmap.WillNeed)
		}
		r.asked = k
		r.reading.Store(false)
		if k >= r.wanted.Load() || !r.reading.CompareAndSwap(false, true) {
			return
		}
	}
}

// Leave is called when part k will not be touched again.
func (r *Readahead) Leave(k int) {
	if r != nil && r.cold.Load() {
		off, n := r.part(k)
		r.m.Advise(off, n, mmap.DontNeed)
	}
}

// part returns where part k is in the file, and its size.
func (r *Readahead) part(k int) (off, n int) {
	lo, hi := Bound(r.size, k, r.n), Bound(r.size, k+1, r.n)
	return r.start + lo, hi - lo
}

// sweep returns a Readahead for one goroutine that walks along the axes, if that is
// the order of the memory, and nil otherwise.
func (p Piece) sweep(axes []axis) *Readahead {
	inner, bytes := 0, p.ItemSize // that the axes within this one cover, and all
	for k := len(axes) - 1; k >= 0; k-- {
		if a := axes[k]; a.N > 1 { // else its stride is never used
			if a.DS < max(inner, 1) {
				return nil
			}
			inner = a.DS * a.N
			bytes *= a.N
		}
	}
	return p.Readahead(1 + bytes/PartBytes)
}

// advance enters and leaves parts on the way to the byte off from the first one.
func (r *Readahead) advance(off int) {
	if r != nil && off >= r.due {
		r.step(off)
	}
}

func (r *Readahead) step(off int) {
	if r.due == 0 {
		r.Enter(0)
		r.due = Bound(r.size, 1, r.n)
	}
	for ; off >= r.due && r.k < r.n-1; r.due = Bound(r.size, r.k+1, r.n) {
		r.Leave(r.k)
		r.k++
		r.Enter(r.k)
	}
}

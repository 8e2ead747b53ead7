package strided

import (
	"sync"
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
//
// What has no room in memory would be read again the next time, whatever the system keeps. And Linux rather takes pages
// that nobody has touched yet, which are those of the parts to come. So then the parts that are done leave
// its cache, too.
type Readahead struct {
	m           *mmap.Map
	start, size int   // bytes, in the file
	pages       int   // bytes of the pages that are needed
	n           int   // parts
	spans       spans // with axes where there are gaps: then Enter asks for these alone
	cold        atomic.Bool
	stopped     atomic.Bool
	ahead       atomic.Int64 // parts that are being read while one is worked on
	asked       atomic.Int64 // parts that Enter has seen to
	k, due      int          // of advance

	mu        sync.Mutex
	changed   sync.Cond // done, tight or reading has changed
	requested int       // how many parts are to be read
	done      int       // how many parts read has read, or skipped
	entered   int       // the last part that Enter has returned for
	reading   bool      // whether a goroutine runs read
	first     int       // the first part that was not in memory
	tight     bool      // pages that were read are evicted, or will be
}

// Enter is called before the first byte of part k is touched. It has parts read that are
// further on, if no other call has. While memory is short it waits until part k is read.
func (r *Readahead) Enter(k int) {
	if r == nil {
		return
	}
	if len(r.spans.axes) > 0 {
		r.enterRuns(k)
		return
	}
	for i := r.asked.Load(); i <= int64(min(k+int(r.ahead.Load()), r.n-1)); i = r.asked.Load() {
		if r.asked.CompareAndSwap(i, i+1) { // once for all goroutines: it is a system call
			off, n := r.part(int(i))
			if in, err := r.m.Resident(off+n-1, 1); err == nil && in == 0 {
				r.readUpTo(int(i))
			}
		}
	}
	if r.cold.Load() {
		r.mu.Lock()
		for r.tight && r.done <= k && k < r.requested {
			r.changed.Wait()
		}
		r.entered = max(r.entered, k)
		r.mu.Unlock()
	}
}

// enterRuns is Enter where there are gaps. The runs of part k are asked for when it returns.
func (r *Readahead) enterRuns(k int) {
	last := min(k+int(r.ahead.Load()), r.n-1)
	if r.asked.Load() > int64(last) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := int(r.asked.Load()); i <= last; i++ {
		lo, n := r.part(i)
		if r.spans.areCold(lo, lo+n) {
			if !r.cold.Swap(true) {
				r.tight = r.measure()
			}
			r.spans.advise(lo, lo+n, mmap.WillNeed)
		}
		r.asked.Store(int64(i + 1))
	}
}

// readUpTo has a goroutine read all parts up to part k, which was not in memory.
func (r *Readahead) readUpTo(k int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.cold.Swap(true) {
		r.first = k
		r.tight = r.measure()
	}
	r.requested = max(r.requested, k+1)
	if !r.reading {
		r.reading = true
		go r.read()
	}
}

// measure looks up how much memory there is now. The parts that are in memory at a time fit into a quarter of it: there
// may be another Readahead, of a destination, whose pages are being written. It reports whether all of them have no
// room.
func (r *Readahead) measure() bool {
	memory := memory()
	r.ahead.Store(min(r.ahead.Load(), int64(max(0, memory/4/max(1, r.pages/r.n)-1))))
	return r.pages > memory
}

// Stop ends r, which is not entered again, and returns when nothing reads for it any more.
func (r *Readahead) Stop() {
	if r == nil || !r.cold.Load() {
		return
	}
	r.stopped.Store(true)
	r.mu.Lock()
	defer r.mu.Unlock()
	for r.reading {
		r.changed.Wait()
	}
}

// read reads the requested parts, and returns when all of them are read, or r is stopped.
//
// It begins with WillNeed. On Linux that fills the page cache with pages of 4 KiB, which are slow to evict: an 8 GB
// file took 5.6 s under a memory limit of 512 MiB. So when the first part that was read has been evicted, read
// goes on with Populate, which touches page after page: the kernel then reads ahead by itself, in larger pages,
// as long as nobody else touches pages further on, for which Enter waits. The file took 4.1 s so. Without a
// limit WillNeed stays the faster one: 4.3 s, and 8 s with Populate.
func (r *Readahead) read() {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Parts before the one that was entered are in use, or done.
	for ; r.done < r.requested && !r.stopped.Load(); r.done = max(r.done+1, r.entered) {
		tight := r.tight
		r.mu.Unlock()
		if !tight && r.done > r.first+2*int(r.ahead.Load()) {
			off, n := r.part(r.first)
			in, err := r.m.Resident(off+n/2, 1)
			if tight = err == nil && in == 0; tight {
				r.measure()
			}
		}
		advice := mmap.WillNeed
		if tight {
			advice = mmap.Populate
		}
		off, n := r.part(r.done)
		for ; n > 0 && !r.stopped.Load(); off, n = off+adviseBytes, n-adviseBytes {
			r.m.Advise(off, min(n, adviseBytes), advice)
		}
		r.mu.Lock()
		r.tight = tight
		r.changed.Broadcast()
	}
	r.reading = false
	r.changed.Broadcast()
}

// Leave is called when part k will not be touched again.
func (r *Readahead) Leave(k int) {
	if r == nil || !r.cold.Load() {
		return
	}
	r.mu.Lock()
	tight := r.tight
	r.mu.Unlock()
	off, n := r.part(k)
	switch from, to := wholePages(off, n); {
	case !tight:
		r.m.Advise(off, n, mmap.DontNeed)
	case len(r.spans.axes) > 0:
		r.spans.advise(off, off+n, mmap.PageOut)
	case from < to:
		r.m.Advise(from, to-from, mmap.PageOut)
	}
}

// part returns where part k is in the file, and its size.
func (r *Readahead) part(k int) (off, n int) {
	lo, hi := Bound(r.size, k, r.n), Bound(r.size, k+1, r.n)
	return r.start + lo, hi - lo
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

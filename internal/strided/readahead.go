package strided

import (
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/mmap"
)

// A Readahead prefetches the parts of a range of a mapped file for goroutines that go through the parts once, in order.
// After it finds a part that is not in memory, it also releases the parts that are done, so that the memory of the
// process does not grow with the file. The system may keep the released pages or take them back. If the whole file is
// in memory, no part is released. All of these are hints to the system, so errors are ignored. The methods of a nil
// Readahead do nothing.
//
// If the pages do not fit in memory, the Readahead also evicts finished parts from the page cache. The next pass has to
// read them again in any case, and Linux would otherwise evict the prefetched pages first, because they have not been
// touched yet.
type Readahead struct {
	m           *mmap.Map
	start, size int          // the range of the file
	pages       int          // the number of bytes in the pages that are needed
	n           int          // the number of parts
	spans       spans        // if it has axes, there are gaps, and only the runs are prefetched
	cold        atomic.Bool  // a part was not in memory
	stopped     atomic.Bool  // Stop was called
	distance    atomic.Int64 // the number of parts to prefetch beyond the current one
	checked     atomic.Int64 // the number of parts that Enter has checked, and prefetched if necessary

	current, end int // the part that advance has entered, and its end in bytes from the start; 0 before the first part

	mu        sync.Mutex
	changed   sync.Cond // done, evicting or reading has changed
	requested int       // the number of parts to read
	done      int       // the number of parts that read has read or skipped
	entered   int       // the last part that Enter has returned for
	reading   bool      // a goroutine runs read
	first     int       // the first part that was not in memory
	evicting  bool      // pages that were read have been evicted, or will be
}

// Enter is called before the first byte of part k is touched. It prefetches the following parts, unless an earlier call
// did. While memory is short, it waits until part k has been read.
func (r *Readahead) Enter(k int) {
	if r == nil {
		return
	}
	if len(r.spans.axes) > 0 {
		r.enterRuns(k)
		return
	}
	for i := r.checked.Load(); i <= int64(min(k+int(r.distance.Load()), r.n-1)); i = r.checked.Load() {
		if r.checked.CompareAndSwap(i, i+1) { // one goroutine makes the system call
			off, n := r.partRange(int(i))
			if in, err := r.m.Resident(off+n-1, 1); err == nil && in == 0 {
				r.readUpTo(int(i))
			}
		}
	}
	if r.cold.Load() {
		r.mu.Lock()
		for r.evicting && r.done <= k && k < r.requested {
			r.changed.Wait()
		}
		r.entered = max(r.entered, k)
		r.mu.Unlock()
	}
}

// enterRuns does the work of Enter for a range with gaps. When it returns, the system has begun to read the runs of
// part k.
func (r *Readahead) enterRuns(k int) {
	last := min(k+int(r.distance.Load()), r.n-1)
	if r.checked.Load() > int64(last) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := int(r.checked.Load()); i <= last; i++ {
		lo, n := r.partRange(i)
		if r.spans.areCold(lo, lo+n) {
			if !r.cold.Swap(true) {
				r.evicting = r.measureMemory()
			}
			r.spans.advise(lo, lo+n, mmap.WillNeed)
		}
		r.checked.Store(int64(i + 1))
	}
}

// readUpTo makes a goroutine read all parts up to part k, which was not in memory.
func (r *Readahead) readUpTo(k int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.cold.Swap(true) {
		r.first = k
		r.evicting = r.measureMemory()
	}
	r.requested = max(r.requested, k+1)
	if !r.reading {
		r.reading = true
		go r.readRequested()
	}
}

// measureMemory limits r.distance by the available memory, and reports whether the pages of all parts exceed that
// memory. The parts in memory at the same time use up to a quarter of it, because a destination may have a Readahead,
// too, with pages that are being written.
func (r *Readahead) measureMemory() bool {
	memory := availableMemory()
	r.distance.Store(min(r.distance.Load(), int64(max(0, memory/4/max(1, r.pages/r.n)-1))))
	return r.pages > memory
}

// Stop stops r, and waits until no goroutine reads for it. Enter must not be called afterwards.
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

// readRequested reads the requested parts. It returns when all of them are read, or r is stopped.
//
// readRequested starts with the advice WillNeed. On Linux this fills the page cache with pages of 4 KiB, which are
// slow to evict: an 8 GB file took 5.6 s under a memory limit of 512 MiB. After the first part that was read has been
// evicted, readRequested switches to Populate, which touches page after page. The kernel then reads ahead by itself,
// in larger pages, as long as no goroutine touches later pages; so Enter waits. With Populate the same file took 4.1
// s. Without a memory limit WillNeed is faster: 4.3 s, and 8 s with Populate.
func (r *Readahead) readRequested() {
	r.mu.Lock()
	defer r.mu.Unlock()
	// Parts before the last part entered are in use, or done: skip them.
	for ; r.done < r.requested && !r.stopped.Load(); r.done = max(r.done+1, r.entered) {
		evicting := r.evicting
		r.mu.Unlock()
		if !evicting && r.done > r.first+2*int(r.distance.Load()) {
			off, n := r.partRange(r.first)
			in, err := r.m.Resident(off+n/2, 1)
			if evicting = err == nil && in == 0; evicting {
				r.measureMemory()
			}
		}
		advice := mmap.WillNeed
		if evicting {
			advice = mmap.Populate
		}
		off, n := r.partRange(r.done)
		for ; n > 0 && !r.stopped.Load(); off, n = off+adviseBytes, n-adviseBytes {
			r.m.Advise(off, min(n, adviseBytes), advice)
		}
		r.mu.Lock()
		r.evicting = evicting
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
	evicting := r.evicting
	r.mu.Unlock()
	off, n := r.partRange(k)
	switch from, to := wholePages(off, n); {
	case !evicting:
		r.m.Advise(off, n, mmap.DontNeed)
	case len(r.spans.axes) > 0:
		r.spans.advise(off, off+n, mmap.PageOut)
	case from < to:
		r.m.Advise(from, to-from, mmap.PageOut)
	}
}

// partRange returns the offset of part k in the file, and its number of bytes.
func (r *Readahead) partRange(k int) (off, n int) {
	lo, hi := Bound(r.size, k, r.n), Bound(r.size, k+1, r.n)
	return r.start + lo, hi - lo
}

// advance enters and leaves parts until the current part contains the byte off from the start. It is inlined.
func (r *Readahead) advance(off int) {
	if r != nil && off >= r.end {
		r.enterParts(off)
	}
}

// enterParts does the work of advance.
func (r *Readahead) enterParts(off int) {
	if r.end == 0 {
		r.Enter(0)
		r.end = Bound(r.size, 1, r.n)
	}
	for ; off >= r.end && r.current < r.n-1; r.end = Bound(r.size, r.current+1, r.n) {
		r.Leave(r.current)
		r.current++
		r.Enter(r.current)
	}
}

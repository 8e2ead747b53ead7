package strided

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// TestReadaheadTight checks that each part that is read while memory is short is in memory when it is entered. Pages
// that the system evicts at that moment are excepted. A busy system may evict pages late, so that Enter does not wait
// for parts. In this case the test tries again.
func TestReadaheadTight(t *testing.T) {
	const parts, tries = 28, 3
	tight := 0
	for try := 0; try < tries && tight < parts/4; try++ {
		tight = countWaits(t, parts)
	}
	if tight < parts/4 {
		t.Errorf("%d of %d parts were waited for", tight, parts)
	}
}

// countWaits reads a file once. The pages of the file are evicted after each part. countWaits returns the number of
// parts that Enter waited for.
func countWaits(t *testing.T, parts int) (tight int) {
	path := filepath.Join(t.TempDir(), "a")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	size := parts * PartBytes
	b := make([]byte, PartBytes)
	for range parts {
		if _, err := f.Write(b); err != nil {
			t.Fatal(err)
		}
	}
	forget := func(off, n int) { // evicts pages, as if memory were short
		if err := unix.Fadvise(int(f.Fd()), int64(off), int64(n), unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	forget(0, size)
	m := must(mmap.Open(path, mmap.ReadOnly))
	defer m.Close()
	if in := must(m.Resident(0, size)); in > size/2 {
		t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", in)
	}
	mem := &Memory{Path: m.Path(), File: m, Base: Start(m.Bytes()), Size: size}
	p := Piece{P: mem.Base, Layout: must(index.NewLayout([]int{size}, 1, index.C)), ItemSize: 1, Mem: mem}
	r := p.Readahead(parts)
	populated := parts // the first part that Populate may have read; the disk may still be reading earlier ones
	state := func() (tight bool, done int) {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.evicting, r.done
	}
	for k := range parts {
		r.Enter(k)
		off, n := r.partRange(k)
		isTight, done := state()
		if isTight {
			populated = min(populated, done-1)
		}
		if isTight && populated <= k && k < done {
			if tight++; must(m.Resident(off, n)) < n-n/8 && os.Getenv("NDMAP_QEMU") == "" { // QEMU ignores advice
				t.Errorf("part %d: %d of %d bytes in memory", k, must(m.Resident(off, n)), n)
			}
		}
		for isTight, done := state(); !isTight && done < min(k+int(r.distance.Load()), parts); isTight, done = state() {
			time.Sleep(time.Millisecond) // as if work took longer than reading
		}
		for i := range n / pageBytes { // touch each page
			_ = m.Bytes()[off+i*pageBytes]
		}
		r.Leave(k)
		for try := 0; try < 100 && must(m.Resident(off, n)) > 0; try++ {
			forget(off, n)
		}
	}
	return tight
}

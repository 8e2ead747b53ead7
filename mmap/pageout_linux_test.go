package mmap_test

import (
	"bytes"
	"os"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestPageOut checks that PageOut also evicts pages from the page cache, whereas DontNeed only unmaps them.
func TestPageOut(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const n = 256
	path := writeFile(t, pages(n))
	m := open(t, path, mmap.ReadWrite)
	if err := m.Sync(); err != nil {
		t.Fatal(err)
	}
	resident := func(a mmap.Advice) (in int) {
		for range 3 { // the system may drop advice while it is busy
			if !bytes.Equal(m.Bytes(), pages(n)) { // maps all pages, because only mapped pages are evicted
				t.Fatal("the bytes are others")
			}
			if err := m.Advise(0, n*page, a); err != nil {
				t.Fatal(err)
			}
			var err error
			if in, err = m.Resident(0, n*page); err != nil {
				t.Skip(err)
			}
			if in < n*page/4 {
				break
			}
		}
		return in
	}
	if in := resident(mmap.DontNeed); in < n*page/2 {
		t.Skipf("the system keeps %d of %d bytes of a file that was read just now", in, n*page)
	}
	if in := resident(mmap.PageOut); in > n*page/4 {
		t.Errorf("%d of %d bytes are in memory after PageOut", in, n*page)
	}
}

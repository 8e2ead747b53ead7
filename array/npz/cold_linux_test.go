package npz

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// TestColdOpen tests that Open reads only the directory and the headers of the members, and causes no readahead of the
// bytes after them.
func TestColdOpen(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	path := temp(t)
	const members, size = 8, 4 << 20
	all := map[string]array.Array{}
	for k := range members {
		a, err := array.New(dtype.Uint8, index.C, size)
		check(t, err)
		all[string(rune('a'+k))] = a.Array
	}
	check(t, Save(path, all))
	resident := 0
	for range 3 { // the system may drop advice while it is short of memory
		file, err := os.Open(path)
		check(t, err)
		check(t, unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED))
		check(t, file.Close())
		m, err := mmap.Open(path, mmap.ReadOnly)
		check(t, err)
		before, err := m.Resident(0, m.Len())
		check(t, err)
		if before > m.Len()/50 {
			m.Close()
			t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", before)
		}
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		resident, err = m.Resident(0, m.Len())
		check(t, err)
		check(t, a.Close())
		check(t, m.Close())
		if resident <= size/4 {
			break
		}
	}
	if resident > size/4 {
		t.Errorf("%d bytes are in memory, want only the directory and %d headers", resident, members)
	}
}

package mmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestCycles tests a program that keeps opening and closing large files. Its mappings and addresses must stay within
// the documented bound, and its memory and descriptors must not grow at all.
func TestCycles(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") == "1" {
		t.Skip("QEMU's user-mode emulation takes 6 bytes of memory for 1024 of addresses: 6 GiB here (NDMAP_QEMU=1)")
	}
	const gib = 1 << 30
	path := filepath.Join(t.TempDir(), "t.npy")
	if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, gib)); err != nil {
		t.Fatal(err)
	}
	if m, err := mmap.Open(path, mmap.ReadOnly); err != nil {
		t.Skip(err) // no room for its addresses, in a 32-bit program
	} else {
		m.Close()
	}
	modes := []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite}
	use := func(i int) {
		m, err := mmap.Open(path, modes[i%3])
		if err != nil {
			t.Fatal(err)
		}
		b := m.Bytes()
		for k := i % 7 * page; k < len(b); k += len(b) / 16 {
			if modes[i%3] == mmap.ReadOnly {
				sink += b[k]
			} else {
				b[k] = 1
			}
		}
		if err := m.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 20 { // until the heap reaches its final size
		use(i)
	}
	mmap.EmptyGraveyard()
	debug.FreeOSMemory()
	live, fds, maps := mmap.Live(), countDescriptors(t), countMappings(t)
	size, resident := memorySizes(t)
	tables := pageTables(t)

	cycles := shortOrLong(t, 1000, 10000)
	for i := range cycles {
		use(i)
	}

	// Count descriptors before a garbage collection, which would close files that were not closed explicitly.
	if n := countDescriptors(t); n != fds {
		t.Errorf("the process has %d descriptors, and had %d", n, fds)
	}
	debug.FreeOSMemory()
	// The graveyard keeps up to 1024 ranges and 1 TiB.
	bound := mmap.GraveyardBytes
	if n := countMappings(t); n > maps+mmap.GraveyardRanges+50 {
		t.Errorf("the process has %d mappings, and had %d", n, maps)
	}
	nowSize, nowResident := memorySizes(t)
	if uint64(nowSize-size) > bound+512<<20 { // the heap and the threads use some
		t.Errorf("the process has %d MiB of addresses, and had %d; the bound is %d more", nowSize>>20, size>>20, bound>>20)
	}
	most := 8 << 20
	if oracle.Race { // the race detector keeps a history of memory accesses
		most *= 2
	}
	if nowResident-resident > most {
		t.Errorf("the process has %d KiB of memory, and had %d", nowResident>>10, resident>>10)
	}
	if n := mmap.Live(); n != live {
		t.Errorf("%d mappings are left in the registry", n-live)
	}
	if maps := readFile(t, "/proc/self/maps"); bytes.Contains(maps, []byte(path)) {
		t.Error("the file is still mapped")
	}
	t.Logf("%d cycles: %d mappings more, %d MiB of addresses, %d KiB of memory, %d KiB of page tables",
		cycles, countMappings(t)-maps, (nowSize-size)>>20, (nowResident-resident)>>10, pageTables(t)-tables)
	mmap.EmptyGraveyard()
}

// pageTables returns the size of the page tables of the process, in KiB.
func pageTables(t *testing.T) (kib int) {
	_, rest, _ := bytes.Cut(readFile(t, "/proc/self/status"), []byte("VmPTE:"))
	if _, err := fmt.Sscan(string(rest), &kib); err != nil {
		t.Fatal(err)
	}
	return kib
}

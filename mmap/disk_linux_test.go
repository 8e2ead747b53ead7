package mmap_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/mmap"
)

// TestLargerThanMemory tests private mappings of files larger than memory: the system must not reserve memory for
// copies of all pages.
func TestLargerThanMemory(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("a 32-bit program has fewer addresses than memory")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	m, err := mmap.Config{Sparse: true}.Create(path, 1<<40)
	if err != nil {
		t.Skip(err)
	}
	defer m.Close()
	c := open(t, path, mmap.CopyOnWrite)
	mid := c.Len() / 2
	c.Bytes()[mid] = 'x'
	if m.Bytes()[mid] != 0 || c.Bytes()[mid] != 'x' {
		t.Error("a private write is lost, or reaches the file")
	}
}

// diskBytes returns the number of bytes that a file takes on disk.
func diskBytes(t *testing.T, path string) int64 {
	t.Helper()
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	return st.Blocks * 512
}

// TestBlocks tests that Create reserves disk space, and Sparse does not.
func TestBlocks(t *testing.T) {
	dir := t.TempDir()
	const size = 4 << 20
	f, err := os.Create(filepath.Join(dir, "probe"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fallocate(int(f.Fd()), 0, 0, 1); err != nil {
		t.Skipf("%s cannot reserve: %v", dir, err)
	}
	for _, sparse := range []bool{false, true} {
		path := filepath.Join(dir, fmt.Sprint(sparse))
		m, err := mmap.Config{Sparse: sparse}.Create(path, size)
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if got := diskBytes(t, path); sparse != (got < size/2) {
			t.Errorf("Sparse %v: the file has %d bytes of disk for %d", sparse, got, size)
		}
	}
}

// TestFullDisk tests that Create returns an error and leaves no file if the disk is full, and that Guard returns an
// error for a write to a sparse file.
func TestFullDisk(t *testing.T) {
	dir := mount(t, "tmpfs", "size=1m")
	path := filepath.Join(dir, "t.npy")
	_, err := mmap.Create(path, 2<<20)
	checkError(t, err, path, "create DIR/t.npy: no space left on device", unix.ENOSPC)
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file was left: %v", err)
	}

	m, err := mmap.Config{Sparse: true}.Create(path, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	needAddresses(t)
	fe := fault(t, func() {
		for i := 0; i < m.Len(); i += page {
			m.Bytes()[i] = 1
		}
	})
	if fe.Path != path || fe.Offset == 0 || fe.Offset > 1<<20 || !errors.Is(fe, mmap.ErrUnavailable) {
		t.Errorf("%#v", fe)
	}
	if !strings.HasSuffix(fe.Error(), ": the file was truncated, its disk is full, or its disk or network failed") {
		t.Error(fe) // on tmpfs the byte cannot be read, either
	}
}

// TestFullDiskStore stores to a sparse file on a full disk. The error must name the full disk as the cause if the byte
// can be read.
func TestFullDiskStore(t *testing.T) {
	needAddresses(t)
	m, err := mmap.Config{Sparse: true}.Create(filepath.Join(mountImage(t, 4<<20), "t.npy"), 8<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	store := func() {
		for i := 0; i < m.Len(); i += page {
			m.Bytes()[i] = 1
		}
	}
	const want = ": the byte is not available for a store: the disk or a quota is full, the disk failed, or the file was truncated for a moment"
	fe := fault(t, store)
	if !errors.Is(fe, mmap.ErrUnavailable) || !strings.HasSuffix(fe.Error(), want) {
		t.Error(fe)
	}
	// A truncated page cannot be read.
	truncate(t, m.Path(), 0)
	fe = fault(t, store)
	if !errors.Is(fe, mmap.ErrUnavailable) || strings.HasSuffix(fe.Error(), want) {
		t.Error(fe)
	}
}

// TestCannotReserve tests Create on a file system that cannot reserve space.
func TestCannotReserve(t *testing.T) {
	path := filepath.Join(mount(t, "ramfs", ""), "t.npy")
	m, err := mmap.Create(path, int64(3*page))
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.Bytes()[3*page-1] = 'x'
	if got := readFile(t, path); len(got) != 3*page || got[3*page-1] != 'x' {
		t.Errorf("the file has %d bytes", len(got))
	}
}

// mount mounts a new file system on a new directory. It skips the test if the process lacks the privilege.
func mount(t *testing.T, fstype, data string) string {
	t.Helper()
	dir := t.TempDir()
	if err := unix.Mount(fstype, dir, fstype, 0, data); err != nil {
		t.Skipf("mount %s: %v: needs the right to mount", fstype, err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	return dir
}

// TestLease tests that Open of a file on which another program, such as a file server, holds a lease waits until the
// lease is released, and does not fail.
func TestLease(t *testing.T) {
	path := writeFile(t, pages(1))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_WRLCK); err != nil {
		t.Skipf("no leases here: %v", err)
	}
	// The first attempt of Open fails with this error.
	if _, err := unix.Open(path, unix.O_RDONLY|unix.O_NONBLOCK, 0); err != unix.EWOULDBLOCK {
		t.Skipf("the lease does not stop its own process: %v", err)
	}
	opened := make(chan error)
	go func() {
		m, err := mmap.Open(path, mmap.ReadOnly)
		if err == nil {
			err = m.Close()
		}
		opened <- err
	}()
	for {
		// The kernel would notify the holder by a signal; this test polls instead.
		if lease, _ := unix.FcntlInt(f.Fd(), unix.F_GETLEASE, 0); lease == unix.F_UNLCK || strings.Contains(string(readFile(t,
			"/proc/locks")), "BREAKING") {
			break
		}
	}
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETLEASE, unix.F_UNLCK); err != nil {
		t.Error(err)
	}
	if err := <-opened; err != nil {
		t.Error(err)
	}
}

// TestResident tests that pages that the system dropped are not in memory until they are touched.
func TestResident(t *testing.T) {
	size := 64 * page
	path := writeFile(t, pages(64))
	m := open(t, path, mmap.ReadWrite)
	if err := m.Sync(); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	resident := func(off, n int) int {
		t.Helper()
		got, err := m.Resident(off, n)
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	// The test touches each page, because the system decides how many pages one fault reads. It
	// may also drop pages at once if memory is short.
	b, want := m.Bytes(), pages(64)
	looked := func(off, n int) int {
		t.Helper()
		var got int
		for range 100 {
			for k := off; k < off+n; k += page {
				if b[k] != want[k] {
					t.Fatalf("byte %d is %d, want %d", k, b[k], want[k])
				}
			}
			if got = resident(off, n); got == n {
				break
			}
		}
		return got
	}
	if got := looked(0, size); got != size {
		t.Errorf("just written: %d bytes resident, want %d", got, size)
	}
	if got := resident(page-1, 2); got != 2 {
		t.Errorf("two bytes on two pages: %d resident, want 2", got)
	}
	if got := resident(5, 0); got != 0 {
		t.Errorf("no bytes: %d resident", got)
	}
	if err := unix.Fsync(fd); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if got := resident(0, size); got != 0 {
		t.Skipf("the system keeps %d of %d bytes of a file that it was told to drop (tmpfs does)", got, size)
	}
	if got := looked(8*page, 8*page); got != 8*page {
		t.Errorf("after touching the pages: %d bytes resident, want %d", got, 8*page)
	}
	if n := testing.AllocsPerRun(100, func() { resident(8*page, page) }); n != 0 {
		t.Errorf("one page: %v allocations, want 0", n)
	}
}

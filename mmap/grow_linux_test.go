package mmap_test

import (
	"bytes"
	"errors"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/mmap"
)

// TestGrowFullDisk tests that Grow returns an error if the disk is full. The file must then have its old length and
// bytes, and take no more disk space than before. A sparse file must be able to grow beyond the size of the disk.
func TestGrowFullDisk(t *testing.T) {
	for _, fs := range []struct {
		name  string
		mount func(t *testing.T) string
	}{
		{"tmpfs", func(t *testing.T) string { return mount(t, "tmpfs", "size=2m") }},
		{"ext4", func(t *testing.T) string { return mountImage(t, 8<<20) }},
	} {
		t.Run(fs.name, func(t *testing.T) {
			dir := fs.mount(t)
			path := filepath.Join(dir, "t.npy")
			m, err := mmap.Create(path, int64(2*page+5))
			if err != nil {
				t.Fatal(err)
			}
			defer m.Close()
			want := pages(3)[:2*page+5]
			copy(m.Bytes(), want)
			if err := m.Sync(); err != nil {
				t.Fatal(err)
			}
			before := diskBytes(t, path)
			for _, n := range []int{9 << 20, 1 << 30} {
				checkError(t, m.Grow(n), path, "grow DIR/t.npy: no space left on device", unix.ENOSPC)
				if got := readFile(t, path); !bytes.Equal(got, want) || !bytes.Equal(m.Bytes(), want) {
					t.Errorf("after the error the file has %d bytes, the mapping %d", len(got), m.Len())
				}
				// ext4 keeps an index block.
				if got := diskBytes(t, path); got > before+int64(page) {
					t.Errorf("after the error the file has %d bytes of disk, before %d", got, before)
				}
			}
			if err := m.Grow(300_000 - m.Len()); err != nil {
				t.Errorf("Grow by a size that fits, after the error: %v", err)
			}
			if got := diskBytes(t, path); got < 300_000 {
				t.Errorf("the file has %d bytes of disk for 300000", got)
			}
			s, err := mmap.Config{Mode: mmap.ReadWrite, Sparse: true}.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			if err := s.Grow(32<<20 - s.Len()); err != nil {
				t.Errorf("sparse: %v", err)
			}
			needAddresses(t)
			// A store must fault, and a system call must return an error.
			for i := 300_000; i < s.Len(); i += page {
				if _, err = s.WriteAt([]byte("x"), int64(i)); err != nil {
					break
				}
			}
			checkError(t, err, path, "write DIR/t.npy: no space left on device", unix.ENOSPC)
			if fe := fault(t, func() { s.Bytes()[s.Len()-1] = 1 }); fe.Path != path || fe.Offset != faultOffset(s.Len()-1) {
				t.Errorf("%#v", fe)
			}
		})
	}
}

// TestGrowNoAddresses tests that the file keeps its old length if the new length cannot be mapped.
func TestGrowNoAddresses(t *testing.T) {
	if strconv.IntSize == 32 {
		t.Skip("a file that 32 bits cannot map is refused before it grows")
	}
	path := filepath.Join(mount(t, "tmpfs", ""), "t.npy")
	m, err := mmap.Config{Sparse: true}.Create(path, 5)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	copy(m.Bytes(), "hello")
	checkError(t, m.Grow(math.MaxInt>>13), path, "grow DIR/t.npy: cannot allocate memory", unix.ENOMEM)
	if got := readFile(t, path); string(got) != "hello" || string(m.Bytes()) != "hello" {
		t.Errorf("after the error the file has %d bytes, the mapping %d", len(got), m.Len())
	}
}

// mountImage mounts a new ext4 file system of size bytes, stored in a file, on a new directory.
func mountImage(t *testing.T, size int64) string {
	t.Helper()
	image, dir := filepath.Join(t.TempDir(), "image"), t.TempDir()
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, size); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"mkfs.ext4", "-q", "-F", image}, {"mount", "-o", "loop", image, dir}} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Skipf("%v: %v %s: needs mkfs.ext4, loop devices and the right to mount", args, err, out)
		}
	}
	t.Cleanup(func() { exec.Command("umount", "-l", dir).Run() })
	return dir
}

// TestWriteAtTruncated checks that WriteAt does not lengthen a file that another process has truncated.
func TestWriteAtTruncated(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	m, err := mmap.Create(path, 100)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, size := range []int64{99, 50, 0} {
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if n, err := m.WriteAt(make([]byte, 50), 50); n != 0 || !errors.Is(err, mmap.ErrChanged) {
			t.Errorf("WriteAt to a file of %d bytes = %d, %v", size, n, err)
		}
		if got := len(readFile(t, path)); got != int(size) {
			t.Errorf("the file has %d bytes, want %d", got, size)
		}
	}
}

package array

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
	"golang.org/x/sys/unix"
)

// bytesRead returns the number of bytes that this process has read from disks.
func bytesRead(t *testing.T) (n int) {
	b, err := os.ReadFile("/proc/self/io")
	_, rest, ok := bytes.Cut(b, []byte("\nread_bytes: "))
	if _, scanErr := fmt.Sscan(string(rest), &n); err != nil || !ok || scanErr != nil {
		t.Skipf("the system does not count bytes that are read from disks: %v", err)
	}
	return n
}

// TestRowsHaloCold tests that RowsHalo reads each page of a file that is not in memory about once.
func TestRowsHaloCold(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu ignores advice")
	}
	const rows, cols = 4 << 10, 256 // 8 MiB
	for _, order := range []index.Order{index.C, index.F} {
		path := filepath.Join(diskFolder(t), "a.npy")
		f := must(Create(path, dtype.Float64, order, rows, cols))
		must(As[float64](f.Array)).Fill(1.5)
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			t.Fatal(err)
		}
		for _, n := range []int{1, 50, rows} {
			t.Run(fmt.Sprintf("order %v, halo %d", order, n), func(t *testing.T) {
				file := must(os.Open(path))
				err := unix.Fadvise(int(file.Fd()), 0, 0, unix.FADV_DONTNEED)
				file.Close()
				f := must(Open(path, mmap.ReadOnly))
				defer f.Close()
				if in := must(f.m.Resident(0, f.NBytes())); err != nil || in > f.NBytes()/2 {
					t.Skipf("the system keeps %d bytes of a file that it was told to drop (tmpfs does)", in)
				}
				before := bytesRead(t)
				var calls atomic.Int64
				must(0, RowsHalo(must(As[float64](f.Array)), n, func(first int, rows, halo View[float64]) error {
					calls.Add(1)
					if got := Sum[float64](halo); got != 1.5*float64(halo.Size()) {
						return fmt.Errorf("sum %v", got)
					}
					return nil
				}))
				read := float64(bytesRead(t)-before) / float64(f.NBytes())
				if read > 1.3 {
					t.Errorf("the file is read %.2f times", read)
				}
				if n == rows && calls.Load() != 1 {
					t.Errorf("all rows are passed in %d calls, want 1", calls.Load())
				}
			})
		}
	}
}

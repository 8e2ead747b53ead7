package array

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/internal/faultfs"
	"github.com/ndmap/ndmap/mmap"
)

// TestFailingDisk tests a file on a disk with unreadable bytes. Under Guard, a loop, the goroutines of Sum and the copy
// of Save must all end with the same error. Open reads the header with a system call, and must return the error of that
// call.
func TestFailingDisk(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") == "1" {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults (NDMAP_QEMU=1)")
	}
	const n = 3 << 20 // elements of 8 bytes, enough for several goroutines
	var file bytes.Buffer
	v, err := FromSlice(make([]float64, n))
	if err == nil {
		err = Write(&file, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	bad := n * 8 * 3 / 4 &^ (os.Getpagesize() - 1)
	path, _ := faultfs.Mount(t, file.Bytes(), faultfs.Faults{ReadFrom: bad})
	f, err := Open(path, mmap.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if v, err = As[float64](f.Array); err != nil {
		t.Fatal(err)
	}
	total := 0.0
	saved := filepath.Join(t.TempDir(), "saved.npy")
	for op, do := range map[string]func() error{
		"Values": func() error {
			for x := range v.Values() {
				total += x
			}
			return nil
		},
		"Sum":  func() error { Sum[float64](v); return nil },
		"Save": func() error { return Save(saved, f.Array) },
	} {
		t.Run(op, func(t *testing.T) {
			var fe *mmap.FaultError
			if err := mmap.Guard(do); !errors.As(err, &fe) || fe.Path != path || fe.Offset < int64(bad) || !errors.Is(fe,
				mmap.ErrUnavailable) {
				t.Errorf("%s: %v, want a fault in %s from byte %d on", op, err, path, bad)
			}
		})
	}
	if left, err := os.ReadDir(filepath.Dir(saved)); err != nil || len(left) > 0 {
		t.Errorf("Save left %v, %v", left, err)
	}

	path, _ = faultfs.Mount(t, file.Bytes(), faultfs.Faults{ReadFrom: 0})
	_, err = Open(path, mmap.ReadOnly)
	if want := "read " + path + ": input/output error"; err == nil || err.Error() != want || !errors.Is(err, unix.EIO) {
		t.Errorf("Open: %v, want %s", err, want)
	}
}

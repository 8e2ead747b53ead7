package array

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestWriteTruncated tests writes from a truncated file. The system call fails with EFAULT, as an error of the
// destination file. The error that Write returns must name the truncated file.
func TestWriteTruncated(t *testing.T) {
	if isEmulated() {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults, or none (NDMAP_QEMU=1)")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "cut.npy")
	f := must(Create(path, dtype.Uint8, index.C, 4, 1<<18))
	defer f.Close()
	size := must(os.Stat(path)).Size()
	if err := os.Truncate(path, 3<<17+1000); err != nil {
		t.Fatal(err)
	}
	r, pipe, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	pair := must(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0))
	end, socket := os.NewFile(uintptr(pair[0]), "end"), os.NewFile(uintptr(pair[1]), "socket")
	file := must(os.Create(filepath.Join(dir, "out.npy")))
	for _, f := range []*os.File{r, end} {
		go io.Copy(io.Discard, f)
		defer f.Close()
	}
	for _, f := range []*os.File{pipe, socket, file} {
		defer f.Close()
	}
	for name, w := range map[string]io.Writer{"file": file, "pipe": pipe, "socket": socket, "memory": &bytes.Buffer{}} {
		t.Run(name, func(t *testing.T) {
			to := must(NewWriter(w, f.DType(), index.C, f.Shape()...))
			row := must(f.Select(index.Range(0, 1)))
			if err := to.Write(row); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			for how, write := range map[string]func() error{
				"Write":        func() error { return Write(w, f.Array) },
				"Writer.Write": func() error { return to.Write(must(f.Select(index.Range(1, 4)))) },
			} {
				err := mmap.Guard(write)
				fault, ok := errors.AsType[*mmap.FaultError](err)
				if !ok || fault.Path != path || fault.Offset < 3<<17 || int64(fault.Offset) >= size {
					t.Errorf("%s to %s: %v, want a *mmap.FaultError of %s", how, name, err, path)
				}
			}
			// The stream holds an incomplete row, so that no more rows can follow.
			err, end := to.Write(row), to.Close()
			if err == nil || end != err {
				t.Errorf("%s: %v after a page fault, then %v", name, err, end)
			}
		})
	}
}

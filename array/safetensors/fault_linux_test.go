package safetensors

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A page fault in a truncated source is reported as a fault of the source, not as an error of the file that is written.
func TestWriteTruncated(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults, or none (NDMAP_QEMU=1)")
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "cut.npy")
	f, err := array.Create(path, dtype.Uint8, index.C, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := os.Truncate(path, 1<<19); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(dir, "stream"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for name, write := range map[string]func() error{
		"Save": func() error {
			return Save(filepath.Join(dir, "x.safetensors"), map[string]array.Array{"x": f.Array}, nil)
		},
		"Writer.Write": func() error {
			w, err := NewWriter(file, []Tensor{{Name: "x", DType: f.DType(), Shape: f.Shape()}}, nil)
			if err != nil {
				return err
			}
			return w.Write(f.Array)
		},
	} {
		t.Run(name, func(t *testing.T) {
			err := mmap.Guard(write)
			if fault, ok := errors.AsType[*mmap.FaultError](err); !ok || fault.Path != path {
				t.Errorf("%s: %v, want a *mmap.FaultError of %s", name, err, path)
			}
		})
	}
}

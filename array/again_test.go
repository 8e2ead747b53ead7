package array

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// What Create with Replace does on Windows, where the file is opened again once it has its
// path: with the fields of the Config that were for making it.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	cfg := Config{Replace: true, NoSync: true, MaxHeader: 10}
	f, err := cfg.Create(path, dtype.Int16, index.C, 3)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	same := must(os.Stat(path))
	f, err = cfg.again(path, same)
	if err != nil {
		t.Fatal(err)
	}
	if f.ReadOnly() || f.Size() != 3 {
		t.Errorf("got %+v", f.Array)
	}
	f.Close()
	if err := os.WriteFile(path+"2", must(os.ReadFile(path)), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := cfg.again(path+"2", same); !errors.Is(err, mmap.ErrReplaced) {
		t.Errorf("another file is there, and the error is %v", err)
	}
}

package array

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestAgain tests the last step of Create with Replace on Windows, which opens the file again at its path with the
// options of the SaveConfig.
func TestAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	cfg := SaveConfig{Replace: true, NoSync: true}
	f, err := cfg.Create(path, dtype.Int16, index.C, 3)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	g, err := cfg.reopen(path, f)
	if err != nil {
		t.Fatal(err)
	}
	if g.ReadOnly() || g.Size() != 3 {
		t.Errorf("got %v", g.Shape())
	}
	g.Close()
	must(Create(path+"2", dtype.Int16, index.C, 4)).Close()
	if _, err := cfg.reopen(path+"2", f); !errors.Is(err, mmap.ErrReplaced) {
		t.Errorf("reopen of another file: %v, want mmap.ErrReplaced", err)
	}
}

//go:build unix

package source

import (
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestPipe tests that a pipe without a writer does not block.
func TestPipe(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a.npy", "c.npz", "sub"} {
		if err := syscall.Mkfifo(filepath.Join(dir, name), 0o600); err != nil {
			t.Skip("no pipes: ", err)
		}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, at := range []place{{dir, "a.npy"}, {dir, "c.npz"}, {"", filepath.Join(dir, "a.npy")}} {
			s, err := New(Config{})
			if err != nil {
				t.Error(err)
			}
			if g, err := s.load(&Array{Path: at.path(), at: at, set: s}); err == nil {
				t.Errorf("a pipe was opened: %v", g.array)
			}
		}
		if e, err := (place{dir, "sub"}).entries(); err == nil {
			t.Errorf("a pipe has the entries %v", e)
		}
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("opening a pipe blocks")
	}
}

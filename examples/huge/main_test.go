package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestHuge tests the program with a file of 16 MiB.
func TestHuge(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "huge.npy")
	ended, cancel := context.WithCancelCause(t.Context())
	interrupted := errors.New("interrupted")
	cancel(interrupted)
	if err := huge(ended, io.Discard, path, 1<<12, false); !errors.Is(err, interrupted) {
		t.Errorf("%v, want %v", err, interrupted)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
		t.Errorf("files left: %v, %v", entries, err)
	}
	var out strings.Builder
	if err := huge(t.Context(), &out, path, 1<<12, false); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(),
		"sum of the written part: 255999.75\npeak memory of this program: "; !strings.HasPrefix(got, want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 16777216+128 {
		t.Errorf("file: %v, %v", fi, err)
	}
	if err := huge(t.Context(), io.Discard, path, 1<<12, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second time: %v, want %v", err, fs.ErrExist)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

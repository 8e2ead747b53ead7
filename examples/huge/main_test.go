package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// A file of 16 MiB takes the same path.
func TestHuge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.npy")
	var out strings.Builder
	if err := huge(&out, path, 1<<12); err != nil {
		t.Fatal(err)
	}
	want := dtype.Float64.String() + ": shape [4096 512], 16777216 bytes\n" +
		"wrote and summed 512000 elements in its middle: 255999.75\n"
	if got := out.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if fi, err := os.Stat(path); err != nil || fi.Size() != 16777216+128 {
		t.Errorf("file: %v, %v", fi, err)
	}
}

package main

import (
	"io"
	"path/filepath"
	"syscall"
	"testing"
)

// TestSparse tests that the file takes disk space only where huge writes: 1000 rows of 4096 bytes, the header, and the
// ends of blocks.
func TestSparse(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	if err := huge(t.Context(), io.Discard, path, 1<<14, false); err != nil { // 64 MiB
		t.Fatal(err)
	}
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		t.Fatal(err)
	}
	if st.Size < 1<<26 || st.Blocks*512 > 1<<23 {
		t.Errorf("a file of %d bytes takes %d bytes of disk space, want at most 8 MiB", st.Size, st.Blocks*512)
	}
}

package mmap_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/mmap"
)

// TestHugetlbfs checks that Create and Open refuse files on a hugetlbfs, with an error that names this file system, and
// leave no file there. They once accepted such files, and munmap failed with EINVAL.
func TestHugetlbfs(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "hugetlbfs", 0, ""); err != nil {
		t.Skipf("mount hugetlbfs: %v: needs the right to mount", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	const want = ": the folder is a hugetlbfs, whose files are whole pages of "
	path := filepath.Join(dir, "t.npy")
	for _, sparse := range []bool{false, true} {
		_, err := mmap.Config{Sparse: sparse}.Create(path, 4000)
		if err == nil || !strings.HasPrefix(err.Error(), "create "+path) || !strings.Contains(err.Error(), want) ||
			!errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("Create: %v, want a refusal of hugetlbfs", err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("Create leaves %v, %v", entries, err)
		}
	}
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	if _, err := mmap.Open(path, mmap.ReadOnly); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Open: %v, want a refusal of hugetlbfs", err)
	}
}

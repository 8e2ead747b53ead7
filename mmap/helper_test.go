//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/wine"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

var page = os.Getpagesize()

// pages returns n pages of bytes that encode their offsets.
func pages(n int) []byte {
	b := make([]byte, n*page)
	for i := range b {
		b[i] = byte(i) ^ byte(i/page)<<4 | 1
	}
	return b
}

// writeFile creates a file t.npy in a new directory, and returns its path.
func writeFile(t testing.TB, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "t.npy")
	if err := os.WriteFile(path, content, 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// open calls mmap.Open, and closes the Map at the end of the test.
func open(t testing.TB, path string, mode mmap.Mode) *mmap.Map {
	t.Helper()
	m, err := mmap.Open(path, mode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func readFile(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// truncate calls os.Truncate, or skips the test if the system does not truncate mapped files.
func truncate(t testing.TB, path string, size int64) {
	t.Helper()
	err := os.Truncate(path, size)
	if runtime.GOOS == "windows" && err != nil {
		t.Skipf("Windows does not let a mapped file lose bytes: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// checkError compares the whole message of err with want, in which DIR denotes the directory of path. It also checks
// that err wraps the error is, and a *fs.PathError, as every error of this package except FaultError does.
func checkError(t testing.TB, err error, path, want string, is error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %q", want)
	}
	got := err.Error()
	if dir := filepath.Dir(path); path != "" && dir != "." {
		got = strings.ReplaceAll(got, dir, "DIR")
	}
	got = filepath.ToSlash(wine.Unix(got))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("message (-want +got):\n%s", diff)
	}
	if is != nil && !errors.Is(err, is) {
		t.Errorf("%v: does not wrap %v", err, is)
	}
	if pe := (*fs.PathError)(nil); !errors.As(err, &pe) {
		t.Errorf("%v: is %T, want a *fs.PathError in it", err, err)
	}
}

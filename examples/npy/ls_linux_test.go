package main

import (
	"os"
	"strings"
	"testing"
)

// TestListUnreadable tests that ls -r reports a directory that it cannot read, and lists all other files. The path of
// this directory is longer than the system allows.
func TestListUnreadable(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	name := strings.Repeat("d", 200)
	for range 25 {
		check(t, os.Mkdir(name, 0o777))
		check(t, os.Chdir(name))
	}
	check(t, os.Chdir(top))
	for _, name := range []string{"a.npy", "z.npy"} {
		if _, stderr, status := runTool("new", "-dtype", "<f8", "-shape", "3", name); status != 0 {
			t.Fatal(stderr)
		}
	}
	got, stderr, status := runTool("ls", "-r")
	if got != "name   dtype  shape  bytes\na.npy  <f8    (3,)      24\nz.npy  <f8    (3,)      24\n" || status != 1 ||
		!strings.HasPrefix(stderr, "npy: ddd") || !strings.HasSuffix(stderr, "ddd: file name too long\n") ||
		strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit status %d, %s\n%s", status, stderr, got)
	}
}

package main

import (
	"os"
	"path/filepath"
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

// TestListLinks tests that ls -r lists linked files, and does not follow links to directories, which may form a loop.
func TestListLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.MkdirAll("a/b", 0o777))
	runTool("new", "-dtype", "<f8", "-shape", "3", "a/b/t.npy")
	for _, link := range []struct{ to, name string }{{"..", "a/b/loop"}, {"b/t.npy", "a/link.npy"}, {"gone.npy",
		"a/none.npy"}, {"a", "top"}} {
		if err := os.Symlink(filepath.FromSlash(link.to), link.name); err != nil {
			t.Skip("no links here: ", err)
		}
	}
	const want = `name      dtype  shape  bytes
b/t.npy   <f8    (3,)      24
link.npy  <f8    (3,)      24
none.npy  broken: no such file or directory
`
	for _, dir := range []string{"a", "top"} {
		got, stderr, status := runTool("ls", "-r", dir)
		if got != want || status != 1 || stderr != "npy: "+dir+": 1 of 3 entries is broken\n" {
			t.Errorf("%s: exit status %d, %s\n%s", dir, status, stderr, got)
		}
	}
}

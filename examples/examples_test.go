// Package examples contains programs that use ndmap.
package examples

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// folders returns the names of the example directories.
func folders(t *testing.T) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}

// TestShort tests that examples are short enough to read as documentation: at most 80 lines, without the package
// comment.
func TestShort(t *testing.T) {
	long := []string{
		"beam",   // a job for many machines
		"follow", // two programs
		"npy",    // the command-line tool
		"view",   // the viewer
	}
	for _, name := range folders(t) {
		b, err := os.ReadFile(filepath.Join(name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		_, code, ok := strings.Cut(string(b), "\npackage main\n")
		if n := 1 + strings.Count(code, "\n"); !ok || n > 80 && !slices.Contains(long, name) {
			t.Errorf("%s has %d lines; want at most 80", name, n)
		}
	}
}

// TestIndex tests that README.md has a line for each example directory, and no further lines.
func TestIndex(t *testing.T) {
	b, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, m := range regexp.MustCompile(`(?m)^\|.*\| \[(\w+)\]\((\w+)/?\)`).FindAllStringSubmatch(string(b), -1) {
		if m[1] != m[2] {
			t.Errorf("%s links to %s", m[1], m[2])
		}
		listed = append(listed, m[1])
	}
	if slices.Sort(listed); !slices.Equal(listed, folders(t)) {
		t.Errorf("README.md lists %v; want %v", listed, folders(t))
	}
}

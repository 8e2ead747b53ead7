package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestPlace tests that links within the folder are followed, including absolute ones. The error for other links must
// not reveal whether their targets exist.
func TestPlace(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, secret)
	write(t, dir, 1)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	up := filepath.Join("..", filepath.Base(outside))
	links := []struct {
		name, to string
		want     error
	}{
		{"in.npy", "a.npy", nil},
		{"around.npy", filepath.Join("sub", "..", "a.npy"), nil},
		{"whole.npy", filepath.Join(dir, "a.npy"), nil},
		{"twice.npy", "whole.npy", nil},
		{"out.npy", filepath.Join(outside, "a.npy"), errOutside},
		{"outnone.npy", filepath.Join(outside, "none.npy"), errOutside},
		{"up.npy", filepath.Join(up, "a.npy"), errOutside},
		{"upnone.npy", filepath.Join(up, "none.npy"), errOutside},
		{filepath.Join("sub", "up.npy"), filepath.Join("..", up, "a.npy"), errOutside},
		{"none.npy", "nothing.npy", fs.ErrNotExist},
		{"folder", outside, errOutside},
	}
	for _, l := range links {
		if err := os.Symlink(l.to, filepath.Join(dir, l.name)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	for _, l := range links {
		at := place{dir, l.name}
		f, err := at.open()
		if err == nil {
			f.Close()
		}
		if _, statErr := at.stat(); !errors.Is(err, l.want) || !errors.Is(statErr, l.want) {
			t.Errorf("%s to %s: %v, %v, want %v", l.name, l.to, err, statErr, l.want)
		}
	}
	if f, err := (place{dir, filepath.Join("folder", "a.npy")}).open(); !errors.Is(err, errOutside) {
		t.Errorf("in a folder outside: %v, %v", f, err)
	}

	// The path of the folder may be a link or relative.
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	for _, folder := range []string{link, ".", filepath.Join("sub", "..")} {
		for _, l := range links {
			if f, err := (place{folder, l.name}).open(); !errors.Is(err, l.want) {
				t.Errorf("%s in %s: %v, want %v", l.name, folder, err, l.want)
			} else if err == nil {
				f.Close()
			}
		}
	}
}

// TestFileBecomesFolder tests that a path that named a file at the start is neither listed as a folder nor opened if it
// later names one.
func TestFileBecomesFolder(t *testing.T) {
	outside, dir := t.TempDir(), t.TempDir()
	write(t, outside, secret)
	write(t, dir, 1)
	path := filepath.Join(dir, "a.npy")
	s, err := New(Config{}, path, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, path); err != nil {
		t.Skip("no symbolic links: ", err)
	}
	tree := s.Tree()
	if n := tree[0]; n.Kind != "array" || n.Children != nil {
		t.Errorf("a folder that replaced a file: %+v", n)
	}
	a, err := s.Array(tree[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	if l, err := a.Use(); err == nil {
		l.Close()
		t.Error("a folder was opened as an array")
	}

	// A missing folder is reported, and shown again when it is back.
	away := filepath.Join(t.TempDir(), "away")
	if err := os.Rename(dir, away); err != nil {
		t.Skip("no folder is renamed here: ", err)
	}
	if n := s.Tree()[1]; n.Error == "" || n.Children != nil {
		t.Errorf("a missing folder: %+v", n)
	}
	if err := os.Rename(away, dir); err != nil {
		t.Fatal(err)
	}
	archive := func(n *Node) bool { return n.Name == "c.npz" && len(n.Children) == 1 }
	if n := s.Tree()[1]; !slices.ContainsFunc(n.Children, archive) {
		t.Errorf("a folder that is back: %+v", n)
	}
}

package atomicfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"testing"
)

// ways lists the ways in which Commit can publish a file at an unused path. The system and the file system determine
// the way.
var ways = []struct {
	name                string
	named, rename, link bool // support for: temporary names only; renames that replace no file; hard links
}{
	{"no name before", false, true, true},
	{"rename", true, true, true},
	{"link", true, false, true}, // BSDs and NFS
	{"neither", true, false, false},
}

// simulate makes the functions of the system behave like one of ways.
func simulate(t *testing.T, named, canRename, canLink bool) {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("this system does not support atomicfile")
	}
	Unnamed = !named
	if !canRename {
		renameExcl = func(string, string) error { return errors.ErrUnsupported }
	}
	if !canLink {
		link = func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} }
	}
	t.Cleanup(func() { Unnamed, renameExcl, link = true, renameNew, os.Link })
}

// newFile returns a File for path with some bytes.
func newFile(t *testing.T, path string) *File {
	t.Helper()
	f, err := New(path, false)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Remove)
	f.NoSync = true
	if _, err := f.WriteString("new"); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestCommitWays tests that Commit publishes a file at its path or keeps an existing file, in each of ways.
func TestCommitWays(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			simulate(t, way.named, way.rename, way.link)
			path := filepath.Join(t.TempDir(), "f")
			for _, exists := range []bool{false, true} {
				f := newFile(t, path)
				named, err := f.Commit()
				if named == exists || exists != errors.Is(err, fs.ErrExist) || err != nil &&
					err.Error() != "create "+path+": file exists" {
					t.Errorf("exists %v: %v, %v", exists, named, err)
				}
				f.Remove()
				if b, err := os.ReadFile(path); string(b) != "new" && !exists || string(b) != "old" && exists {
					t.Errorf("exists %v: content %q, %v", exists, b, err)
				}
				if names, err := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
					t.Errorf("exists %v: files %v, %v", exists, names, err)
				}
				if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// TestCommitRace tests that only one of two goroutines that create a file at the same path succeeds. Renames that
// replace no file, or hard links, must be supported.
func TestCommitRace(t *testing.T) {
	for _, way := range ways[:3] {
		if way.rename && runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			simulate(t, way.named, way.rename, way.link)
			dir := t.TempDir()
			for range 200 {
				path := filepath.Join(dir, "f")
				f := newFile(t, path)
				var wg sync.WaitGroup
				var other, err error
				start := make(chan bool)
				wg.Go(func() {
					<-start
					runtime.Gosched()
					var o *os.File
					if o, other = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o666); other == nil {
						o.Close()
					}
				})
				wg.Go(func() { <-start; _, err = f.Commit() })
				close(start)
				wg.Wait()
				if (err == nil) == (other == nil) {
					t.Fatalf("Commit: %v; os.OpenFile: %v", err, other)
				}
				f.Remove()
				os.Remove(path)
			}
		})
	}
}

// TestCommitElsewhere tests that changing the working directory does not change the meaning of a relative path.
func TestCommitElsewhere(t *testing.T) {
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			simulate(t, way.named, way.rename, way.link)
			dir := t.TempDir()
			t.Chdir(dir)
			f := newFile(t, "f")
			t.Chdir(t.TempDir())
			if _, err := f.Commit(); err != nil {
				t.Fatal(err)
			}
			if _, err := os.Stat(filepath.Join(dir, "f")); err != nil {
				t.Error(err)
			}
			f.Remove()
		})
	}
}

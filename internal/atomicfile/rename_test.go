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

// ways are how a file gets a path where there is none: what the system, and its file system, can do.
var ways = []struct {
	name                string
	named, rename, link bool // it has a temporary name before; renames if there is none of the new name; hard links
}{
	{"no name before", false, true, true},
	{"rename", true, true, true},
	{"link", true, false, true}, // as the BSDs, and NFS
	{"neither", true, false, false},
}

// have makes the system one of ways.
func have(t *testing.T, named, canRename, canLink bool) {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("nothing is written to files here")
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

// newFile returns a File for path that has some bytes.
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

// However it is done, a file gets its path, or leaves the one that is there.
func TestCommitWays(t *testing.T) {
	for _, way := range ways {
		t.Run(way.name, func(t *testing.T) {
			have(t, way.named, way.rename, way.link)
			path := filepath.Join(t.TempDir(), "f")
			for _, there := range []bool{false, true} {
				f := newFile(t, path)
				named, err := f.Commit()
				if named == there || there != errors.Is(err, fs.ErrExist) || err != nil &&
					err.Error() != "create "+path+": file exists" {
					t.Errorf("there %v: %v, %v", there, named, err)
				}
				f.Remove()
				if b, err := os.ReadFile(path); string(b) != "new" && !there || string(b) != "old" && there {
					t.Errorf("there %v: %q, %v", there, b, err)
				}
				if names, err := os.ReadDir(filepath.Dir(path)); len(names) != 1 {
					t.Errorf("there %v: left %v, %v", there, names, err)
				}
				if err := os.WriteFile(path, []byte("old"), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// Of two who make a file at one path, one gets it, unless there are neither such renames nor links.
func TestCommitRace(t *testing.T) {
	for _, way := range ways[:3] {
		if way.rename && runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
			continue
		}
		t.Run(way.name, func(t *testing.T) {
			have(t, way.named, way.rename, way.link)
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
					t.Fatalf("Commit: %v; the other one: %v", err, other)
				}
				f.Remove()
				os.Remove(path)
			}
		})
	}
}

// A relative path is what it was when the file was made, wherever the program goes.
func TestCommitElsewhere(t *testing.T) {
	for _, way := range ways[:2] {
		t.Run(way.name, func(t *testing.T) {
			have(t, way.named, way.rename, way.link)
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

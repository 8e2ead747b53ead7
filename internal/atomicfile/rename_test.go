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

// withoutLinks has a file system without hard links, as FAT is.
func withoutLinks(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "js" || runtime.GOOS == "wasip1" || runtime.GOOS == "plan9" {
		t.Skip("nothing is written to files here")
	}
	link = func(from, to string) error { return &os.LinkError{Op: "link", Old: from, New: to, Err: syscall.EPERM} }
	t.Cleanup(func() { link = os.Link })
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

// Without hard links a file gets its path, or leaves the one that is there.
func TestCommitWithoutLinks(t *testing.T) {
	withoutLinks(t)
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
}

// Of two who make a file at one path, one gets it, also without hard links.
func TestCommitRaceWithoutLinks(t *testing.T) {
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" && runtime.GOOS != "windows" {
		t.Skip("the system has no rename that replaces nothing")
	}
	withoutLinks(t)
	dir := t.TempDir()
	for range 500 {
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
}

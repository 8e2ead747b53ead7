//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package array

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/atomicfile"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestSaveRefuses tests that Save returns an error with the path, and changes nothing, if it cannot or must not replace
// the file. In particular, Save must not replace a device by a regular file.
func TestSaveRefuses(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.Mkdir(in("folder"), 0o777),
		os.Symlink("folder", in("link to folder")),
		unix.Mkfifo(in("pipe"), 0o666),
		os.Symlink("loop", in("loop")),
		os.Symlink("loop", in("to loop")),
		os.Symlink("none/x", in("to a name in no folder")),
		os.Symlink("file/x", in("to a name in a file")),
		os.WriteFile(in("file"), []byte("x"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	before := fileNames(t, dir)
	for _, tt := range []struct {
		name string
		want error
	}{
		{"folder", unix.EISDIR},
		{"link to folder", unix.EISDIR},
		{"pipe", nil}, // the error says that it is not a regular file
		{"file/x", unix.ENOTDIR},
		{"none/x", unix.ENOENT},
		{strings.Repeat("n", 256), unix.ENAMETOOLONG},
		{"folder/", unix.EISDIR},
		{"loop", unix.ELOOP},
		{"to loop", unix.ELOOP},
		{"to a name in no folder", unix.ENOENT},
		{"to a name in a file", unix.ENOTDIR},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := dir + "/" + tt.name
			err := Save(path, countingView(index.C, 3).Array())
			var pe *fs.PathError
			if !errors.As(err, &pe) || pe.Path != path || tt.want != nil && pe.Err != tt.want || strings.Contains(err.Error(),
				"ndmap-tmp") {
				t.Errorf("%.20s: %v, want a *fs.PathError with this path and %v", tt.name, err, tt.want)
			}
			if got := fileNames(t, dir); !cmp.Equal(got, before) {
				t.Errorf("%.20s: the folder has %v, want %v", tt.name, got, before)
			}
		})
	}
	if fi := must(os.Lstat(in("pipe"))); fi.Mode()&fs.ModeNamedPipe == 0 {
		t.Errorf("the pipe is %v now", fi.Mode())
	}
}

// TestSaveLinks tests that Save follows links like numpy.save, to an existing file and to a name that does not exist
// yet. As documented, other hard links to the old file keep its contents.
func TestSaveLinks(t *testing.T) {
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	for _, err := range []error{
		os.MkdirAll(in("a/b"), 0o777),
		os.Symlink("a/b", in("b")),
		os.Symlink("../new.npy", in("a/b/to new")),
		os.Symlink("b/to new", in("link")),
		os.Symlink(dir+"/b/../other.npy", in("absolute")),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, tt := range []struct{ link, file string }{
		{"link", "a/new.npy"},
		{"b/to new", "a/new.npy"},
		{"absolute", "a/other.npy"},
		{"b/../third.npy", "a/third.npy"},
	} {
		for k := range 2 { // a new file, then an existing one
			if err := Save(dir+"/"+tt.link, countingView(index.C, 3+k).Array()); err != nil {
				t.Fatalf("%s: %v", tt.link, err)
			}
			f := must(Open(in(tt.file), mmap.ReadOnly))
			if f.Len(0) != 3+k {
				t.Errorf("%s leads to an array of %d", tt.link, f.Len(0))
			}
			f.Close()
		}
	}
	for _, link := range []string{"link", "a/b/to new", "absolute"} {
		if fi := must(os.Lstat(in(link))); fi.Mode()&fs.ModeSymlink == 0 {
			t.Errorf("%s is %v now", link, fi.Mode())
		}
	}
	if got := fileNames(t, in("a")); !cmp.Equal(got, []string{"b", "new.npy", "other.npy", "third.npy"}) {
		t.Errorf("the folder has %v", got)
	}
	if err := os.Link(in("a/new.npy"), in("second")); err != nil {
		t.Fatal(err)
	}
	if err := Save(in("a/new.npy"), countingView(index.C, 9).Array()); err != nil {
		t.Fatal(err)
	}
	f := must(Open(in("second"), mmap.ReadOnly))
	defer f.Close()
	if f.Len(0) != 4 {
		t.Errorf("the second name has an array of %d, want 4, as before", f.Len(0))
	}
}

// TestSaveNames tests file names of the maximum length, which leave no room to derive a longer temporary name, and
// names with unusual bytes.
func TestSaveNames(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{strings.Repeat("n", 255), strings.Repeat("ñ", 127), "\xff\xfe", "two\nlines", "-"} {
		path := filepath.Join(dir, name)
		for range 2 { // a new file, then an existing one
			if err := Save(path, countingView(index.C, 3).Array()); err != nil {
				if errors.Is(err, unix.EILSEQ) {
					break // the file system allows only UTF-8
				}
				t.Fatalf("%.20q: %v", name, err)
			}
			must(Open(path, mmap.ReadOnly)).Close()
		}
	}
}

// TestSavePermissions tests that Save keeps the permissions of the file it replaces, even if they deny all access. The
// temporary file must have these permissions before any data is written to it.
func TestSavePermissions(t *testing.T) {
	dir := t.TempDir()
	big := countingView(index.C, 1024, 1024)
	big.Fill(1)
	for _, perm := range []fs.FileMode{0o600, 0o640, 0o400, 0} {
		path := filepath.Join(dir, perm.String()+".npy")
		if err := os.WriteFile(path, nil, perm); err != nil {
			t.Fatal(err)
		}
		done := make(chan error)
		go func() { done <- Save(path, big.Array()) }()
		for open := true; open; {
			select {
			case err := <-done:
				open = false
				if err != nil {
					t.Error(err)
				}
			default:
				tmp, _ := filepath.Glob(filepath.Join(dir, ".*.ndmap-tmp"))
				for _, name := range tmp {
					b, fi := make([]byte, 1), fs.FileInfo(nil)
					f, err := os.Open(name)
					if err == nil {
						f.ReadAt(b, 128+7) // a byte of the first element
						fi, err = f.Stat()
						f.Close()
					}
					if err == nil && b[0] != 0 && fi.Mode() != perm {
						t.Errorf("while a file of mode %v is replaced, its data is in a file of mode %v", perm, fi.Mode())
						perm = fi.Mode() // one of these errors is enough
					}
				}
			}
		}
		if fi := must(os.Lstat(path)); fi.Mode() != perm || fi.Size() < 8<<20 {
			t.Errorf("the file is %v, %d bytes, want %v", fi.Mode(), fi.Size(), perm)
		}
	}
}

// TestStatCutAndReplaced tests a file that was truncated within its last page, which causes no page fault, and whose
// path then names another file. Stat must return the new size if the File keeps its file open, and ErrReplaced
// otherwise.
func TestStatCutAndReplaced(t *testing.T) {
	for _, tt := range []struct {
		name string
		cfg  OpenConfig
		held bool
	}{
		{"read-only", OpenConfig{Mode: mmap.ReadOnly}, false},
		{"copy-on-write", OpenConfig{Mode: mmap.CopyOnWrite}, false},
		{"for writing", OpenConfig{Mode: mmap.ReadWrite}, true},
		{"locked", OpenConfig{Mode: mmap.ReadOnly, Lock: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tempPath(t)
			if err := Save(path, sequence("<f8", index.C, 0, 100)); err != nil {
				t.Fatal(err)
			}
			f := must(tt.cfg.Open(path))
			size := must(f.Stat()).Size()
			if err := os.Truncate(path, size-16); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(path, path+"1"); err != nil {
				t.Fatal(err)
			}
			if err := Save(path, sequence("<f8", index.C, 0, 100)); err != nil {
				t.Fatal(err)
			}
			info, err := f.Stat()
			if tt.held && (err != nil || info.Size() != size-16) || !tt.held && !errors.Is(err, mmap.ErrReplaced) {
				t.Errorf("%s: %v, %v", tt.name, info, err)
			}
			f.Close()
		})
	}
}

// TestSaveAtOnce saves to one path many times at once. No Save may mistake the temporary file of another Save for an
// abandoned file, and no temporary file may be left.
func TestSaveAtOnce(t *testing.T) {
	oracle.AnyProcessor(t)
	defer func() { atomicfile.Unnamed = true }()
	for _, unnamed := range []bool{true, false} {
		atomicfile.Unnamed = unnamed
		path := filepath.Join(t.TempDir(), "t.npy")
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				for range 60 {
					if err := (SaveConfig{NoSync: true, Replace: true}).Save(path, countingView(index.C, 100).Array()); err != nil {
						t.Errorf("unnamed %v: %v", unnamed, err)
						return
					}
				}
			})
		}
		wg.Wait()
		if entries, err := os.ReadDir(filepath.Dir(path)); err != nil || len(entries) != 1 {
			t.Errorf("unnamed %v: the folder has %v, %v", unnamed, entries, err)
		}
	}
}

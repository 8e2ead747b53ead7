//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/mmap"
)

// TestOpenErrors tests the errors of Open for paths that it cannot map. No path may hang.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	t.Chdir(dir)
	makeSpecialFiles(t, "fifo", "socket")
	if err := os.WriteFile(path("secret"), []byte("x"), 0o000); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path("fixed"), []byte("x"), 0o444); err != nil {
		t.Fatal(err)
	}

	for _, test := range []struct {
		name string
		mode mmap.Mode
		want string
		is   error
		user bool // skip as root, which may open the file
		unix bool // skip on Windows
	}{
		{name: "missing", mode: mmap.ReadOnly, want: "open DIR/missing: no such file or directory", is: fs.ErrNotExist},
		{name: "missing", mode: mmap.ReadWrite, want: "open DIR/missing: no such file or directory", is: fs.ErrNotExist},
		{name: ".", mode: mmap.ReadOnly, want: "open DIR: is a directory", is: syscall.EISDIR},
		{name: ".", mode: mmap.ReadWrite, want: "open DIR: is a directory", is: syscall.EISDIR},
		{name: "fifo", mode: mmap.ReadOnly, want: "open DIR/fifo: not a regular file", unix: true},
		{name: "fifo", mode: mmap.ReadWrite, want: "open DIR/fifo: not a regular file", unix: true},
		{name: "socket", mode: mmap.ReadOnly, want: "open DIR/socket: not a regular file", unix: true},
		{name: "fixed/x", mode: mmap.ReadOnly, want: "open DIR/fixed/x: not a directory", is: syscall.ENOTDIR, unix: true},
		{name: "secret", mode: mmap.ReadOnly, want: "open DIR/secret: permission denied", is: fs.ErrPermission, user: true,
			unix: true},
		{name: "fixed", mode: mmap.ReadWrite, want: "open DIR/fixed: permission denied", is: fs.ErrPermission, user: true},
		{name: "fixed", mode: 3, want: "open DIR/fixed: unknown mode Mode(3)"},
	} {
		t.Run(test.name+" "+test.mode.String(), func(t *testing.T) {
			if test.user && os.Getuid() == 0 {
				t.Skip("root may open any file: run as a user")
			}
			if test.unix && runtime.GOOS == "windows" {
				t.Skip("Windows has no pipes, sockets and secrets in folders, and another error for a file as a folder")
			}
			if os.Getenv("NDMAP_WINE") == "1" && test.name == "fixed" && test.user {
				t.Skip("Wine opens read-only files for writing if the user on Unix may, who may be root")
			}
			done := make(chan error, 1)
			go func() {
				m, err := mmap.Open(path(test.name), test.mode)
				if err == nil {
					m.Close()
				}
				done <- err
			}()
			select {
			case err := <-done:
				checkError(t, err, path("x"), test.want, test.is)
			case <-time.After(10 * time.Second):
				t.Fatal("Open hangs")
			}
		})
	}

	_, err := mmap.Open(device, mmap.ReadOnly)
	checkError(t, err, "", "open "+device+": not a regular file", nil)

	// CopyOnWrite needs no permission to write to the file.
	m, err := mmap.Open(path("fixed"), mmap.CopyOnWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	m.Bytes()[0] = 'y'
	if got := readFile(t, path("fixed")); string(got) != "x" {
		t.Errorf("the file has %q, want \"x\"", got)
	}
}

// TestTooLarge tests that sizes do not wrap around in 32-bit programs: a file of 4 GiB + 1 would be a mapping of one
// byte.
func TestTooLarge(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	const size = 1<<32 + 1
	fits := strconv.IntSize == 64
	want := ": 4294967297 bytes do not fit the address space of a 32-bit program"

	m, err := mmap.Config{Sparse: true}.Create(path, size)
	if fits {
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		if int64(m.Len()) != size {
			t.Errorf("Create made %d bytes", m.Len())
		}
	} else {
		checkError(t, err, path, "create DIR/t.npy"+want, nil)
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil {
			t.Skip(err)
		}
	}
	r, err := mmap.Open(path, mmap.ReadOnly)
	if !fits {
		checkError(t, err, path, "open DIR/t.npy"+want, nil)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m.Bytes()[m.Len()-1] = 'x'
	if got := r.Bytes()[r.Len()-1]; got != 'x' {
		t.Errorf("the last byte is %q", got)
	}
}

// TestCreate tests that a new file has the given length, is all zeros and writable, and has the permissions that
// os.Create gives.
func TestCreate(t *testing.T) {
	for _, sparse := range []bool{false, true} {
		path := filepath.Join(t.TempDir(), "t.npy")
		m, err := mmap.Config{Sparse: sparse, Mode: mmap.ReadOnly}.Create(path, int64(page+1))
		if err != nil {
			t.Fatal(err)
		}
		defer m.Close()
		want := make([]byte, page+1)
		if diff := cmp.Diff(want, m.Bytes()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		if m.Mode() != mmap.ReadWrite || m.Path() != path {
			t.Errorf("made %v %q", m.Mode(), m.Path())
		}
		m.Bytes()[page] = 'x'
		want[page] = 'x'
		if diff := cmp.Diff(want, readFile(t, path)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		other, err := os.Create(path + ".os")
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		a, err := os.Stat(path)
		b, err2 := other.Stat()
		if err != nil || err2 != nil || a.Mode() != b.Mode() {
			t.Errorf("the file has mode %v, a file of os.Create %v (%v, %v)", a.Mode(), b.Mode(), err, err2)
		}
	}
}

// TestCreateErrors tests that a failed Create leaves existing files unchanged and creates no file.
func TestCreateErrors(t *testing.T) {
	for _, test := range []struct {
		name, file string
		size       int64
		want       string
		is         error
		exists     bool // whether the file exists, before and after Create
	}{
		{"exists", "t.npy", 10, "open DIR/t.npy: file exists", fs.ErrExist, true},
		{"exists, size 0", "t.npy", 0, "open DIR/t.npy: file exists", fs.ErrExist, true},
		{"negative", "new.npy", -1, "create DIR/new.npy: negative size -1", nil, false},
		{"negative, exists", "t.npy", -1, "create DIR/t.npy: negative size -1", nil, true},
		{"no folder", "no/new.npy", 1, "open DIR/no/new.npy: no such file or directory", fs.ErrNotExist, false},
		{"more than there are addresses", "new.npy", 1<<63 - 1,
			"create DIR/new.npy: 9223372036854775807 bytes do not fit the address space of a " +
				strconv.Itoa(strconv.IntSize) + "-bit program", nil, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			first := writeFile(t, []byte("mine"))
			path := filepath.Join(filepath.Dir(first), test.file)
			_, err := mmap.Create(path, test.size)
			checkError(t, err, first, test.want, test.is)
			if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) == test.exists {
				t.Errorf("the file exists = %v, want %v", !test.exists, test.exists)
			}
			if got := readFile(t, first); string(got) != "mine" {
				t.Errorf("the existing file now has %q", got)
			}
		})
	}
}

// TestCreateLink tests that Create does not follow a dangling link.
func TestCreateLink(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "link")
	err := os.Symlink(filepath.Join(dir, "target"), path)
	if _, none := os.Lstat(path); runtime.GOOS == "windows" && none != nil {
		t.Skipf("no link: Windows makes them for some users only, and Wine for none: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	_, err = mmap.Create(path, 1)
	checkError(t, err, path, "open DIR/link: file exists", fs.ErrExist)
	if _, err := os.Lstat(filepath.Join(dir, "target")); err == nil {
		t.Error("Create created the target of the link")
	}
}

// TestHead tests the bytes that Open reads into Head: the first bytes, or the bytes at HeadOffset, of files that are
// longer than Head, shorter, or empty.
func TestHead(t *testing.T) {
	for _, tt := range []struct {
		size int
		off  int64
		want string
	}{
		{7, 0, "0123456."}, {8, 0, "01234567"}, {9, 0, "01234567"}, {0, 0, "........"},
		{10, 1, "12345678"}, {10, 7, "789....."}, {10, 10, "........"}, {10, math.MaxInt64, "........"},
	} {
		path := writeFile(t, []byte("0123456789")[:tt.size])
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
			head := []byte("........")
			m, err := mmap.Config{Mode: mode, Head: head, HeadOffset: tt.off}.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			if string(head) != tt.want || m.Len() != tt.size {
				t.Errorf("%v, %d bytes from byte %d: head %q, want %q", mode, m.Len(), tt.off, head, tt.want)
			}
			m.Close()
		}
	}
	path := writeFile(t, []byte("0123456789"))
	_, err := mmap.Config{Head: make([]byte, 8), HeadOffset: -1}.Open(path)
	checkError(t, err, path, "readat DIR/"+filepath.Base(path)+": negative offset", nil)
}

// TestCreateConfig tests that Create refuses options that do not apply to it, and creates no file.
func TestCreateConfig(t *testing.T) {
	for want, cfg := range map[string]mmap.Config{
		"create DIR/new: invalid argument: Create does not support Config.Mode CopyOnWrite; a new file is ReadWrite": {Mode: mmap.CopyOnWrite},
		"create DIR/new: invalid argument: Create does not support Config.Mode Mode(7); a new file is ReadWrite":     {Mode: 7},
		"create DIR/new: invalid argument: Create does not support Config.Head; a new file contains zeros":           {Head: make([]byte, 1)},
	} {
		t.Run(want, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "new")
			_, err := cfg.Create(path, 5)
			checkError(t, err, path, want, fs.ErrInvalid)
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: a file was made", want)
			}
		})
	}
	m, err := mmap.Config{Mode: mmap.ReadWrite}.Create(filepath.Join(t.TempDir(), "new"), 5)
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
}

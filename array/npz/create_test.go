package npz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/zipfile"
	"github.com/ndmap/ndmap/mmap"
)

// fileNames returns the names of all files in the folder of path.
func fileNames(t testing.TB, path string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Create replaces an existing file only with Replace. An archive that is not closed leaves no file.
func TestCreate(t *testing.T) {
	path := temp(t)
	w, err := Create(path)
	check(t, err)
	check(t, w.Add("x", numbers(3)))
	w.Discard()
	w.Discard()
	if names := fileNames(t, path); names != nil {
		t.Errorf("after Discard the folder has %v, want no files", names)
	}
	w, err = Create(path)
	check(t, err)
	check(t, w.Add("x", numbers(3)))
	if fmt.Sprint(fileNames(t, path)) == "[t.npz]" {
		t.Error("the archive has its path before Close")
	}
	check(t, w.Close())
	w.Discard()
	if got := fmt.Sprint(fileNames(t, path)); got != "[t.npz]" {
		t.Errorf("after Close the folder has %v, want [t.npz]", got)
	}
	if err := w.Close(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("second Close: %v", err)
	}
	if err := w.Add("y", numbers(3)); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("Add after Close: %v", err)
	}
	if _, err := Create(path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create of an existing file: %v, want fs.ErrExist", err)
	}
	w, err = SaveConfig{Replace: true}.Create(path)
	check(t, err)
	check(t, w.Close())
	a, err := Open(path, mmap.ReadOnly)
	check(t, err)
	defer a.Close()
	if names := a.Names(); len(names) != 0 {
		t.Errorf("an empty archive has the members %v", names)
	}
}

// Add returns an error for an invalid or duplicate name. The Writer can be used after this error.
func TestAddNames(t *testing.T) {
	path := temp(t)
	w, err := Create(path)
	check(t, err)
	defer w.Discard()
	check(t, w.Add("x", numbers(3)))
	for _, tt := range []struct {
		name, want string
		is         error
	}{
		{"x", `t.npz: member "x": file already exists: duplicate member`, fs.ErrExist},
		{"a\x00b", `t.npz: member "a\x00b": invalid argument: member name contains a NUL`, fs.ErrInvalid},
		{"\xff", `t.npz: member "\xff": invalid argument: member name is not UTF-8`, fs.ErrInvalid},
		{strings.Repeat("n", 65532), `t.npz: member "` + strings.Repeat("n",
			60) + `"…: invalid argument: member name has more than 65531 bytes`, fs.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := w.Add(tt.name, numbers(3))
			if !errors.Is(err, tt.is) || strings.ReplaceAll(err.Error(), path, "t.npz") != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		})
	}
	check(t, w.Add("", numbers(1)))
	check(t, w.Add(strings.Repeat("n", 65531), numbers(1)))
	check(t, w.Close())
	a, err := Open(path, mmap.ReadOnly)
	check(t, err)
	defer a.Close()
	if names := a.Names(); len(names) != 3 || names[1] != "" {
		t.Errorf("%.80q", names)
	}
	must(a.Array(""))
}

// A page fault in an array leaves no archive.
func TestAddFault(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	for _, compress := range []bool{false, true} {
		path := temp(t)
		f, err := array.New(numbers(0).DType(), 0, 1<<20)
		check(t, err)
		x := f.Array
		check(t, f.Close())
		err = mmap.Guard(func() error { return SaveConfig{Compress: compress}.Save(path, map[string]array.Array{"x": x}) })
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("Save of a closed array: %v, want fs.ErrClosed", err)
		}
		if names := fileNames(t, path); names != nil {
			t.Errorf("the folder has %v, want no files", names)
		}
	}
}

// Compressed members are complete if their length is near the size of a block or of a full buffer.
func TestCompressLengths(t *testing.T) {
	oracle.OneGoroutine(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const head = 128
	path := temp(t)
	for _, size := range []int{head, head + 1, block - 1, block, block + 1, 2 * batch * block, 2*batch*block + 1} {
		s := make([]uint8, size-head)
		for i := range s {
			s[i] = uint8(i ^ i>>8)
		}
		check(t, SaveConfig{Replace: true, Compress: true, NoSync: true}.Save(path,
			map[string]array.Array{"x": must(array.FromSlice(s)).Array()}))
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		got := must(must(array.As[uint8](must(a.Array("x")))).Data())
		if m := must(a.Member("x")); m.Size != int64(size) || !bytes.Equal(got, s) {
			t.Errorf("want a member of %d bytes, have %d, or the elements differ", size, m.Size)
		}
		check(t, a.Verify("x"))
		check(t, a.Close())
	}
}

// Add returns an error if the archive would exceed a limit of Open. The archive without that member can be opened.
func TestAddLimits(t *testing.T) {
	record := zipfile.Aligned.RecordLen(&zipfile.Entry{Name: "b.npy", Size: 129, Compressed: 129})
	for _, tt := range []struct {
		name               string
		members, directory int // number of members and size of the directory before b is added
		fails              string
	}{
		{"members", zipfile.MaxMembers - 1, 0, ""},
		{"one member too many", zipfile.MaxMembers, 0, "the archive has 1048576 members, the maximum that Open accepts"},
		{"directory", 1, zipfile.MaxDirectory - record, ""},
		{"a directory too large", 1, zipfile.MaxDirectory - record + 1,
			"the directory would have 268435457 bytes, more than the 268435456 that Open accepts"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := temp(t)
			w := must(Create(path))
			defer w.Discard()
			a := must(array.FromSlice([]uint8{7})).Array()
			check(t, w.Add("a", a))
			entries, directory := w.entries, w.directory
			w.entries, w.directory = make([]newEntry, tt.members), max(tt.directory, w.directory)
			err := w.Add("b", a)
			if tt.fails == "" {
				check(t, err)
				return
			}
			if want := path + ": member \"b\": invalid argument: " + tt.fails; !errors.Is(err, fs.ErrInvalid) ||
				err.Error() != want {
				t.Errorf("%s: %v, want %s", tt.name, err, want)
			}
			w.entries, w.directory = entries, directory
			check(t, w.Close())
			written := must(Open(path, mmap.ReadOnly))
			if names := written.Names(); len(names) != 1 {
				t.Errorf("%s: the archive has %q", tt.name, names)
			}
			check(t, written.Close())
		})
	}
}

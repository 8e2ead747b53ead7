package array

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestConfigFields guards which methods of Config take which of its fields: all of them
// with every field set, one after the other. What is refused leaves no file, and the one
// that was there as it was.
func TestConfigFields(t *testing.T) {
	progress := func(done, total int64) error { return nil }
	fields := []struct {
		name                        string
		cfg                         Config
		open, create, convert, read string // "" is accepted
	}{
		{"none", Config{}, "", "", "", ""},
		{"MaxHeader", Config{MaxHeader: 1000}, "", "", "", ""},
		{"ReadWrite", Config{Mode: mmap.ReadWrite}, "", "", "", "Mode ReadWrite"},
		{"CopyOnWrite", Config{Mode: mmap.CopyOnWrite}, "", "Mode CopyOnWrite", "Mode CopyOnWrite", "Mode CopyOnWrite"},
		{"Sparse", Config{Sparse: true}, "", "", "", "Sparse"},
		{"Lock", Config{Lock: true}, "", "", "Lock", "Lock"},
		{"Replace", Config{Replace: true}, "Replace", "", "", "Replace"},
		{"Pending", Config{Pending: true}, "Pending", "", "Pending", "Pending"},
		{"NoSync", Config{NoSync: true}, "NoSync", "NoSync", "", "NoSync"},
		{"Replace and NoSync", Config{Replace: true, NoSync: true}, "Replace", "", "", "Replace"},
		{"Progress", Config{Progress: progress}, "", "", "", "Progress"},
		{"File", Config{File: new(os.File)}, "-", "File", "File", "File"},
	}
	v := must(FromSlice([]int16{1, 2, 3}))
	var file bytes.Buffer
	if err := Write(&file, v.Array()); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	there, missing := filepath.Join(dir, "there.npy"), filepath.Join(dir, "missing.npy")
	for _, f := range fields {
		if err := os.WriteFile(there, file.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
		made := f.convert
		if f.cfg.Progress != nil {
			made = "Progress"
		}
		for _, m := range []struct {
			name, want string
			do         func() (*File, error)
		}{
			{"open " + there + ": invalid argument: Open", f.open, func() (*File, error) { return f.cfg.Open(there) }},
			{"open " + there + ": invalid argument: Open", f.open, func() (*File, error) { return f.cfg.OpenAt(there, 0) }},
			{"open " + there + ": invalid argument: Open", f.open, func() (*File, error) {
				return f.cfg.OpenRaw(there, 1,
					dtype.Int8, index.C, -1)
			}},
			{"create " + missing + ": invalid argument: Create", f.create, func() (*File, error) {
				return f.cfg.Create(missing,
					dtype.Int8, index.C, 2)
			}},
			{"create " + missing + ": invalid argument: Create", f.create, func() (*File,
				error) {
				return f.cfg.CreateRaw(missing, 1, dtype.Int8, index.C, 2)
			}},
			{"create " + missing + ": invalid argument: Convert", f.convert, func() (*File, error) {
				return nil, f.cfg.Convert(missing, v.Array(), dtype.Int8, index.C)
			}},
			{"create " + missing + ": invalid argument: Make", made, func() (*File, error) {
				return nil, f.cfg.Make(missing, dtype.Int8, index.C, []int{2}, func(*File) error { return nil })
			}},
			{"create " + missing + ": invalid argument: Save", f.convert, func() (*File, error) {
				return nil, f.cfg.Save(missing, v.Array())
			}},
			{"array: read: invalid argument: Read", f.read, func() (*File, error) {
				a, err := f.cfg.Read(bytes.NewReader(file.Bytes()))
				if err == nil && !cmp.Equal(a.Shape(), []int{3}) {
					t.Errorf("%s: Read returns shape %v", f.name, a.Shape())
				}
				return nil, err
			}},
		} {
			if m.want == "-" {
				continue // TestConfigFile
			}
			g, err := m.do()
			if m.want == "" {
				if err != nil {
					t.Errorf("%s: %s: %v", f.name, m.name, err)
				}
			} else if want := m.name + " has no use for Config." + m.want; err == nil || err.Error() != want || !errors.Is(err,
				fs.ErrInvalid) {
				t.Errorf("%s: got %v, want %s", f.name, err, want)
			} else if _, err := os.Lstat(missing); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s: %s: a file was made", f.name, m.name)
			}
			if g != nil {
				g.Close()
			}
			os.Remove(missing)
		}
		if b := must(os.ReadFile(there)); !bytes.Equal(b, file.Bytes()) {
			t.Errorf("%s: the file that was there changed", f.name)
		}
	}
}

// TestConfigRead guards that the limit for headers is that of Config, and that the error
// of a longer one says where to set it.
func TestConfigRead(t *testing.T) {
	var file bytes.Buffer
	if err := Write(&file, must(FromSlice([]int16{1, 2, 3})).Array()); err != nil {
		t.Fatal(err)
	}
	_, err := Config{MaxHeader: 117}.Read(bytes.NewReader(file.Bytes()))
	if want := "stream: header at byte 8: the header says it has 118 bytes, more than the limit of 117; a larger limit can be set (Config.MaxHeader)"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	if a, err := (Config{MaxHeader: 118}).Read(&file); err != nil || a.Size() != 3 {
		t.Error(err)
	}
}

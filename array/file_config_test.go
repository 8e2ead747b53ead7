package array

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestConfigFile tests that Open, OpenAt, OpenRaw and OpenOrCreate map OpenConfig.File instead of the path, for any
// length of the header. They must close the file, even if they return an error.
func TestConfigFile(t *testing.T) {
	dir := t.TempDir()
	format := errors.New("a *FormatError")
	long := "[('" + strings.Repeat("n", 1000) + "', '<i2')]" // longer than the first read of Open
	for _, d := range []string{"<i4", long} {
		want := must(New(dtype.MustParse(d), index.C, 3))
		defer want.Close()
		if err := os.WriteFile(filepath.Join(dir, "a.npy"), writtenBytes(t, want.Array), 0o666); err != nil {
			t.Fatal(err)
		}
		at := want.DataOffset()
		if err := os.WriteFile(filepath.Join(dir, "text.npy"), []byte("no array"), 0o666); err != nil {
			t.Fatal(err)
		}
		root := must(os.OpenRoot(dir))
		defer root.Close()
		none := filepath.Join(dir, "none.npy") // no such file: Open does not use the path
		size, header := must(root.Stat("a.npy")).Size(), "a.npy"
		for _, tt := range []struct {
			name, file string
			mode       mmap.Mode
			open       func(cfg OpenConfig) (*File, error)
			err        error
		}{
			{"Open", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) { return cfg.Open(none) }, nil},
			{"Open for writing", header, mmap.ReadWrite, func(cfg OpenConfig) (*File, error) { return cfg.Open(none) }, nil},
			{"OpenAt", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) { return cfg.OpenAt(none, 0) }, nil},
			{"OpenRaw", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) {
				return cfg.OpenRaw(none, at, dtype.MustParse(d), index.C, 3)
			}, nil},
			{"no array", "text.npy", mmap.ReadOnly, func(cfg OpenConfig) (*File, error) { return cfg.Open(none) }, format},
			{"no array, for writing", "text.npy", mmap.ReadWrite, func(cfg OpenConfig) (*File, error) { return cfg.Open(none) },
				format},
			{"OpenOrCreate", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) {
				return cfg.OpenOrCreate(none, dtype.MustParse(d), index.C, 3)
			}, nil},
			{"OpenOrCreate, of another shape", header, mmap.ReadWrite, func(cfg OpenConfig) (*File, error) {
				return cfg.OpenOrCreate(none, dtype.MustParse(d), index.C, 3, 3)
			}, ErrShape},
			{"OpenOrCreate, of no shape", header, mmap.ReadWrite, func(cfg OpenConfig) (*File, error) {
				return cfg.OpenOrCreate(none, dtype.MustParse(d), index.C, -3)
			}, ErrShape},
			{"a negative offset", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) { return cfg.OpenAt(none, -1) },
				format},
			{"too short", header, mmap.ReadOnly, func(cfg OpenConfig) (*File, error) {
				return cfg.OpenRaw(none, size, dtype.Int8, index.C, 1)
			}, ErrShape},
			{"no mode", header, 9, func(cfg OpenConfig) (*File, error) { return cfg.Open(none) }, nil},
		} {
			t.Run(tt.name, func(t *testing.T) {
				flag := os.O_RDONLY
				if tt.mode == mmap.ReadWrite {
					flag = os.O_RDWR
				}
				f := must(root.OpenFile(tt.file, flag, 0))
				a, err := tt.open(OpenConfig{Mode: tt.mode, File: f})
				switch {
				case tt.mode == 9:
					if err == nil {
						t.Errorf("%s: no error", tt.name)
					}
				case errors.Is(err, errors.ErrUnsupported): // this system maps no files for writing
				case tt.err == format:
					if _, ok := errors.AsType[*FormatError](err); !ok {
						t.Errorf("%s: got %v, want a *FormatError", tt.name, err)
					}
				case !errors.Is(err, tt.err) || (err == nil) != (tt.err == nil):
					t.Errorf("%s: got %v, want %v", tt.name, err, tt.err)
				case err == nil:
					if a.Path() != none || !a.DType().Equal(want.DType()) || !a.Layout().Equal(want.Layout()) {
						t.Errorf("%s: %s has %v of %v", tt.name, a.Path(), a.Layout(), a.DType())
					}
					if err := a.Close(); err != nil {
						t.Error(err)
					}
				}
				if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
					t.Errorf("%s: the file is still open: %v", tt.name, err)
				}
			})
		}
	}
}

// TestHeaderLength tests that the size of the file limits the memory that Open allocates for a header, even if the
// length field is larger.
func TestHeaderLength(t *testing.T) {
	for _, start := range []int64{0, 100} {
		path := tempPath(t)
		b := append(make([]byte, start), "\x93NUMPY\x02\x00\x00\x00\x00\x20{"...) // 512 MiB
		if err := os.WriteFile(path, append(b, make([]byte, 400)...), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, given := range []bool{false, true} {
			cfg := OpenConfig{MaxHeader: 1 << 30}
			if given {
				cfg.File = must(os.Open(path)) // OpenAt closes it
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			_, err := cfg.OpenAt(path, start)
			runtime.ReadMemStats(&after)
			if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 || !errors.Is(err, ErrFormat) {
				t.Errorf("at byte %d, File given %v: %v, %d bytes allocated", start, given, err, n)
			}
		}
	}
}

package array

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestUnchanged tests the method Unchanged of every kind of File. The TestUnchanged of mmap tests which changes it
// detects.
func TestUnchanged(t *testing.T) {
	oracle.AnyProcessor(t)
	path := tempPath(t)
	if err := Save(path, sequence("<f8", index.C, 0, 100)); err != nil {
		t.Fatal(err)
	}
	ways := map[string]func() (*File, error){
		"Open":    func() (*File, error) { return Open(path, mmap.ReadOnly) },
		"OpenAt":  func() (*File, error) { return OpenAt(path, mmap.ReadWrite, 0) },
		"OpenRaw": func() (*File, error) { return OpenRaw(path, mmap.CopyOnWrite, 128, dtype.Float64, index.C, -1) },
		"New":     func() (*File, error) { return New(dtype.Float64, index.C, 3) },
		"FromPointer": func() (*File, error) {
			x := new(float64)
			return FromPointer(unsafe.Pointer(x), dtype.Float64, must(index.NewLayout(nil, 8, index.C)), nil)
		},
	}
	young := 30 * time.Millisecond // Unchanged reports younger files as changed
	if os.Getenv("NDMAP_QEMU") != "" {
		young = 2100 * time.Millisecond // QEMU for s390x reports times in whole seconds
	}
	time.Sleep(young)
	files := map[string]*File{}
	for name, open := range ways {
		t.Run(name, func(t *testing.T) {
			f := must(open())
			if err := f.Unchanged(); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			files[name] = f
		})
	}
	if runtime.GOOS != "windows" { // which does not truncate mapped files
		if err := os.Truncate(path, 128+8*100-1); err != nil {
			t.Fatal(err)
		}
	}
	for name, f := range files {
		want := error(nil)
		if f.Path() != "" && runtime.GOOS != "windows" {
			want = mmap.ErrChanged
		}
		if err := f.Unchanged(); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", name, err, want)
		}
		f.Close()
		if err := f.Unchanged(); name != "FromPointer" && !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: closed: %v", name, err)
		}
	}
	if err := new(File).Unchanged(); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("the zero File: %v", err)
	}
}

// TestProgressBeforeFile tests that Progress is called with done equal to total before the new file gets its path. If
// Progress returns an error, the old file must remain.
func TestProgressBeforeFile(t *testing.T) {
	path := tempPath(t)
	old := sequence("<f8", index.C, 0, 3)
	src := sequence("<f8", index.C, 1, 100)
	refuse := func(done, total int64) error {
		if done < total {
			return nil
		}
		return mmap.ErrChanged
	}
	for name, write := range map[string]func() error{
		"Save":           func() error { return SaveConfig{Replace: true, Progress: refuse}.Save(path, src) },
		"Save, NoSync":   func() error { return SaveConfig{Replace: true, Progress: refuse, NoSync: true}.Save(path, src) },
		"Reduction.Save": func() error { return Reduction{Progress: refuse}.Save(path, src) },
	} {
		t.Run(name, func(t *testing.T) {
			must(0, Save(path, old))
			if err := write(); !errors.Is(err, mmap.ErrChanged) {
				t.Errorf("%s: %v, want %v", name, err, mmap.ErrChanged)
			}
			f := must(Open(path, ReadOnly))
			if same, err := Equal(f.Array, old); !same || err != nil {
				t.Errorf("%s: the file has changed to %v (%v)", name, f, err)
			}
			f.Close()
		})
	}
}

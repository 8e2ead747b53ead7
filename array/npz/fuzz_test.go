package npz

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

// FuzzOpen opens an archive of arbitrary bytes. Open must return an error that names the archive, or an archive whose
// members can be read to their end or return errors. Arrays that were read must be the same after Save and Open.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	path, copied, longer := filepath.Join(dir, "a.npz"), filepath.Join(dir, "b.npz"), filepath.Join(dir, "c.npz")
	for _, cfg := range []SaveConfig{{}, {Format: Savez}, {Format: OldSavez}, {Compress: true}} {
		cfg.Replace = true
		check(f, cfg.Save(path, map[string]array.Array{"x": numbers(3), "é": numbers(1).Index(0), "empty": numbers(0)}))
		f.Add(must(os.ReadFile(path)))
	}
	check(f, os.Remove(path))
	saveWithDescriptors(f, path, "x")
	f.Add(must(os.ReadFile(path)))
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, os.WriteFile(path, b, 0o600))
		a, err := Open(path, mmap.ReadOnly)
		inMemory, err2 := OpenBytes(b)
		read, err3 := NewReader(bytes.NewReader(b), int64(len(b)))
		errLocal := err3
		if err3 == nil {
			errLocal = locateAll(read)
		}
		if (err == nil) != (err2 == nil) || (err == nil) != (errLocal == nil) {
			t.Fatalf("Open: %v; OpenBytes: %v; NewReader: %v, and then %v", err, err2, err3, errLocal)
		}
		if err != nil {
			if e, ok := errors.AsType[*array.FormatError](err); !ok || e.Path != path || e.Offset < 0 ||
				e.Offset > int64(len(b)) {
				t.Fatalf("Open: %#v", err)
			}
			return
		}
		defer a.Close()
		defer inMemory.Close()
		defer read.Close()
		a.MaxMember, inMemory.MaxMember, read.MaxMember = 1<<20, 1<<20, 1<<20
		fs.WalkDir(read, ".", func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() {
				read.ReadFile(name)
				inMemory.ReadFile(name)
			}
			return err
		})
		arrays := map[string]array.Array{}
		for _, name := range a.Names() {
			x, err := a.Array(name)
			damaged := a.Verify(name)
			y, err2 := inMemory.Array(name)
			z, err3 := read.Array(name)
			checkRemote(t, a, read, name)
			if (err == nil) != (err2 == nil) || (err == nil && damaged == nil) != (err3 == nil && damaged == nil) {
				t.Fatalf("%q: Open: %v; OpenBytes: %v; NewReader: %v", name, err, err2, err3)
			}
			if err == nil && damaged == nil && (fmt.Sprint(x) != fmt.Sprint(y) || fmt.Sprint(x) != fmt.Sprint(z)) {
				t.Fatalf("%q is %v, %v, %v", name, x, y, z)
			}
			if err == nil {
				_ = fmt.Sprintf("%+v", x)
				if x.NBytes() < 1<<20 && len(name) < 1000 {
					arrays[name] = x
				}
			}
		}
		check(t, os.WriteFile(longer, b, 0o600)) // a copy, because Windows does not replace mapped files
		if w, err := Append(longer); err == nil {
			w.NoSync = true
			if err := w.Add("one more", numbers(2)); err == nil {
				check(t, w.Close())
				more, err := Open(longer, mmap.ReadOnly)
				if err != nil || len(more.members) != len(a.members)+1 {
					t.Fatalf("after Append: %v, or not one member more", err)
				}
				check(t, more.Close())
			}
			w.Discard()
		} else {
			t.Fatalf("Append: %v", err)
		}
		saved := SaveConfig{Replace: true, NoSync: true}
		if err := saved.Save(copied, arrays); err != nil {
			t.Fatalf("Save: %v", err)
		}
		again, err := Open(copied, mmap.ReadOnly)
		check(t, err)
		defer again.Close()
		for name, x := range arrays {
			y, err := again.Array(name + ".npy")
			// BFloat16 and similar dtypes are bytes in a .npy file.
			x = must(x.Reinterpret(must(dtype.Parse(must(x.DType().Descr())))))
			if err != nil || fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("%q is %v, %v, want %v", name, y, err, x)
			}
		}
	})
}

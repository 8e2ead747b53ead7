package npz

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

// FuzzOpen: whatever the bytes of an archive, Open returns an error that names it, or an
// archive whose members are arrays that can be walked to their end, or errors; and what
// is read is saved and read again.
func FuzzOpen(f *testing.F) {
	dir := f.TempDir()
	path, copied := filepath.Join(dir, "a.npz"), filepath.Join(dir, "b.npz")
	for _, cfg := range []Config{{}, {Format: Savez}, {Format: OldSavez}, {Compress: true}} {
		check(f, cfg.Save(path, map[string]array.Array{"x": numbers(3), "é": numbers(1).Index(0), "empty": numbers(0)}))
		f.Add(must(os.ReadFile(path)))
	}
	check(f, os.Remove(path))
	stream(f, path, "x")
	f.Add(must(os.ReadFile(path)))
	f.Fuzz(func(t *testing.T, b []byte) {
		check(t, os.WriteFile(path, b, 0o600))
		a, err := Config{MaxMember: 1 << 20}.Open(path)
		if err != nil {
			if e, ok := errors.AsType[*array.FormatError](err); !ok || e.Path != path || e.Offset < 0 ||
				e.Offset > int64(len(b)) {
				t.Fatalf("Open: %#v", err)
			}
			return
		}
		defer a.Close()
		arrays := map[string]array.Array{}
		for _, name := range a.Names() {
			x, err := a.Array(name)
			a.Verify(name)
			if err == nil {
				_ = fmt.Sprintf("%+v", x)
				if x.NBytes() < 1<<20 && len(name) < 1000 {
					arrays[name] = x
				}
			}
		}
		saved := Config{NoSync: true}
		if err := saved.Save(copied, arrays); err != nil {
			t.Fatalf("Save: %v", err)
		}
		again, err := Open(copied, mmap.ReadOnly)
		check(t, err)
		defer again.Close()
		for name, x := range arrays {
			y, err := again.Array(name + ".npy")
			if err != nil || fmt.Sprint(x) != fmt.Sprint(y) {
				t.Fatalf("%q is %v, %v, was %v", name, y, err, x)
			}
		}
	})
}

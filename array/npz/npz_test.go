package npz

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func temp(t testing.TB) string { return filepath.Join(t.TempDir(), "t.npz") }

// numbers returns an array of n float64: 0.5, 1.5, 2.5, …
func numbers(n int) array.Array {
	s := make([]float64, n)
	for i := range s {
		s[i] = float64(i) + 0.5
	}
	return must(array.FromSlice(s)).Array()
}

func data(t testing.TB, a array.Array) []float64 {
	t.Helper()
	v, err := array.As[float64](a)
	check(t, err)
	return slices.Collect(v.Values())
}

// TestSave tests that Open returns the arrays that Save has written, stored or compressed, in every Format.
func TestSave(t *testing.T) {
	for _, cfg := range []SaveConfig{{}, {Format: Savez}, {Format: OldSavez}, {Compress: true}, {NoSync: true}} {
		path := temp(t)
		f, err := array.New(dtype.MustParse(">i2"), index.F, 3, 4)
		check(t, err)
		defer f.Close()
		check(t, array.Copy(f.Array, must(array.FromSlice([]int16{1, 2, 3, 4})).Array()))
		want := map[string]array.Array{
			"dir/x":   numbers(1000),
			"é":       must(numbers(10).Select(must(index.Parse("::-3"))...)),
			"empty":   numbers(0),
			"scalar":  numbers(2).Index(1),
			"fortran": f.Array,
		}
		check(t, cfg.Save(path, want))
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		names := a.Names()
		if diff := cmp.Diff([]string{"dir/x", "empty", "fortran", "scalar", "é"}, names); diff != "" {
			t.Errorf("%+v: names (-want +got)\n%s", cfg, diff)
		}
		for i, got := range must(a.Arrays(names...)) {
			w := want[names[i]]
			if !got.DType().Equal(w.DType()) || !slices.Equal(got.Shape(), w.Shape()) ||
				got.Contiguous(index.F) != w.Contiguous(index.F) && w.Contiguous(index.K) {
				t.Errorf("%+v: %s is %+v, want %+v", cfg, names[i], got, w)
			}
			if g, w := sprint(got), sprint(w); g != w {
				t.Errorf("%+v: %s is\n%s\nwant\n%s", cfg, names[i], g, w)
			}
			if !got.ReadOnly() {
				t.Errorf("%+v: %s can be written", cfg, names[i])
			}
			m := must(a.Member(names[i]))
			if m.Compressed != cfg.Compress || m.Name != names[i]+".npy" || cfg.Format == Aligned && !cfg.Compress &&
				m.Offset%64 != 0 {
				t.Errorf("%+v: %+v", cfg, m)
			}
			check(t, a.Verify(names[i]))
		}
		check(t, a.Close())
	}
}

func sprint(a array.Array) string { return fmt.Sprint(a) }

// TestNames tests that names denote the same members as in NumPy: the member with exactly that name, or otherwise the
// member with that name and .npy. If several members have the same name, the last one is used.
func TestNames(t *testing.T) {
	path := temp(t)
	raw := newRaw()
	raw.add("w.npy", npyFile(1), 0)
	raw.add("w", npyFile(2), 0)
	raw.add("d.npy", npyFile(3), 0)
	raw.add("d.npy", npyFile(4), 0)
	raw.add("v.npy", npyFile(5), 0)
	raw.add("v.npy.npy", npyFile(6), 0)
	raw.add("readme.txt", []byte("hello"), 0)
	raw.add("empty.npy", nil, 0)
	raw.add("dir/", nil, 0)
	raw.add("group/", nil, 0)
	raw.add("group/inner/", nil, 0)
	raw.add("group/inner/a.npy", npyFile(8), 0)
	raw.add("../../etc/passwd.npy", npyFile(7), 0)
	check(t, os.WriteFile(path, raw.bytes(), 0o666))
	a, err := Open(path, mmap.ReadOnly)
	check(t, err)
	defer a.Close()
	if diff := cmp.Diff([]string{"w.npy", "w", "d", "v", "v.npy.npy", "readme.txt", "empty", "dir/", "group/",
		"group/inner/", "group/inner/a", "../../etc/passwd"},
		a.Names()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	for name, want := range map[string]int{"w": 2, "w.npy": 1, "d": 4, "d.npy": 4, "v": 5, "v.npy": 5, "v.npy.npy": 6,
		"../../etc/passwd": 7} {
		t.Run(name, func(t *testing.T) {
			x, err := a.Array(name)
			if err != nil || sprint(x) != sprint(must(array.FromSlice([]uint8{uint8(want)})).Array()) {
				t.Errorf("%s is %v, %v, want [%d]", name, x, err, want)
			}
		})
	}
	for name, want := range map[string]struct {
		is  error
		msg string
	}{
		"x":       {fs.ErrNotExist, `t.npz: no such member: "x" or "x.npy"`},
		"\x1b[2J": {fs.ErrNotExist, `t.npz: no such member: "\x1b[2J" or "\x1b[2J.npy"`},
		"dir":     {fs.ErrNotExist, `t.npz: no such member: "dir" or "dir.npy"`},
		"dir/":    {ErrNotArray, `t.npz: member "dir/" is a folder: not a .npy file`},
		"group": {fs.ErrNotExist,
			`t.npz: no such member: "group" or "group.npy"; it is a folder: name a member, as "group/inner/a"`},
		"group/": {ErrNotArray,
			`t.npz: member "group/" is a folder: not a .npy file; name a member in it, as "group/inner/a"`},
		"group/inner": {fs.ErrNotExist,
			`t.npz: no such member: "group/inner" or "group/inner.npy"; it is a folder: name a member, as "group/inner/a"`},
		"readme.txt": {ErrNotArray, `t.npz: member "readme.txt" is not a .npy file: it starts with "hello"`},
		"empty":      {ErrNotArray, `t.npz: member "empty.npy" is not a .npy file: it starts with ""`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := a.Array(name)
			if !errors.Is(err, want.is) || strings.ReplaceAll(err.Error(), path, "t.npz") != want.msg {
				t.Errorf("%q: %v, want %s", name, err, want.msg)
			}
		})
	}
}

// Errors of operations on an array name its archive, whether the array is mapped or inflated.
func TestArrayErrors(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("the expected messages have the byte order of little-endian machines")
	}
	for _, compress := range []bool{false, true} {
		path := temp(t)
		check(t, SaveConfig{Compress: compress}.Save(path, map[string]array.Array{"x": numbers(10), "none": numbers(0)}))
		a, err := Open(path, mmap.ReadOnly)
		check(t, err)
		x, none := must(a.Array("x")), must(a.Array("none"))
		_, dtypeErr := array.As[int32](x)
		_, fieldErr := none.Field("id")
		for _, tt := range []struct {
			err  error
			want string
		}{
			{dtypeErr, fmt.Sprintf("t.npz: have dtype %v, want %v; Cast[int32] converts", x.DType(), dtype.Int32)},
			{fieldErr, `t.npz: no field "id" in dtype <f8`},
			{array.Copy(x, x), "t.npz: array is read-only"},
			{panicOf(func() { must(array.As[float64](x.Index(1))).SetAt(3) }),
				"t.npz: write through a read-only view; open the file with array.ReadWrite or array.CopyOnWrite"},
		} {
			if tt.err == nil || strings.ReplaceAll(tt.err.Error(), path, "t.npz") != tt.want {
				t.Errorf("compressed %v: %v, want %s", compress, tt.err, tt.want)
			}
		}
		check(t, a.Close())
	}
}

func panicOf(f func()) (err error) {
	defer func() { err, _ = recover().(error) }()
	f()
	return nil
}

// TestModes tests that the mode of Open determines whether arrays are writable, and whether writes reach the file.
func TestModes(t *testing.T) {
	for _, compress := range []bool{false, true} {
		path := temp(t)
		check(t, SaveConfig{Compress: compress}.Save(path, map[string]array.Array{"x": numbers(10)}))
		before := must(os.ReadFile(path))
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.CopyOnWrite, mmap.ReadWrite} {
			a, err := Open(path, mode)
			check(t, err)
			x, err := a.Array("x")
			if compress && mode == mmap.ReadWrite {
				want := path + `: member "x.npy": data at byte 35: it is compressed, and cannot be edited in the file; open the archive with array.ReadOnly or array.CopyOnWrite`
				if err == nil || err.Error() != want {
					t.Errorf("got  %v\nwant %s", err, want)
				}
				check(t, a.Close())
				continue
			}
			check(t, err)
			v := must(array.As[float64](x))
			if x.ReadOnly() != (mode == mmap.ReadOnly) || v.ReadOnly() != x.ReadOnly() {
				t.Errorf("%v: ReadOnly is %v", mode, x.ReadOnly())
			}
			if !x.ReadOnly() {
				v.SetAt(99, 3)
				if again := must(array.As[float64](must(a.Array("x")))); again.At(3) != 99 {
					t.Errorf("%v: the second array has %v", mode, again)
				}
			}
			check(t, a.Close())
			if changed := string(before) != string(must(os.ReadFile(path))); changed != (mode == mmap.ReadWrite) {
				t.Errorf("%v: file changed = %v, want the opposite", mode, changed)
			}
		}
	}
}

// TestClosed tests that after Close every method returns an error, and no method causes a page fault.
func TestClosed(t *testing.T) {
	path := temp(t)
	check(t, Save(path, map[string]array.Array{"x": numbers(10)}))
	a, err := Open(path, mmap.ReadWrite)
	check(t, err)
	x := must(a.Array("x"))
	check(t, a.Close())
	_, err1 := a.Array("x")
	_, err2 := a.Member("x")
	_, err3 := a.Repair()
	_, err4 := a.Arrays("x")
	for i, err := range []error{a.Close(), a.Sync(), a.Verify("x"), err1, err2, err3, err4} {
		if !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got := sprint(x); !strings.Contains(got, "closed") {
		t.Errorf("the array prints as %s", got)
	}
}

// Open maps OpenConfig.File instead of the file at path. It closes the File, even after an error.
func TestConfigFile(t *testing.T) {
	path := temp(t)
	dir := filepath.Dir(path)
	check(t, Save(path, map[string]array.Array{"x": numbers(10)}))
	check(t, os.WriteFile(filepath.Join(dir, "text"), []byte("no archive"), 0o666))
	root, err := os.OpenRoot(dir)
	check(t, err)
	defer root.Close()
	for _, name := range []string{filepath.Base(path), "text"} {
		f, err := root.Open(name)
		check(t, err)
		a, err := OpenConfig{File: f}.Open("none.npz")
		if _, ok := errors.AsType[*array.FormatError](err); ok != (name == "text") || !ok && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			x, err := a.Array("x")
			if err != nil || x.Size() != 10 || a.Path() != "none.npz" {
				t.Errorf("%s: %v, %v", a.Path(), x, err)
			}
			check(t, a.Close())
		}
		if err := f.Close(); !errors.Is(err, fs.ErrClosed) {
			t.Errorf("%s: the file is still open: %v", name, err)
		}
	}
}

// The methods of an invalid SaveConfig return an error and leave no file. Without Replace they do not replace files.
func TestSaveConfig(t *testing.T) {
	path := temp(t)
	for _, tt := range []struct {
		cfg  SaveConfig
		want string
	}{
		{SaveConfig{Format: 3}, "create t.npz: invalid argument: unknown Format 3"},
		{SaveConfig{Format: Savez, Compress: true},
			"create t.npz: invalid argument: Compress requires the format Aligned: NumPy's compressed bytes differ"},
	} {
		_, err := tt.cfg.Create(path)
		for _, err := range []error{err, tt.cfg.Save(path, nil), tt.cfg.Make(path, nil)} {
			if !errors.Is(err, fs.ErrInvalid) || strings.ReplaceAll(err.Error(), path, "t.npz") != tt.want {
				t.Errorf("got  %v\nwant %s", err, tt.want)
			}
		}
	}
	if l := fileNames(t, path); l != nil {
		t.Errorf("left: %v", l)
	}
	check(t, os.WriteFile(path, []byte("old"), 0o600))
	_, err := SaveConfig{}.Create(path)
	for _, err := range []error{err, SaveConfig{}.Save(path, nil), SaveConfig{}.Make(path, nil)} {
		if !errors.Is(err, fs.ErrExist) {
			t.Error(err)
		}
	}
	check(t, Save(path, nil))
}

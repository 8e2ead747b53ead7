package array

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/wine"
	"github.com/ndmap/ndmap/mmap"
)

// TestPanics tests that wrong indices and the zero View panic with a runtime.Error, and tests its message.
func TestPanics(t *testing.T) {
	f := must(New(dtype.Float64, index.C, 2, 3, 4))
	defer f.Close()
	v := must(As[float64](f.Array))
	row := v.Index(0).Index(0)
	vec, mat, cube := must(row.Vector()), must(v.Index(0).Matrix()), must(v.Cube())
	turned := must(v.Index(0).T().Matrix())
	zero := "array: use of the zero Array or View (see IsZero)"
	for _, tt := range []struct {
		want string
		run  func()
	}{
		{"index 2 out of range for axis 0 with length 2", func() { v.At(2, 0, 0) }},
		{"index -1 out of range for axis 1 with length 3", func() { v.At(1, -1, 0) }},
		{"index 4 out of range for axis 2 with length 4", func() { v.SetAt(0, 1, 0, 4) }},
		{"got 2 indices for 3 dimensions", func() { v.At(1, 2) }},
		{"got 1 index for 0 dimensions", func() { row.Index(0).At(0) }},
		{"index 5 out of range for axis 0 with length 2", func() { v.Index(5) }},
		{"index 5 out of range for axis 0 with length 2", func() { f.Index(5) }},
		{"index 4 out of range for axis 0 with length 4", func() { vec.At(4) }},
		{"index -1 out of range for axis 0 with length 4", func() { vec.SetAt(1, -1) }},
		{"index 4 out of range for axis 1 with length 4", func() { mat.At(0, 4) }},
		{"index 3 out of range for axis 0 with length 3", func() { mat.SetAt(1, 3, 9) }},
		{"index 3 out of range for axis 0 with length 3", func() { mat.Row(3) }},
		{"index 9 out of range for axis 1 with length 3", func() { cube.At(0, 9, 0) }},
		{"index 9 out of range for axis 2 with length 4", func() { cube.SetAt(1, 1, 1, 9) }},
		{"index -2 out of range for axis 1 with length 3", func() { cube.Row(0, -2) }},
		{"index 4 out of range for axis 0 with length 4", func() { turned.Row(4) }},
		{"array: Split into 0 parts; want at least 1", func() { v.Split(0) }},
		{zero, func() { View[float64]{}.At() }},
		{zero, func() { View[float64]{}.At(1) }},
		{zero, func() { View[float64]{}.SetAt(1) }},
		{zero, func() { View[float64]{}.SetAt(1, 2) }},
		{zero, func() { View[float64]{}.Index(0) }},
		{zero, func() { View[float64]{}.Data() }},
		{zero, func() { View[float64]{}.Fill(1) }},
		{zero, func() { View[float64]{}.Shape() }},
		{zero, func() { View[float64]{}.T() }},
		{zero, func() { View[float64]{}.CopyFrom(v) }},
		{zero, func() { v.CopyFrom(View[float64]{}) }},
		{zero, func() { View[float64]{}.Split(2) }},
		{zero, func() { View[float64]{}.Select(index.At(0)) }},
		{zero, func() { View[float64]{}.Clone(index.K) }},
		{zero, func() { View[float64]{}.Vector() }},
		{zero, func() { As[float64](Array{}) }},
		{zero, func() { Array{}.DType() }},
		{zero, func() { Save("x", Array{}) }},
		{zero, func() { Write(nil, Array{}) }},
		{zero, func() {
			for range (View[float64]{}).Values() {
			}
		}},
		{zero, func() {
			for range (View[float64]{}).All(index.C) {
			}
		}},
		{zero, func() {
			for range (View[float64]{}).Axis(0) {
			}
		}},
		{zero, func() { (&Vector[float64]{}).At(0) }},
		{zero, func() { (&Matrix[float64]{}).SetAt(1, 0, 0) }},
		{zero, func() { (&Cube[float64]{}).At(0, 0, 0) }},
	} {
		func() {
			defer func() {
				r := recover()
				if err, ok := r.(runtime.Error); !ok || err.Error() != tt.want {
					t.Errorf("panic with %T %v, want %q", r, r, tt.want)
				}
			}()
			tt.run()
		}()
	}
	if !(View[float64]{}).IsZero() || v.IsZero() || !(Array{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

// TestOpenErrors tests the messages of Open for files that are missing, truncated, or in another format.
func TestOpenErrors(t *testing.T) {
	dir := t.TempDir()
	path := func(name string) string { return filepath.Join(dir, name) }
	write := func(name string, b []byte) string {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path(name)), 0o777), os.WriteFile(path(name), b, 0o666)); err != nil {
			t.Fatal(err)
		}
		return path(name)
	}
	f := must(Create(path("good.npy"), dtype.Float64, index.C, 2, 3))
	f.Close()
	good := must(os.ReadFile(path("good.npy")))

	for _, tt := range []struct {
		path, want string
		is         error
	}{
		{path("none.npy"), "open PATH: no such file or directory", fs.ErrNotExist},
		{dir, "open PATH: is a directory", syscall.EISDIR},
		{filepath.Dir(write(filepath.Join("a.zarr", ".zarray"), nil)),
			"PATH: a Zarr folder, not a .npy file; save the array from Python, with zarr and numpy.save", nil},
		{filepath.Dir(write(filepath.Join("group.zarr", "zarr.json"), nil)),
			"PATH: a Zarr folder, not a .npy file; save the array from Python, with zarr and numpy.save", nil},
		{write("x.npz", []byte("PK\x03\x04\x2d\x00")), "PATH: a zip archive (.npz), not a .npy file; use npz.Open", nil},
		{write("empty.npy", nil),
			"PATH: an empty file, not a .npy file; the program that should have written it did not; write it again",
			nil},
		{write("text.npy", []byte("hello, world")),
			"PATH: text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt",
			nil},
		{write("short.npy", good[:150]),
			"PATH: data at byte 128: the file holds 22 bytes of data; shape (2, 3) of <f8 needs 48: it was truncated, or never written to its end", nil},
		{write("rows.npy", good[:174]),
			"PATH: data at byte 128: the file holds 46 bytes of data; shape (2, 3) of <f8 needs 48: it was truncated, or never written to its end; npy repair keeps the 1 whole row", nil},
		{write("raw.npy", make([]byte, 240)),
			`PATH: header at byte 0: not a .npy file: it starts with "\x00\x00\x00\x00\x00\x00"; want the magic "\x93NUMPY"; if the 240 bytes are elements without a header, as numpy.memmap writes them, OpenRaw reads them`, nil},
		{write("lfs.npy", []byte("version https://git-lfs.github.com/spec/v1\n")),
			"PATH: a Git LFS pointer, not a .npy file; git lfs pull gets the file", nil},
		{write("head.npy", good[:60]), "PATH: header at byte 60: the file ends 68 bytes before the end of the header", nil},
	} {
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
			if dtype.Native == dtype.BigEndian {
				tt.want = strings.ReplaceAll(tt.want, "<f8", ">f8")
			}
			_, err := Open(tt.path, mode)
			want := strings.ReplaceAll(tt.want, "PATH", tt.path)
			if err == nil || wine.Unix(err.Error()) != want {
				t.Errorf("%v:\n got %v\nwant %s", mode, err, want)
			}
			if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%v is not %v", err, tt.is)
			}
			var format *FormatError
			if tt.is == nil && (!errors.As(err, &format) || format.Path != tt.path) {
				t.Errorf("%v is not a *FormatError with that path", err)
			}
		}
	}

	if _, err := (OpenConfig{MaxHeader: 100}).Open(path("good.npy")); err == nil || !strings.Contains(err.Error(),
		"more than the limit of 100") {
		t.Errorf("MaxHeader: %v", err)
	}
	if os.Geteuid() > 0 {
		if err := os.Chmod(path("good.npy"), 0); err != nil {
			t.Fatal(err)
		}
		if _, err := Open(path("good.npy"), mmap.ReadOnly); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("no permission: %v", err)
		}
	} else {
		t.Log("running as root or on Windows, where every file is readable: the error of a file without permissions was not tested")
	}
}

// TestDTypeError tests the messages of *DTypeError, which name a Cast only if it can convert.
func TestDTypeError(t *testing.T) {
	f := must(New(dtype.Float64.WithByteOrder(dtype.BigEndian), index.C, 3))
	defer f.Close()
	_, err := As[float32](f.Array)
	var e *DTypeError
	if !errors.As(err, &e) || !e.Have.Equal(f.DType()) || !e.Want.Equal(dtype.Float32) {
		t.Errorf("%#v", err)
	}
	if want := "array: have dtype >f8, want " + dtype.Float32.String() + "; Cast[float32] converts"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
	for _, tt := range []struct{ have, dtype, want string }{
		{">i2", "<f2", "array: have dtype >i2, want <f2; Cast[dtype.Half] converts"},
		{"<f8", "|u1", "array: have dtype <f8, want |u1; Cast[uint8] converts"},
		{"<c8", "|b1", "array: have dtype <c8, want |b1; Cast[bool] converts"},
		{"|b1", ">c16", "array: have dtype |b1, want >c16; Cast[complex128] converts"},
		{"<c8", "<f4", "array: have dtype <c8, want <f4"}, // Cast does not convert complex numbers to floats, either
		{"|S4", "<f4", "array: have dtype |S4, want <f4"},
		{"[('a', '<f4')]", "<f4", "array: have dtype [('a', '<f4')], want <f4"},
	} {
		e := &DTypeError{Have: dtype.MustParse(tt.have), Want: dtype.MustParse(tt.dtype)}
		if got := e.Error(); got != tt.want {
			t.Errorf("got %q, want %q", got, tt.want)
		}
	}
	// The reason comes before the dtypes, which may be long.
	e = &DTypeError{Path: "t.npy", Have: dtype.Bytes(3), Want: dtype.Int8, Msg: "text is no number"}
	if got, want := e.Error(), "t.npy: text is no number: have dtype |S3, want |i1"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := As[string](f.Array); err == nil ||
		err.Error() != "dtype: Go type string has no dtype; want numbers, bool, arrays and structs of them" {
		t.Errorf("As[string]: %v", err)
	}
	if _, err := As[int](f.Array); err == nil {
		t.Error("As[int] of floats succeeds")
	}
}

// TestNotDirect tests that the errors of Data and Vector say why elements cannot be accessed in place.
func TestNotDirect(t *testing.T) {
	foreign := dtype.BigEndian
	if dtype.Native == dtype.BigEndian {
		foreign = dtype.LittleEndian
	}
	swapped := must(As[float64](must(New(dtype.Float64.WithByteOrder(foreign), index.C, 3)).Array))
	bools := must(As[bool](must(New(dtype.Bool, index.C, 3)).Array))
	odd := must(As[float64](must(FromBytes(make([]byte, 25)[1:], dtype.Float64, index.C, 3))))
	fortran := must(As[float64](must(New(dtype.Float64, index.F, 2, 3)).Array))
	every2 := must(must(As[float64](must(New(dtype.Float64, index.C, 6)).Array)).Select(index.Range(0, 6).Every(2)))
	for _, tt := range []struct {
		name string
		err  error
		want string
	}{
		{"foreign order", second(swapped.Data()),
			"array: elements are not directly accessible: dtype " + swapped.DType().String() + " is not in native byte order; loop over Blocks or Update, or copy with Collect"},
		{"booleans", second(bools.Data()),
			"array: elements are not directly accessible: a byte of a bool array may be neither 0 nor 1; loop over Blocks or Update, or copy with Collect"},
		{"not aligned", second(odd.Data()),
			"array: elements are not directly accessible: elements of " + dtype.Float64.String() + " are not aligned in memory; loop over Blocks or Update, or copy with Collect"},
		{"F order", second(fortran.Data()),
			"array: elements are not directly accessible: shape (2, 3) with strides (8, 16) is not C contiguous; it is F contiguous: use T().Data()"},
		{"strided", second(every2.Data()),
			"array: elements are not directly accessible: shape (3,) with strides (16,) is not C contiguous"},
		{"a vector of foreign order", second(swapped.Vector()),
			"array: elements are not directly accessible: dtype " + swapped.DType().String() + " is not in native byte order; loop over Blocks or Update, or copy with Collect"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if tt.err == nil || tt.err.Error() != tt.want || !errors.Is(tt.err, ErrNotDirect) {
				t.Errorf("%s:\n got %v\nwant %s", tt.name, tt.err, tt.want)
			}
		})
	}
	if _, err := every2.Matrix(); err == nil || !errors.Is(err, ErrShape) ||
		err.Error() != "array: shape mismatch: 1 dimensions, want 2" {
		t.Errorf("Matrix of a vector: %v", err)
	}
	if d, err := fortran.T().Data(); err != nil || len(d) != 6 {
		t.Errorf("T of F order: %v, %v", d, err)
	}
	// Unaligned elements can be read and written.
	odd.SetAt(2.5, 1)
	if d := cmp.Diff([]float64{0, 2.5, 0}, collect(odd)); d != "" {
		t.Error(d)
	}
	// Bytes that are not valid Go bools read as true.
	raw := must(FromBytes([]byte{0, 1, 2, 255}, dtype.Bool, index.C, 4))
	if d := cmp.Diff([]bool{false, true, true, true}, collect(must(As[bool](raw)))); d != "" {
		t.Error(d)
	}
}

// TestSourceErrors tests the messages for memory that does not fit the shape.
func TestSourceErrors(t *testing.T) {
	for _, tt := range []struct {
		err  error
		want string
	}{
		{second(FromSlice([]float64{1, 2}, 3)), "array: shape mismatch: 2 elements do not fill shape (3,)"},
		{second(FromSlice([]float64{1, 2, 3, 4}, 3)), "array: shape mismatch: 4 elements are too many for shape (3,)"},
		{second(FromSlice([]float64{}, 2, 2)), "array: shape mismatch: 0 elements do not fill shape (2, 2)"},
		{second(FromSlice([]float64{1, 2}, -2)), "array: negative length -2 of axis 0"},
		{second(FromBytes(make([]byte, 16), dtype.Bytes(8), index.C, 3)),
			"array: shape mismatch: 16 bytes do not fill shape (3,) of dtype |S8, which takes 24"},
		{second(FromBytes(nil, dtype.Bytes(8), index.F, 3, 2)),
			"array: shape mismatch: 0 bytes do not fill shape (3, 2) of dtype |S8, which takes 48"},
	} {
		if tt.err == nil || tt.err.Error() != tt.want || !errors.Is(tt.err, ErrShape) {
			t.Errorf("got  %v\nwant %s", tt.err, tt.want)
		}
	}
}

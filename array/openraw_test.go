package array

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/wine"
	"github.com/ndmap/ndmap/mmap"
)

// countingBytes returns n bytes 0, 1, 2, ….
func countingBytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}

// TestMemmap contains the file-related tests of NumPy's numpy.memmap (numpy/core/tests/test_memmap.py). Each subtest
// has the name of NumPy's test.
func TestMemmap(t *testing.T) {
	data := must(FromSlice([]float32{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, 3, 4))
	open := func(t *testing.T, f *File, err error) *File {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	create := func(t *testing.T, path string) (*File, View[float32]) { // mode w+
		t.Helper()
		f, err := CreateRaw(path, 0, dtype.Float32, index.C, 3, 4)
		open(t, f, err)
		return f, must(As[float32](f.Array))
	}
	t.Run("roundtrip", func(t *testing.T) {
		path := tempPath(t)
		f, v := create(t, path)
		if err := errors.Join(v.CopyFrom(data), f.Close()); err != nil {
			t.Fatal(err)
		}
		g, err := OpenRaw(path, mmap.ReadOnly, 0, dtype.Float32, index.C, 3, 4)
		open(t, g, err)
		got := must(As[float32](g.Array))
		if diff := cmp.Diff(must(data.Data()), must(got.Data())); diff != "" || !g.ReadOnly() {
			t.Errorf("read-only %v; -want +got\n%s", g.ReadOnly(), diff)
		}
	})
	t.Run("open_with_filename, path, filename, filename_fileobj", func(t *testing.T) {
		path := tempPath(t)
		f, v := create(t, path)
		if f.Path() != path || f.Map().Path() != path || v.Index(0).view.Store.Mem.Path != path {
			t.Errorf("paths %s, %s, want %s", f.Path(), f.Map().Path(), path)
		}
	})
	t.Run("unnamed_file", func(t *testing.T) { // a file that is already open
		file := must(os.OpenFile(rawFile(t, make([]byte, 48)), os.O_RDWR, 0))
		m := must(mmap.Config{Mode: mmap.ReadWrite, File: file}.Open("a file"))
		defer m.Close()
		a := must(FromMap(m, 0, dtype.Float32, index.C, 3, 4))
		if err := must(As[float32](a)).CopyFrom(data); err != nil {
			t.Error(err)
		}
	})
	t.Run("attributes", func(t *testing.T) {
		f, err := CreateRaw(tempPath(t), 1, dtype.Float32, index.F, 3, 4)
		open(t, f, err)
		major, minor := f.Version()
		if f.DataOffset() != 1 || f.Map().Mode() != mmap.ReadWrite || f.Order() != index.F || major != 0 || minor != 0 {
			t.Errorf("offset %d, mode %v, order %v, version %d, %d", f.DataOffset(), f.Map().Mode(), f.Order(), major, minor)
		}
	})
	t.Run("flush", func(t *testing.T) {
		f, v := create(t, tempPath(t))
		if err := errors.Join(v.CopyFrom(data), f.Sync()); err != nil || v.At(0, 1) != 1 {
			t.Error(err)
		}
	})
	t.Run("del, view, getitem, slicing_keeps_references", func(t *testing.T) {
		_, v := create(t, tempPath(t))
		v.SetAt(5, 0, 0)
		part := pick(v, ":2, :2")
		if part.At(0, 0) != 5 || part.view.Store.Mem != v.view.Store.Mem {
			t.Error("a selection is in other memory")
		}
		v.SetAt(6, 0, 0)
		if part.At(0, 0) != 6 {
			t.Error("a selection does not see a write to the view")
		}
	})
	t.Run("arithmetic and indexing_drops_references", func(t *testing.T) {
		_, v := create(t, tempPath(t))
		if c := must(v.Clone(index.C)); c.view.Store.Mem.File != nil {
			t.Error("a copy is in the file")
		}
		if rows := must(v.AppendRows(nil, []int{1, 2})); len(rows) != 8 || &rows[0] == &must(v.Data())[4] {
			t.Error("taken rows are in the file")
		}
	})
	t.Run("ufunc_return_ndarray", func(t *testing.T) {
		_, v := create(t, tempPath(t))
		if err := v.CopyFrom(data); err != nil || Sum[float64](v) != 66 {
			t.Error(err, Sum[float64](v))
		}
		for b := range v.Update(index.C) {
			for i := range b {
				b[i]++
			}
		}
		if Sum[float64](v) != 78 {
			t.Error(Sum[float64](v))
		}
	})
	t.Run("mmap_offset_greater_than_allocation_granularity", func(t *testing.T) {
		for _, granularity := range []int{os.Getpagesize(), 65536} {
			f, err := CreateRaw(tempPath(t), int64(granularity+1), dtype.Uint8, index.C, 5*granularity)
			open(t, f, err)
			if f.DataOffset() != int64(granularity+1) || f.Size() != 5*granularity {
				t.Error(f.DataOffset(), f.Size())
			}
		}
	})
	t.Run("no_shape", func(t *testing.T) {
		f, err := OpenRaw(rawFile(t, bytes.Repeat([]byte("a"), 16)), mmap.ReadWrite, 0, dtype.Float64, index.C, -1)
		if open(t, f, err); !slices.Equal(f.Shape(), []int{2}) {
			t.Error(f.Shape())
		}
	})
	t.Run("empty_array", func(t *testing.T) { // NumPy refuses empty files
		f, err := CreateRaw(tempPath(t), 0, dtype.Uint8, index.C, 0, 4)
		open(t, f, err)
		g, err := CreateRaw(tempPath(t), 1, dtype.Uint8, index.C, 0, 4)
		open(t, g, err)
		if f.Map().Len() != 0 || g.Map().Len() != 1 || !slices.Equal(g.Shape(), []int{0, 4}) {
			t.Error(f.Map().Len(), g.Map().Len(), g.Shape())
		}
	})
}

// TestOpenRaw tests the position of the elements, and the length that replaces -1. The files contain the bytes 0, 1, 2,
// ….
func TestOpenRaw(t *testing.T) {
	for _, tt := range []struct {
		size   int // size of the file
		offset int
		d      string
		order  index.Order
		shape  []int
		want   []int // expected shape
		last   string
	}{
		{24, 0, "|u1", index.C, []int{3, 8}, []int{3, 8}, "23"},
		{24, 3, "|u1", index.F, []int{3, 2}, []int{3, 2}, "8"},
		{24, 20, "<i4", index.C, []int{1}, []int{1}, strconv.Itoa(20 | 21<<8 | 22<<16 | 23<<24)},
		{24, 20, ">i4", index.C, []int{1}, []int{1}, strconv.Itoa(23 | 22<<8 | 21<<16 | 20<<24)},
		{24, 1, ">i2", index.C, []int{2, 2}, []int{2, 2}, strconv.Itoa(7<<8 | 8)}, // not aligned
		{24, 23, "|i1", index.C, nil, nil, "23"},                                  // 0-d
		{24, 23, "|i1", index.C, []int{1, 1, 1}, []int{1, 1, 1}, "23"},
		{24, 10, "[('x', '<u2'), ('y', '|u1')]", index.C, []int{2}, []int{2}, "(3597, 15)"},
		{24, 24, "|u1", index.C, []int{0}, []int{0}, ""}, // at the end of the file
		{24, 24, "<f8", index.C, []int{3, 0, 1 << 20}, []int{3, 0, 1 << 20}, ""},
		{24, 24, "|V0", index.C, []int{1000}, []int{1000}, "b''"},
		{24, 24, "<i4", index.C, []int{-1}, []int{0}, ""},
		{0, 0, "<i4", index.C, []int{2, -1}, []int{2, 0}, ""},
		{0, 0, "|S0", index.F, []int{2}, []int{2}, "b''"},
		// One of the lengths is -1.
		{24, 0, "|u1", index.C, []int{-1}, []int{24}, "23"},
		{24, 1, "<i4", index.C, []int{-1}, []int{5}, strconv.Itoa(17 | 18<<8 | 19<<16 | 20<<24)}, // 3 bytes left over
		{24, 0, "|u1", index.C, []int{-1, 5}, []int{4, 5}, "19"},
		{24, 2, "|u1", index.C, []int{3, -1}, []int{3, 7}, "22"}, // 3 rows of 7 bytes; 1 byte is left over
		{24, 0, "|u1", index.C, []int{2, -1, 2}, []int{2, 6, 2}, "23"},
		{24, 0, "|u1", index.F, []int{5, -1}, []int{5, 4}, "19"},
		{24, 2, "|u1", index.F, []int{-1, 3}, []int{7, 3}, "22"},
		{24, 21, "<i4", index.C, []int{-1, 5}, []int{0, 5}, ""}, // fewer bytes than one row
		{24, 0, "[('x', '<u2'), ('y', '|u1')]", index.C, []int{-1}, []int{8}, "(5653, 23)"},
		{24, 23, "|u1", index.C, []int{-1, 1, 1}, []int{1, 1, 1}, "23"},
	} {
		path := rawFile(t, countingBytes(tt.size))
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
			name := fmt.Sprintf("%d bytes, %v, %d, %s, %v, %v", tt.size, mode, tt.offset, tt.d, tt.order, tt.shape)
			shape := slices.Clone(tt.shape)
			f, err := OpenRaw(path, mode, int64(tt.offset), dtype.MustParse(tt.d), tt.order, shape...)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if !slices.Equal(shape, tt.shape) {
				t.Errorf("%s: the shape argument was changed to %v", name, shape)
			}
			last := f.Array
			for last.NDim() > 0 && last.Size() > 0 {
				last = last.Index(last.Len(0) - 1)
			}
			text := ""
			if last.Size() > 0 {
				text = fmt.Sprint(last)
			}
			if !slices.Equal(f.Shape(), tt.want) || text != tt.last {
				t.Errorf("%s: shape %v, last element %s; want %v, %s", name, f.Shape(), text, tt.want, tt.last)
			}
			if f.DataOffset() != int64(tt.offset) || f.Order() != tt.order || f.ReadOnly() != (mode == mmap.ReadOnly) ||
				!f.Contiguous(tt.order) {
				t.Errorf("%s: offset %d, order %v, read-only %v", name, f.DataOffset(), f.Order(), f.ReadOnly())
			}
			a, err := FromMap(f.Map(), tt.offset, dtype.MustParse(tt.d), tt.order, tt.shape...)
			if err != nil || !a.Layout().Equal(f.Layout()) || a.view.P != f.view.P {
				t.Errorf("%s: FromMap differs from OpenRaw: %v", name, err)
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		}
		if !bytes.Equal(must(os.ReadFile(path)), countingBytes(tt.size)) {
			t.Errorf("%v: the file has changed", tt)
		}
	}
}

// TestRawErrors tests the full message of every error in every mode, and that no file is extended or created.
func TestRawErrors(t *testing.T) {
	path := rawFile(t, countingBytes(13))
	d := dtype.MustParse("<i4")
	for _, tt := range []struct {
		offset int
		d      dtype.DType
		order  index.Order
		shape  []int
		want   string
		is     error
	}{
		{0, d, index.C, []int{2, 2},
			"data at byte 0: shape mismatch: 13 bytes do not fill shape (2, 2) of <i4, which takes 16", ErrShape},
		{10, d, index.C, []int{1}, "data at byte 10: shape mismatch: 3 bytes do not fill shape (1,) of <i4, which takes 4",
			ErrShape},
		{10, d, index.F, nil, "data at byte 10: shape mismatch: 3 bytes do not fill shape () of <i4, which takes 4",
			ErrShape},
		{1, d, index.C, []int{math.MaxInt / 4},
			fmt.Sprintf("data at byte 1: shape mismatch: 12 bytes do not fill shape (%d,) of <i4, which takes %d", math.MaxInt/4,
				math.MaxInt/4*4), ErrShape},
		{14, d, index.C, []int{1}, "data at byte 14: shape mismatch: the mapping ends at byte 13", ErrShape},
		{14, d, index.C, []int{0}, "data at byte 14: shape mismatch: the mapping ends at byte 13", ErrShape},
		{14, d, index.C, []int{-1}, "data at byte 14: shape mismatch: the mapping ends at byte 13", ErrShape},
		{math.MaxInt, d, index.C, []int{math.MaxInt / 4},
			fmt.Sprintf("data at byte %d: shape mismatch: the mapping ends at byte 13", math.MaxInt), ErrShape},
		{-1, d, index.C, []int{1}, "data at byte -1: shape mismatch: the offset is negative", ErrShape},
		{math.MinInt, d, index.C, []int{-1}, fmt.Sprintf("data at byte %d: shape mismatch: the offset is negative",
			math.MinInt), ErrShape},
		{0, d, index.C, []int{-1, -1}, "shape mismatch: only one length may be -1", ErrShape},
		{0, d, index.C, []int{1, -2}, "negative length -2 of axis 1", ErrShape},
		{0, d, index.C, []int{-1, 3, -2}, "negative length -2 of axis 2", ErrShape},
		{2, d, index.C, []int{0, -1},
			"data at byte 2: shape mismatch: shape (0, -1) of <i4 takes no bytes for any length; give the length instead of -1",
			ErrShape},
		{2, dtype.MustParse("|V0"), index.F, []int{3, -1},
			"data at byte 2: shape mismatch: shape (3, -1) of |V0 takes no bytes for any length; give the length instead of -1",
			ErrShape},
		{0, d, index.C, []int{math.MaxInt}, fmt.Sprintf("shape (%d,) with item size 4 overflows int", math.MaxInt), ErrShape},
		{0, d, index.K, []int{1}, "shape mismatch: order K for a file; want C or F", ErrShape},
		{0, dtype.DType{}, index.C, []int{1}, "the zero DType is invalid", nil},
		{0, must(dtype.SubarrayOf(d, 2)), index.C, []int{1},
			"('<i4', (2,)) is a sub-array; want its base as dtype and its shape as last dimensions", nil},
	} {
		check := func(how string, err error) {
			t.Helper()
			if want := path + ": " + tt.want; err == nil || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", how, err, want)
			} else if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%s: %v is not %v", how, err, tt.is)
			}
		}
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
			f, err := OpenRaw(path, mode, int64(tt.offset), tt.d, tt.order, tt.shape...)
			check("OpenRaw "+mode.String(), err)
			if f != nil {
				t.Error("OpenRaw returned a File and an error")
			}
			m := must(mmap.Open(path, mode))
			a, err := FromMap(m, tt.offset, tt.d, tt.order, tt.shape...)
			check("FromMap "+mode.String(), err)
			if !a.IsZero() {
				t.Error("FromMap returned an Array and an error")
			}
			m.Close()
		}
	}
	if got := must(os.ReadFile(path)); !bytes.Equal(got, countingBytes(13)) {
		t.Errorf("the file is now %x", got)
	}

	missing := tempPath(t)
	for _, tt := range []struct {
		offset int
		d      dtype.DType
		order  index.Order
		shape  []int
		want   string
	}{
		{-1, d, index.C, []int{1}, "shape mismatch: negative offset -1"},
		{0, d, index.C, []int{-1}, "negative length -1 of axis 0"},
		{math.MaxInt - 3, d, index.C, []int{1}, fmt.Sprintf("shape mismatch: the end of 4 bytes at offset %d overflows int",
			math.MaxInt-3)},
		{0, d, index.C, []int{math.MaxInt}, fmt.Sprintf("shape (%d,) with item size 4 overflows int", math.MaxInt)},
		{0, d, index.K, []int{1}, "shape mismatch: order K for a file; want C or F"},
		{0, dtype.DType{}, index.C, []int{1}, "the zero DType is invalid"},
		{0, must(dtype.SubarrayOf(d, 2)), index.C, []int{1},
			"('<i4', (2,)) is a sub-array; want its base as dtype and its shape as last dimensions"},
	} {
		_, err := CreateRaw(missing, int64(tt.offset), tt.d, tt.order, tt.shape...)
		if want := "create " + missing + ": " + tt.want; err == nil || err.Error() != want {
			t.Errorf("CreateRaw:\n got %v\nwant %s", err, want)
		}
		if entries := must(os.ReadDir(filepath.Dir(missing))); len(entries) > 0 {
			t.Fatalf("CreateRaw leaves %v", entries)
		}
	}

	dir := t.TempDir()
	for _, tt := range []struct {
		err  error
		want string
		is   error
	}{
		{second(OpenRaw(missing, mmap.ReadOnly, 0, d, index.C, 1)), "open " + missing + ": no such file or directory",
			fs.ErrNotExist},
		{second(OpenRaw(dir, mmap.ReadOnly, 0, d, index.C, 1)), "open " + dir + ": is a directory", nil},
		{second(CreateRaw(path, 0, d, index.C, 1)), "open " + path + ": file exists", fs.ErrExist},
		{second(OpenRaw(path, mmap.Mode(9), 0, d, index.C, 1)), "open " + path + ": unknown mode Mode(9)", nil},
	} {
		if tt.err == nil || wine.Unix(tt.err.Error()) != tt.want || tt.is != nil && !errors.Is(tt.err, tt.is) {
			t.Errorf("got %v, want %s", tt.err, tt.want)
		}
	}
}

// TestRawNotAligned tests that unaligned elements can be read and written, and that the error of Data names the reason.
func TestRawNotAligned(t *testing.T) {
	path := rawFile(t, countingBytes(40))
	f := must(OpenRaw(path, mmap.ReadWrite, 3, dtype.Int64, index.C, -1, 2))
	defer f.Close()
	v := must(As[int64](f.Array))
	for k, x := range slices.Collect(v.Values()) {
		if want := decode[int64](f.DType(), countingBytes(40)[3+8*k:][:8]); x != want || v.At(k/2, k%2) != want {
			t.Errorf("element %d is %x, want %x", k, x, want)
		}
	}
	v.SetAt(-1, 1, 1)
	want := countingBytes(40)
	copy(want[27:35], "\xff\xff\xff\xff\xff\xff\xff\xff")
	if got := must(os.ReadFile(path)); !bytes.Equal(got, want) {
		t.Errorf("got %x, want %x", got, want)
	}
	msg := path + ": elements are not directly accessible: elements of " + dtype.Int64.String() + " are not aligned in memory; loop over Blocks or Update, or copy with Collect"
	if _, err := v.Data(); !errors.Is(err, ErrNotDirect) || err.Error() != msg {
		t.Errorf("got %v, want %s", err, msg)
	}
	aligned := must(OpenRaw(path, mmap.ReadOnly, 8, dtype.Int64, index.C, -1))
	defer aligned.Close()
	if s, err := must(As[int64](aligned.Array)).Data(); err != nil || len(s) != 4 {
		t.Error(s, err)
	}
}

// TestCreateRaw tests the bytes of a new file.
func TestCreateRaw(t *testing.T) {
	d := dtype.MustParse(">i2")
	path := tempPath(t)
	f, err := CreateRaw(path, 5, d, index.F, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if f.Path() != path || f.DataOffset() != 5 || f.Order() != index.F || !slices.Equal(f.Shape(), []int{2, 3}) {
		t.Errorf("%s: offset %d, order %v, shape %v", f.Path(), f.DataOffset(), f.Order(), f.Shape())
	}
	v := must(As[int16](f.Array))
	if v.At(1, 2) != 0 {
		t.Error("the elements are not zero")
	}
	v.SetAt(0x0102, 1, 0)
	v.SetAt(0x0304, 1, 2)
	want := []byte("\x00\x00\x00\x00\x00" + "\x00\x00\x01\x02" + "\x00\x00\x00\x00" + "\x00\x00\x03\x04")
	if err := f.Sync(); err != nil {
		t.Error(err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if got := must(os.ReadFile(path)); !bytes.Equal(got, want) {
		t.Errorf("the file is %x, want %x", got, want)
	}
	if entries := must(os.ReadDir(filepath.Dir(path))); len(entries) != 1 {
		t.Errorf("more than one file: %v", entries)
	}
	// Only one axis is longer than 1: a header would say C order.
	f = must(CreateRaw(tempPath(t), 0, d, index.F, 1, 3))
	defer f.Close()
	if f.Order() != index.F {
		t.Error(f.Order())
	}
	appendTo(t, f.Path(), countingBytes(6)) // the array does not grow, because all lengths were given
	if grew, err := f.Refresh(); grew || err != nil || f.Size() != 3 {
		t.Error(grew, err, f.Shape())
	}
}

// TestRawPrivate tests that writes to a CopyOnWrite mapping do not reach the file.
func TestRawPrivate(t *testing.T) {
	path := rawFile(t, countingBytes(24))
	npy := rawFile(t, append([]byte("xyz"), writtenBytes(t, sequence("<i4", index.C, 0, 3))...))
	before := must(os.ReadFile(npy))
	m := must(mmap.Open(path, mmap.CopyOnWrite))
	defer m.Close()
	raw := must(OpenRaw(path, mmap.CopyOnWrite, 4, dtype.Uint8, index.C, -1))
	defer raw.Close()
	at := must(OpenAt(npy, mmap.CopyOnWrite, 3))
	defer at.Close()
	must(As[uint8](raw.Array)).Fill(7)
	must(As[uint8](must(FromMap(m, 4, dtype.Uint8, index.C, -1)))).Fill(7)
	must(As[int32](at.Array)).Fill(7)
	if Sum[int64](must(As[uint8](raw.Array))) != 140 || Sum[int64](must(As[int32](at.Array))) != 21 {
		t.Error("the mapping does not have the written elements")
	}
	if !bytes.Equal(must(os.ReadFile(path)), countingBytes(24)) || !bytes.Equal(must(os.ReadFile(npy)), before) {
		t.Error("a write has reached the file")
	}
}

// appendTo appends b to a file, as another program may do.
func appendTo(t *testing.T, path string, b []byte) {
	t.Helper()
	f := must(os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0))
	_, err := f.Write(b)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestRawRefresh tests that Refresh sees complete rows that other programs append, and no incomplete rows, and that
// existing views stay unchanged.
func TestRawRefresh(t *testing.T) {
	for _, tt := range []struct {
		order index.Order
		given []int
		axis  int
	}{{index.C, []int{-1, 3}, 0}, {index.F, []int{3, -1}, 1}, {index.C, []int{-1, 1, 3}, 0}, {index.F, []int{1, 3, -1},
		2}} {
		for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite} {
			path := rawFile(t, countingBytes(11)) // 4 bytes, and 2 1/3 rows
			f := must(OpenRaw(path, mode, 4, dtype.Uint8, tt.order, tt.given...))
			first := f.Array
			size := 11
			for _, step := range []struct {
				bytes, rows int
				grew        bool
			}{{0, 2, false}, {1, 2, false}, {1, 3, true}, {2, 3, false}, {4, 5, true}, {100_000, 33338, true}, {0, 33338,
				false}} {
				appendTo(t, path, bytes.Repeat([]byte{9}, step.bytes))
				size += step.bytes
				grew, err := f.Refresh()
				if err != nil || grew != step.grew || f.Len(tt.axis) != step.rows {
					t.Fatalf("%v %v %v, %d bytes: grew %v, shape %v, %v", tt.order, tt.given, mode, size, grew, f.Shape(), err)
				}
			}
			v := must(As[uint8](f.Array))
			data := slices.Collect(v.Blocks(tt.order))
			all := slices.Concat(data...)
			want := append(countingBytes(11)[4:], bytes.Repeat([]byte{9}, f.Size()-7)...)
			if !bytes.Equal(all, want) {
				t.Errorf("%v %v: wrong elements: %.20v", tt.order, mode, all)
			}
			if first.Len(tt.axis) != 2 || Sum[int64](must(As[uint8](first))) != 4+5+6+7+8+9 {
				t.Error("a view from before Refresh has changed")
			}
			if mode == mmap.ReadWrite {
				v.Fill(1)
				if Sum[int64](must(As[uint8](first))) != 6 {
					t.Error("a view from before Refresh does not see a write")
				}
			}
			if err := f.Close(); err != nil {
				t.Error(err)
			}
			if _, err := f.Refresh(); !errors.Is(err, fs.ErrClosed) {
				t.Error(err)
			}
		}
	}
}

// TestRawRefreshRefuses tests when Refresh leaves a File unchanged. It returns an error if the array may not be what
// the program expects.
func TestRawRefreshRefuses(t *testing.T) {
	for _, tt := range []struct {
		name  string
		mode  mmap.Mode
		order index.Order
		shape []int
		size  int // new size of the file, which had 12 bytes
		want  string
		is    error
	}{
		{"all lengths are given", mmap.ReadOnly, index.C, []int{2, 3}, 100, "", nil},
		{"all lengths are given, and the file is shorter", mmap.ReadOnly, index.C, []int{2, 3}, 8, "", nil},
		{"no complete new row", mmap.ReadOnly, index.C, []int{-1, 5}, 13, "", nil},
		{"an inner axis, no complete new column", mmap.ReadOnly, index.C, []int{5, -1}, 13, "", nil},
		{"an inner axis", mmap.ReadWrite, index.C, []int{5, -1}, 17,
			"PATH: axis 1 would have length 3 instead of 2, and elements would be at other offsets: unsupported operation; open it again", errors.ErrUnsupported},
		{"the first axis in F order", mmap.ReadOnly, index.F, []int{-1, 2}, 17,
			"PATH: axis 0 would have length 7 instead of 5, and elements would be at other offsets: unsupported operation; open it again", errors.ErrUnsupported},
		{"shorter", mmap.ReadWrite, index.C, []int{-1, 2}, 5,
			"PATH: data at byte 2: the file has become shorter: axis 0 had length 5 and the file has room for 1; open it again",
			nil},
		{"without its start", mmap.ReadOnly, index.C, []int{-1, 2}, 1,
			"PATH: data at byte 2: shape mismatch: the mapping ends at byte 1", ErrShape},
		{"CopyOnWrite", mmap.CopyOnWrite, index.C, []int{-1, 2}, 100,
			"PATH: a file mapped CopyOnWrite does not show elements that are appended to the file: unsupported operation; open it again",
			errors.ErrUnsupported},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if runtime.GOOS == "windows" && tt.size < 12 {
				return // Windows does not truncate mapped files
			}
			path := rawFile(t, countingBytes(12))
			f := must(OpenRaw(path, tt.mode, 2, dtype.Uint8, tt.order, tt.shape...))
			before := f.Array
			if err := os.Truncate(path, int64(tt.size)); err != nil {
				t.Fatal(err)
			}
			grew, err := f.Refresh()
			if want := strings.ReplaceAll(tt.want, "PATH", path); grew || err == nil && want != "" || err != nil &&
				err.Error() != want {
				t.Errorf("%s: %v, %v; want %s", tt.name, grew, err, want)
			} else if tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("%s: %v is not %v", tt.name, err, tt.is)
			}
			if f.view.P != before.view.P || !f.Layout().Equal(before.Layout()) {
				t.Errorf("%s: the array has changed", tt.name)
			}
			f.Close()
		})
	}
	path := rawFile(t, countingBytes(12))
	for _, shape := range [][]int{{-1}, {3}} {
		f := must(OpenRaw(path, mmap.ReadOnly, 2, dtype.Uint8, index.C, shape...))
		if runtime.GOOS != "windows" {
			if err := os.Rename(rawFile(t, countingBytes(20)), path); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Refresh(); !errors.Is(err, mmap.ErrReplaced) {
				t.Errorf("Refresh after the file was replaced: %v", err)
			}
		}
		f.Close()
	}
}

// TestRawGrow tests the errors of files that cannot grow, and that the files stay unchanged.
func TestRawGrow(t *testing.T) {
	row := sequence("|u1", index.C, 0, 3)
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite, mmap.CopyOnWrite} {
		path := rawFile(t, countingBytes(12))
		embedded := rawFile(t, append([]byte("xyz"), writtenBytes(t, sequence("|u1", index.C, 0, 2, 3))...))
		raw := must(OpenRaw(path, mode, 0, dtype.Uint8, index.C, -1, 3))
		defer raw.Close()
		npy := must(OpenAt(embedded, mode, 3))
		defer npy.Close()
		plainFile := rawFile(t, writtenBytes(t, sequence("|u1", index.C, 0, 2, 3)))
		atStart := must(OpenAt(plainFile, mode, 0))
		defer atStart.Close()
		for f, want := range map[*File]string{
			raw:     path + ": a file without a header cannot grow or shrink: unsupported operation; append to it with package os, then call Refresh",
			npy:     embedded + ": a .npy file inside another file cannot grow or shrink: unsupported operation; save it to a file of its own",
			atStart: plainFile + ": a .npy file inside another file cannot grow or shrink: unsupported operation; save it to a file of its own",
		} {
			for how, err := range map[string]error{"Append": f.Append(row), "Grow": f.Grow(1),
				"NewAppender": second(NewAppender[uint8](f))} {
				t.Run(how, func(t *testing.T) {
					if err == nil || err.Error() != want || !errors.Is(err, errors.ErrUnsupported) {
						t.Errorf("%v, %s: %v, want %s", mode, how, err, want)
					}
				})
			}
		}
		if !bytes.Equal(must(os.ReadFile(path)), countingBytes(12)) {
			t.Error("the file has changed")
		}
	}
}

// TestRawTruncated tests that Guard returns an error for access to a truncated byte, and that the error contains the
// offset in the file, not in the array.
func TestRawTruncated(t *testing.T) {
	page := os.Getpagesize()
	path := rawFile(t, make([]byte, 8*page))
	f := must(OpenRaw(path, mmap.ReadOnly, int64(3*page+1), dtype.Uint8, index.C, -1))
	defer f.Close()
	m := must(mmap.Open(path, mmap.ReadOnly))
	defer m.Close()
	a := must(FromMap(m, 3*page+1, dtype.Uint8, index.C, -1))
	truncate(t, path, int64(4*page))
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	for _, v := range []View[uint8]{must(As[uint8](f.Array)), must(As[uint8](a))} {
		var fault *mmap.FaultError
		err := mmap.Guard(func() error { v.At(3 * page); return nil })
		if !errors.As(err, &fault) || fault.Path != path || fault.Offset/int64(page) != 6 || !errors.Is(err,
			mmap.ErrUnavailable) {
			t.Errorf("%v, want a fault in page 6 of %s", err, path)
		}
	}
	f.Close()
	m.Close()
	for _, a := range []Array{f.Array, a} {
		if s := fmt.Sprint(a); !strings.Contains(s, "closed") {
			t.Errorf("after Close it prints %q", s)
		}
	}
}

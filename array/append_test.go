package array

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestAppend tests that a file that grew in steps equals a file that Save writes at once. It covers lengths of one to
// six digits, both orders and byte orders, and single rows as well as arrays. Views made before an Append must keep
// their elements.
func TestAppend(t *testing.T) {
	for _, tt := range []struct {
		d, src string
		order  index.Order
		shape  func(n int) []int
	}{
		{"<f8", "<f8", index.C, func(n int) []int { return []int{n} }},
		{"<f8", ">f8", index.C, func(n int) []int { return []int{n, 3} }},
		{">i2", "<i2", index.F, func(n int) []int { return []int{2, 3, n} }},
		{"<c8", "<c8", index.F, func(n int) []int { return []int{2, n} }},
		{">u4", "<u4", index.C, func(n int) []int { return []int{n, 1, 2} }},
		{"|b1", "|b1", index.C, func(n int) []int { return []int{n} }},
	} {
		for _, sparse := range []bool{false, true} {
			name := fmt.Sprintf("%s to %s %v, sparse %v", tt.src, tt.d, tt.shape(9), sparse)
			unit := 1 // elements of one step along the growing axis
			for _, n := range tt.shape(1) {
				unit *= n
			}
			from := 2
			f := createFrom(t, SaveConfig{Sparse: sparse}, sequence(tt.d, tt.order, 0, tt.shape(from)...), tt.order)
			first := f.Array
			type before struct {
				a    Array
				want []byte
			}
			var views []before
			for _, n := range []int{3, 8, 9, 10, 11, 98, 99, 100, 101, 999, 1000, 1001, 100_000, 100_001} {
				views = append(views, before{f.Array, writtenBytes(t, f.Array)})
				src := sequence(tt.src, tt.order, from*unit, tt.shape(n-from)...)
				if n-from == 1 { // a row lacks the growing axis
					src = must(src.Squeeze(f.h.Axis()))
				}
				if err := f.Append(src); err != nil {
					t.Fatalf("%s to %d: %v", name, n, err)
				}
				from = n
				if !slices.Equal(f.Shape(), tt.shape(n)) {
					t.Fatalf("%s: shape %v, want %v", name, f.Shape(), tt.shape(n))
				}
				want := writtenBytes(t, sequence(tt.d, tt.order, 0, tt.shape(n)...))
				if got := must(os.ReadFile(f.Path())); !bytes.Equal(got, want) {
					t.Fatalf("%s: the file of length %d differs from what Save writes: %.150q", name, n, got)
				}
				if !bytes.Equal(writtenBytes(t, f.Array), want) {
					t.Errorf("%s: the array of length %d differs from the file", name, n)
				}
				for _, v := range views {
					if !bytes.Equal(writtenBytes(t, v.a), v.want) {
						t.Errorf("%s: a view made before the Append has changed", name)
					}
				}
			}
			// A write through an old view is visible in the new one, and vice versa.
			if f.DType().Kind() == dtype.KindInt {
				old, now := must(As[int16](first)), must(As[int16](f.Array))
				old.SetAt(-7, 1, 2, 1)
				if now.At(1, 2, 1) != -7 {
					t.Errorf("%s: a write through an old view is not visible in the new one", name)
				}
				now.SetAt(-8, 0, 0, 0)
				if old.At(0, 0, 0) != -8 {
					t.Errorf("%s: a write is not visible in an old view", name)
				}
			}
		}
	}
}

// TestGrow tests that Grow appends zeros, and that it refuses a negative length.
func TestGrow(t *testing.T) {
	oracle.OneGoroutine(t)
	f := createFrom(t, SaveConfig{}, sequence("<i4", index.C, 1, 9, 2), index.C)
	for _, n := range []int{0, 1, 90, 500_000} {
		if err := f.Grow(n); err != nil {
			t.Fatal(err)
		}
	}
	longer := must(New(dtype.MustParse("<i4"), index.C, 500_100, 2))
	defer longer.Close()
	if err := Copy(must(longer.Select(index.Range(0, 9))), sequence("<i4", index.C, 1, 9, 2)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(must(os.ReadFile(f.Path())), writtenBytes(t, longer.Array)) {
		t.Error("the file does not have the old elements followed by zeros")
	}
	if err := f.Grow(-1); err == nil || err.Error() != f.Path()+": shape mismatch: cannot grow by -1; want 0 or more" {
		t.Error(err)
	}
}

// TestAppendSources tests which sources Append accepts.
func TestAppendSources(t *testing.T) {
	ten := sequence("<f8", index.C, 0, 10, 3)
	two := sequence("<f8", index.C, 30, 2, 3)
	struct1 := "[('x', '<f4'), ('n', '>i2')]"
	records := func(d string, n int) Array {
		a := must(New(dtype.MustParse(d), index.C, n)).Array
		if err := Copy(must(a.Field("x")), sequence("<f4", index.C, 7, n)); err != nil {
			t.Fatal(err)
		}
		return a
	}
	for _, tt := range []struct {
		name       string
		have       Array
		src        func(f *File) Array
		want, fail string // the expected shape, or the error
	}{
		{"rows", ten, func(*File) Array { return two }, "(12, 3)", ""},
		{"one row", ten, func(*File) Array { return two.Index(1) }, "(11, 3)", ""},
		{"no rows", ten, func(*File) Array { return must(two.Select(index.Range(1, 1))) }, "(10, 3)", ""},
		{"backwards, every other", ten, func(*File) Array {
			return must(ten.Select(index.Every(-2)))
		},
			"(15, 3)", ""},
		{"transposed", ten, func(*File) Array { return sequence("<f8", index.C, 0, 3, 4).T() }, "(14, 3)", ""},
		{"broadcast", ten, func(*File) Array { return must(two.Index(0).Broadcast(4, 3)) }, "(14, 3)", ""},
		{"a stack", ten, func(*File) Array { return must(Stack(two.Index(0), two.Index(1))) }, "(12, 3)", ""},
		{"the file itself", ten, func(f *File) Array { return f.Array }, "(20, 3)", ""},
		{"a part of the file, backwards", ten, func(f *File) Array {
			return must(f.Select(index.Reverse()))
		}, "(20, 3)", ""},
		{"records of another byte order", records(struct1, 2),
			func(*File) Array { return records("[('x', '>f4'), ('n', '<i2')]", 3) }, "(5,)", ""},
		{"an element", sequence("<i8", index.C, 0, 5), func(*File) Array { return sequence("<i8", index.C, 9) }, "(6,)", ""},
		{"to no elements", sequence("<f8", index.C, 0, 0, 3), func(*File) Array { return two }, "(2, 3)", ""},
		{"rows of no elements", sequence("<f8", index.C, 0, 9, 0), func(*File) Array {
			return sequence("<f8", index.C, 0, 1,
				0)
		}, "(10, 0)", ""},

		{"a longer row", ten, func(*File) Array { return sequence("<f8", index.C, 0, 4) }, "",
			"PATH: shape mismatch: cannot append shape (4,) along axis 0 to shape (10, 3)"},
		{"wider rows", ten, func(*File) Array { return sequence("<f8", index.C, 0, 2, 4) }, "",
			"PATH: shape mismatch: cannot append shape (2, 4) along axis 0 to shape (10, 3)"},
		{"rows of length 1", ten, func(*File) Array { return sequence("<f8", index.C, 0, 2, 1) }, "",
			"PATH: shape mismatch: cannot append shape (2, 1) along axis 0 to shape (10, 3)"},
		{"a dimension more", ten, func(*File) Array { return sequence("<f8", index.C, 0, 1, 1, 3) }, "",
			"PATH: shape mismatch: cannot append shape (1, 1, 3) along axis 0 to shape (10, 3)"},
		{"two less", ten, func(*File) Array { return sequence("<f8", index.C, 0) }, "",
			"PATH: shape mismatch: cannot append shape () along axis 0 to shape (10, 3)"},
		{"another dtype", ten, func(*File) Array { return sequence("<f4", index.C, 0, 2, 3) }, "",
			"PATH: Append does not convert dtypes; convert the array with AsType first: have dtype <f4, want <f8"},
		{"times to integers", sequence("<i8", index.C, 0, 5), func(*File) Array { return sequence("<M8[s]", index.C, 0, 5) },
			"", "PATH: Append does not convert dtypes; convert the array with AsType first: have dtype <M8[s], want <i8"},
		{"another name", records(struct1, 2), func(*File) Array { return records("[('x', '>f4'), ('m', '<i2')]", 3) }, "",
			"PATH: Append does not convert dtypes; convert the array with AsType first: have dtype [('x', '>f4'), ('m', '<i2')], want [('x', '<f4'), ('n', '>i2')]"},
		{"to no dimensions", sequence("<f8", index.C, 0), func(*File) Array { return sequence("<f8", index.C, 0) }, "",
			"PATH: shape mismatch: an array without dimensions cannot grow or shrink"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := createFrom(t, SaveConfig{}, tt.have, index.C)
			src := tt.src(f)
			added := must(src.Clone(index.C)) // cloned before Append, because src may be part of f
			before := must(os.ReadFile(f.Path()))
			err := f.Append(src)
			if tt.fail != "" {
				if err == nil || err.Error() != strings.ReplaceAll(tt.fail, "PATH", f.Path()) {
					t.Errorf("%s:\n got %v\nwant %s", tt.name, err, tt.fail)
				}
				if dt := (*DTypeError)(nil); !errors.Is(err, ErrShape) && !errors.As(err, &dt) {
					t.Errorf("%s: %T", tt.name, err)
				}
				if !bytes.Equal(before, must(os.ReadFile(f.Path()))) || !slices.Equal(f.Shape(), tt.have.Shape()) {
					t.Errorf("%s: Append failed, but changed the file", tt.name)
				}
				return
			}
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
				return
			}
			if got := nd.Tuple(f.Shape()); got != tt.want {
				t.Errorf("%s: shape %s, want %s", tt.name, got, tt.want)
			}
			n := tt.have.Len(0)
			head, tail := must(f.Select(index.Range(0, n))), must(f.Select(index.From(n)))
			same := must(New(tail.DType(), index.C, tail.Shape()...)).Array
			if err := Copy(same, added); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(writtenBytes(t, head), writtenBytes(t, tt.have)) || !bytes.Equal(writtenBytes(t, tail),
				writtenBytes(t, same)) {
				t.Errorf("%s: the elements are wrong", tt.name)
			}
			if !bytes.Equal(must(os.ReadFile(f.Path())), writtenBytes(t, f.Array)) {
				t.Errorf("%s: the file is not what Save writes", tt.name)
			}
		})
	}
}

// TestAppendSeveral tests that Append of several arrays appends all of them or none.
func TestAppendSeveral(t *testing.T) {
	f := createFrom(t, SaveConfig{}, sequence("<i2", index.F, 0, 2, 4), index.F)
	parts := []Array{sequence("<i2", index.F, 8, 2, 3), sequence("<i2", index.F, 14, 2), f.Array, sequence(">i2", index.F,
		100, 2, 2)}
	before := must(os.ReadFile(f.Path()))
	for _, bad := range []Array{sequence("<i4", index.C, 0, 2), sequence("<i2", index.C, 0, 3), sequence("<i2", index.C, 0,
		3, 2)} {
		if err := f.Append(append(parts, bad)...); err == nil || !bytes.Equal(must(os.ReadFile(f.Path())), before) {
			t.Errorf("Append = %v, want an error and an unchanged file", err)
		}
	}
	// Views without elements can be so long that the new length overflows an int.
	g := createFrom(t, SaveConfig{}, sequence("|u1", index.C, 0, 5, 0), index.C)
	long := must(sequence("|u1", index.C, 0, 1, 0).Broadcast(math.MaxInt, 0))
	for _, err := range []error{g.Append(long), g.Append(long, long), g.Append(long, long, long)} {
		if err == nil || !errors.Is(err, ErrShape) {
			t.Error(err)
		}
	}
	if err := f.Append(); err != nil || !bytes.Equal(must(os.ReadFile(f.Path())), before) {
		t.Errorf("Append of no arrays: %v", err)
	}
	if err := f.Append(parts...); err != nil {
		t.Fatal(err)
	}
	want := joinedBytes(t, 1, sequence("<i2", index.F, 0, 2, 7), sequence("<i2", index.F, 14, 2, 1), sequence("<i2",
		index.F, 0,
		2, 4), sequence("<i2", index.F, 100, 2, 2))
	if got := must(os.ReadFile(f.Path())); !bytes.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestAppendRefused tests the errors of Files that cannot grow.
func TestAppendRefused(t *testing.T) {
	row := sequence("<f8", index.C, 0, 3)
	path := createFrom(t, SaveConfig{}, sequence("<f8", index.C, 0, 2, 3), index.C).Path()
	open := func(mode mmap.Mode) *File {
		f := must(Open(path, mode))
		t.Cleanup(func() { f.Close() })
		return f
	}
	closed := open(mmap.ReadWrite)
	closed.Close()
	memory := make([]float64, 6)
	foreign := must(FromPointer(pointer(&memory[0]), dtype.MustParse("<f8"), row.Layout(), nil))
	for _, tt := range []struct {
		f    *File
		want string
		is   error
	}{
		{open(mmap.ReadOnly), path + ": array is read-only: open it with array.ReadWrite to grow or shrink it", ErrReadOnly},
		{open(mmap.CopyOnWrite), path + ": a file mapped CopyOnWrite cannot grow or shrink; open it with array.ReadWrite",
			nil},
		{closed, "grow " + path + ": file already closed", fs.ErrClosed},
		{must(New(dtype.MustParse("<f8"), index.C, 2, 3)),
			"array: memory cannot grow or shrink: unsupported operation; use array.Create", errors.ErrUnsupported},
		{foreign, "array: memory cannot grow or shrink: unsupported operation; use array.Create", errors.ErrUnsupported},
	} {
		_, err := NewAppender[float64](tt.f)
		for _, err := range []error{tt.f.Append(row), tt.f.Grow(1), err} {
			if err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
				t.Errorf("\n got %v\nwant %s", err, tt.want)
			}
		}
	}
	f := open(mmap.ReadWrite)
	for _, n := range []int{math.MaxInt, math.MaxInt / 24} {
		if err := f.Grow(n); err == nil || !strings.HasPrefix(err.Error(), path+": ") {
			t.Errorf("by %d: %v", n, err)
		}
	}
	if err := f.Append(row); err != nil {
		t.Error(err)
	}
	// A File cannot grow after the dtype in its header has changed.
	g := open(mmap.ReadWrite)
	if _, err := f.Map().WriteAt([]byte("<i8"), int64(bytes.Index(f.Map().Bytes(), []byte("<f8")))); err != nil {
		t.Fatal(err)
	}
	_, refresh := g.Refresh()
	for _, err := range []error{g.Append(row), g.Grow(0), refresh} {
		if err == nil ||
			err.Error() != path+": the header has changed since the file was opened, and not only by appended elements; open it again" {
			t.Error(err)
		}
	}
}

// writeNpy writes a version 1.0 header and data to a temporary file, and returns its path.
func writeNpy(t *testing.T, header, data string) string {
	t.Helper()
	path := tempPath(t)
	b := append([]byte("\x93NUMPY\x01\x00"), byte(len(header)), byte(len(header)>>8))
	if err := os.WriteFile(path, append(append(b, header...), data...), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestAppendForeign tests headers with little or no room for a longer shape, and files with bytes after the data.
func TestAppendForeign(t *testing.T) {
	little := "{'descr': '|u1', 'fortran_order': False, 'shape': (8,)} \n"
	several := string(writtenBytes(t, sequence("|u1", index.C, 0, 3)))
	for _, tt := range []struct {
		name, header, data string
		by                 []int
		want               string // the contents of the file, or the error
	}{
		{"one digit of room", little, "01234567", []int{1, 1},
			"\x93NUMPY\x01\x00\x39\x00{'descr': '|u1', 'fortran_order': False, 'shape': (10,)}\n01234567\x00\x00"},
		{"and then no room", little, "01234567", []int{1, 90, 1},
			"PATH: header at byte 61: dimension 100 has no room: it needs 1 more bytes, and the header ends in 0 spaces; npy convert IN OUT, or numpy.save, writes a file with room to grow"},
		{"bytes after the data", little, "01234567tail", []int{1, 1},
			"\x93NUMPY\x01\x00\x39\x00{'descr': '|u1', 'fortran_order': False, 'shape': (10,)}\n01234567\x00\x00il"},
		{"fewer than grown by", little, "01234567tail", []int{1, 9},
			"\x93NUMPY\x01\x00\x39\x00{'descr': '|u1', 'fortran_order': False, 'shape': (18,)}\n01234567" + strings.Repeat("\x00", 10)},
		{"half a header after the data", little, "01234567" + several[:40], []int{40},
			"\x93NUMPY\x01\x00\x39\x00{'descr': '|u1', 'fortran_order': False, 'shape': (48,)}\n01234567" + strings.Repeat("\x00", 40)},
		{"another array after the data", little, "01234567" + several, []int{1},
			"PATH: another array follows in the same file, at byte 75: shape (3,) of |u1; Append would write over it. If numpy.save put it there, save the arrays to files of their own; " +
				"if an Append was killed, cut the file to 75 bytes (os.Truncate, or truncate -s 75 FILE)"},
		{"objects after the data", little, "01234567" + strings.Replace(several, "'|u1'", "'|O' ", 1), []int{1},
			"PATH: another array follows in the same file, at byte 75: shape (3,) of |O; Append would write over it. If numpy.save put it there, save the arrays to files of their own; " +
				"if an Append was killed, cut the file to 75 bytes (os.Truncate, or truncate -s 75 FILE)"},
		{"an array of no known dtype after the data", little, "01234567" + strings.Replace(several, "'|u1'", "'|?1'", 1),
			[]int{1},
			"PATH: another array follows in the same file, at byte 75; Append would write over it. If numpy.save put it there, save the arrays to files of their own; " +
				"if an Append was killed, cut the file to 75 bytes (os.Truncate, or truncate -s 75 FILE)"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := writeNpy(t, tt.header, tt.data)
			f := must(Open(path, mmap.ReadWrite))
			defer f.Close()
			var err error
			for _, n := range tt.by {
				if err == nil {
					err = f.Grow(n)
				}
			}
			got, want := string(must(os.ReadFile(path))), strings.ReplaceAll(tt.want, "PATH", path)
			if err != nil {
				got = err.Error()
			}
			if got != want {
				t.Errorf("%s: want -, got +\n%s", tt.name, cmp.Diff(want, got))
			}
			if e := (*FormatError)(nil); err != nil && strings.Contains(want, "header at") && (!errors.As(err, &e) ||
				e.Path != path) {
				t.Errorf("%s: %T", tt.name, err)
			}
		})
	}
}

// TestAppendGoroutines reads and writes old views in other goroutines while the file grows.
func TestAppendGoroutines(t *testing.T) {
	f := createFrom(t, SaveConfig{}, sequence("<f8", index.C, 0, 4, 3), index.C)
	var wg sync.WaitGroup
	for i := range 4 {
		v := must(As[float64](f.Index(i)))
		wg.Go(func() {
			for k := range 2000 {
				v.SetAt(float64(k), i%3)
				if v.At(i%3) != float64(k) {
					t.Error("At does not return the element that SetAt stored")
				}
			}
		})
	}
	row := sequence("<f8", index.C, 0, 20_000, 3)
	for range 5 {
		if err := f.Append(row); err != nil {
			t.Error(err)
		}
	}
	wg.Wait()
	for i := range 4 {
		if got := must(As[float64](f.Array)).At(i, i%3); got != 1999 {
			t.Errorf("element %d, %d is %v, want 1999", i, i%3, got)
		}
	}
}

// TestRefreshShorter tests that Refresh reports that a file has become shorter, even if the header is unchanged.
func TestRefreshShorter(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.npy")
	f := must(Create(path, dtype.MustParse("<f8"), index.C, 1000, 100))
	f.Close()
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite} {
		f = must(Open(path, mode))
		if grew, err := f.Refresh(); grew || err != nil {
			t.Errorf("%v: %v, %v", mode, grew, err)
		}
		if err := os.Truncate(path, 5000); err != nil {
			f.Close()
			t.Skip(err) // Windows does not truncate mapped files
		}
		grew, err := f.Refresh()
		want := path + ": data at byte 128: the file holds 4872 bytes of data; shape (1000, 100) of <f8 needs 800000: it was truncated, or never written to its end"
		if grew || err == nil || err.Error() != want || f.Len(0) != 1000 {
			t.Errorf("%v: %v, %v, want %s", mode, grew, err, want)
		}
		if err := os.Truncate(path, 60); err != nil {
			t.Fatal(err)
		}
		if _, err := f.Refresh(); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("%v: Refresh of a truncated header: %v", mode, err)
		}
		f.Close()
		must(SaveConfig{Replace: true}.Create(path, dtype.MustParse("<f8"), index.C, 1000, 100)).Close()
	}
}

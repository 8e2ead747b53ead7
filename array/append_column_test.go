package array

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// changeToFortranOrder changes the header of the file at path, which Save wrote in C order, to F order.
func changeToFortranOrder(t *testing.T, path string) {
	t.Helper()
	b := must(os.ReadFile(path))
	end := bytes.IndexByte(b[10:], '\n') + 10
	head := bytes.Replace(b[:end], []byte("'fortran_order': False"), []byte("'fortran_order': True"), 1)
	if len(head) != end-1 {
		t.Fatalf("no header in C order: %q", b[:end])
	}
	overwrite(t, path, append(append(head, ' '), b[end:]...))
}

// overwrite writes b to the start of the file at path. It does not truncate the file, because Windows refuses to
// truncate a mapped file.
func overwrite(t *testing.T, path string, b []byte) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(b, 0)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		t.Fatal(err)
	}
}

// fortranFile returns the path of a file of uint8 elements 1, 2, … whose header says F order.
func fortranFile(t *testing.T, shape ...int) string {
	t.Helper()
	path := tempPath(t)
	if err := Save(path, sequence("|u1", index.F, 1, shape...)); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, ReadOnly))
	defer f.Close()
	if f.Order() == index.C {
		changeToFortranOrder(t, path)
	}
	return path
}

// TestAppendColumn tests that a column in F order grows along its first axis, and that its file then equals one written
// by Save. Other arrays in F order grow along their last axis. Every open File sees the new rows.
func TestAppendColumn(t *testing.T) {
	for _, tt := range []struct {
		shape, add, want []int // nil for an error
		order            index.Order
	}{
		{[]int{5, 1}, []int{5, 1}, []int{10, 1}, index.C},
		{[]int{5, 1}, []int{1}, []int{6, 1}, index.C},
		{[]int{0, 1}, []int{3, 1}, []int{3, 1}, index.C},
		{[]int{1, 1}, []int{2, 1}, []int{3, 1}, index.C},
		{[]int{9, 1, 1}, []int{1, 1, 1}, []int{10, 1, 1}, index.C},
		{[]int{9, 1, 1}, []int{1, 1}, []int{10, 1, 1}, index.C},
		{[]int{5}, []int{2}, []int{7}, index.F},
		{[]int{1, 5}, []int{1, 2}, []int{1, 7}, index.F},
		{[]int{1, 0}, []int{1, 3}, []int{1, 3}, index.F},
		{[]int{1, 1, 2}, []int{1, 1, 2}, []int{1, 1, 4}, index.F},
		{[]int{1, 2, 1}, []int{1, 2, 1}, []int{1, 2, 2}, index.F},
		{[]int{2, 3}, []int{2, 1}, []int{2, 4}, index.F},

		{shape: []int{5, 1}, add: []int{5}},
		{shape: []int{5, 1}, add: []int{5, 2}},
		{shape: []int{1, 1}, add: []int{1, 2}},
		{shape: []int{1, 5}, add: []int{2, 5}},
	} {
		t.Run(fmt.Sprint(tt.shape, tt.add), func(t *testing.T) {
			path := fortranFile(t, tt.shape...)
			before := must(os.ReadFile(path))
			var files []*File
			for _, mode := range []mmap.Mode{ReadWrite, ReadOnly, ReadWrite} {
				f := must(Open(path, mode))
				defer f.Close()
				files = append(files, f)
			}
			err := files[0].Append(sequence("|u1", index.F, 1+product(tt.shape), tt.add...))
			if tt.want == nil {
				if !errors.Is(err, ErrShape) || !bytes.Equal(must(os.ReadFile(path)), before) {
					t.Errorf("Append = %v, want ErrShape and an unchanged file", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			all := sequence("|u1", index.F, 1, tt.want...)
			for k, f := range files {
				if grew, err := f.Refresh(); err != nil || grew != (k > 0) {
					t.Fatalf("Refresh of file %d: %v, %v", k, grew, err)
				}
				if f.Order() != tt.order || !must(Equal(f.Array, all)) {
					t.Errorf("file %d: have %v %v, want %v %v", k, f.Order(), f.Array, tt.order, all)
				}
			}
			if got := must(os.ReadFile(path)); tt.order == index.C && !bytes.Equal(got, writtenBytes(t, all)) {
				t.Errorf("the file is not what Save writes: %q", got)
			}
		})
	}
}

// TestColumnGrowers tests that Append, Grow, an Appender and OpenOrCreate extend a column in F order, through several
// Files in turn.
func TestColumnGrowers(t *testing.T) {
	path := fortranFile(t, 2, 1)
	first := must(OpenOrCreate(path, dtype.Uint8, index.C, 0, 1))
	defer first.Close()
	second := must(Open(path, ReadWrite))
	defer second.Close()
	follower := must(Open(path, ReadOnly))
	defer follower.Close()
	a := must(NewAppender[uint8](first))
	for _, err := range []error{second.Append(sequence("|u1", index.C, 3, 1)), a.Append(4, 5), a.Flush(), second.Grow(2),
		a.Append(6), a.Close()} {
		if err != nil {
			t.Fatal(err)
		}
	}
	want := must(FromSlice([]uint8{1, 2, 3, 4, 5, 0, 0, 6}, 8, 1)).Array()
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	for _, err := range follower.Follow(ctx) {
		if err == nil && follower.Len(0) < 8 {
			continue
		}
		if stop(); err != nil || !must(Equal(follower.Array, want)) {
			t.Errorf("Follow: %v, %v", follower.Array, err)
		}
		break
	}
	if got := must(os.ReadFile(path)); !bytes.Equal(got, writtenBytes(t, want)) {
		t.Errorf("the file is %q", got)
	}
	if f, err := OpenOrCreate(fortranFile(t, 2, 1), dtype.Uint8, index.F, 2, 1); !errors.Is(err, ErrShape) {
		t.Errorf("OpenOrCreate in F order: %v, %v", f, err)
	}
	raw := must(OpenRaw(path, ReadOnly, 128, dtype.Uint8, index.F, 1, -1)) // a raw file has no header that could change
	defer raw.Close()
	if grew, err := raw.Refresh(); grew || err != nil || raw.Len(1) != 8 {
		t.Errorf("OpenRaw: %v, %v, %v", raw.Shape(), grew, err)
	}
}

// TestColumnChanged tests that Append and Grow fail, and leave the file unchanged, if the header has changed so that
// the file would grow along another axis than when it was opened.
func TestColumnChanged(t *testing.T) {
	one, two := sequence("|u1", index.C, 7, 1, 1), sequence("|u1", index.C, 7, 1, 2)
	replace := func(old, new string) func(path string) {
		return func(path string) { // like a program that does not treat columns specially
			b := must(os.ReadFile(path))
			if !bytes.Contains(b, []byte(old)) {
				t.Fatalf("no %s in %q", old, b)
			}
			overwrite(t, path, append(bytes.Replace(b, []byte(old), []byte(new), 1), make([]byte, 10)...))
		}
	}
	appended := func(path string) {
		f := must(Open(path, ReadWrite))
		must(0, f.Append(one))
		f.Close()
	}
	for _, tt := range []struct {
		name   string
		shape  []int
		change func(path string)
		add    Array
		want   string
	}{
		{"(1, 0) becomes a column", []int{1, 0}, appended, two,
			": shape mismatch: another process appended to it: its shape is now (1, 1), which grows along axis 0 instead of 1"},
		{"a column becomes (5, 2)", []int{5, 1}, replace("(5, 1)", "(5, 2)"), one,
			": the header has changed since the file was opened, and not only by appended elements; open it again"},
		{"(1, 1) becomes (1, 2)", []int{1, 1}, replace("(1, 1)", "(1, 2)"), one,
			": the header has changed since the file was opened, and not only by appended elements; open it again"},
		{"(1, 2) in F order becomes C order", []int{1, 2}, replace("True, ", "False,"), two,
			": the header has changed since the file was opened, and not only by appended elements; open it again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := fortranFile(t, tt.shape...)
			f, g := must(Open(path, ReadWrite)), must(Open(path, ReadWrite))
			defer f.Close()
			defer g.Close()
			tt.change(path)
			before := must(os.ReadFile(path))
			for _, err := range []error{f.Append(tt.add), g.Grow(1)} {
				if err == nil || err.Error() != path+tt.want {
					t.Errorf("%v, want %s", err, tt.want)
				}
			}
			if got := must(os.ReadFile(path)); !bytes.Equal(got, before) {
				t.Errorf("the file has changed to %q", got)
			}
		})
	}
	f := must(Open(fortranFile(t, 1, 0), ReadWrite))
	defer f.Close()
	a := must(NewAppender[uint8](f))
	a.Append(1)
	if err := a.Flush(); err != nil {
		t.Fatal(err)
	}
	a.Append(2, 3)
	if err := a.Flush(); !errors.Is(err, ErrShape) || a.Buffered() != 2 || f.Size() != 1 {
		t.Errorf("%v, %d elements in the buffer, %v", err, a.Buffered(), f.Array)
	}
}

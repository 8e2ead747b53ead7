package array

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestFollow tests that Follow yields each element that another File appends once, in order, along the growing axis,
// even if a loop ends and another one begins. After each iteration, f must contain exactly the elements yielded so far.
func TestFollow(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not map a file while another process extends it")
	}
	for _, tt := range []struct {
		name  string
		d     string
		order index.Order
		shape []int // before the appends
		by    [][]int
	}{
		{"rows", "<f8", index.C, []int{2, 3}, [][]int{{1, 3}, {4, 3}, {0, 3}, {1, 3}}},
		{"from nothing", ">i4", index.C, []int{0}, [][]int{{5}, {1}, {1}}},
		{"columns", "<f8", index.F, []int{3, 2}, [][]int{{3, 1}, {3, 4}}},
		{"more than a part", "<i8", index.C, []int{1, 1 << 15}, [][]int{{11, 1 << 15}, {1, 1 << 15}}},
		{"rows larger than a part", "<i8", index.C, []int{1, 1 << 18}, [][]int{{2, 1 << 18}}},
		{"rows without bytes", "<i8", index.C, []int{1, 0}, [][]int{{7, 0}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			first := sequence(tt.d, tt.order, 0, slices.Clone(tt.shape)...) // a clone, because sequence may reverse it
			w := createFrom(t, SaveConfig{}, first, tt.order)
			f := must(Open(w.Path(), ReadOnly))
			axis := f.h.Axis()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			ended := make(chan error, 1)
			go func() {
				defer func() { ended <- w.Close() }()
				n := first.Size()
				for _, by := range tt.by {
					time.Sleep(time.Millisecond)
					a := sequence(tt.d, tt.order, n, slices.Clone(by)...)
					if err := w.Append(a); err != nil {
						t.Errorf("%s: %v", tt.name, err)
						cancel()
					}
					n += a.Size()
				}
			}()
			length := tt.shape[axis]
			for _, by := range tt.by {
				length += by[axis]
			}
			parts := 0
			for at := f.Len(axis); at < length; { // a new loop for every two parts
				left := 2
				for rows, err := range f.Follow(ctx) {
					if err != nil {
						t.Fatalf("%s: %v", tt.name, err)
					}
					parts++
					n := rows.Len(axis)
					sel := make([]index.Selector, axis+1)
					sel[axis] = index.Range(at, at+n)
					at += n
					same := must(f.Select(sel...))
					if f.Len(axis) != at || rows.NBytes() > followBytes && n > 1 || fmt.Sprint(rows) != fmt.Sprint(same) {
						t.Errorf("%s: Follow yields %d rows, and f has shape %v", tt.name, n, f.Shape())
					}
					if left--; left == 0 || at == length {
						break
					}
				}
			}
			if err := <-ended; err != nil { // the rows are visible shortly before Append returns
				t.Errorf("%s: %v", tt.name, err)
			}
			all := must(Open(f.Path(), ReadOnly))
			if got, want := writtenBytes(t, f.Array), writtenBytes(t, all.Array); string(got) != string(want) ||
				f.Len(axis) != length {
				t.Errorf("%s: f is %v", tt.name, f)
			}
			all.Close()
			f.Close()
			cancel()
			t.Logf("%s: %d parts", tt.name, parts)
		})
	}
}

// TestFollowEnds tests that a loop ends with one error if the file is truncated, replaced or removed, or if the context
// is done, and that it yields no row that the file does not contain.
func TestFollowEnds(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not replace or truncate mapped files")
	}
	for _, tt := range []struct {
		name string
		do   func(path string, cancel func()) error
		want error
	}{
		{"canceled", func(path string, cancel func()) error { cancel(); return nil }, errDone},
		{"removed", func(path string, cancel func()) error { return os.Remove(path) }, mmap.ErrReplaced},
		{"moved", func(path string, cancel func()) error { return os.Rename(path, path+"2") }, mmap.ErrReplaced},
		{"replaced", func(path string, cancel func()) error { return Save(path, newInt8Array(3)) }, mmap.ErrReplaced},
		{"cut", func(path string, cancel func()) error { return os.Truncate(path, 128+24) }, ErrFormat},
		{"another array", func(path string, cancel func()) error {
			b, err := os.ReadFile(path)
			if err == nil {
				copy(b, writtenBytes(t, newInt8Array(3)))
				err = os.WriteFile(path, b, 0o666)
			}
			return err
		}, nil},
		{"closed", nil, fs.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tempPath(t)
			if err := Save(path, sequence("<f8", index.C, 0, 4, 2)); err != nil {
				t.Fatal(err)
			}
			f := must(Open(path, ReadOnly))
			g := must(Open(path, ReadWrite))
			if err := g.Append(sequence("<f8", index.C, 8, 1, 2)); err != nil {
				t.Fatal(err)
			}
			g.Close()
			timed, stop := context.WithTimeout(t.Context(), 10*time.Second)
			ctx, cancel := context.WithCancelCause(timed)
			seen, ends := 0, 0
			var err error
			for rows, e := range f.Follow(ctx) {
				if e != nil {
					err = e
					ends++
					continue
				}
				if seen += rows.Len(0); tt.do == nil {
					f.Close()
				} else if err := tt.do(path, func() { cancel(errDone) }); err != nil {
					t.Fatal(err)
				}
			}
			cancel(nil)
			stop()
			if seen != 1 || ends != 1 || err == nil || tt.want != nil && !errors.Is(err, tt.want) {
				t.Errorf("%s: %d rows and %d errors, %v; want one row and %v", tt.name, seen, ends, err, tt.want)
			}
			f.Close()
		})
	}
}

// TestFollowRefuses tests that Follow yields one error and nothing else if the File cannot be followed.
func TestFollowRefuses(t *testing.T) {
	path := tempPath(t)
	must(Create(path, dtype.Int8, index.C)).Close()
	pending := must(SaveConfig{}.CreatePending(path+"2", dtype.Int8, index.C, 3))
	closed := must(Open(path, ReadOnly))
	closed.Close()
	must(Create(path+"3", dtype.Int8, index.C, 3)).Close()
	for name, tt := range map[string]struct {
		f    *File
		want error
	}{
		"memory":        {must(New(dtype.Int8, index.C, 3)), errors.ErrUnsupported},
		"zero":          {&File{}, fs.ErrClosed},
		"no dimensions": {must(Open(path, ReadOnly)), ErrShape},
		"pending":       {pending, fs.ErrInvalid},
		"closed":        {closed, fs.ErrClosed},
		"copy on write": {must(Open(path+"3", CopyOnWrite)), errors.ErrUnsupported},
		"raw, fixed":    {must(OpenRaw(path+"3", ReadOnly, 128, dtype.Int8, index.C, 3)), errors.ErrUnsupported},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for rows, err := range tt.f.Follow(t.Context()) {
				if n++; !errors.Is(err, tt.want) || !rows.IsZero() {
					t.Errorf("%s: %v, want %v", name, err, tt.want)
				}
			}
			if n != 1 {
				t.Errorf("%s: Follow yields %d times, want 1", name, n)
			}
			tt.f.Close()
		})
	}
}

// TestFollowRaw tests that Follow yields the rows of a file without a header if OpenRaw computed their number.
func TestFollowRaw(t *testing.T) {
	path := tempPath(t)
	if err := os.WriteFile(path, []byte("0123456"), 0o666); err != nil {
		t.Fatal(err)
	}
	f := must(OpenRaw(path, ReadOnly, 1, dtype.Uint8, index.C, -1, 2))
	defer f.Close()
	more := must(os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0))
	defer more.Close()
	if _, err := more.WriteString("789"); err != nil {
		t.Fatal(err)
	}
	for rows, err := range f.Follow(t.Context()) {
		if got := fmt.Sprint(rows); err != nil || got != "[[55 56]]" {
			t.Errorf("%s, %v", got, err)
		}
		break
	}
}

// TestFollowElsewhere tests that Follow finds a file that was opened for writing by a relative path, even if the
// program has changed its directory.
func TestFollowElsewhere(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	w := must(OpenOrCreate("t.npy", dtype.Int8, index.C, 0))
	defer w.Close()
	f := must(Open("t.npy", ReadWrite))
	defer f.Close()
	check(t, w.Append(sequence("|i1", index.C, 0, 3)))
	t.Chdir(t.TempDir())
	for rows, err := range f.Follow(t.Context()) {
		if err != nil || rows.Len(0) != 3 {
			t.Errorf("%v, %v; want three rows", rows, err)
		}
		break
	}
}

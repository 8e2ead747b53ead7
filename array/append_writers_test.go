package array

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestTwoWriters appends to one file through two Files in turn. Each File sees the rows of the other, old views keep
// their elements, and a read-only File sees all rows.
func TestTwoWriters(t *testing.T) {
	for _, tt := range []struct {
		d     string
		order index.Order
		shape func(n int) []int
	}{
		{"<f8", index.C, func(n int) []int { return []int{n, 3} }},
		{">i2", index.F, func(n int) []int { return []int{2, 3, n} }},
		{longHeaderDType(t, index.C, []int{99}, []int{100}), index.C, func(n int) []int { return []int{n} }},
	} {
		f := must(Create(tempPath(t), dtype.MustParse(tt.d), tt.order, tt.shape(2)...))
		defer f.Close()
		g, r := must(Open(f.Path(), mmap.ReadWrite)), must(Open(f.Path(), mmap.ReadOnly))
		defer g.Close()
		defer r.Close()
		writers := []*File{f, g}
		n := 2
		var all []Array
		all = append(all, must(f.Clone(index.K)))
		first := r.Array
		for k, by := range []int{1, 1, 7, 90, 1, 1000, 20000, 3, 1} {
			w := writers[k%2]
			rows, b := newSteps(w, uint64(k), by)
			if tt.order == index.F {
				rows = must(FromBytes(b, w.DType(), index.F, tt.shape(by)...))
			}
			if err := w.Append(rows); err != nil {
				t.Fatalf("%.20s, %d: %v", tt.d, k, err)
			}
			n += by
			all = append(all, rows)
			if grew, err := r.Refresh(); !grew || err != nil {
				t.Fatalf("%.20s, %d: Refresh: %v, %v", tt.d, k, grew, err)
			}
			if grew, err := r.Refresh(); grew || err != nil {
				t.Fatalf("%.20s, %d: Refresh again: %v, %v", tt.d, k, grew, err)
			}
			want := joinedBytes(t, f.h.Axis(), all...)
			if !slices.Equal(r.Shape(), tt.shape(n)) || !bytes.Equal(writtenBytes(t, r.Array), want) ||
				!bytes.Equal(writtenBytes(t, w.Array),
					want) {
				t.Fatalf("%.20s, %d: the reader has %v, the writer %v, want %v; or wrong elements", tt.d, k, r.Shape(), w.Shape(),
					tt.shape(n))
			}
			if !bytes.Equal(writtenBytes(t, first), writtenBytes(t, all[0])) {
				t.Fatalf("%.20s, %d: a view made before the Append has changed", tt.d, k)
			}
		}
		// Test Grow, and Refresh of a File that is open for writing.
		if err := g.Grow(5); err != nil {
			t.Fatal(err)
		}
		if grew, err := f.Refresh(); !grew || err != nil || !slices.Equal(f.Shape(), tt.shape(n+5)) {
			t.Errorf("%.20s: Refresh of the other writer: %v, %v, %v", tt.d, grew, err, f.Shape())
		}
	}
}

// setLockWait sets how long Append waits for the lock, and restores the old value when the test ends.
func setLockWait(t *testing.T, wait time.Duration) {
	before := lockWait
	lockWait = wait
	t.Cleanup(func() { lockWait = before })
}

// TestAppendLock tests that every Append takes the lock, and waits for it for 10 seconds or until its context is done.
func TestAppendLock(t *testing.T) {
	if lockWait != 10*time.Second {
		t.Errorf("Append waits for %v, want 10s", lockWait)
	}
	path := tempPath(t)
	row := sequence("<f8", index.C, 0, 3)
	locked := must(OpenConfig{Mode: ReadWrite, Lock: true}.OpenOrCreate(path, dtype.MustParse("<f8"), index.C, 0, 3))
	// A File that holds the lock can append.
	if err := errors.Join(locked.Append(row), locked.Grow(1), locked.Append(row)); err != nil {
		t.Fatal(err)
	}
	f := must(Open(path, mmap.ReadWrite))
	defer f.Close()
	for _, tt := range []struct {
		wait time.Duration
		want string
	}{
		{-1, "lock PATH: locked: it is open for writing, in another process or in this one"},
		{50 * time.Millisecond,
			"lock PATH: locked: it is open for writing, in another process or in this one; waited 50ms"},
	} {
		setLockWait(t, tt.wait)
		for _, err := range []error{f.Append(row), f.Grow(1)} {
			if !errors.Is(err, mmap.ErrLocked) || err.Error() != strings.ReplaceAll(tt.want, "PATH", path) {
				t.Errorf("%v, want %s", err, tt.want)
			}
		}
	}
	setLockWait(t, -1)
	tooLate := errors.New("too late")
	for name, do := range map[string]func(ctx context.Context) error{
		"append": func(ctx context.Context) error { return f.AppendContext(ctx, row) },
		"grow":   func(ctx context.Context) error { return f.GrowContext(ctx, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithTimeoutCause(t.Context(), 25*time.Millisecond, tooLate)
			err := do(ctx)
			if want := path + ": locked: too late"; !errors.Is(err, mmap.ErrLocked) || !errors.Is(err, tooLate) ||
				err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			if err := do(ctx); !errors.Is(err, tooLate) || err.Error() != path+": lock: too late" {
				t.Errorf("%s, when the context is done: %v", name, err)
			}
			cancel()
		})
	}
	done := make(chan error)
	go func() { done <- f.AppendContext(t.Context(), row) }()
	time.Sleep(20 * time.Millisecond)
	if err := errors.Join(locked.Append(row), locked.Close()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil || f.Len(0) != 5 {
		t.Errorf("AppendContext after waiting: %v, %v", err, f.Shape())
	}
	// Append releases the lock, even if it fails.
	bad := sequence("<f8", index.C, 0, 4)
	if err := f.Append(bad); err == nil {
		t.Error("Append accepts a row that is too long")
	}
	must(OpenConfig{Mode: mmap.ReadWrite, Lock: true}.Open(path)).Close()
}

// TestAppendAtOnce appends to one file from several goroutines with Files of their own, and tests that no row is lost.
func TestAppendAtOnce(t *testing.T) {
	path := tempPath(t)
	must(Create(path, dtype.Int64, index.C, 0, 2)).Close()
	const writers, rows = 4, 100
	var wait sync.WaitGroup
	for k := range writers {
		wait.Go(func() {
			f := must(Open(path, mmap.ReadWrite))
			defer f.Close()
			for i := range rows {
				if err := f.Append(must(FromSlice([]int64{int64(k), int64(i)})).Array()); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wait.Wait()
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	v := must(must(As[int64](f.Array)).Matrix())
	next := make([]int64, writers)
	for i := range f.Len(0) {
		k := v.At(i, 0)
		if v.At(i, 1) != next[k] {
			t.Fatalf("row %d is %d of writer %d, want %d", i, v.At(i, 1), k, next[k])
		}
		next[k]++
	}
	if f.Len(0) != writers*rows {
		t.Errorf("%d rows, want %d", f.Len(0), writers*rows)
	}
}

// TestAppendReplaced tests that Append, Grow and Refresh return an error, and write nothing, if the path no longer
// names the file.
func TestAppendReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove or replace mapped files")
	}
	row := sequence("<f8", index.C, 0, 3)
	for _, tt := range []struct {
		name string
		do   func(path string) error
		want string
	}{
		{"Save", func(path string) error { return Save(path, row) }, ": the path no longer names this file; open it again"},
		{"removed", os.Remove, ": the path no longer names this file: no such file; open it again"},
		{"moved", func(path string) error { return os.Rename(path, path+".1") },
			": the path no longer names this file: no such file; open it again"},
		{"a second name, and replaced", func(path string) error {
			return errors.Join(os.Link(path, path+".1"), Save(path, row))
		}, ": the path no longer names this file; open it again"},
		{"the folder is gone", func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
			": the path no longer names this file: no such file; open it again"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.npy")
			f := must(Create(path, dtype.MustParse("<f8"), index.C, 2, 3))
			defer f.Close()
			r := must(Open(path, mmap.ReadOnly))
			defer r.Close()
			if err := tt.do(path); err != nil {
				t.Fatal(err)
			}
			size := f.m.Len()
			_, e1 := f.Refresh()
			_, e2 := r.Refresh()
			for k, err := range []error{f.Append(row), f.Grow(2), e1, e2} {
				if !errors.Is(err, mmap.ErrReplaced) || err.Error() != path+tt.want {
					t.Errorf("%s, %d: %v", tt.name, k, err)
				}
			}
			if f.Len(0) != 2 || f.m.Len() != size {
				t.Errorf("%s: the array is %v", tt.name, f.Shape())
			}
		})
	}
	// If the file is removed during an Append, the rows go to a file without a path. Append must return an error.
	f := must(Create(tempPath(t), dtype.MustParse("<f8"), index.C, 2, 3))
	defer f.Close()
	defer func() { observe = func(string, string, int, int) {} }()
	observe = func(op, path string, _, _ int) {
		if op == "header" {
			os.Remove(path)
		}
	}
	if err := f.Append(row); !errors.Is(err, mmap.ErrReplaced) || f.Len(0) != 2 {
		t.Errorf("%v, %v", err, f.Shape())
	}
}

// TestAppendCalledOff cancels an Append of bytes that look like the header of another array, and tests that the next
// Append succeeds.
func TestAppendCalledOff(t *testing.T) {
	npy := writtenBytes(t, sequence("|u1", index.C, 0, 1000))
	canceled := errors.New("enough")
	for _, tail := range []int{0, 10, 5000} { // bytes after the data
		for stop := range 3 {
			calls := 0
			path := tempPath(t)
			must(Create(path, dtype.Uint8, index.C, 7)).Close()
			b := append(must(os.ReadFile(path)), bytes.Repeat([]byte{9}, tail)...)
			if err := os.WriteFile(path, b, 0o666); err != nil {
				t.Fatal(err)
			}
			f := must(OpenConfig{Mode: mmap.ReadWrite, Progress: func(done, total int64) error {
				if calls++; calls == stop+1 {
					return canceled
				}
				return nil
			}}.Open(path))
			defer f.Close()
			src := must(FromBytes(npy, dtype.Uint8, index.C, len(npy)))
			err := f.Append(src)
			if err != canceled || f.Len(0) != 7 {
				t.Fatalf("%v, %v", err, f.Shape())
			}
			if fi := must(os.Stat(path)); fi.Size() != int64(len(b)) && runtime.GOOS != "windows" {
				t.Errorf("the file has %d bytes, want %d as before", fi.Size(), len(b))
			}
			calls = 10
			if err := f.Append(src); err != nil {
				t.Fatalf("%d bytes after the data, canceled at call %d: %v", tail, stop, err)
			}
			if got := writtenBytes(t, must(f.Select(index.From(7)))); !bytes.Equal(got, writtenBytes(t, src)) {
				t.Error("the appended elements are wrong")
			}
		}
	}
}

// TestAppendDoubt tests an Append that fails while it stores the header. Later calls of Append must fail until Refresh
// has found out whether the file contains the rows.
func TestAppendDoubt(t *testing.T) {
	f := must(Create(tempPath(t), dtype.MustParse("<f8"), index.C, 2, 3))
	defer f.Close()
	row := sequence("<f8", index.C, 0, 3)
	other := must(Open(f.Path(), mmap.ReadWrite))
	defer other.Close()
	if err := other.Append(row); err != nil {
		t.Fatal(err)
	}
	f.growth.headerUncertain = &pendingAppend{2, 3} // as if f itself had appended the row
	want := f.Path() + ": an earlier Append failed while storing the new shape, so the file may have the old or the new one; call Refresh to find out"
	if err := f.Append(row); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if grew, err := f.Refresh(); !grew || err != nil || f.Len(0) != 3 {
		t.Errorf("%v, %v, %v", grew, err, f.Shape())
	}
	if err := f.Append(row); err != nil || f.Len(0) != 4 {
		t.Errorf("%v, %v", err, f.Shape())
	}
}

// TestRefreshRefuses tests the errors of Refresh.
func TestRefreshRefuses(t *testing.T) {
	path := createFrom(t, SaveConfig{}, sequence("<f8", index.C, 0, 2, 3), index.C).Path()
	cow := must(Open(path, mmap.CopyOnWrite))
	defer cow.Close()
	closed := must(Open(path, mmap.ReadOnly))
	closed.Close()
	memory := must(New(dtype.Int8, index.C, 3))
	defer memory.Close()
	for _, tt := range []struct {
		f    *File
		want string
		is   error
	}{
		{cow,
			path + ": a file mapped CopyOnWrite does not show elements that are appended to the file: unsupported operation; open it again",
			errors.ErrUnsupported},
		{closed, "refresh " + path + ": file already closed", fs.ErrClosed},
		{new(File), "array: refresh: file already closed", fs.ErrClosed},
		{memory, "", nil},
	} {
		grew, err := tt.f.Refresh()
		if got := ""; grew || tt.is == nil && err != nil || tt.is != nil && (err == nil || err.Error() != tt.want ||
			!errors.Is(err, tt.is)) {
			t.Errorf("%v, %v%s, want %s", grew, err, got, tt.want)
		}
	}
	// The file is truncated.
	w, r := must(Open(path, mmap.ReadWrite)), must(Open(path, mmap.ReadOnly))
	defer w.Close()
	defer r.Close()
	if runtime.GOOS == "windows" {
		return
	}
	if err := w.Append(sequence("<f8", index.C, 0, 1000, 3)); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 1000); err != nil {
		t.Fatal(err)
	}
	var fe *FormatError
	if grew, err := r.Refresh(); grew || !errors.As(err, &fe) || r.Len(0) != 2 {
		t.Errorf("%v, %v, %v", grew, err, r.Shape())
	}
	if err := w.Grow(1); !errors.As(err, &fe) {
		t.Errorf("Grow of a truncated file: %v", err)
	}
}

// BenchmarkRefresh measures Refresh of an unchanged file.
func BenchmarkRefresh(b *testing.B) {
	path := filepath.Join(b.TempDir(), "a.npy")
	must(Create(path, dtype.Float64, index.C, 10, 3)).Close()
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	for i := 0; i < b.N; i++ {
		if grew, err := f.Refresh(); grew || err != nil {
			b.Fatal(grew, err)
		}
	}
}

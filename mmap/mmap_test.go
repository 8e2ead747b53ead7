//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"bytes"
	"io/fs"
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestModes tests, for each mode, whether writes through a mapping reach the file, and whether the mapping shows writes
// to the file.
func TestModes(t *testing.T) {
	for _, test := range []struct {
		mode     mmap.Mode
		name     string
		write    bool // the bytes may be written to
		reaches  bool // writes reach the file
		seesFile bool // the bytes show writes of other processes to the file
	}{
		{mmap.ReadOnly, "ReadOnly", false, false, true},
		{mmap.ReadWrite, "ReadWrite", true, true, true},
		{mmap.CopyOnWrite, "CopyOnWrite", true, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			content := pages(2)[:page+100] // ends within a page
			path := writeFile(t, content)
			m := open(t, path, test.mode)

			b := m.Bytes()
			type facts struct {
				Path, Mode    string
				Len, Cap, Map int
			}
			want := facts{path, test.name, len(content), len(content), len(content)}
			got := facts{m.Path(), m.Mode().String(), len(b), cap(b), m.Len()}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !bytes.Equal(b, content) {
				t.Fatal("the mapped bytes are not those of the file")
			}

			if test.write {
				b[3], b[page+99] = 'x', 'y'
				if err := m.Sync(); err != nil {
					t.Error(err)
				}
				changed := bytes.Clone(content)
				if test.reaches {
					changed[3], changed[page+99] = 'x', 'y'
				}
				if !bytes.Equal(readFile(t, path), changed) {
					t.Errorf("after a write, reached the file = %v, want %v", !test.reaches, test.reaches)
				}
			}

			f, err := os.OpenFile(path, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte("z"), 7); err != nil {
				t.Fatal(err)
			}
			if test.seesFile && b[7] != 'z' {
				t.Error("a write to the file does not show in the mapping")
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
			if fi, err := f.Stat(); err != nil || fi.Size() != int64(len(content)) {
				t.Errorf("the file has %d bytes after all, want %d (%v)", fi.Size(), len(content), err)
			}
		})
	}
}

// TestLive tests that two mappings of one file see each other's writes, also after the file is removed.
func TestLive(t *testing.T) {
	path := writeFile(t, pages(2))
	a, b, r := open(t, path, mmap.ReadWrite), open(t, path, mmap.ReadWrite), open(t, path, mmap.ReadOnly)
	if runtime.GOOS == "windows" {
		t.Log("Windows does not remove a file that is open, and this test did not")
	} else if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	a.Bytes()[page+1], b.Bytes()[2] = 'a', 'b'
	for _, m := range []*mmap.Map{a, b, r} {
		if got := []byte{m.Bytes()[page+1], m.Bytes()[2]}; string(got) != "ab" {
			t.Errorf("%v mapping has %q, want \"ab\"", m.Mode(), got)
		}
	}
}

// TestEmpty tests files without bytes, which the system refuses to map.
func TestEmpty(t *testing.T) {
	path := writeFile(t, nil)
	for name, newMap := range map[string]func() (*mmap.Map, error){
		"ReadOnly":    func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadOnly) },
		"ReadWrite":   func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadWrite) },
		"CopyOnWrite": func() (*mmap.Map, error) { return mmap.Open(path, mmap.CopyOnWrite) },
		"Create":      func() (*mmap.Map, error) { return mmap.Create(path+".new", 0) },
		"Sparse":      func() (*mmap.Map, error) { return mmap.Config{Sparse: true}.Create(path+".sparse", 0) },
		"Anonymous":   func() (*mmap.Map, error) { return mmap.Anonymous(0) },
	} {
		t.Run(name, func(t *testing.T) {
			m, err := newMap()
			if err != nil {
				t.Fatal(err)
			}
			if b := m.Bytes(); b == nil || len(b) != 0 || m.Len() != 0 {
				t.Errorf("Bytes() = %#v, Len() = %d", b, m.Len())
			}
			for _, err := range []error{m.Sync(), m.SyncRange(0, 0), m.Advise(0, 0, mmap.WillNeed), m.Close()} {
				if err != nil {
					t.Error(err)
				}
			}
			if m.Bytes() != nil {
				t.Error("Bytes is not nil after Close")
			}
			if err := m.Close(); err == nil {
				t.Error("no error from the second Close")
			}
		})
	}
}

// TestAnonymous tests that anonymous memory is zero, can be written to, and has
// the length asked for.
func TestAnonymous(t *testing.T) {
	for _, size := range []int{1, page - 1, page, page + 1, 10 * page} {
		m, err := mmap.Anonymous(size)
		if err != nil {
			t.Fatal(err)
		}
		b := m.Bytes()
		if !bytes.Equal(b, make([]byte, size)) || cap(b) != size || m.Path() != "" || m.Mode() != mmap.ReadWrite {
			t.Errorf("Anonymous(%d): %d bytes, capacity %d, path %q, %v", size, len(b), cap(b), m.Path(), m.Mode())
		}
		b[size-1] = 1
		if err := m.Close(); err != nil {
			t.Error(err)
		}
	}
	_, err := mmap.Anonymous(-1)
	checkError(t, err, "", "mmap anonymous memory: negative size -1", nil)
}

// TestAfterClose tests that methods of a closed Map do nothing, and return an error that wraps fs.ErrClosed.
func TestAfterClose(t *testing.T) {
	path := writeFile(t, pages(1))
	file, err := mmap.Open(path, mmap.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	anon, err := mmap.Anonymous(1)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []*mmap.Map{file, anon, new(mmap.Map)} {
		name := "anonymous memory"
		if m == file {
			name = "DIR/t.npy"
		}
		if m != file && m != anon {
			// The zero Map is closed already.
		} else if err := m.Close(); err != nil {
			t.Fatal(err)
		}
		checkError(t, m.Close(), path, "close "+name+": file already closed", fs.ErrClosed)
		checkError(t, m.Sync(), path, "sync "+name+": file already closed", fs.ErrClosed)
		checkError(t, m.SyncRange(0, 1), path, "sync "+name+": file already closed", fs.ErrClosed)
		checkError(t, m.SyncRange(-1, 1), path, "sync "+name+": file already closed", fs.ErrClosed)
		checkError(t, m.Advise(0, 1, mmap.Normal), path, "advise "+name+": file already closed", fs.ErrClosed)
		if m.Bytes() != nil || m.Len() != 0 {
			t.Errorf("%s: %d bytes after Close", name, m.Len())
		}
	}
	if file.Path() != path || file.Mode() != mmap.ReadWrite {
		t.Errorf("after Close, Path() = %q, Mode() = %v", file.Path(), file.Mode())
	}
}

// TestNames tests the names of modes and advice.
func TestNames(t *testing.T) {
	got := []string{
		mmap.Mode(0).String(), mmap.CopyOnWrite.String(), mmap.Mode(3).String(),
		mmap.Advice(0).String(), mmap.PageOut.String(), mmap.Advice(9).String(),
	}
	want := []string{"ReadOnly", "CopyOnWrite", "Mode(3)", "Normal", "PageOut", "Advice(9)"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestGoroutines tests, under the race detector, that all methods, including Close, may be called at the same time, and
// that only one Close succeeds.
func TestGoroutines(t *testing.T) {
	for range 20 {
		m := open(t, writeFile(t, pages(4)), mmap.ReadWrite)
		var wg sync.WaitGroup
		closed := make(chan error, 4)
		for i := range 4 {
			wg.Go(func() {
				for range 10 {
					m.Advise(0, m.Len(), mmap.Advice(i))
					m.SyncRange(page*i, 1)
					m.Bytes()
					runtime.Gosched()
				}
				closed <- m.Close()
			})
		}
		wg.Wait()
		ok := 0
		for range 4 {
			if <-closed == nil {
				ok++
			}
		}
		if ok != 1 {
			t.Fatalf("%d calls of Close succeeded, want 1", ok)
		}
	}
}

// TestAllocs tests the allocations of a Map; array.Open depends on them.
func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	path := writeFile(t, pages(1))
	cycle := func(newMap func() (*mmap.Map, error)) func() {
		return func() {
			m, err := newMap()
			if err != nil {
				t.Fatal(err)
			}
			if err := m.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	m := open(t, path, mmap.ReadWrite)
	for _, test := range []struct {
		name string
		max  float64
		f    func()
	}{
		{"open and close ReadOnly", 6, cycle(func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadOnly) })},
		{"open and close ReadWrite", 6, cycle(func() (*mmap.Map, error) { return mmap.Open(path, mmap.ReadWrite) })},
		{"anonymous and close", 2, cycle(func() (*mmap.Map, error) { return mmap.Anonymous(1) })},
		{"bytes", 0, func() { m.Bytes() }},
		{"sync", 0, func() { m.SyncRange(0, 1) }},
		{"advise", 0, func() { m.Advise(0, 1, mmap.Random) }},
	} {
		t.Run(test.name, func(t *testing.T) {
			n := testing.AllocsPerRun(100, test.f)
			t.Logf("%s: %v allocations", test.name, n)
			if n > test.max {
				t.Errorf("%s: %v allocations, want at most %v", test.name, n, test.max)
			}
		})
	}
}

func BenchmarkOpenClose(b *testing.B) {
	path := writeFile(b, pages(1))
	b.ReportAllocs()
	for i := 0; i < b.N; i++ {
		m, err := mmap.Open(path, mmap.ReadOnly)
		if err != nil {
			b.Fatal(err)
		}
		m.Close()
	}
}

//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// TestGrow tests that all slices returned by Bytes share memory after any number of calls of Grow, and that new bytes
// are zero.
func TestGrow(t *testing.T) {
	for _, start := range []int{0, 1, page - 1, page, 3*page + 7} {
		for _, sparse := range []bool{false, true} {
			path := writeFile(t, pages(4)[:start])
			m, err := mmap.Config{Mode: mmap.ReadWrite, Sparse: sparse}.Open(path)
			if err != nil {
				t.Fatal(err)
			}
			want := pages(4)[:start]
			var old [][]byte
			for i, size := range []int{start, start + 1, start + 2, start + page, start + 5*page, 2 << 20, 2<<20 + 1, 5 << 20,
				20 << 20} {
				old = append(old, m.Bytes())
				if err := m.Grow(size - m.Len()); err != nil {
					t.Fatalf("from %d to %d: %v", start, size, err)
				}
				want = append(want, make([]byte, size-len(want))...)
				b := m.Bytes()
				if len(b) != size || cap(b) != size || m.Len() != size || !bytes.Equal(b, want) {
					t.Fatalf("from %d to %d: %d bytes, capacity %d, or not the bytes of the file and zeros", start, size, len(b),
						cap(b))
				}
				if size == 0 {
					continue
				}
				b[size-1], b[size/2] = byte(i)|1, byte(i)|2
				want[size-1], want[size/2] = byte(i)|1, byte(i)|2
				if first := old[len(old)-1]; len(first) > 0 {
					first[0], want[0] = byte(7*i), byte(7*i)
				}
				for k, o := range old {
					if !bytes.Equal(o, want[:len(o)]) {
						t.Fatalf("from %d to %d: the bytes before growth %d differ from the file", start, size, k)
					}
				}
				if err := m.Sync(); err != nil {
					t.Error(err)
				}
			}
			if !bytes.Equal(readFile(t, path), want) {
				t.Errorf("from %d: the file is not what was written", start)
			}
			if err := m.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

// TestGrowRegions tests that many small steps need only a few mappings, and that Close removes all of them.
func TestGrowRegions(t *testing.T) {
	n := shortOrLong(t, 200_000, 1_000_000)
	if runtime.GOOS == "windows" {
		n = 1000 // Wine takes a millisecond for each step
	}
	before := mmap.Live()
	path := writeFile(t, []byte("x"))
	m, err := mmap.Config{Mode: mmap.ReadWrite, Sparse: true}.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	first := m.Bytes()
	const step = 40
	for i := 1; i <= n; i++ {
		if err := m.Grow(step); err != nil {
			t.Fatal(err)
		}
		m.Bytes()[i*step] = 'y'
	}
	regions := mmap.Regions(m)
	t.Logf("%d steps to %d bytes: %d mappings", n, m.Len(), regions)
	most := 2 + int(math.Log2(float64(n*step)/(1<<20))+1)
	if runtime.GOOS == "windows" {
		most = 1 + n*step/page // on Windows, no mapping can be longer than its file
	}
	if regions > most {
		t.Errorf("%d mappings, want at most %d", regions, most)
	}
	if first[0] != 'x' {
		t.Error("the first bytes are lost")
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if after := mmap.Live(); after != before {
		t.Errorf("%d mappings after Close, %d before Open", after, before)
	}
	if got := readFile(t, path); len(got) != 1+n*step || bytes.Count(got, []byte("y")) != n {
		t.Errorf("the file has %d bytes, %d of them written; want %d, %d", len(got), bytes.Count(got, []byte("y")), 1+n*step,
			n)
	}
}

// TestGrowErrors tests mappings that cannot grow, and that they stay unchanged.
func TestGrowErrors(t *testing.T) {
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.CopyOnWrite} {
		m := open(t, writeFile(t, pages(1)), mode)
		checkError(t, m.Grow(page), m.Path(), "grow DIR/t.npy: the mapping is "+mode.String()+"; open the file ReadWrite",
			nil)
		_, err := m.WriteAt([]byte("x"), 0)
		checkError(t, err, m.Path(), "write DIR/t.npy: not a file that is mapped ReadWrite", nil)
	}
	anon, err := mmap.Anonymous(1)
	if err != nil {
		t.Fatal(err)
	}
	checkError(t, anon.Grow(2), "", "grow anonymous memory: unsupported operation: only files can grow; use Create",
		errors.ErrUnsupported)
	anon.Close()
	checkError(t, anon.Grow(2), "", "grow anonymous memory: file already closed", fs.ErrClosed)

	m := open(t, writeFile(t, pages(1)), mmap.ReadWrite)
	checkError(t, m.Grow(-1), m.Path(), "grow DIR/t.npy: negative number of bytes -1; mappings cannot shrink", nil)
	checkError(t, m.Grow(math.MinInt), m.Path(),
		fmt.Sprintf("grow DIR/t.npy: negative number of bytes %d; mappings cannot shrink", math.MinInt), nil)
	for _, n := range []int{math.MaxInt, math.MaxInt - page} { // the sum overflows int, or leaves no room for whole pages
		if err := m.Grow(n); err == nil || !strings.Contains(err.Error(), "overflow int64") && !strings.Contains(err.Error(),
			"bytes do not fit the address space") {
			t.Errorf("%d bytes more: %v", n, err)
		}
	}
	if err := m.Grow(0); err != nil {
		t.Errorf("no bytes more: %v", err)
	}
	if got := readFile(t, m.Path()); !bytes.Equal(got, pages(1)) || !bytes.Equal(m.Bytes(), pages(1)) {
		t.Errorf("after errors the file has %d bytes, the mapping %d", len(got), m.Len())
	}
	for _, size := range []int{page + 10, page - 10} {
		if size < page && runtime.GOOS == "windows" {
			continue // Windows does not shorten mapped files
		}
		if err := os.Truncate(m.Path(), int64(size)); err != nil {
			t.Fatal(err)
		}
		checkError(t, m.Grow(page), m.Path(),
			fmt.Sprintf("grow DIR/t.npy: the file has %d bytes and had %d when it was mapped: another process changed it; open it again", size, page), nil)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	checkError(t, m.Grow(1), m.Path(), "grow DIR/t.npy: file already closed", fs.ErrClosed)
	_, err = m.WriteAt(nil, 0)
	checkError(t, err, m.Path(), "write DIR/t.npy: file already closed", fs.ErrClosed)
}

// TestGrowFault tests that a fault in the new bytes, or in the reserved addresses after them, names the file and the
// byte.
func TestGrowFault(t *testing.T) {
	needAddresses(t)
	m := open(t, writeFile(t, pages(1)), mmap.ReadWrite)
	for _, n := range []int{page, 6 * page} {
		if err := m.Grow(n); err != nil {
			t.Fatal(err)
		}
	}
	b := m.Bytes()
	truncate(t, m.Path(), int64(page))
	fe := fault(t, func() { b[5*page+1] = 1 })
	if fe.Path != m.Path() || fe.Offset != int64(5*page+1) || !errors.Is(fe, mmap.ErrUnavailable) {
		t.Errorf("%#v", fe)
	}
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if fe := fault(t, func() { b[0] = 1 }); fe.Err != fs.ErrClosed {
		t.Errorf("after Close: %#v", fe)
	}
}

// TestWriteAt tests that bytes written by a system call are visible in all slices returned by Bytes.
func TestWriteAt(t *testing.T) {
	m := open(t, writeFile(t, pages(2)), mmap.ReadWrite)
	first := m.Bytes()
	if err := m.Grow(3<<20 - 2*page); err != nil {
		t.Fatal(err)
	}
	want := pages(2)
	copy(want[page-1:], "abc")
	if n, err := m.WriteAt([]byte("abc"), int64(page-1)); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if !bytes.Equal(first, want) || !bytes.Equal(m.Bytes()[:2*page], want) || !bytes.Equal(readFile(t, m.Path())[:2*page],
		want) {
		t.Error("the bytes do not show what was written")
	}
	if n, err := m.WriteAt([]byte("z"), 3<<20-1); n != 1 || err != nil || m.Bytes()[3<<20-1] != 'z' {
		t.Errorf("%d, %v", n, err)
	}
	for _, off := range []int64{-1, 3<<20 - 2, 3 << 20, math.MaxInt64, math.MinInt64} {
		_, err := m.WriteAt([]byte("abc"), off)
		checkError(t, err, m.Path(),
			fmt.Sprintf("write DIR/t.npy: 3 bytes at byte %d are outside the mapping of %d bytes", off, 3<<20), nil)
	}
}

// TestGrowGoroutines tests, under the race detector, that a file may grow while other goroutines use its bytes and its
// methods.
func TestGrowGoroutines(t *testing.T) {
	m := open(t, writeFile(t, pages(1)), mmap.ReadWrite)
	var wg sync.WaitGroup
	for i := range 3 {
		b := m.Bytes()
		wg.Go(func() {
			for range 50 {
				b[i]++
				m.SyncRange(0, 1)
				m.WriteAt([]byte("x"), int64(page/2+i))
				m.Advise(0, m.Len(), mmap.Normal)
			}
		})
	}
	wg.Go(func() {
		for range 20 {
			if err := m.Grow(300_000); err != nil {
				t.Error(err)
			}
		}
	})
	wg.Wait()
	for i := range 3 {
		if got, want := m.Bytes()[i], pages(1)[i]+50; got != want {
			t.Errorf("byte %d is %d, want %d", i, got, want)
		}
	}
}

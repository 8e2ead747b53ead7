//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"testing/iotest"
	"time"

	"github.com/ndmap/ndmap/mmap"
)

var (
	_ io.ReaderAt = (*mmap.Map)(nil)
	_ io.WriterTo = (*mmap.Map)(nil)
)

func mapBytes(t *testing.T, b []byte) (*mmap.Map, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	m, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m, path
}

func pattern(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8)
	}
	return b
}

func TestReadAt(t *testing.T) {
	for _, n := range []int{0, 1, 4096, 10_000, 3 << 20} {
		b := pattern(n)
		m, _ := mapBytes(t, b)
		if n <= 10_000 {
			if err := iotest.TestReader(io.NewSectionReader(m, 0, int64(m.Len())), b); err != nil {
				t.Errorf("%d bytes: %v", n, err)
			}
		}
		var out bytes.Buffer
		if k, err := m.WriteTo(&out); k != int64(n) || err != nil || !bytes.Equal(out.Bytes(), b) {
			t.Errorf("%d bytes: WriteTo: %d, %v", n, k, err)
		}
		if k, err := m.ReadAt(make([]byte, 1), int64(n)); k != 0 || err != io.EOF {
			t.Errorf("at the end: %d, %v", k, err)
		}
		if k, err := m.ReadAt(make([]byte, 1), -1); k != 0 || !errors.Is(err, fs.ErrInvalid) {
			t.Errorf("before the start: %d, %v", k, err)
		}
		m.Close()
		if k, err := m.ReadAt(make([]byte, 1), 0); k != 0 || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed: %d, %v", k, err)
		}
		if k, err := m.WriteTo(&out); k != 0 || !errors.Is(err, fs.ErrClosed) {
			t.Errorf("closed: %d, %v", k, err)
		}
	}
}

// TestReadAtTruncated tests that ReadAt copies the existing bytes of a truncated file, and then returns an error.
func TestReadAtTruncated(t *testing.T) {
	needAddresses(t)
	page := os.Getpagesize()
	b := pattern(4 * page)
	m, path := mapBytes(t, b)
	if err := os.Truncate(path, int64(2*page)); runtime.GOOS == "windows" && err != nil {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	got := make([]byte, len(b))
	n, err := m.ReadAt(got, 100)
	fault, ok := errors.AsType[*mmap.FaultError](err)
	if !ok || n != 2*page-100 || !bytes.Equal(got[:n], b[100:100+n]) || fault.Offset < int64(2*page) || !errors.Is(err,
		mmap.ErrUnavailable) {
		t.Errorf("ReadAt: %d, %v", n, err)
	}
	for name, w := range map[string]io.Writer{"memory": &bytes.Buffer{}, "file": must(os.Create(filepath.Join(t.TempDir(),
		"y")))} {
		t.Run(name, func(t *testing.T) {
			n, err := m.WriteTo(w)
			if _, ok := errors.AsType[*mmap.FaultError](err); !ok || n > int64(2*page) {
				t.Errorf("WriteTo %s: %d, %v", name, n, err)
			}
			if c, ok := w.(io.Closer); ok {
				c.Close()
			}
		})
	}
}

func must[T any](x T, err error) T {
	if err != nil {
		panic(err)
	}
	return x
}

// TestWriteToErrors tests that WriteTo returns the error of the writer, and the number of bytes
// that it accepted.
func TestWriteToErrors(t *testing.T) {
	m, _ := mapBytes(t, pattern(3<<20))
	full := errors.New("full")
	if n, err := m.WriteTo(&partialWriter{1<<20 + 5, full}); n != 1<<20+5 || err != full {
		t.Errorf("%d, %v", n, err)
	}
	if n, err := m.WriteTo(&partialWriter{1<<20 + 5, nil}); n != 1<<20+5 || err != io.ErrShortWrite {
		t.Errorf("%d, %v", n, err)
	}
}

// partialWriter is a writer that accepts n bytes.
type partialWriter struct {
	n   int
	err error
}

func (w *partialWriter) Write(b []byte) (int, error) {
	k := min(len(b), w.n)
	w.n -= k
	if k < len(b) {
		return k, w.err
	}
	return k, nil
}

// TestServeContent serves a range of a mapped file.
func TestServeContent(t *testing.T) {
	b := pattern(100_000)
	m, _ := mapBytes(t, b)
	req := httptest.NewRequest("GET", "/x", nil)
	req.Header.Set("Range", "bytes=5000-5999")
	rec := httptest.NewRecorder()
	http.ServeContent(rec, req, "x.bin", time.Time{}, io.NewSectionReader(m, 0, int64(m.Len())))
	if rec.Code != http.StatusPartialContent || !bytes.Equal(rec.Body.Bytes(), b[5000:6000]) {
		t.Errorf("%d, %d bytes", rec.Code, rec.Body.Len())
	}
}

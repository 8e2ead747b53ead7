package main

import (
	"bytes"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// settle waits until Unchanged can detect changes. This takes two seconds if file times are whole seconds, as under
// QEMU.
func settle(t *testing.T) {
	t.Helper()
	if os.Getenv("NDMAP_QEMU") != "" {
		time.Sleep(2 * time.Second)
	}
	time.Sleep(25 * time.Millisecond)
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice(make([]int16, 300*10_000), 300, 10_000)
	check(t, err)
	v.SetAt(-7, 2, 1)
	check(t, array.Save(path, v.Array()))
	settle(t)
	var logged bytes.Buffer
	log.SetOutput(&logged)
	defer log.SetOutput(os.Stderr)
	want := func(url string, status int, body string) {
		t.Helper()
		logged.Reset()
		w := httptest.NewRecorder()
		server("", path).Handler.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
		b := w.Body.String()
		if b = b[:min(len(b), 30)]; w.Code != status || b != body {
			t.Errorf("%s: %d %q, want %d %q; logged %s", url, w.Code, b, status, body, &logged)
		}
	}
	want("/2", 200, "0\n-7\n"+strings.Repeat("0\n", 12)+"0")
	want("/300", 404, "404 page not found\n")
	want("/x", 404, "404 page not found\n")
	want("/300.npy", 404, "404 page not found\n")
	w := httptest.NewRecorder()
	server("", path).Handler.ServeHTTP(w, httptest.NewRequest("GET", "/2.npy", nil))
	row, err := array.Read(w.Body)
	check(t, err)
	rows, err := array.As[int16](row)
	check(t, err)
	if n := w.Header().Get("Content-Length"); n != "20128" || rows.Size() != 10_000 || rows.At(1) != -7 {
		t.Errorf("/2.npy: %s bytes, shape %v, element 1 is %d", n, rows.Shape(), rows.At(1))
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("the file cannot be truncated, or the fault has no address")
	}
	const missing = "the data is not available\n"
	whole, err := os.ReadFile(path)
	check(t, err)
	for _, cut := range []int{1, 40, len(whole) / 2} {
		check(t, os.Truncate(path, int64(len(whole)-cut)))
		want("/299", 503, missing)
		want("/299.npy", 503, missing)
		check(t, os.WriteFile(path, whole, 0o666))
		settle(t)
		want("/2", 200, "0\n-7\n"+strings.Repeat("0\n", 12)+"0")
	}
	check(t, os.Remove(path))
	want("/2", 503, missing)
	none, err := array.FromSlice([]float64{}, 2, 0)
	check(t, err)
	check(t, array.Save(path, none.Array()))
	settle(t)
	want("/1", 200, "")
}

// A truncatingClient is a client that truncates the file after it has received part of the answer, and may restore it.
type truncatingClient struct {
	*httptest.ResponseRecorder
	do func()
}

func (c *truncatingClient) Write(b []byte) (int, error) {
	if c.do != nil {
		c.do()
		c.do = nil
	}
	return c.ResponseRecorder.Write(b)
}

// TestBrokenOff tests that an answer is aborted if the file is truncated meanwhile, and that the aborted answer
// contains only numbers from the file.
func TestBrokenOff(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("the file cannot be truncated, or the fault has no address")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	data := make([]float64, 100_000)
	for i := range data {
		data[i] = 1
	}
	v, err := array.FromSlice(data, 1, len(data))
	check(t, err)
	check(t, array.Save(path, v.Array()))
	whole, err := os.ReadFile(path)
	check(t, err)
	var npy bytes.Buffer
	check(t, array.Write(&npy, v.Index(0).Array()))
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	for i, cut := range []int{40, len(whole) / 2, 40, len(whole) / 2} {
		url := []string{"/0", "/0.npy"}[i/2]
		for _, putBack := range []bool{false, true} {
			settle(t)
			w := &truncatingClient{httptest.NewRecorder(), func() {
				check(t, os.Truncate(path, int64(len(whole)-cut)))
				if putBack {
					check(t, os.WriteFile(path, whole, 0o666))
				}
			}}
			func() {
				defer func() {
					if err := recover(); err != http.ErrAbortHandler {
						t.Errorf("%s, cut by %d, put back %v: the answer ends with %v", url, cut, putBack, err)
					}
				}()
				server("", path).Handler.ServeHTTP(w, httptest.NewRequest("GET", url, nil))
			}()
			got := w.Body.String()
			if url == "/0" && (got == "" || strings.Trim(got, "1\n") != "") ||
				url == "/0.npy" && (len(got) >= npy.Len() || !strings.HasPrefix(npy.String(), got)) {
				t.Errorf("%s, cut by %d, put back %v: answered %d bytes, with other numbers", url, cut, putBack, len(got))
			}
			check(t, os.WriteFile(path, whole, 0o666))
		}
	}
}

type discardWriter struct{ http.ResponseWriter }

func (discardWriter) Header() http.Header         { return http.Header{} }
func (discardWriter) Write(b []byte) (int, error) { return len(b), nil }

// TestMemory tests that the memory needed does not depend on the length of a row.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	f, err := array.SaveConfig{Sparse: true}.Create(path, dtype.Float64, index.C, 1, 2_000_000)
	check(t, err)
	check(t, f.Close())
	settle(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if sent, err := send(discardWriter{}, path, "0"); err != nil || !sent {
		t.Fatal(sent, err)
	}
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > 1<<20 {
		t.Errorf("a row of 16 MB takes %d bytes", n)
	}
}

// TestTimeouts tests that clients that send nothing are disconnected.
func TestTimeouts(t *testing.T) {
	if s := server("", ""); s.ReadTimeout <= 0 || s.IdleTimeout <= 0 {
		t.Errorf("the server has no timeouts: %+v", s)
	}
}

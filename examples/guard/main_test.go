package main

import (
	"bytes"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice(make([]int16, 300*100_000), 300, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	v.SetAt(-7, 2, 1)
	if err := array.Save(path, v.Array()); err != nil {
		t.Fatal(err)
	}
	f, err := array.Open(path, mmap.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := array.Cast[float64](f.Array)
	if err != nil {
		t.Fatal(err)
	}
	var logged bytes.Buffer
	log.SetOutput(&logged)
	log.SetFlags(0)
	defer log.SetOutput(os.Stderr)
	get := func(path string) (int, string) {
		w := httptest.NewRecorder()
		handler(f, rows).ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		body := w.Body.String()
		return w.Code, body[:min(len(body), 30)]
	}
	want := func(path string, status int, body string) {
		t.Helper()
		if s, b := get(path); s != status || b != body {
			t.Errorf("%s: %d %q, want %d %q", path, s, b, status, body)
		}
	}
	want("/2", 200, "0\n-7\n"+strings.Repeat("0\n", 12)+"0")
	want("/300", 404, "404 page not found\n")
	want("/x", 404, "404 page not found\n")
	if runtime.GOOS == "windows" || runtime.GOOS == "js" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("the file cannot be truncated, or the fault has no address")
	}
	size := int64(128 + 300*100_000*2)
	for _, tt := range []struct {
		size   int64
		logged string
	}{
		{size - 1, path + ": truncated to 60000127 bytes, want 60000128\n"}, // reads as zeros
		{300_000, path + ": page fault at byte 59800128: "},
	} {
		logged.Reset()
		if err := os.Truncate(path, tt.size); err != nil {
			t.Fatal(err)
		}
		want("/299", 500, "the data is not available\n")
		if got := logged.String(); !strings.HasPrefix(got, tt.logged) {
			t.Errorf("logged %q, want %q", got, tt.logged)
		}
	}
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
	want("/0", 200, strings.Repeat("0\n", 15))
	if err := os.Remove(path); err != nil { // as when it is replaced
		t.Fatal(err)
	}
	want("/2", 200, strings.Repeat("0\n", 15)) // its elements were cut off
}

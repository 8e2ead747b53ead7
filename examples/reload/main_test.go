package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/array"
)

func save(t *testing.T, path string, x float32) {
	t.Helper()
	data := make([]float32, 10_000)
	for i := range data {
		data[i] = x
	}
	v, err := array.FromSlice(data)
	if err == nil {
		err = array.Save(path, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
}

func TestReload(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped cannot be replaced")
	}
	path := filepath.Join(t.TempDir(), "t.npy")
	save(t, path, 0)
	s := &server{path: path}
	defer func() { s.f.Close() }()
	get := func() string {
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		return w.Body.String()
	}
	check := func(want string) {
		t.Helper()
		if got := get(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	reload := func() {
		t.Helper()
		if err := s.reload(); err != nil {
			t.Fatal(err)
		}
	}
	reload()
	check("0\n")
	save(t, path, 1)
	check("0\n")
	reload()
	check("1\n")

	// A file that cannot be opened, and none, leave the old one.
	for _, bad := range []func() error{
		func() error { return os.WriteFile(path+"2", []byte("text"), 0o666) },
		func() error { return os.Remove(path) },
	} {
		if err := bad(); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(path + "2"); err == nil {
			if err := os.Rename(path+"2", path); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.reload(); err == nil {
			t.Error("no error")
		}
		check("1\n")
	}

	// Requests while the file is replaced see the one or the other.
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			for range 200 {
				if got := get(); got != "1\n" && got != "2\n" {
					t.Errorf("got %q", got)
				}
			}
		})
	}
	for i := range 20 {
		save(t, path, float32(1+i%2))
		reload()
	}
	wg.Wait()
}

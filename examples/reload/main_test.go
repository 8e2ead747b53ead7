package main

import (
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

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
	defer func() { s.now.Close() }()
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

	// A request that is not done keeps its file, and is in the way neither of a reload nor of others.
	s.now.use.Add(1)
	old := s.now
	save(t, path, 2)
	reload()
	check("2\n")
	if got := array.Mean(old.v); got != 1 {
		t.Errorf("the old file has %v", got)
	}
	old.use.Done()
	for deadline := time.Now().Add(time.Minute); old.Map().Bytes() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the old file is not closed after its last request")
		}
	}

	// What is changed in place is not answered from, until it has been opened again. The last
	// byte is on a page that is left, where what is missing reads as zeros.
	save(t, path+"1", 1)
	whole, err := os.ReadFile(path + "1")
	if err != nil {
		t.Fatal(err)
	}
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	if err := os.WriteFile(path, whole[:len(whole)-1], 0o666); err != nil {
		t.Fatal(err)
	}
	if err := s.reload(); err == nil {
		t.Error("no error")
	}
	check("the data is not available\n")
	if err := os.WriteFile(path, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour) // the clock of a file system may be a coarse one
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	check("the data is not available\n")
	reload()
	check("1\n")

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

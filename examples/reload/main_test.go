package main

import (
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func save(t *testing.T, path string, x float32) {
	t.Helper()
	if err := saveN(path, x, 10_000); err != nil {
		t.Fatal(err)
	}
}

// saveN saves n elements of value x.
func saveN(path string, x float32, n int) error {
	data := make([]float32, n)
	for i := range data {
		data[i] = x
	}
	v, err := array.FromSlice(data)
	if err != nil {
		return err
	}
	return array.SaveConfig{Replace: true, NoSync: true}.Save(path, v.Array())
}

func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil {
		s.current.closeUnused()
		s.current = nil
	}
}

// skipEmulated skips tests of page faults if QEMU reports wrong addresses.
func skipEmulated(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" && runtime.GOARCH != "riscv64" {
		t.Skip("QEMU's user-mode emulation reports wrong addresses of faults, or none (NDMAP_QEMU=1)")
	}
}

func TestReload(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped cannot be replaced")
	}
	skipEmulated(t)
	path := filepath.Join(t.TempDir(), "t.npy")
	s := &server{path: path}
	defer s.close()
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	check := func(want string) {
		t.Helper()
		w := httptest.NewRecorder()
		s.ServeHTTP(w, httptest.NewRequest("GET", "/", nil))
		if got := w.Body.String(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	const missing = "the data is not available\n"
	check(missing)
	save(t, path, 0)
	check("0\n")
	save(t, path, 1)
	check("1\n")
	must(os.WriteFile(path, []byte("text"), 0o666))
	check(missing)
	must(os.Remove(path))
	check(missing)
	save(t, path, 2)
	check("2\n")

	// A pending request keeps its file, and blocks neither a new file nor other requests.
	old, err := s.get()
	must(err)
	save(t, path, 3)
	check("3\n")
	if got := array.Mean(old.v); got != 2 {
		t.Errorf("the old file has %v", got)
	}
	old.use.Done()
	for deadline := time.Now().Add(time.Minute); old.Map().Bytes() != nil; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the old file is not closed after its last request")
		}
	}

	// Bytes cut off within the last page read as zeros, which must not reach a client, whether the file stays short, is
	// restored, or is replaced.
	whole, err := os.ReadFile(path)
	must(err)
	cut := func() { must(os.Truncate(path, int64(len(whole)-4))) }
	cut()
	check(missing)
	must(os.WriteFile(path, whole, 0o666))
	check("3\n")
	f, err := s.get()
	must(err)
	cut()
	torn := array.Mean(f.v)
	must(os.WriteFile(path, whole, 0o666))
	if _, err := f.mean(); torn == 3 || !errors.Is(err, mmap.ErrChanged) {
		t.Errorf("cut and put back: the mean was %v, and %v", torn, err)
	}
	s.drop(f)
	check("3\n")
	cut()
	save(t, path, 4)
	check("4\n")
}

// TestTimeouts tests that clients that send nothing are disconnected.
func TestTimeouts(t *testing.T) {
	if h := new(server).http(""); h.ReadTimeout <= 0 || h.IdleTimeout <= 0 {
		t.Errorf("the server has no timeouts: %+v", h)
	}
}

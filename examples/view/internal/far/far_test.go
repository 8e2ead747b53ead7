package far

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// A server serves a .npy file and counts the requests and bytes.
type server struct {
	content         []byte
	requests, bytes atomic.Int64
	delay           chan struct{} // not nil: requests after the first one wait until it is closed
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.requests.Add(1) > 1 && s.delay != nil {
		select {
		case <-s.delay:
		case <-r.Context().Done():
			return
		}
	}
	w.Header().Set("ETag", `"1"`)
	http.ServeContent(countingWriter{w, s}, r, "", time.Time{}, bytes.NewReader(s.content))
}

type countingWriter struct {
	http.ResponseWriter
	s *server
}

func (w countingWriter) Write(b []byte) (int, error) {
	w.s.bytes.Add(int64(len(b)))
	return w.ResponseWriter.Write(b)
}

// open serves an array of random int32 and opens it. local has the same elements.
func open(t *testing.T, s *server, order index.Order, shape ...int) (f *File, local array.Array) {
	t.Helper()
	file, err := array.New(dtype.Int32, order, shape...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	v, err := array.As[int32](file.Array)
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(1, 2))
	for block := range v.Update(index.C) {
		for i := range block {
			block[i] = 1 + r.Int32()
		}
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	if err := array.Save(path, file.Array); err != nil {
		t.Fatal(err)
	}
	if s.content, err = os.ReadFile(path); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(s)
	t.Cleanup(web.Close)
	if f, err = Open(t.Context(), web.URL+"/a.npy"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	return f, file.Array
}

// same reports an error unless the elements that sel selects from a and b are equal.
func same(t *testing.T, a, b array.Array, sel ...index.Selector) {
	t.Helper()
	x, err := a.Select(sel...)
	if err != nil {
		t.Fatal(err)
	}
	y, err := b.Select(sel...)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := array.Equal(x, y); err != nil || !ok {
		t.Errorf("%v: the elements differ: %v", sel, err)
	}
}

// TestFetch fetches random selections. Each block is requested once.
func TestFetch(t *testing.T) {
	for _, order := range []index.Order{index.C, index.F} {
		s := &server{}
		f, local := open(t, s, order, 90, 70, 50)
		r := rand.New(rand.NewPCG(3, 4))
		var wg sync.WaitGroup
		for range 4 {
			var picks [][]index.Selector
			for range 15 {
				var sel []index.Selector
				for _, n := range []int{90, 70, 50} {
					from := r.IntN(n)
					switch r.IntN(3) {
					case 0:
						sel = append(sel, index.At(from))
					case 1:
						sel = append(sel, index.Range(from, from+r.IntN(5)))
					default:
						sel = append(sel, index.From(from).Every(1+r.IntN(20)))
					}
				}
				picks = append(picks, sel)
			}
			wg.Go(func() {
				for _, sel := range picks {
					part, err := f.Select(sel...)
					if err == nil {
						err = f.Fetch(t.Context(), part)
					}
					if err != nil {
						t.Error(err)
						return
					}
					same(t, f.Array, local, sel...)
				}
			})
		}
		wg.Wait()
		if err := f.Fetch(t.Context(), f.Array); err != nil {
			t.Fatal(err)
		}
		same(t, f.Array, local)
		if n, most := s.bytes.Load(), int64(len(s.content)+64<<10); n > most {
			t.Errorf("%v: %d bytes were requested, want at most %d", order, n, most)
		}
		before := s.requests.Load()
		if err := f.Fetch(t.Context(), f.Array, local); err != nil || s.requests.Load() != before {
			t.Errorf("%d more requests, %v", s.requests.Load()-before, err)
		}
	}
}

// TestFetchFew tests the number of bytes and requests for few elements.
func TestFetchFew(t *testing.T) {
	s := &server{}
	f, local := open(t, s, index.C, 1000, 1000)
	for _, test := range []struct {
		name            string
		sel             []index.Selector
		requests, bytes int64
	}{
		{"an element", []index.Selector{index.At(500), index.At(3)}, 1, BlockBytes},
		{"the same element", []index.Selector{index.At(500), index.At(3)}, 0, 0},
		{"a row in the next block", []index.Selector{index.At(505)}, 1, BlockBytes},
		{"every 50th row", []index.Selector{index.From(25).Every(50), index.Range(0, 100)}, 20, 21 * BlockBytes},
		{"nothing", []index.Selector{index.Range(0, 0)}, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			requests, n := s.requests.Load(), s.bytes.Load()
			part, err := f.Select(test.sel...)
			if err == nil {
				err = f.Fetch(t.Context(), part)
			}
			if err != nil {
				t.Fatal(err)
			}
			requests, n = s.requests.Load()-requests, s.bytes.Load()-n
			if requests > test.requests || n > test.bytes || (n == 0) != (test.bytes == 0) {
				t.Errorf("%d requests and %d bytes, want at most %d and %d", requests, n, test.requests, test.bytes)
			}
			same(t, f.Array, local, test.sel...)
		})
	}
}

// TestFetchTogether tests that concurrent calls share requests, and that a call which waits for a canceled one repeats
// its request.
func TestFetchTogether(t *testing.T) {
	s := &server{delay: make(chan struct{})}
	f, local := open(t, s, index.C, 1000, 1000)
	row := []index.Selector{index.At(500)}
	part, err := f.Select(row...)
	if err != nil {
		t.Fatal(err)
	}
	waitFor := func(what string, done func() bool) {
		for !done() {
			if t.Context().Err() != nil {
				t.Fatal(what)
			}
			time.Sleep(time.Millisecond)
		}
	}
	reason := errors.New("the browser has gone")
	ctx, cancel := context.WithCancelCause(t.Context())
	first, second := make(chan error), make(chan error)
	go func() { first <- f.Fetch(ctx, part) }()
	waitFor("no request", func() bool { return s.requests.Load() == 2 })
	go func() { second <- f.Fetch(t.Context(), part) }()
	time.Sleep(20 * time.Millisecond)
	if n := s.requests.Load(); n != 2 {
		t.Errorf("%d requests for two calls, want one after the header's", n)
	}
	cancel(reason)
	if err := <-first; !errors.Is(err, reason) {
		t.Errorf("the canceled call returns %v", err)
	}
	waitFor("the request is not repeated", func() bool { return s.requests.Load() == 3 })
	close(s.delay)
	if err := <-second; err != nil {
		t.Error(err)
	}
	same(t, f.Array, local, row...)
}

// TestEmpty tests arrays without elements, and without dimensions.
func TestEmpty(t *testing.T) {
	for _, shape := range [][]int{{0}, {3, 0, 2}, {}} {
		f, local := open(t, &server{}, index.C, shape...)
		if err := f.Fetch(t.Context(), f.Array); err != nil {
			t.Errorf("%v: %v", shape, err)
		}
		same(t, f.Array, local)
	}
}

// TestNoTemporaryFile tests that no file remains.
func TestNoTemporaryFile(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Setenv("TMP", dir)
	f, _ := open(t, &server{}, index.C, 100, 100)
	f.Close()
	if entries, err := filepath.Glob(filepath.Join(dir, "npyview*")); err != nil || len(entries) > 0 {
		t.Errorf("%v remain, %v", entries, err)
	}
}

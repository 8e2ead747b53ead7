package httpat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// The pauses of programs. The pauses of tests are shorter.
var programMinPause, programMaxPause = minPause, maxPause

func TestMain(m *testing.M) {
	minPause, maxPause = 100*time.Microsecond, time.Millisecond
	oracle.Main(m)
}

// content returns n bytes, in which each range of 3 bytes or more is at only one position.
func content(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i*7 + i>>8*13 + i>>16*31)
	}
	return b
}

// serveFile serves a version of a file as http.FileServer does, with a strong ETag in addition.
func serveFile(b []byte, etag string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if etag != "" {
			w.Header().Set("ETag", etag)
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", time.Unix(1e9, 0), bytes.NewReader(b))
	}
}

// A testServer answers each request with the first handler of its script, which it then removes, or with the handler
// "always" if the script is empty.
type testServer struct {
	*httptest.Server
	mu       sync.Mutex
	always   http.HandlerFunc
	script   []http.HandlerFunc
	requests []*http.Request
}

func newServer(t testing.TB, always http.HandlerFunc, script ...http.HandlerFunc) *testServer {
	s := &testServer{always: always, script: script}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *testServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.requests = append(s.requests, r)
	h := s.always
	if len(s.script) > 0 {
		h, s.script = s.script[0], s.script[1:]
	}
	s.mu.Unlock()
	h(w, r)
}

// serve makes the server answer all requests after the script by h.
func (s *testServer) serve(h http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.always = h
}

// answers makes the server answer the next requests by script, and forgets the requests that it has received.
func (s *testServer) answers(script ...http.HandlerFunc) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.script, s.requests = script, nil
}

// ranges returns the headers Range of all requests, separated by spaces.
func (s *testServer) ranges() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []string
	for _, r := range s.requests {
		list = append(list, strings.TrimPrefix(r.Header.Get("Range"), "bytes="))
	}
	return strings.Join(list, " ")
}

func (s *testServer) open(t testing.TB) *File {
	t.Helper()
	f, err := OpenConfig{Client: s.Client()}.Open(context.Background(), s.URL+"/t.npy")
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// answer returns a handler that answers with a status, headers ("Name: value") and a body. A Content-Length that is
// larger than the body cuts the connection.
func answer(status int, body []byte, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		for _, h := range headers {
			name, value, _ := strings.Cut(h, ": ")
			w.Header().Set(name, value)
		}
		w.WriteHeader(status)
		w.Write(body)
	}
}

// partial returns an answer with the bytes [first, last] of b, with a strong ETag.
func partial(b []byte, first, last int, headers ...string) http.HandlerFunc {
	return answer(206, b[first:last+1], append([]string{`ETag: "1"`, fmt.Sprintf("Content-Range: bytes %d-%d/%d", first,
		last, len(b))}, headers...)...)
}

// cut closes the connection without an answer.
func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// checkRead tests the results of a read of b at off.
func checkRead(t testing.TB, f *File, b []byte, off, n int) {
	t.Helper()
	p := make([]byte, n)
	got, err := f.ReadAt(p, int64(off))
	if err != nil || !bytes.Equal(p[:got], b[off:off+n]) {
		t.Errorf("ReadAt(%d bytes, %d) = %d, %v; right bytes: %v", n, off, got, err, bytes.HasPrefix(b[off:], p[:got]))
	}
}

// checkError tests that err has a message with the given part, and wraps is unless that is nil. It must never be
// mistaken for the end of the file.
func checkError(t testing.TB, err error, part string, is error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || is != nil && !errors.Is(err, is) || errors.Is(err, io.EOF) {
		t.Errorf("error %v\nwant one with %q that wraps %v", err, part, is)
	}
}

package httpat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/ndmap/ndmap/mmap"
)

// TestRetries tests which failures are repeated, and the ranges of the requests. It reads the bytes 100000 to 199999.
func TestRetries(t *testing.T) {
	b := content(200_000)
	part := func(first, last, n int) http.HandlerFunc { // sends n bytes of [first, last], and cuts the connection
		return func(w http.ResponseWriter, r *http.Request) {
			answer(206, b[first:first+n], `ETag: "1"`, fmt.Sprintf("Content-Range: bytes %d-%d/%d", first, last, len(b)),
				fmt.Sprintf("Content-Length: %d", last-first+1))(w, r)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}
	}
	for _, tt := range []struct {
		name   string
		script []http.HandlerFunc
		want   string // the ranges of all requests
		err    string // part of the error; "" if ReadAt succeeds
	}{
		{"500", []http.HandlerFunc{answer(500, nil)}, "100000-199999 100000-199999", ""},
		{"503, 429, 408, 599", []http.HandlerFunc{answer(503, nil), answer(429, nil), answer(408, nil), answer(599, nil)},
			strings.Repeat(" 100000-199999", 5)[1:], ""},
		{"Retry-After", []http.HandlerFunc{answer(503, nil, "Retry-After: 0")}, "100000-199999 100000-199999", ""},
		{"Retry-After in the past", []http.HandlerFunc{answer(503, nil, "Retry-After: Mon, 02 Jan 2006 15:04:05 GMT")},
			"100000-199999 100000-199999", ""},
		{"a long Retry-After", []http.HandlerFunc{answer(429, nil, "Retry-After: 31")}, "100000-199999",
			"the server answered 429 Too Many Requests, and asks to wait for 31s"},
		{"no answer", []http.HandlerFunc{cut, cut}, "100000-199999 100000-199999 100000-199999", ""},
		{"cut", []http.HandlerFunc{part(100_000, 199_999, 10_000), part(110_000, 199_999, 0), part(110_000, 199_999, 1)},
			"100000-199999 110000-199999 110000-199999 110001-199999", ""},
		{"cut before the last byte", []http.HandlerFunc{part(100_000, 199_999, 99_999)}, "100000-199999 199999-199999", ""},
		{"a shorter range", []http.HandlerFunc{partial(b, 100_000, 149_999), partial(b, 150_000, 150_000)},
			"100000-199999 150000-199999 150001-199999", ""},
		{"too many", []http.HandlerFunc{answer(500, nil), answer(502, nil), part(100_000, 199_999, 5), answer(500, nil),
			answer(500, nil), answer(503, nil)},
			strings.Repeat(" 100000-199999", 3)[1:] + strings.Repeat(" 100005-199999", 3),
			"bytes 100000-199999: the server answered 503 Service Unavailable; gave up after 6 requests"},
		{"shorter ranges, too many", []http.HandlerFunc{partial(b, 100_000, 100_000), partial(b, 100_001, 100_001),
			partial(b, 100_002, 100_002), partial(b, 100_003, 100_003), partial(b, 100_004, 100_004),
			partial(b, 100_005, 100_005)},
			"100000-199999 100001-199999 100002-199999 100003-199999 100004-199999 100005-199999",
			"the server sent only 1 of 99995 bytes; gave up after 6 requests"},
		{"progress", []http.HandlerFunc{cut, cut, cut, part(100_000, 199_999, headSize), cut, cut, cut, cut, cut},
			strings.Repeat(" 100000-199999", 4)[1:] + strings.Repeat(" 165536-199999", 6), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, serveFile(b, `"1"`))
			f := s.open(t)
			s.answers(tt.script...)
			p := make([]byte, 100_000)
			n, err := f.ReadAt(p, 100_000)
			if tt.err != "" {
				checkError(t, err, tt.err, nil)
			} else if err != nil || n != len(p) {
				t.Errorf("%d, %v", n, err)
			}
			if !bytes.Equal(p[:n], b[100_000:100_000+n]) {
				t.Error("wrong bytes")
			}
			if got := s.ranges(); got != tt.want {
				t.Errorf("requests %s\nwant     %s", got, tt.want)
			}
		})
	}
}

// TestRetriesOption tests OpenConfig.Retries, also for Open itself.
func TestRetriesOption(t *testing.T) {
	for _, tt := range []struct{ retries, requests int }{{0, 6}, {-1, 1}, {2, 3}, {20, 21}} {
		s := newServer(t, answer(500, nil))
		_, err := OpenConfig{Client: s.Client(), Retries: tt.retries}.Open(t.Context(), s.URL)
		checkError(t, err, fmt.Sprintf("gave up after %d requests", tt.requests), nil)
		if len(s.requests) != tt.requests {
			t.Errorf("Retries %d: %d requests, want %d", tt.retries, len(s.requests), tt.requests)
		}
	}
}

// TestOpenRetries tests that Open requests the missing bytes of a short file only, and compares versions.
func TestOpenRetries(t *testing.T) {
	b := content(1000)
	first := answer(206, b[:600], `ETag: "1"`, "Content-Range: bytes 0-999/1000", "Content-Length: 1000")
	s := newServer(t, serveFile(b, `"1"`), answer(500, nil), first)
	f := s.open(t)
	checkRead(t, f, b, 0, 1000)
	if got := s.ranges(); got != "0-65535 0-65535 600-65535" {
		t.Errorf("requests %s", got)
	}
	s.serve(serveFile(b, `"2"`))
	s.answers(first)
	_, err := OpenConfig{Client: s.Client()}.Open(t.Context(), s.URL)
	checkError(t, err, "the server has another ETag", mmap.ErrChanged)
}

// TestPause tests the lengths of pauses between requests, with the values that programs have.
func TestPause(t *testing.T) {
	defer func(least, most time.Duration) { minPause, maxPause = least, most }(minPause, maxPause)
	minPause, maxPause = 100*time.Millisecond, 5*time.Second
	for _, tt := range []struct {
		failures          int
		server            time.Duration
		shortest, longest time.Duration
	}{
		{0, 0, 0, 0}, {1, 0, 50 * time.Millisecond, 100 * time.Millisecond},
		{2, 0, 100 * time.Millisecond, 200 * time.Millisecond}, {6, 0, 1600 * time.Millisecond, 3200 * time.Millisecond},
		{7, 0, 2500 * time.Millisecond, 5 * time.Second}, {1000, 0, 2500 * time.Millisecond, 5 * time.Second},
		{1, 20 * time.Second, 20 * time.Second, 20 * time.Second}, {0, time.Second, time.Second, time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			least, most := tt.longest, tt.shortest
			for range 200 {
				start := time.Now()
				if err := pause(t.Context(), tt.failures, tt.server); err != nil {
					t.Error(err)
				}
				d := time.Since(start)
				if least, most = min(least, d), max(most, d); d < tt.shortest || d > tt.longest {
					t.Errorf("%d failures, %v: pause of %v, want %v to %v", tt.failures, tt.server, d, tt.shortest, tt.longest)
				}
			}
			if least > tt.shortest*5/4 || most < tt.longest*9/10 {
				t.Errorf("%d failures: pauses of %v to %v, want all from %v to %v", tt.failures, least, most, tt.shortest,
					tt.longest)
			}
			ctx, cancel := context.WithTimeoutCause(t.Context(), time.Millisecond, errTest)
			defer cancel()
			start := time.Now()
			err := pause(ctx, 10, 0)
			if time.Since(start) != time.Millisecond || !errors.Is(err, errTest) || !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("canceled after %v: %v", time.Since(start), err)
			}
		})
	}
}

var errTest = errors.New("a cause")

// TestRetryAfter tests the header.
func TestRetryAfter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for value, want := range map[string]time.Duration{
			"": 0, "0": 0, "7": 7 * time.Second, "-1": 0, "x": 0, "99999999999": 0, "2147483647": 2147483647 * time.Second,
			time.Now().Add(9 * time.Second).UTC().Format(http.TimeFormat): 9 * time.Second,
			"Mon, 02 Jan 1996 15:04:05 GMT":                               0,
		} {
			if got := retryAfter(http.Header{"Retry-After": {value}}); got != want {
				t.Errorf("%q: %v, want %v", value, got, want)
			}
		}
	})
}

// TestContext tests that a canceled context ends a read at once: before a request, while it waits for an answer, for
// the rest of a body, and before a retry.
func TestContext(t *testing.T) {
	b := content(200_000)
	defer func(least time.Duration) { minPause = least }(minPause)
	started := make(chan bool, 1)
	hang := func(w http.ResponseWriter, r *http.Request) {
		started <- true
		<-r.Context().Done()
	}
	for name, h := range map[string]http.HandlerFunc{
		"before":    nil,
		"no answer": hang,
		"body": func(w http.ResponseWriter, r *http.Request) {
			answer(206, b[100_000:100_500], `ETag: "1"`, "Content-Range: bytes 100000-100999/200000",
				"Content-Length: 1000")(w, r)
			w.(http.Flusher).Flush()
			hang(w, r)
		},
		"pause": func(w http.ResponseWriter, r *http.Request) {
			answer(503, nil, "Retry-After: 20")(w, r)
			started <- true
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, h)
			s.answers(serveFile(b, `"1"`))
			f := s.open(t)
			ctx, cancel := context.WithCancelCause(t.Context())
			if h == nil {
				cancel(errTest)
			} else {
				go func() {
					<-started
					cancel(errTest)
				}()
			}
			start := time.Now()
			n, err := f.ReadAtContext(ctx, make([]byte, 1000), 100_000)
			checkError(t, err, "read "+s.URL+"/t.npy: context canceled: a cause", context.Canceled)
			if !errors.Is(err, errTest) || name != "body" && n != 0 || n > 500 {
				t.Errorf("%d, %v", n, err)
			}
			if d := time.Since(start); d > 10*time.Second {
				t.Errorf("canceled after %v", d)
			}
			_, err = OpenConfig{Client: s.Client()}.Open(ctx, s.URL)
			checkError(t, err, "context canceled", errTest)
		})
	}
}

// TestStall tests that a server that sends nothing is asked again for the missing bytes.
func TestStall(t *testing.T) {
	b := content(200_000)
	hang := func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
	half := func(w http.ResponseWriter, r *http.Request) {
		answer(206, b[100_000:100_500], `ETag: "1"`, "Content-Range: bytes 100000-100999/200000", "Content-Length: 1000")(w,
			r)
		w.(http.Flusher).Flush()
		hang(w, r)
	}
	slow := func(w http.ResponseWriter, r *http.Request) { // longer than StallTimeout in total, but never stalled
		w.Header().Set("ETag", `"1"`)
		w.Header().Set("Content-Range", "bytes 100500-100999/200000")
		w.WriteHeader(206)
		for i := range 10 {
			w.Write(b[100_500+i*50:][:50])
			w.(http.Flusher).Flush()
			time.Sleep(15 * time.Millisecond)
		}
	}
	s := newServer(t, serveFile(b, `"1"`))
	// On a busy machine, more requests than these may stall.
	f, err := OpenConfig{Client: s.Client(), StallTimeout: 100 * time.Millisecond, Retries: 100}.Open(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	s.answers(hang, half, slow)
	checkRead(t, f, b, 100_000, 1000)
	if got, want := s.ranges(), "100000-100999 100000-100999 100500-100999"; !strings.HasPrefix(got, want) {
		t.Errorf("requests %s, want %s", got, want)
	}
	f.retries, f.stall = 1, time.Millisecond
	s.serve(hang)
	_, err = f.ReadAt(make([]byte, 1000), 100_000)
	checkError(t, err, "the server has sent nothing for 1ms; gave up after 2 requests", errStalled)

	s.serve(serveFile(b, `"1"`))
	if f, err = (OpenConfig{Client: s.Client(), StallTimeout: -1, Retries: -1}).Open(t.Context(), s.URL); err != nil {
		t.Fatal(err)
	}
	s.answers(func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond)
		serveFile(b, `"1"`)(w, r)
	})
	checkRead(t, f, b, 100_000, 1000)
}

// TestConnections tests that connections are used again, and that no goroutine and no connection stay behind.
func TestConnections(t *testing.T) {
	b := content(200_000)
	before := runtime.NumGoroutine()
	var mu sync.Mutex
	connections := 0
	h := &testServer{always: serveFile(b, `"1"`)}
	s := httptest.NewUnstartedServer(h)
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		mu.Lock()
		defer mu.Unlock()
		if state == http.StateNew {
			connections++
		}
	}
	s.Start()
	f, err := OpenConfig{Client: s.Client()}.Open(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	h.answers(answer(500, make([]byte, 1000)), serveFile(b, `"1"`), answer(404, make([]byte, 1000)))
	checkRead(t, f, b, 100_000, 1000)
	_, err = f.ReadAt(make([]byte, 10), 100_000)
	checkError(t, err, "404", nil)
	checkRead(t, f, b, 100_000, 1000)
	chunked := func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Transfer-Encoding", "chunked")
		partial(b, 100_000, 100_999)(w, r)
	}
	h.answers(chunked)
	checkRead(t, f, b, 100_000, 1000)
	checkRead(t, f, b, 100_000, 1000)
	mu.Lock()
	if connections != 1 {
		t.Errorf("%d connections, want 1", connections)
	}
	mu.Unlock()
	h.answers(cut, answer(200, b, `ETag: "1"`), cut)
	_, err = f.ReadAt(make([]byte, 10), 100_000)
	checkError(t, err, "does not support byte ranges", nil)
	s.Close()
	for i := 0; runtime.NumGoroutine() > before; i++ {
		if i == 1000 {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
}

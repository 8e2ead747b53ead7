package httpat

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
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
			"t.npy: the server answered 503 Service Unavailable; gave up after 6 requests"},
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
	minPause, maxPause = programMinPause, programMaxPause
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

// A slowBody sends b in blocks of 100 bytes, with a pause before each, and then nothing more until ctx is done.
type slowBody struct {
	ctx   context.Context
	b     []byte
	pause time.Duration
}

func (s *slowBody) Read(p []byte) (int, error) {
	pause := s.pause
	if len(s.b) == 0 {
		pause = 1000 * time.Hour
	}
	select {
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	case <-time.After(pause):
	}
	n := copy(p[:min(100, len(p))], s.b)
	s.b = s.b[n:]
	return n, nil
}

func (s *slowBody) Close() error { return nil }

// TestStall tests that a request for the missing bytes follows an answer that has not started, or not continued, for
// the time of StallTimeout. An answer that takes longer in total, but continues, is complete. No time passes in this
// test.
func TestStall(t *testing.T) {
	const s = time.Second
	b := content(200_000)
	for _, tt := range []struct {
		name              string
		stall             time.Duration
		starts            []time.Duration // how long each answer takes to start
		sends             []int           // the number of bytes that each answer sends
		pause             time.Duration   // before each 100 bytes
		want              string          // the first byte of each request
		err               string
		shortest, longest time.Duration
	}{
		{"slow", 0, []time.Duration{29 * s}, []int{1000}, 29 * s, "100000", "", 319 * s, 319 * s},
		{"never starts", 0, []time.Duration{31 * s, 0}, []int{0, 1000}, 0, "100000 100000", "", 30 * s, 31 * s},
		{"never continues", 0, []time.Duration{0, 0, 0}, []int{300, 0, 700}, s, "100000 100300 100300", "", 70 * s, 71 * s},
		{"too slow", 10 * s, []time.Duration{0, 0, 0, 0, 0, 0}, []int{1000, 1, 1, 1, 1, 1}, 11 * s,
			"100000 100000 100000 100000 100000 100000", "the server has sent nothing for 10s; gave up after 6 requests", 60 * s,
			65 * s},
		{"no limit", -1, []time.Duration{1e6 * s}, []int{1000}, 1e6 * s, "100000", "", 11e6 * s, 11e6 * s},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				requests := []string{}
				client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
					var first, last int
					fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
					resp := &http.Response{StatusCode: 206, ContentLength: -1, Header: http.Header{
						"Content-Range": {fmt.Sprintf("bytes %d-%d/200000", first, last)}}}
					if first == 0 {
						resp.Body = io.NopCloser(bytes.NewReader(b[:last+1]))
						return resp, nil
					}
					i := len(requests)
					requests = append(requests, fmt.Sprint(first))
					select {
					case <-r.Context().Done():
						return nil, r.Context().Err()
					case <-time.After(tt.starts[i]):
					}
					body := io.Reader(&slowBody{r.Context(), b[first : first+tt.sends[i]], tt.pause})
					if first+tt.sends[i] == last+1 {
						body = io.LimitReader(body, int64(tt.sends[i]))
					}
					resp.Body = io.NopCloser(body)
					return resp, nil
				})}
				f, err := OpenConfig{Client: client, StallTimeout: tt.stall}.Open(t.Context(), "http://h/t.npy")
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				p := make([]byte, 1000)
				n, err := f.ReadAt(p, 100_000)
				d := time.Since(start)
				if tt.err != "" {
					checkError(t, err, tt.err, errStalled)
				} else if err != nil || !bytes.Equal(p, b[100_000:101_000]) {
					t.Errorf("%d, %v", n, err)
				}
				if got := strings.Join(requests, " "); got != tt.want || d < tt.shortest || d > tt.longest {
					t.Errorf("requests %s after %v, want %s after %v to %v", got, d, tt.want, tt.shortest, tt.longest)
				}
			})
		})
	}
}

// TestDefaultClient tests that the client for a nil Client keeps the connections of 8 requests at the same time.
func TestDefaultClient(t *testing.T) {
	b := content(200_000)
	var connections atomic.Int32
	var arrived sync.WaitGroup // the requests of one round
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Range") != "bytes=0-65535" {
			arrived.Done()
			arrived.Wait()
		}
		serveFile(b, `"1"`)(w, r)
	}))
	s.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	s.Start()
	defer s.Close()
	defer defaultClient().CloseIdleConnections()
	f, err := Open(t.Context(), nil, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		arrived.Add(8)
		var done sync.WaitGroup
		for i := range 8 {
			done.Go(func() { checkRead(t, f, b, 100_000+i, 1000) })
		}
		done.Wait()
	}
	if n := connections.Load(); n > 9 { // the connection of Open, and 8 of the first round
		t.Errorf("%d connections, want 9 or fewer", n)
	}
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

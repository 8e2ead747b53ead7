package httpat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// A faultyServer serves a file, and answers some requests wrongly.
type faultyServer struct {
	mu     sync.Mutex
	rand   *rand.Rand
	strong bool   // whether it sends ETags
	file   []byte // the current version of the file
	number int    // of the version
	counts map[string]int
}

// fileVersion returns version k of the file. Each has other bytes at each position than the version before, and some
// have another length.
func fileVersion(k int) []byte {
	b := content(200_000 + k/3%5*7)
	for i := range b {
		b[i] += byte(k)
	}
	return b
}

func (s *faultyServer) version() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.number
}

// faults returns the number of wrong answers.
func (s *faultyServer) faults() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for fault, count := range s.counts {
		if fault != "" {
			n += count
		}
	}
	return n
}

var faults = []string{"replace", "cut", "cut body", "200", "403", "404", "416", "429", "500", "503", "length",
	"long body",
	"short range", "wrong range", "no range", "star", "slow", "redirect", "multipart", "gzip", "garbage"}

func (s *faultyServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	fault := ""
	if s.rand.IntN(2) == 0 {
		fault = faults[s.rand.IntN(len(faults))]
	}
	s.counts[fault]++
	if fault == "replace" {
		s.number++
		s.file = fileVersion(s.number)
	}
	b, number, x := s.file, s.number, s.rand.IntN(1000)
	s.mu.Unlock()

	modified := time.Unix(1e9, 0).Add(time.Duration(number) * time.Second)
	w.Header().Set("Last-Modified", modified.UTC().Format(http.TimeFormat))
	if s.strong {
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, number))
	}
	var first, last int
	fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &first, &last)
	last = min(last, len(b)-1)
	if first > last {
		first = 0
	}
	answer := func(first, last, length int, body []byte) {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", first, last, len(b)))
		if length >= 0 {
			w.Header().Set("Content-Length", fmt.Sprint(length))
		}
		w.WriteHeader(206)
		w.Write(body)
		w.(http.Flusher).Flush()
	}
	n := last - first + 1
	switch fault {
	case "cut":
		panic(http.ErrAbortHandler)
	case "cut body":
		answer(first, last, n, b[first:first+n*x/1000])
		panic(http.ErrAbortHandler)
	case "200":
		w.Write(b)
	case "403", "404", "416", "429", "500", "503":
		w.WriteHeader(map[string]int{"403": 403, "404": 404, "416": 416, "429": 429, "500": 500, "503": 503}[fault])
	case "length":
		answer(first, last, n-1-x%n, b[first:last+1])
	case "long body":
		answer(first, last, -1, append(b[first:last+1:last+1], 'x'))
	case "short range":
		answer(first, last-x%n, n-x%n, b[first:last+1-x%n])
	case "wrong range":
		at := max(0, first-x)
		answer(at, at+n-1, n, b[at:at+n])
	case "no range":
		w.WriteHeader(206)
		w.Write(b[first : last+1])
	case "star":
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/*", first, last))
		w.WriteHeader(206)
		w.Write(b[first : last+1])
	case "slow":
		answer(first, last, n, b[first:first+n*x/1000])
		select {
		case <-r.Context().Done():
		case <-time.After(time.Duration(x) * 50 * time.Microsecond):
			w.Write(b[first+n*x/1000 : last+1])
		}
	case "redirect":
		http.Redirect(w, r, "/elsewhere", http.StatusFound)
	case "multipart":
		w.Header().Set("Content-Type", "multipart/byteranges; boundary=x")
		answer(first, last, n, b[first:last+1])
	case "gzip":
		w.Header().Set("Content-Encoding", "gzip")
		answer(first, last, n, b[first:last+1])
	case "garbage":
		if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
			c.Write(b[:x])
			c.Close()
		}
	default:
		w.Header().Set("Content-Type", "application/octet-stream")
		http.ServeContent(w, r, "", modified, bytes.NewReader(b))
	}
}

// TestFaults reads random ranges from a server that fails in half of its answers, in several goroutines. Every read
// must return the bytes of the version that Open has seen, or an error.
func TestFaults(t *testing.T) {
	oracle.AnyProcessor(t)
	for _, strong := range []bool{true, false} {
		t.Run(fmt.Sprintf("strong=%v", strong), func(t *testing.T) {
			seed := oracle.Seed(t)
			s := &faultyServer{rand: rand.New(rand.NewPCG(seed, 0)), strong: strong, file: fileVersion(0),
				counts: map[string]int{}}
			server := newServer(t, s.ServeHTTP)
			cfg := OpenConfig{Client: server.Client(), StallTimeout: 30 * time.Millisecond, Retries: 3}
			var opened, read, failed, changed int
			want := oracle.Cases(t, 250) // faults
			for s.faults() < want {
				number := s.version()
				f, err := cfg.Open(t.Context(), server.URL+"/t.npy")
				if err != nil {
					failed++
					checkError(t, err, "open "+server.URL+"/t.npy: ", nil)
					continue
				}
				opened++
				// Open may have replaced the file before its first good answer.
				b := fileVersion(number)
				for ; !bytes.Equal(b[:len(f.head)], f.head) || int64(len(b)) != f.Size(); b = fileVersion(number) {
					if number++; number > s.version() {
						t.Fatal("Open has bytes of no version")
					}
				}
				var wg sync.WaitGroup
				var mu sync.Mutex
				for g := range 4 {
					wg.Go(func() {
						random := rand.New(rand.NewPCG(seed, uint64(opened*4+g)))
						for range 5 {
							off, n := random.IntN(len(b)), 1+random.IntN(1<<random.IntN(17))
							p := make([]byte, n)
							got, err := f.ReadAt(p, int64(off))
							right := bytes.Equal(p[:got], b[off:off+got])
							mu.Lock()
							switch {
							case !right:
								t.Errorf("wrong bytes: ReadAt(%d bytes, %d) = %d, %v", n, off, got, err)
							case err == nil && got == n, err == io.EOF && off+got == len(b):
								read++
							case errors.Is(err, mmap.ErrChanged):
								changed++
							default:
								failed++
								checkError(t, err, "read "+server.URL+"/t.npy: ", nil)
							}
							mu.Unlock()
						}
					})
				}
				wg.Wait()
			}
			s.mu.Lock() // an answer that nobody waits for may still be running
			defer s.mu.Unlock()
			t.Logf("%d opened, %d read, %d changed, %d failed: %v", opened, read, changed, failed, s.counts)
			if opened == 0 || read == 0 || changed == 0 || failed == 0 {
				t.Error("not all results occurred")
			}
		})
	}
}

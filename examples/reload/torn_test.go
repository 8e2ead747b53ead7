package main

import (
	"io"
	"log"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestTorn truncates, extends and replaces the file at random. Each version of the file has elements that all equal the
// version number, and each answer must be a version that existed during the request. NDMAP_ANSWERS is the number of
// answers, 100000 in the long form.
func TestTorn(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a file that is mapped cannot be truncated or replaced")
	}
	skipEmulated(t)
	log.SetOutput(io.Discard)
	defer log.SetOutput(os.Stderr)
	w := &writer{t: t, path: filepath.Join(t.TempDir(), "t.npy"), r: oracle.Rand(t, 1)}
	w.replace()
	s := &server{path: w.path}
	defer s.close()

	want := int64(oracle.EnvInt(t, "NDMAP_ANSWERS", 2000))
	var requests, answers, wrong atomic.Int64
	var stop atomic.Bool
	var readers, writers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for (answers.Load() < want || w.changes.Load() < 10) && wrong.Load() < 5 {
				requests.Add(1)
				first := w.latest.Load()
				rec := httptest.NewRecorder()
				s.ServeHTTP(rec, httptest.NewRequest("GET", "/", nil))
				last := w.next.Load()
				if rec.Code != 200 {
					continue
				}
				answers.Add(1)
				x, err := strconv.ParseFloat(strings.TrimSpace(rec.Body.String()), 64)
				if k := int64(x); err != nil || float64(k) != x || k < first || k > last {
					t.Errorf("got %q while version %d became %d", rec.Body, first, last)
					wrong.Add(1)
				}
			}
		})
	}
	writers.Go(func() {
		for !stop.Load() {
			w.change()
		}
	})
	readers.Wait()
	stop.Store(true)
	writers.Wait()
	t.Logf("%d changes of %d kinds, %d requests, %d answers, %d of them wrong", w.changes.Load(), len(w.kinds),
		requests.Load(), answers.Load(), wrong.Load())
}

// A writer changes the file at path, which is complete after each change.
type writer struct {
	t       *testing.T
	path    string
	r       *rand.Rand
	next    atomic.Int64 // the version being written
	latest  atomic.Int64 // the last version written completely
	changes atomic.Int64
	kinds   map[int]int
}

func (w *writer) change() {
	w.pause(40 * time.Millisecond)
	if w.kinds == nil {
		w.kinds = map[int]int{}
	}
	kind := w.r.IntN(5)
	w.kinds[kind]++
	defer w.changes.Add(1)
	switch kind {
	case 0:
		w.replace()
	case 1: // truncate and restore
		lost := w.cut()
		f, err := os.OpenFile(w.path, os.O_WRONLY|os.O_APPEND, 0)
		if err == nil {
			_, err = f.Write(lost)
			f.Close()
		}
		w.check(err)
	case 2: // truncate and replace
		w.cut()
		w.replace()
	case 3: // extend, which other readers ignore, and restore
		fi, err := os.Stat(w.path)
		w.check(err)
		w.check(os.Truncate(w.path, fi.Size()+1+w.r.Int64N(10_000)))
		w.pause(2 * time.Millisecond)
		w.check(os.Truncate(w.path, fi.Size()))
	case 4: // rewrite in place, as numpy.save does
		content := w.version()
		w.check(os.WriteFile(w.path, content, 0o666))
		w.latest.Store(w.next.Load())
	}
}

// replace replaces the file by the next version.
func (w *writer) replace() {
	content := w.version()
	w.check(os.WriteFile(w.path+".new", content, 0o666))
	w.check(os.Rename(w.path+".new", w.path))
	w.latest.Store(w.next.Load())
}

// version returns the contents of the next version.
func (w *writer) version() []byte {
	k := w.next.Load() + 1
	path := w.path + ".version"
	w.check(saveN(path, float32(k), 1000+w.r.IntN(50_000)))
	content, err := os.ReadFile(path)
	w.check(err)
	w.next.Store(k)
	return content
}

// cut removes bytes from the end of the file, usually within the last page, and returns them.
func (w *writer) cut() []byte {
	content, err := os.ReadFile(w.path)
	w.check(err)
	n := 1 + w.r.IntN(400) // elements
	if w.r.IntN(4) == 0 {
		n = 1 + w.r.IntN((len(content)-128)/8)
	}
	left := len(content) - 4*min(n, (len(content)-128)/8)
	w.check(os.Truncate(w.path, int64(left)))
	w.pause(2 * time.Millisecond)
	return content[left:]
}

func (w *writer) pause(most time.Duration) { time.Sleep(time.Duration(w.r.Int64N(int64(most)))) }

func (w *writer) check(err error) {
	if err != nil {
		w.t.Error(err)
	}
}

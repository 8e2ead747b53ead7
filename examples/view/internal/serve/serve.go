// Package serve implements the HTTP API of the page.
package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"runtime"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/examples/view/internal/access"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/examples/view/internal/job"
	"github.com/ndmap/ndmap/examples/view/internal/source"
	"github.com/ndmap/ndmap/mmap"
)

// Limits of the server
const (
	maxWaiting    = 256 // requests that are processed or wait to be
	maxWatching   = 64  // requests that wait for a change or for a job
	watchFor      = 25 * time.Second
	reportEvery   = time.Second / 2 // maximum time between two reports of the progress of a job
	maxSaving     = 2               // responses that are files
	maxBody       = 64 << 10
	cacheBytes    = 64 << 20
	maxSave       = 1 << 30 // bytes of elements in a file
	maxDifference = 1 << 24 // elements of a difference in a file
)

// A Server handles requests for arrays.
type Server struct {
	set    *source.Set
	jobs   *job.List
	static fs.FS
	page   string // name of the page's file in static
	cache  cache
	turns  chan struct{} // holds one value for each request being processed
	queue  chan struct{} // holds one value for each request being processed or waiting
	watch  chan struct{}
	saving chan struct{}
	routes *http.ServeMux
}

// New returns a server for the arrays of set. static contains the page. Jobs are cancelled when ctx is done.
func New(ctx context.Context, set *source.Set, static fs.FS) *Server {
	s := &Server{
		set: set, jobs: job.New(ctx), static: static, page: pageName(static), cache: cache{limit: cacheBytes},
		turns: make(chan struct{}, max(2, runtime.GOMAXPROCS(0))), queue: make(chan struct{}, maxWaiting),
		watch: make(chan struct{}, maxWatching), saving: make(chan struct{}, maxSaving),
		routes: http.NewServeMux(),
	}
	s.route("/{$}", methods{http.MethodGet: s.asset})
	s.route("/assets/", methods{http.MethodGet: s.asset})
	s.route("/", methods{http.MethodGet: func(http.ResponseWriter, *http.Request, *request) (answer, error) {
		return nil,
			errNotFound
	}})
	s.route("/api/sources", methods{http.MethodGet: s.queued((*request).sources)})
	s.route("/api/array/{id}", methods{http.MethodGet: s.queued((*request).info)})
	s.route("/api/array/{id}/changes", methods{http.MethodGet: limited(s.watch, (*request).changes)})
	s.route("/api/array/{id}/tile", methods{http.MethodGet: s.queued((*request).tile)})
	s.route("/api/array/{id}/value", methods{http.MethodGet: s.queued((*request).value)})
	s.route("/api/array/{id}/line", methods{http.MethodGet: s.queued((*request).line)})
	s.route("/api/array/{id}/rows", methods{http.MethodGet: s.queued((*request).rows)})
	s.route("/api/array/{id}/tree", methods{http.MethodGet: s.queued((*request).tree)})
	s.route("/api/array/{id}/range", methods{http.MethodGet: s.queued((*request).colourRange)})
	s.route("/api/array/{id}/outside", methods{http.MethodGet: s.queued((*request).countOutside)})
	s.route("/api/array/{id}/histogram", methods{http.MethodGet: s.queued((*request).histogram)})
	s.route("/api/array/{id}/axis", methods{http.MethodGet: s.queued((*request).axisTexts)})
	s.route("/api/array/{id}/profile", methods{http.MethodGet: s.queued((*request).profile)})
	s.route("/api/array/{id}/values", methods{http.MethodGet: s.queued((*request).values)})
	s.route("/api/array/{id}/copy", methods{http.MethodGet: s.queued((*request).copyText)})
	s.route("/api/array/{id}/save", methods{http.MethodGet: limited(s.saving, (*request).save)})
	s.route("/api/array/{id}/job", methods{http.MethodPost: s.queued((*request).startJob)})
	s.route("/api/job/{id}", methods{http.MethodGet: limited(s.watch, (*request).job), http.MethodDelete: limited(s.watch,
		(*request).cancelJob)})
	return s
}

// ServeHTTP handles r without checking who sent it. Put the server behind an [access.Gate].
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.routes.ServeHTTP(w, r) }

// An answer is the content of a response: a *binaryAnswer, a *stream, any other value to be encoded as JSON, or nil for
// no content.
type answer any

// A binaryAnswer is binary data with the version of the array that it is from.
type binaryAnswer struct {
	data    []byte
	version int64
}

// A stream is an answer that is written by a function, without holding it in memory.
type stream struct {
	header map[string]string
	write  func(io.Writer) error
	end    func() // called after write
}

// maxHeld is the number of bytes of a stream that are held back. An error within these bytes becomes an error response.
const maxHeld = 256 << 10

// A heldWriter writes a stream to w. It delays the header until more than maxHeld bytes have been written, or until
// begin is called. Up to then the response can still become an error.
type heldWriter struct {
	w      http.ResponseWriter
	header map[string]string // nil once it is written
	buf    []byte
}

func (b *heldWriter) Write(p []byte) (int, error) {
	if b.header != nil {
		if len(b.buf)+len(p) <= maxHeld {
			b.buf = append(b.buf, p...)
			return len(p), nil
		}
		if err := b.flush(); err != nil {
			return 0, err
		}
	}
	return b.w.Write(p)
}

// flush writes the header and the bytes that were held back.
func (b *heldWriter) flush() error {
	if b.header == nil {
		return nil
	}
	for name, value := range b.header {
		b.w.Header().Set(name, value)
	}
	b.header = nil
	_, err := b.w.Write(b.buf)
	b.buf = nil
	return err
}

type handler func(*request) (answer, error)

type methods map[string]func(http.ResponseWriter, *http.Request, *request) (answer, error)

var (
	errBusy     = errors.New("the server is busy; try again")
	errNotFound = errors.New("no such page")
)

// route registers the handlers in m, one per HTTP method, for a path.
func (s *Server) route(pattern string, m methods) {
	s.routes.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
		work, ok := m[r.Method]
		if !ok {
			for name := range m {
				w.Header().Add("Allow", name)
			}
			access.Error(w, http.StatusMethodNotAllowed, "the method "+clip(r.Method)+" is not allowed here")
			return
		}
		// Read the body before waiting for a turn, because it may arrive slowly.
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		r.Body = io.NopCloser(bytes.NewReader(body))
		var q *request
		if err == nil {
			q, err = newRequest(s, r)
		}
		var a answer
		if err == nil {
			a, err = work(w, r, q)
		}
		if err == nil {
			err = send(w, r, a)
		}
		if err != nil {
			fail(w, r, err)
		}
	})
}

// queued returns a handler that limits the number of requests processed at the same time to the number of processors,
// but at least 2. Further requests wait, and are refused if maxWaiting requests are being processed or waiting.
func (s *Server) queued(h handler) func(http.ResponseWriter, *http.Request, *request) (answer, error) {
	return func(w http.ResponseWriter, r *http.Request, q *request) (answer, error) {
		select {
		case s.queue <- struct{}{}:
			defer func() { <-s.queue }()
		default:
			return nil, errBusy
		}
		select {
		case s.turns <- struct{}{}:
			defer func() { <-s.turns }()
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
		return callGuarded(h, w, q)
	}
}

// limited returns a handler for requests that mostly wait, for an event or for a slow reader. It refuses requests if
// slots is full.
func limited(slots chan struct{}, h handler) func(http.ResponseWriter, *http.Request, *request) (answer, error) {
	return func(w http.ResponseWriter, r *http.Request, q *request) (answer, error) {
		select {
		case slots <- struct{}{}:
			defer func() { <-slots }()
		default:
			return nil, errBusy
		}
		return callGuarded(h, w, q)
	}
}

// callGuarded calls h and writes the stream that it may return. It turns page faults into errors.
func callGuarded(h handler, w http.ResponseWriter, q *request) (a answer, err error) {
	out := &heldWriter{w: w}
	err = mmap.Guard(func() error {
		var err error
		if a, err = h(q); err != nil {
			return err
		}
		if s, ok := a.(*stream); ok {
			a = sentAnswer{}
			out.header = s.header
			defer s.end()
			if err := s.write(out); err != nil {
				return err
			}
			return out.flush()
		}
		return nil
	})
	if err != nil && a == (sentAnswer{}) && out.header == nil {
		err = http.ErrAbortHandler // part of the response has been sent, so close the connection
	}
	return a, err
}

// An sentAnswer is the answer returned by a handler that has written the response itself.
type sentAnswer struct{}

func send(w http.ResponseWriter, r *http.Request, a answer) error {
	switch a := a.(type) {
	case sentAnswer:
		return nil
	case nil:
		w.WriteHeader(http.StatusNoContent)
		return nil
	case *binaryAnswer:
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("X-Version", decimal(a.version))
		w.Header().Set("Content-Length", decimal(int64(len(a.data))))
		_, _ = w.Write(a.data)
		return nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	if err := e.Encode(a); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_, _ = w.Write(b.Bytes())
	return nil
}

// fail sends an error response. The status is 400, except for errors that are known to have another cause than the
// request.
func fail(w http.ResponseWriter, r *http.Request, err error) {
	if r.Context().Err() != nil {
		return // the client has gone away
	}
	status, text := http.StatusBadRequest, source.Text(err)
	fault, isFault := errors.AsType[*mmap.FaultError](err)
	_, isPath := errors.AsType[*fs.PathError](err)
	_, isFar := errors.AsType[*far.Error](err)
	_, isLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case errors.Is(err, http.ErrAbortHandler):
		panic(err)
	case errors.Is(err, source.ErrUnknown), errors.Is(err, job.ErrUnknown), errors.Is(err, errNotFound):
		status = http.StatusNotFound
	case errors.Is(err, errBusy), errors.Is(err, source.ErrBusy), errors.Is(err, job.ErrTooMany):
		status = http.StatusServiceUnavailable
		w.Header().Set("Retry-After", "1")
	case isFault:
		status, text = http.StatusInternalServerError, faultError(fault).Error()
	case isLarge:
		status, text = http.StatusRequestEntityTooLarge, "the body is too large"
	case isFar:
		status = http.StatusBadGateway
	case errors.Is(err, array.ErrFormat), isPath, errors.Is(err, npz.ErrNotArray):
		status = http.StatusUnprocessableEntity
	}
	access.Error(w, status, text)
}

// faultError returns an error that explains a page fault to the user.
func faultError(f *mmap.FaultError) error {
	return fmt.Errorf("the file has no data at byte %d: it was truncated, or its disk failed", f.Offset)
}

package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/cookiejar"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) {
	if os.Getenv("NDMAP_TEST_CHILD") == "npyview" {
		main()
	}
	defer webdriver.Stop()
	oracle.Main(m)
}

// A session is a running npyview and an HTTP client that may have its cookie and key.
type session struct {
	t      testing.TB
	base   string // "http://127.0.0.1:…"
	link   string
	client *http.Client
	key    string
	stdin  io.Writer
	stdout io.Reader
}

// newLink sends Enter to npyview and returns the link that it prints.
func (s *session) newLink() (link string) {
	s.t.Helper()
	if _, err := io.WriteString(s.stdin, "\n"); err != nil {
		s.t.Fatal(err)
	}
	if _, err := fmt.Fscanln(s.stdout, &link); err != nil {
		s.t.Fatal(err)
	}
	return link
}

// startViewer runs npyview and waits for its link.
func startViewer(t testing.TB, args ...string) *session {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stdin, typed := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan int)
	var stderr strings.Builder
	go func() { done <- run(ctx, args, stdin, stdout, &stderr); stdout.Close() }()
	t.Cleanup(func() {
		stop()
		if code := <-done; code != 0 || stderr.Len() > 0 {
			t.Errorf("npyview ended with %d: %s", code, &stderr)
		}
		stdin.Close()
	})
	return newSession(t, typed, out)
}

// newSession waits for the link of an npyview with the given standard input and output.
func newSession(t testing.TB, stdin io.Writer, stdout io.Reader) *session {
	t.Helper()
	var link string
	if _, err := fmt.Fscanln(stdout, &link); err != nil {
		t.Fatalf("no link: %v", err)
	}
	base, _, _ := strings.Cut(link, "/open?")
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Jar: jar, Timeout: time.Minute, Transport: &http.Transport{MaxConnsPerHost: 6}}
	return &session{t, base, link, client, "", stdin, stdout}
}

// A keyTransport is an HTTP transport that adds the key of a session to requests that have no key.
type keyTransport struct {
	*http.Transport
	key string
}

func (k keyTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("X-NDMap") == "" {
		r = r.Clone(r.Context())
		r.Header.Set("X-NDMap", k.key)
	}
	return k.Transport.RoundTrip(r)
}

// keyOf returns the key in the response to a link.
func keyOf(t testing.TB, body io.Reader) string {
	t.Helper()
	b, err := io.ReadAll(body)
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`<body data-key="([\w-]{43})"><script src="/enter.js"></script>`).FindSubmatch(b)
	if m == nil {
		t.Fatalf("the link gives no key: %s", b)
	}
	return string(m[1])
}

// enter runs npyview and opens its link.
func enter(t testing.TB, args ...string) *session {
	t.Helper()
	return startViewer(t, args...).enter()
}

// enter opens the link.
func (s *session) enter() *session {
	t := s.t
	t.Helper()
	r, err := s.client.Get(s.link)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusOK {
		t.Fatalf("the link is answered with %s", r.Status)
	}
	s.key = keyOf(t, r.Body)
	s.client.Transport = keyTransport{s.client.Transport.(*http.Transport), s.key}
	return s
}

// get returns the body of a response. The status must be 200.
func (s *session) get(path string) []byte {
	s.t.Helper()
	status, b := s.request(http.MethodGet, path, "", nil)
	if status != http.StatusOK {
		s.t.Fatalf("GET %s: %d %s", path, status, b)
	}
	return b
}

// request returns the status and the body of a response.
func (s *session) request(method, path, body string, header map[string]string) (int, []byte) {
	s.t.Helper()
	r, err := http.NewRequest(method, s.base+path, strings.NewReader(body))
	if err != nil {
		s.t.Fatal(err)
	}
	for name, value := range header {
		r.Header.Set(name, value)
		if name == "Host" {
			r.Host = value
		}
	}
	a, err := s.client.Do(r)
	if err != nil {
		s.t.Fatal(err)
	}
	defer a.Body.Close()
	b, err := io.ReadAll(a.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return a.StatusCode, b
}

// getJSON decodes the JSON body of a response.
func (s *session) getJSON(v any, path string) {
	s.t.Helper()
	b := s.get(path)
	if err := json.Unmarshal(b, v); err != nil {
		s.t.Fatalf("GET %s: %v in %s", path, err, b)
	}
}

type node struct {
	ID, Name, Kind, Error, Summary string
	Size, Modified                 int64
	Children                       []node
}

// id returns the id of an array by its path in the listing: the names of folders, the archive, and the array.
func (s *session) id(names ...string) string {
	s.t.Helper()
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	nodes := list.Sources
next:
	for i, name := range names {
		for _, n := range nodes {
			if n.Name != name {
				continue
			}
			if i == len(names)-1 {
				return n.ID
			}
			nodes = n.Children
			continue next
		}
		s.t.Fatalf("no %s in %+v", name, nodes)
	}
	return ""
}

// A tile is a response for a tile, decoded.
type tile struct {
	rows, cols, channels int
	flags                uint32
	values               []float32
}

func (s *session) tile(id, query string) tile {
	s.t.Helper()
	b := s.get("/api/array/" + id + "/tile?" + query)
	le := binary.LittleEndian
	if len(b) < 40 || string(b[:4]) != "NDT2" {
		s.t.Fatalf("a tile begins with %q", b[:min(len(b), 40)])
	}
	t := tile{int(le.Uint32(b[4:])), int(le.Uint32(b[8:])), int(le.Uint32(b[12:])), le.Uint32(b[16:]), nil}
	for b := b[40:]; len(b) > 0; {
		if le.Uint32(b) == 1<<31 {
			break
		}
		t.values = append(t.values, math.Float32frombits(le.Uint32(b)))
		b = b[4:]
	}
	return t
}

// save writes a .npy file and returns its path. set, if not nil, sets the elements.
func save(t testing.TB, path, d string, order index.Order, set func(a array.Array), shape ...int) string {
	t.Helper()
	f, err := array.New(dtype.MustParse(d), order, shape...)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if set != nil {
		set(f.Array)
	}
	if err := array.Save(path, f.Array); err != nil {
		t.Fatal(err)
	}
	return path
}

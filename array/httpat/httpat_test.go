package httpat

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/ndmap/ndmap/mmap"
)

// TestReadAt tests the contract of io.ReaderAt, for files that are shorter and longer than the bytes that Open
// keeps.
func TestReadAt(t *testing.T) {
	for _, size := range []int{0, 1, 100, headSize - 1, headSize, headSize + 1, 3*headSize + 5} {
		b := content(size)
		s := newServer(t, serveFile(b, `"1"`))
		f := s.open(t)
		if f.Size() != int64(size) || s.ranges() != "0-65535" {
			t.Errorf("%d bytes: Size() = %d after requests for %q", size, f.Size(), s.ranges())
		}
		first := min(size, headSize-20)
		part := b[first:min(size, first+60)]
		if err := iotest.TestReader(io.NewSectionReader(f, int64(first), int64(len(part))), part); err != nil {
			t.Errorf("%d bytes: %v", size, err)
		}
		for _, tt := range []struct {
			off int64
			n   int
			err error
		}{
			{0, size, nil}, {0, size + 1, io.EOF}, {int64(size), 1, io.EOF}, {int64(size) + 5, 1, io.EOF},
			{int64(size) - 1, 2, io.EOF}, {-1, 1, fs.ErrInvalid},
		} {
			if size == 0 && tt.n == 0 || size == 0 && tt.off == -1 && tt.n == 2 {
				continue
			}
			p := make([]byte, tt.n)
			n, err := f.ReadAt(p, tt.off)
			want := []byte{}
			if tt.off >= 0 && tt.off < int64(size) {
				want = b[tt.off:min(size, int(tt.off)+tt.n)]
			}
			if !bytes.Equal(p[:n], want) || err != tt.err && !(tt.err == fs.ErrInvalid && errors.Is(err, tt.err)) {
				t.Errorf("%d bytes: ReadAt(%d bytes, %d) = %d, %v, want %d, %v", size, tt.n, tt.off, n, err, len(want), tt.err)
			}
		}
	}
}

// TestRequests tests which bytes are requested.
func TestRequests(t *testing.T) {
	b := content(200_000)
	s := newServer(t, serveFile(b, `"1"`))
	f := s.open(t)
	for _, tt := range []struct {
		off, n int
		want   string
	}{
		{0, 10, ""}, {65_000, 536, ""}, {65_000, 537, "65536-65536"}, {65_536, 1, "65536-65536"},
		{100_000, 1000, "100000-100999"}, {199_999, 1, "199999-199999"},
	} {
		s.answers()
		checkRead(t, f, b, tt.off, tt.n)
		if got := s.ranges(); got != tt.want {
			t.Errorf("ReadAt(%d bytes, %d) requests %q, want %q", tt.n, tt.off, got, tt.want)
		}
		for _, r := range s.requests {
			if h := r.Header; r.Method != "GET" || h.Get("If-Match") != `"1"` || h.Get("Accept-Encoding") != "identity" {
				t.Errorf("%s %v, want GET with If-Match and Accept-Encoding: identity", r.Method, h)
			}
		}
	}
	s.answers()
	p := make([]byte, 10)
	if n, err := f.ReadAt(p, 199_995); n != 5 || err != io.EOF || s.ranges() != "199995-199999" {
		t.Errorf("at the end: %d, %v, requests %q", n, err, s.ranges())
	}
	if len(s.requests) > 0 && s.requests[0].Header.Get("If-Match") == "" {
		t.Error("no If-Match")
	}
}

// TestOpenAnswers tests the first answer of a server.
func TestOpenAnswers(t *testing.T) {
	b := content(100)
	zero := "Content-Length: 0"
	for _, tt := range []struct {
		name string
		h    http.HandlerFunc
		want string // part of the error; "" if Open succeeds
		is   error
	}{
		{"all bytes", partial(b, 0, 99), "", nil},
		{"unit in upper case", answer(206, b, "Content-Range: BYTES 0-99/100"), "", nil},
		{"identity", partial(b, 0, 99, "Content-Encoding: Identity"), "", nil},
		{"empty, 416", answer(416, []byte("<html>none</html>"), "Content-Range: bytes */0"), "", nil},
		{"empty, 200", answer(200, nil, zero), "", nil},
		{"no ranges", answer(200, b), "the server does not support byte ranges", errors.ErrUnsupported},
		{"no ranges, chunked", func(w http.ResponseWriter, r *http.Request) { w.(http.Flusher).Flush() },
			"the server does not support byte ranges", errors.ErrUnsupported},
		{"416 of another length", answer(416, nil, "Content-Range: bytes */100"), "the server answered 416", nil},
		{"416 without a length", answer(416, nil), "the server answered 416", nil},
		{"412", answer(412, nil), "the server answered 412 Precondition Failed", nil},
		{"304", answer(304, nil), "the server answered 304 Not Modified", nil},
		{"404", answer(404, nil), "file does not exist: the server answered 404 Not Found", fs.ErrNotExist},
		{"410", answer(410, nil), "410 Gone", fs.ErrNotExist},
		{"401", answer(401, nil), "permission denied: the server answered 401 Unauthorized", fs.ErrPermission},
		{"403", answer(403, nil), "get a new URL if it was signed for a limited time", fs.ErrPermission},
		{"no Content-Range", answer(206, b), `invalid answer: Content-Range ""`, nil},
		{"no total", answer(206, b, "Content-Range: bytes 0-99/*"), "want first-last/length", nil},
		{"no bytes", answer(206, nil, "Content-Range: bytes */100"), `invalid answer: Content-Range "bytes */100"`, nil},
		{"later", partial(b, 1, 99), `invalid answer: Content-Range "bytes 1-99/100"; want bytes 0-65535`, nil},
		{"more", answer(206, make([]byte, 65537), "Content-Range: bytes 0-65536/70000"), "0-65536/70000", nil},
		{"last before first", answer(206, b, "Content-Range: bytes 0--1/100"), `"bytes 0--1/100"`, nil},
		{"beyond the total", answer(206, b, "Content-Range: bytes 0-99/99"), `"bytes 0-99/99"`, nil},
		{"a sign", answer(206, b, "Content-Range: bytes +0-99/100"), `"bytes +0-99/100"`, nil},
		{"overflow", answer(206, b, "Content-Range: bytes 0-99/9223372036854775808"), "9223372036854775808", nil},
		{"another unit", answer(206, b, "Content-Range: items 0-99/100"), `"items 0-99/100"`, nil},
		{"short length", answer(206, b[:99], "Content-Range: bytes 0-99/100"), "Content-Length 99, but Content-Range", nil},
		{"long length", answer(206, content(101), "Content-Range: bytes 0-99/100"), "Content-Length 101", nil},
		{"no body", answer(206, nil, "Content-Range: bytes 0-99/100", zero), "Content-Length 0, but Content-Range", nil},
		{"more bytes, chunked", func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Range", "bytes 0-99/100")
			w.WriteHeader(206)
			w.(http.Flusher).Flush()
			w.Write(content(101))
		}, "invalid answer: more than the 100 bytes of its Content-Range", nil},
		{"gzip", partial(b, 0, 99, "Content-Encoding: gzip"), "the server compresses the file", nil},
		{"multipart", partial(b, 0, 99, "Content-Type: Multipart/byteranges; boundary=x"), "multipart/byteranges", nil},
		{"redirect without Location", answer(302, nil), "redirect without a Location", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.h)
			f, err := OpenConfig{Client: s.Client()}.Open(t.Context(), s.URL+"/t.npy")
			switch {
			case tt.want != "":
				checkError(t, err, tt.want, tt.is)
				checkError(t, err, "open "+s.URL+"/t.npy: ", nil)
			case err != nil:
				t.Fatal(err)
			case strings.HasPrefix(tt.name, "empty"):
				if n, err := f.ReadAt(make([]byte, 1), 0); f.Size() != 0 || n != 0 || err != io.EOF {
					t.Errorf("Size() = %d, ReadAt = %d, %v", f.Size(), n, err)
				}
			default:
				checkRead(t, f, b, 0, 100)
			}
			if len(s.requests) != 1 {
				t.Errorf("%d requests, want 1", len(s.requests))
			}
		})
	}
}

// TestChanged tests answers to a request for the bytes 150000 to 150009 that do not belong to the version of Open.
func TestChanged(t *testing.T) {
	b := content(200_000)
	other := content(200_001)
	answerTo := func(etag, modified string) http.HandlerFunc {
		return answer(206, b[150_000:150_010], "Content-Range: bytes 150000-150009/200000", "ETag: "+etag,
			"Last-Modified: "+modified)
	}
	const day, next = "Mon, 02 Jan 2006 15:04:05 GMT", "Mon, 02 Jan 2006 15:04:06 GMT"
	for _, tt := range []struct {
		name           string
		etag, modified string // of the first answer
		h              http.HandlerFunc
		want           string // part of the error; "" if ReadAt succeeds
		is             error
	}{
		{"same", `"1"`, day, answerTo(`"1"`, day), "", nil},
		{"same ETag, another time", `"1"`, day, answerTo(`"1"`, next), "", nil},
		{"another ETag", `"1"`, day, answerTo(`"2"`, day), "another ETag or Last-Modified", mmap.ErrChanged},
		{"an ETag less", `"1"`, day, answerTo("", day), "another ETag", mmap.ErrChanged},
		{"same weak ETag", `W/"1"`, day, answerTo(`W/"1"`, day), "", nil},
		{"another weak ETag", `W/"1"`, day, answerTo(`W/"2"`, day), "another ETag", mmap.ErrChanged},
		{"same weak ETag, another time", `W/"1"`, day, answerTo(`W/"1"`, next), "Last-Modified", mmap.ErrChanged},
		{"strong for weak", `W/"1"`, day, answerTo(`"1"`, day), "another ETag", mmap.ErrChanged},
		{"without quotes, another time", `1`, day, answerTo(`1`, next), "Last-Modified", mmap.ErrChanged},
		{"same time", "", day, answerTo("", day), "", nil},
		{"another time", "", day, answerTo("", next), "Last-Modified", mmap.ErrChanged},
		{"no validators", "", "", answerTo("", ""), "", nil},
		{"412", `"1"`, day, answer(412, nil), "the file has been changed since it was opened: the server has another ETag",
			mmap.ErrChanged},
		{"412 without If-Match", "", day, answer(412, nil), "the server answered 412", nil},
		{"another total", `"1"`, day, partial(other, 150_000, 150_009), "it has 200001 bytes, and had 200000",
			mmap.ErrChanged},
		{"416 of a shorter file", `"1"`, day, answer(416, nil, "Content-Range: bytes */1000"),
			"it has 1000 bytes, and had 200000; open it again", mmap.ErrChanged},
		{"416 of an empty file", `"1"`, day, answer(416, nil, "Content-Range: bytes */0"), "it has 0 bytes", mmap.ErrChanged},
		{"416 of the same length", `"1"`, day, answer(416, nil, "Content-Range: bytes */200000"), "answered 416", nil},
		{"416 without a length", `"1"`, day, answer(416, nil), "the bytes cannot be found in the file any more",
			mmap.ErrChanged},
		{"200, same", `"1"`, day, answer(200, b, `ETag: "1"`), "does not support byte ranges", errors.ErrUnsupported},
		{"200, another ETag", `"1"`, day, answer(200, b, `ETag: "2"`), "another file", mmap.ErrChanged},
		{"200, another length", `"1"`, day, answer(200, other, `ETag: "1"`, "Content-Length: 200001"), "another file",
			mmap.ErrChanged},
		{"200, empty", `"1"`, day, answer(200, nil, `ETag: "1"`, "Content-Length: 0"), "it has 0 bytes", mmap.ErrChanged},
		{"404", `"1"`, day, answer(404, nil), "404 Not Found", fs.ErrNotExist},
		{"wrong start", `"1"`, day, partial(b, 150_001, 150_009), "bytes 150001-150009/200000", nil},
		{"wrong end", `"1"`, day, partial(b, 150_000, 150_010), "bytes 150000-150010/200000", nil},
		{"more bytes, chunked", `"1"`, day, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Transfer-Encoding", "chunked")
			answer(206, b[150_000:150_011], `ETag: "1"`, "Content-Range: bytes 150000-150009/200000")(w, r)
		}, "more than the 10 bytes of its Content-Range", nil},
		{"before", `"1"`, day, partial(b, 140_000, 140_009), "bytes 140000-140009/200000", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, tt.h, answer(206, b[:headSize], "Content-Range: bytes 0-65535/200000", "ETag: "+tt.etag,
				"Last-Modified: "+tt.modified))
			f := s.open(t)
			s.answers()
			p := make([]byte, 10)
			n, err := f.ReadAt(p, 150_000)
			if tt.want != "" {
				checkError(t, err, tt.want, tt.is)
				checkError(t, err, "read "+s.URL+"/t.npy: ", nil)
				if n != 0 || tt.is == nil && errors.Is(err, mmap.ErrChanged) {
					t.Errorf("%d, %v", n, err)
				}
			} else if err != nil || !bytes.Equal(p, b[150_000:150_010]) {
				t.Errorf("%d, %v", n, err)
			}
			if len(s.requests) != 1 {
				t.Errorf("%d requests, want 1", len(s.requests))
			}
			if strong := strings.HasPrefix(tt.etag, `"`); (s.requests[0].Header.Get("If-Match") != "") != strong {
				t.Errorf("If-Match %q", s.requests[0].Header.Get("If-Match"))
			}
			checkRead(t, f, b, 1000, 500) // from memory
		})
	}
}

// TestMixture tests that no bytes of two versions are combined when the file is replaced between two parts of a range.
func TestMixture(t *testing.T) {
	b, other := content(200_000), bytes.Repeat([]byte{0xff}, 200_000)
	s := newServer(t, serveFile(other, `"2"`))
	s.answers(serveFile(b, `"1"`), partial(b, 100_000, 100_999, "Content-Length: 50000"))
	f := s.open(t)
	p := make([]byte, 50_000)
	n, err := f.ReadAt(p, 100_000)
	checkError(t, err, "Content-Length 50000", nil)
	if n != 0 {
		t.Errorf("%d bytes", n)
	}
	s.answers(answer(206, b[100_000:101_000], `ETag: "1"`, "Content-Range: bytes 100000-149999/200000",
		"Content-Length: 50000"))
	n, err = f.ReadAt(p, 100_000)
	checkError(t, err, "the server has another ETag", mmap.ErrChanged)
	if n != 1000 || !bytes.Equal(p[:n], b[100_000:101_000]) {
		t.Errorf("%d bytes, want the first 1000 of the first version", n)
	}
}

// TestTransports tests clients with a default Transport, HTTP/2, and a Transport that decompresses.
func TestTransports(t *testing.T) {
	b := content(200_000)
	t.Run("default", func(t *testing.T) {
		s := newServer(t, serveFile(b, ""))
		f, err := Open(t.Context(), nil, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, f, b, 100_000, 1000)
		defaultClient().CloseIdleConnections()
		f, err = Open(t.Context(), &http.Client{}, s.URL)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, f, b, 100_000, 1000)
		http.DefaultTransport.(*http.Transport).CloseIdleConnections()
	})
	t.Run("HTTP/2", func(t *testing.T) {
		s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.ProtoMajor != 2 {
				t.Errorf("%s, want HTTP/2", r.Proto)
			}
			serveFile(b, `"1"`)(w, r)
		}))
		s.EnableHTTP2 = true
		s.StartTLS()
		defer s.Close()
		f, err := Open(t.Context(), s.Client(), s.URL)
		if err != nil {
			t.Fatal(err)
		}
		checkRead(t, f, b, 100_000, 1000)
	})
	t.Run("decompressing", func(t *testing.T) {
		s := newServer(t, serveFile(b, ""))
		_, err := Open(t.Context(), &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
			resp, err := s.Client().Transport.RoundTrip(r)
			resp.Uncompressed = true
			return resp, err
		})}, s.URL)
		checkError(t, err, "the server compresses the file", nil)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// TestClientUnchanged tests that Open changes neither the client nor the header of its OpenConfig, and copies both.
func TestClientUnchanged(t *testing.T) {
	b := content(200_000)
	s := newServer(t, serveFile(b, ""))
	transport := s.Client().Transport
	client := &http.Client{Transport: transport}
	header := http.Header{"X-Key": {"a"}}
	f, err := OpenConfig{Client: client, Header: header}.Open(t.Context(), s.URL)
	if err != nil {
		t.Fatal(err)
	}
	if client.Transport != transport || client.CheckRedirect != nil || len(header) != 1 {
		t.Errorf("the client is now %+v, the header %v", client, header)
	}
	header.Set("X-Key", "b")
	checkRead(t, f, b, 100_000, 1000)
	if got := s.requests[1].Header.Get("X-Key"); got != "a" {
		t.Errorf("X-Key: %s, want a", got)
	}
}

// TestConcurrent tests reads of several goroutines.
func TestConcurrent(t *testing.T) {
	b := content(200_000)
	s := newServer(t, serveFile(b, `"1"`))
	f := s.open(t)
	done := make(chan bool)
	for g := range 8 {
		go func() {
			for i := range 20 {
				checkRead(t, f, b, (g*20+i)*1000, 1500)
			}
			done <- true
		}()
	}
	for range 8 {
		<-done
	}
}

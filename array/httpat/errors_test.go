package httpat

import (
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// TestRedacted tests that no message of any error, and no other text about a File, has a secret of its URL or of the
// URL in a redirect.
func TestRedacted(t *testing.T) {
	b := content(200_000)
	secure := httptest.NewTLSServer(serveFile(b, ""))
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	defer secure.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	file := serveFile(b, `"1"`)
	raw := func(text string) http.HandlerFunc { // an answer that is not HTTP
		return func(w http.ResponseWriter, r *http.Request) {
			c, _, err := w.(http.Hijacker).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			defer c.Close()
			io.WriteString(c, text)
		}
	}
	echo := func(status int) http.HandlerFunc { // puts the URL into headers
		return func(w http.ResponseWriter, r *http.Request) {
			answer(status, nil, "Content-Range: "+r.URL.String(), "ETag: "+r.URL.String(), "Content-Encoding: x",
				"Location: http://me:secret@host%zz/?"+r.URL.RawQuery)(w, r)
		}
	}
	cases := []http.HandlerFunc{cut, raw("GET /?sig=secret HTTP/1.1\r\n\r\n"),
		raw("HTTP/1.1 206 OK\r\nLocation /?sig=secret\x1b[2J\r\n\r\n"),
		raw("HTTP/1.1 206 OK\r\nContent-Length: http://me:secret@host/\r\n\r\n"),
		redirectTo(302, "http://me:secret@"+closed.Addr().String()+"/?secret"), redirectTo(302, secure.URL+"/?secret"),
		redirectTo(302, "http://h\x00ost/?secret"), redirectTo(302, "http://me:sec ret@secret/secret"), serveFile(b, ""),
		serveFile(b, `"2"`), serveFile(b[:1000], `"1"`)}
	for status := 200; status < 600; status++ {
		if http.StatusText(status) != "" {
			cases = append(cases, echo(status))
		}
	}
	errs := []error{}
	add := func(err error) {
		t.Helper()
		if err == nil {
			t.Error("no error")
		}
		errs = append(errs, err)
	}
	for _, h := range cases {
		s := newServer(t, file)
		cfg := OpenConfig{Client: s.Client(), Retries: -1}
		u := strings.Replace(s.URL, "//", "//me:secret@", 1) + "/t.npy?sig=secret&x=a/secret#secret"
		f, err := cfg.Open(t.Context(), u)
		if err != nil {
			t.Fatal(err)
		}
		if text := fmt.Sprintf("%v %+v %s", f, f, f); f.String() != s.URL+"/t.npy" || f.Name() != f.String() ||
			strings.Contains(text, "secret") {
			t.Error(text)
		}
		s.serve(h)
		_, err = f.ReadAt(make([]byte, 5), 100_000)
		add(err)
		if _, err = cfg.Open(t.Context(), u); err != nil { // a few answers are right for Open
			errs = append(errs, err)
		}
	}
	// A Transport whose errors have URLs.
	verbose := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		return nil, fmt.Errorf("GET %s (%q): %w", r.URL, r.URL, &url.Error{Op: "Get", URL: r.URL.String(), Err: errTest})
	})}
	for _, u := range []string{"http://me:secret@h/?secret", "https://h/?a=\"secret\"&b='secret'<secret>",
		"http://secret%20secret:a@h/?secret?secret"} {
		_, err := OpenConfig{Client: verbose, Retries: -1}.Open(t.Context(), u)
		add(err)
		checkError(t, err, "", errTest)
		if _, ok := errors.AsType[*url.Error](err); ok {
			t.Errorf("%v wraps a *url.Error", err)
		}
	}
	for _, u := range []string{"", "secret", "/secret", "ftp://me:secret@h/", "http://me:secret@/x",
		"http://me:se cret@h/",
		"http://me:secret%zz@h/", "http://h:secret/", "http://h/?a b=secret", "http://h/\x7fsecret",
		"http:secret", "HTTPS://secret:secret:secret/"} {
		_, err := Open(t.Context(), nil, u)
		add(err)
		checkError(t, err, "open URL: ", nil)
	}
	for _, err := range errs {
		if text := err.Error(); strings.Contains(text, "secret") || strings.ContainsFunc(text,
			func(r rune) bool { return r < ' ' }) {
			t.Errorf("%q", text)
		}
		if _, ok := errors.AsType[*fs.PathError](err); !ok {
			t.Errorf("%v is not a *fs.PathError", err)
		}
	}
}

// TestPermanent tests errors of connections that are not retried.
func TestPermanent(t *testing.T) {
	s := httptest.NewTLSServer(http.NotFoundHandler())
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, 0)
	defer s.Close()
	plain := newServer(t, http.NotFound)
	count := 0
	client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) {
		count++
		if r.URL.Host == "unknown" {
			return nil, &net.OpError{Op: "dial", Err: &net.DNSError{Err: "no such host", Name: "unknown", IsNotFound: true}}
		}
		return http.DefaultTransport.RoundTrip(r)
	})}
	for _, tt := range []struct{ url, want string }{
		{s.URL, "certificate"}, {strings.Replace(plain.URL, "http:", "https:", 1),
			"server gave HTTP response to HTTPS client"},
		{"http://unknown", "no such host"},
	} {
		count = 0
		_, err := Open(t.Context(), client, tt.url)
		checkError(t, err, tt.want, nil)
		if count != 1 {
			t.Errorf("%v: %d requests, want 1", err, count)
		}
	}
	if _, err := Open(t.Context(), client, s.URL); !errors.As(err, new(x509.UnknownAuthorityError)) {
		t.Errorf("%v does not wrap a x509.UnknownAuthorityError", err)
	}
}

// TestNoAnswer tests a Transport that returns neither an answer nor an error.
func TestNoAnswer(t *testing.T) {
	client := &http.Client{Transport: roundTripper(func(r *http.Request) (*http.Response, error) { return nil, nil })}
	_, err := OpenConfig{Client: client, Retries: -1}.Open(t.Context(), "http://h/")
	checkError(t, err, "nil *Response", nil)
}

// TestRedact tests the text of messages.
func TestRedact(t *testing.T) {
	for s, want := range map[string]string{
		"plain: text":                              "plain: text",
		"Get \"http://u:p@h/x?q=1\": a":            "Get \"http://h/x?… a",
		"a http://u:p@h/x?q=1 b https://h:1/?x c?": "a http://h/x?… b https://h:1/?… c?…",
		"\x1b[2J\x00é\n":                           " [2J é ",
		strings.Repeat("é", 200):                   strings.Repeat("é", 150) + "…",
		"a" + strings.Repeat("é", 200):             "a" + strings.Repeat("é", 149) + "…",
		strings.Repeat("a", 300):                   strings.Repeat("a", 300),
	} {
		if got := redact(s); got != want {
			t.Errorf("%q: %q, want %q", s, got, want)
		}
	}
}

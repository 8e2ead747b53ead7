package httpat

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// redirectTo returns a handler that redirects to a URL.
func redirectTo(status int, location string) http.HandlerFunc {
	return answer(status, []byte("moved"), "Location: "+location)
}

// TestRedirectHeaders tests which headers the servers receive that take part in redirects. All requests have a header
// of the program, and a user and password.
func TestRedirectHeaders(t *testing.T) {
	b := content(200_000)
	file := serveFile(b, `"1"`)
	for _, tt := range []struct {
		name       string
		home, away []http.HandlerFunc // the answers of both servers; HOME and AWAY stand for their addresses
		want       string             // the requests that arrive, and whether they have the credentials
	}{
		{"away", []http.HandlerFunc{redirectTo(302, "AWAY/x?sig=secret2")}, []http.HandlerFunc{file}, "home+ away-"},
		{"relative", []http.HandlerFunc{redirectTo(301, "y?sig=1"), file}, nil, "home+ home+"},
		{"absolute, same host", []http.HandlerFunc{redirectTo(307, "HOME/y"), file}, nil, "home+ home+"},
		{"same host, other credentials", []http.HandlerFunc{redirectTo(307, "http://a:b@HOST/y"), file}, nil, "home+ home+"},
		{"away and back", []http.HandlerFunc{redirectTo(308, "AWAY/"), file}, []http.HandlerFunc{redirectTo(303, "HOME/y")},
			"home+ away- home-"},
		{"away, with credentials", []http.HandlerFunc{redirectTo(302, "http://a:b@AWAYHOST/x")}, []http.HandlerFunc{file},
			"home+ away-"},
		{"away, scheme-relative", []http.HandlerFunc{redirectTo(302, "//AWAYHOST/x")}, []http.HandlerFunc{file},
			"home+ away-"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			log := []string{}
			var home, away *testServer
			record := func(name string, list []http.HandlerFunc) http.HandlerFunc {
				return func(w http.ResponseWriter, r *http.Request) {
					user, password, _ := r.BasicAuth()
					mark := "?"
					switch {
					case r.Header.Get("X-Key") == "secret" && user == "me" && password == "secret":
						mark = "+"
					case r.Header.Get("X-Key") == "" && r.Header.Get("Authorization") == "":
						mark = "-"
					}
					log = append(log, name+mark)
					if r.Header.Get("Referer") != "" || r.Header.Get("Range") != "bytes=0-65535" {
						t.Errorf("%s: headers %v", name, r.Header)
					}
					if len(list) == 0 {
						t.Errorf("more requests than expected: %v", log)
						cut(w, r)
					}
					h := list[0]
					list = list[1:]
					rec := &locationWriter{w, strings.NewReplacer("AWAYHOST", away.Listener.Addr().String(), "HOST",
						home.Listener.Addr().String(), "AWAY", away.URL, "HOME", home.URL)}
					h(rec, r)
				}
			}
			home, away = newServer(t, record("home", tt.home)), newServer(t, record("away", tt.away))
			u := strings.Replace(home.URL, "//", "//me:secret@", 1) + "/t.npy?token=secret"
			f, err := OpenConfig{Client: home.Client(), Header: http.Header{"X-Key": {"secret"}}}.Open(t.Context(), u)
			if err != nil {
				t.Fatal(err)
			}
			checkRead(t, f, b, 0, 1000)
			if got := strings.Join(log, " "); got != tt.want {
				t.Errorf("requests %s, want %s", got, tt.want)
			}
		})
	}
}

// A locationWriter replaces the addresses in the header Location.
type locationWriter struct {
	http.ResponseWriter
	*strings.Replacer
}

func (w *locationWriter) WriteHeader(status int) {
	if location := w.Header().Get("Location"); location != "" {
		w.Header().Set("Location", w.Replace(location))
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *locationWriter) Write(p []byte) (int, error) { return w.ResponseWriter.Write(p) }

// TestRedirectAgain tests that each read requests the URL of the File, which may redirect to another URL each time, and
// that If-Match reaches the last server.
func TestRedirectAgain(t *testing.T) {
	b := content(200_000)
	away := newServer(t, serveFile(b, `"1"`))
	n := 0
	home := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		n++
		redirectTo(302, fmt.Sprintf("%s/%d?sig=secret", away.URL, n))(w, r)
	})
	f := home.open(t)
	checkRead(t, f, b, 100_000, 1000)
	checkRead(t, f, b, 110_000, 1000)
	if r := away.requests[2]; n != 3 || r.URL.Path != "/3" || r.Header.Get("If-Match") != `"1"` {
		t.Errorf("%d requests; the last one was redirected to %s with %v", n, r.URL, r.Header)
	}
	away.answers(answer(403, nil))
	_, err := f.ReadAt(make([]byte, 1), 100_000)
	checkError(t, err, "403 Forbidden after a redirect to "+away.Listener.Addr().String()+"; ", nil)
}

// TestRedirectErrors tests redirects that are not followed.
func TestRedirectErrors(t *testing.T) {
	target := newServer(t, serveFile(content(10), ""))
	secure := httptest.NewTLSServer(redirectTo(302, target.URL+"/x?sig=secret"))
	defer secure.Close()
	_, err := Open(t.Context(), secure.Client(), secure.URL)
	checkError(t, err, "redirect from https to http, host "+target.Listener.Addr().String(), nil)

	for location, want := range map[string]string{
		"ftp://example.com/secret":     "redirect to an invalid URL, or one that is not http or https",
		"file:///etc/secret":           "redirect to an invalid URL",
		"http:///secret":               "redirect to an invalid URL",
		"http://u:secret%zz@host/":     "redirect to an invalid URL",
		"http://host:secret/":          "redirect to an invalid URL",
		"/?a=secret\tsecret":           "redirect to an invalid URL",
		"/again?sig=secret":            "more than 10 redirects",
		target.URL + "/refused?secret": "redirect to " + target.Listener.Addr().String() + ": no, thanks",
	} {
		s := newServer(t, redirectTo(302, location))
		client := *s.Client()
		client.CheckRedirect = func(r *http.Request, via []*http.Request) error {
			if r.URL.Path != "/refused" {
				return nil
			}
			if len(via) != 1 || via[0].URL.Path != "/t.npy" {
				t.Errorf("via %v", via)
			}
			return &url.Error{Op: "Get", URL: r.URL.String(), Err: errors.New("no, thanks")}
		}
		_, err := Open(t.Context(), &client, s.URL+"/t.npy")
		checkError(t, err, want, nil)
		if strings.Contains(fmt.Sprint(err), "secret") {
			t.Errorf("%v", err)
		}
		if n := len(s.requests); n != 1 && !(n == 11 && strings.HasPrefix(location, "/again")) {
			t.Errorf("%s: %d requests", location, n)
		}
	}
	if len(target.requests) != 0 {
		t.Errorf("requests %v", target.requests)
	}
}

// TestCookies tests that the Jar of the client stores a cookie of a redirect, and that the next request has it.
func TestCookies(t *testing.T) {
	b := content(100)
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if c, err := r.Cookie("login"); err != nil || c.Value != "yes" {
			http.SetCookie(w, &http.Cookie{Name: "login", Value: "yes"})
			redirectTo(302, "/")(w, r)
			return
		}
		serveFile(b, "")(w, r)
	})
	client := *s.Client()
	client.Jar, _ = cookiejar.New(nil)
	f, err := Open(t.Context(), &client, s.URL)
	if err != nil {
		t.Fatal(err)
	}
	checkRead(t, f, b, 0, 100)
}

// TestSameOrigin tests which URLs get the credentials.
func TestSameOrigin(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"http://h/", "http://h/x?y", true}, {"http://h/", "http://H:80/", true}, {"https://h:443", "https://h", true},
		{"http://h", "https://h", false}, {"http://h:443", "https://h:443", false}, {"http://h", "http://h:443", false},
		{"http://h", "http://h:8080", false}, {"http://h", "http://a.h", false}, {"http://[::1]", "http://[::1]:80", true},
		{"http://h", "http://h.", false},
	} {
		a, _ := url.Parse(tt.a)
		b, _ := url.Parse(tt.b)
		if sameOrigin(a, b) != tt.want || sameOrigin(b, a) != tt.want {
			t.Errorf("%s, %s: %v, want %v", a, b, !tt.want, tt.want)
		}
	}
}

// TestRedirectHosts tests that messages show the host of a redirect without control characters, and not all of a long
// one.
func TestRedirectHosts(t *testing.T) {
	host := "%c2%9b31m" + strings.Repeat("x", 1000) // 9b is the start of a terminal's commands
	errNo := errors.New("no")
	away := func(r *http.Request) (*http.Response, error) { // the home redirects, and each other server has an error
		if r.URL.Host == "home" {
			return &http.Response{StatusCode: 302, Header: http.Header{"Location": {"https://" + host}}, Body: http.NoBody}, nil
		}
		return &http.Response{StatusCode: 400, Request: r, Body: http.NoBody}, nil
	}
	down := func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 302, Header: http.Header{"Location": {"http://" + host}}, Body: http.NoBody}, nil
	}
	refuse := func(*http.Request, []*http.Request) error { return errNo }
	for _, tt := range []struct {
		client http.Client
		want   string
	}{
		{http.Client{Transport: roundTripper(away)}, "the server answered 400 Bad Request after a redirect to "},
		{http.Client{Transport: roundTripper(away), CheckRedirect: refuse}, "redirect to "},
		{http.Client{Transport: roundTripper(down)}, "redirect from https to http, host "},
	} {
		_, err := Open(t.Context(), &tt.client, "https://home/")
		checkError(t, err, tt.want+" 31mxxx", nil)
		if text := err.Error(); strings.Contains(text, "\u009b") || len(text) > 400 {
			t.Errorf("%q", text)
		}
	}
}

package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestRefused tests the status and message of refused requests. The requests before "as the page" do not have the
// cookie.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 300, 3, 400)
	save(t, filepath.Join(dir, "text.npy"), "S4", index.C, nil, 3)
	save(t, filepath.Join(dir, "z.npy"), "<c8", index.C, nil, 3, 4)
	d, err := dtype.Packed(dtype.Field{Name: "x", Type: dtype.Float32})
	if err != nil {
		t.Fatal(err)
	}
	record, err := array.New(d, index.C, 4)
	if err != nil {
		t.Fatal(err)
	}
	defer record.Close()
	if err := array.Save(filepath.Join(dir, "s.npy"), record.Array); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "bad.npy"), []byte("no array"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	other := enter(t, path) // another run with another cookie
	s := enter(t, dir)
	name := filepath.Base(dir)
	a, text, z, record1, bad := s.id(name, "a.npy"), s.id(name, "text.npy"), s.id(name, "z.npy"), s.id(name, "s.npy"),
		s.id(name, "bad.npy")
	port := s.base[strings.LastIndexByte(s.base, ':'):]

	const (
		noAccess = "no access; open the newest link that npyview printed in its terminal, " +
			"or press Enter there for another one"
		badLink = "the link does not work: it was used before, or is not from this run of npyview; open the newest link " +
			"in the terminal, press Enter there for another one, or start npyview again"
		wrongHost = "the request is for another host; use the link that npyview printed"
		foreign   = "the request comes from another site"
		noPage    = "no such page"
		unknown   = "no array has this id"
	)
	array := "/api/array/" + a
	tile := array + "/tile?y=0&x=2&at=0,1,0&level=0&row=0&col=0"
	long := strings.Repeat("9", 400)
	type header = map[string]string
	good := s.unsafeHeader()
	tests := []struct {
		method, path, body string
		header             header
		status             int
		message            string
	}{
		{"GET", "/api/sources", "", nil, 403, noAccess},
		{"GET", tile, "", nil, 403, noAccess},
		{"GET", "/assets/app.js", "", nil, 403, noAccess},
		{"GET", "/api/sources?token=" + s.link[len(s.base)+len("/open?token="):], "", nil, 403, noAccess},
		{"POST", "/", "", nil, 403, noAccess},
		{"GET", "/open", "", nil, 403, badLink},
		{"GET", "/open?token=", "", nil, 403, badLink},
		{"GET", "/open?token=AAAA", "", nil, 403, badLink},
		{"GET", s.link[len(s.base):], "", nil, 403, badLink}, // used twice
		{"GET", s.link[len(s.base):] + "&token=x", "", nil, 403, badLink},
		{"GET", other.link[len(other.base):], "", nil, 403, badLink},
		{"POST", "/open?token=AAAA", "", nil, 405, "only GET is allowed here"},
		{"GET", "/api/sources", "", header{"Cookie": cookieOf(other, "")}, 403, noAccess},
		{"GET", "/api/sources", "", header{"Cookie": cookieOf(other, s.base)}, 403, noAccess}, // cookie name of this run
		{"GET", "/api/sources", "", header{"Cookie": strings.SplitN(cookieOf(s, ""), "=", 2)[0] + "="}, 403, noAccess},
		{"GET", "/api/sources", "", header{"X-NDMap": s.key}, 403, noAccess},
		{"GET", "/api/sources", "", header{"Cookie": cookieOf(s, "")}, 403,
			noAccess}, // the cookie alone, which other servers of this machine receive
		{"GET", tile, "", header{"Cookie": cookieOf(s, "")}, 403, noAccess},
		{"GET", "//api/sources", "", header{"Cookie": cookieOf(s, "")}, 403, noAccess},
		{"GET", "/api/sources", "", header{"Host": "evil.example"}, 403, wrongHost},
		{"GET", "/open?token=AAAA", "", header{"Host": "evil.example" + port}, 403, wrongHost},

		{"as the page", "", "", nil, 0, ""},
		{"GET", "/api/sources", "", header{"Host": "evil.example" + port}, 403, wrongHost},
		{"GET", "/api/sources", "", header{"Host": "127.0.0.1"}, 403, wrongHost},
		{"GET", "/api/sources", "", header{"Host": "127.0.0.1:1"}, 403, wrongHost},
		{"GET", "/api/sources", "", header{"Host": "10.0.0.1" + port}, 403, wrongHost},
		{"GET", "/api/sources", "", header{"Host": "localhost." + port}, 403, wrongHost},
		{"GET", "/api/sources", "", header{"Origin": "https://evil.example"}, 403, foreign},
		{"GET", "/api/sources", "", header{"Origin": "null"}, 403, foreign},
		{"GET", tile, "", header{"Sec-Fetch-Site": "cross-site"}, 403, foreign},
		{"GET", tile, "", header{"Sec-Fetch-Site": "same-site"}, 403, foreign},
		{"POST", array + "/job", `{"kind":"moments"}`, nil, 403, foreign},
		{"POST", array + "/job", `{"kind":"moments"}`, header{"X-NDMap": "1", "Origin": s.base}, 403, noAccess},
		{"GET", "/api/sources", "", header{"X-NDMap": "1"}, 403, noAccess},
		{"GET", tile, "", header{"X-NDMap": other.key}, 403, noAccess},
		{"POST", array + "/job", `{"kind":"moments"}`, header{"Origin": s.base, "Sec-Fetch-Site": "cross-site"}, 403,
			foreign},
		{"POST", array + "/job", `{"kind":"moments"}`, header{"Origin": other.base}, 403, foreign},
		{"DELETE", "/api/job/j1", "", nil, 403, foreign},

		{"POST", tile, "", good, 405, `the method "POST" is not allowed here`},
		{"PUT", array, "", good, 405, `the method "PUT" is not allowed here`},
		{"HEAD", array, "", nil, 405, ""},
		{"GET", array + "/job", "", nil, 405, `the method "GET" is not allowed here`},
		{"BREW", "/", "", good, 405, `the method "BREW" is not allowed here`},
		{"GET", "/etc/passwd", "", nil, 404, noPage},
		{"GET", "/notes.txt", "", nil, 404, noPage},
		{"GET", "/assets/%2e%2e/%2e%2e/main.go", "", nil, 404, noPage},
		{"GET", "/assets/..%2f..%2fmain.go", "", nil, 404, noPage},
		{"GET", "/assets/", "", nil, 404, noPage},
		{"GET", "/api", "", nil, 404, noPage},
		{"GET", "/api/array/" + url.PathEscape(path), "", nil, 404, unknown},
		{"GET", "/api/array/notes.txt", "", nil, 404, unknown},
		{"GET", "/api/array/..%2f..%2fetc%2fpasswd/value?at=0", "", nil, 404, unknown},
		{"GET", "/api/array/" + a + "x", "", nil, 404, unknown},
		{"GET", "/api/job/j99", "", nil, 404, "no job has this id; it may have been removed"},
		{"DELETE", "/api/job/j99", "", good, 404, "no job has this id; it may have been removed"},

		{"GET", array + "/tile", "", nil, 400, "level is missing"},
		{"GET", tile + "&level=1", "", nil, 400, `"level" is given 2 times; want at most once`},
		{"GET", array + "/tile?%zz", "", nil, 400, `invalid query: invalid URL escape "%zz"`},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=41&row=0&col=0", "", nil, 400, "level=41: want 0 to 40"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=-1&row=0&col=0", "", nil, 400, "level=-1: want 0 to 40"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=0&ylevel=99&row=0&col=0", "", nil, 400, "ylevel=99: want 0 to 40"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=40&row=9223372036854775807&col=0", "", nil, 400,
			"row=9223372036854775807: want 0 to 0 at level 40"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=0&row=2&col=0", "", nil, 400,
			"row=2: want 0 to 1 at level 0"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=0&row=0&col=-1", "", nil, 400, "col=-1: want 0 to 9223372036854775807"},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=0&row=" + long + "&col=0", "", nil, 400,
			`row="` + long[:40] + `…": want an integer without a plus sign or leading zeros`},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=1e3&row=0&col=0", "", nil, 400,
			`level="1e3": want an integer without a plus sign or leading zeros`},
		{"GET", array + "/tile?y=0&x=2&at=0,1,0&level=%2B1&row=0&col=0", "", nil, 400,
			`level="+1": want an integer without a plus sign or leading zeros`},
		{"GET", array + "/tile?y=2&x=2&at=0,1,0&level=0&row=0&col=0", "", nil, 400, "duplicate axis 2"},
		{"GET", array + "/tile?y=0&x=-1&at=0,1,0&level=0&row=0&col=0", "", nil, 400, "x=-1: want 0 to 63"},
		{"GET", array + "/tile?y=-2&x=0&at=0,1,0&level=0&row=0&col=0", "", nil, 400, "y=-2: want -1 to 63"},
		{"GET", array + "/tile?y=0&x=3&at=0,1,0&level=0&row=0&col=0", "", nil, 400, "x=3: the array has 3 dimensions"},
		{"GET", array + "/tile?y=0&x=2&at=0,3,0&level=0&row=0&col=0", "", nil, 400,
			"at=3 is out of range for axis 1 of length 3"},
		{"GET", array + "/tile?y=0&x=2&at=0,-1,0&level=0&row=0&col=0", "", nil, 400, "at=-1: want 0 to 9223372036854775807"},
		{"GET", array + "/tile?y=0&x=2&at=0&level=0&row=0&col=0", "", nil, 400,
			"at has 1 entries, but the array has 3 dimensions"},
		{"GET", array + "/tile?y=0&x=2&at=" + strings.Repeat("0,", 99) + "0&level=0&row=0&col=0", "", nil, 400,
			"at has 100 entries: an array has at most 64 dimensions"},
		{"GET", tile + "&how=median", "", nil, 400, `how "median": want mean, min, max or sample`},
		{"GET", tile + "&refine=2", "", nil, 400, "refine=2: want 0 to 1"},
		{"GET", tile + "&part=real", "", nil, 400, "part real requires complex numbers; the elements have dtype <f4"},
		{"GET", tile + "&channels=0", "", nil, 400,
			"channels=0: the axis has 300 elements of dtype <f4; want 3 or 4 of dtype u1, u2, f2 or f4"},
		{"GET", tile + "&field=x", "", nil, 400, `no field "x" in dtype <f4`},
		{"GET", tile + strings.Repeat("&field=x", 33), "", nil, 400, "field is given 33 times; want at most 32"},
		{"GET", "/api/array/" + record1 + "/tile?y=-1&x=0&level=0&row=0&col=0", "", nil, 400,
			"elements of dtype [('x', '<f4')] are not numbers"},
		{"GET", "/api/array/" + record1 + "/value?at=0&field=x.y", "", nil, 400, `no field "x.y" in dtype [('x', '<f4')]`},
		{"GET", "/api/array/" + text + "/tile?y=-1&x=0&level=0&row=0&col=0", "", nil, 400,
			"elements of dtype |S4 are not numbers"},
		{"GET", "/api/array/" + z + "/tile?y=0&x=1&level=0&row=0&col=0&part=phase", "", nil, 400,
			`part "phase": want real, imag, abs or angle`},
		{"GET", array + "/value?at=1,2", "", nil, 400, "at has 2 entries, but the array has 3 dimensions"},
		{"GET", array + "/value", "", nil, 400, "at has 0 entries, but the array has 3 dimensions"},
		{"GET", array + "/line?x=2&at=0,0,0&from=0&to=9&n=100000", "", nil, 400, "n=100000: want 1 to 8192"},
		{"GET", array + "/line?x=2&at=0,0,0&from=9&to=8&n=10", "", nil, 400,
			"from=9, to=8: want 0 <= from <= to and from <= 400"},
		{"GET", array + "/line?x=2&at=0,0,0&from=9223372036854775807&to=9223372036854775807&n=10", "", nil, 400,
			"from=9223372036854775807, to=9223372036854775807: want 0 <= from <= to and from <= 400"},
		{"GET", array + "/rows?axis=0&at=0,0,0&count=501", "", nil, 400, "count=501: want 0 to 500"},
		{"GET", array + "/rows?axis=0&cols=2&at=0,0,0&colcount=201", "", nil, 400, "colcount=201: want 0 to 200"},
		{"GET", array + "/rows?cols=2&at=0,0,0", "", nil, 400, "cols requires axis"},
		{"GET", array + "/rows?axis=0&cols=0&at=0,0,0", "", nil, 400, "duplicate axis 0"},
		{"GET", array + "/range?y=0&x=2&at=0,0,0&lo=-1", "", nil, 400, "lo=-1: want 0 to 100"},
		{"GET", array + "/range?y=0&x=2&at=0,0,0&lo=NaN", "", nil, 400, `lo="NaN": want a number`},
		{"GET", array + "/histogram?all=1", "", nil, 400, "edges has 1 numbers: want 2 to 257"},
		{"GET", array + "/histogram?all=1&edges=" + strings.Repeat("1,", 300) + "2", "", nil, 400,
			"edges has 301 numbers: want 2 to 257"},
		{"GET", array + "/histogram?all=1&edges=1,1", "", nil, 400, "edges: 1 after 1: want ascending edges"},
		{"GET", array + "/histogram?all=1&edges=1,Inf", "", nil, 400, `edges: "Inf": want a finite number`},
		{"GET", array + "/values?all=1", "", nil, 400, "values: the elements have dtype <f4; want integers or bools"},
		{"GET", array + "/profile?y=0&x=2&at=0,0,0&y0=0&x0=0&y1=300&x1=3", "", nil, 400, "y0=0, y1=300: want less than 300"},
		{"GET", array + "/profile?y=0&x=0&at=0,0,0&y0=0&x0=0&y1=1&x1=3", "", nil, 400, "duplicate axis 0"},
		{"GET", array + "/axis?axis=0&index=0", "", nil, 400, "axis 0 has no values"},
		{"GET", array + "/axis?axis=3&index=0", "", nil, 400, "axis=3: the array has 3 dimensions"},
		{"GET", tile + "&minus=nothing", "", nil, 404, "no array has this id"},
		{"GET", tile + "&minus=" + z, "", nil, 400, "shapes [300 3 400] and [3 4]: want equal shapes"},
		{"GET", array + "/tile?y=0&x=2&at=0,0,0&level=0&row=0&col=0&minusAt=0,9,0&minus=" + strings.TrimPrefix(array,
			"/api/array/"), "",
			nil, 400, "at=9 is out of range for axis 1 of length 3"},
		{"GET", array + "/changes?version=x", "", nil, 400,
			`version="x": want an integer without a plus sign or leading zeros`},
		{"GET", array + "/save?y=0&x=2&at=0,0,0&y0=0&y1=301&x0=0&x1=4", "", nil, 400,
			"y0=0, y1=301: want 0 <= y0 <= y1 <= 300"},
		{"GET", array + "/copy?y=0&x=2&at=0,0,0&y0=2&y1=1&x0=0&x1=4", "", nil, 400, "y0=2, y1=1: want 0 <= y0 <= y1 <= 300"},
		{"GET", "/api/array/" + bad + "/value?at=0", "", nil, 422,
			"bad.npy: text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt"},

		{"POST", array + "/job", "", good, 400, "the body is not a job: EOF"},
		{"POST", array + "/job", `{"kind":"moments"} {}`, good, 400, "the body has text after the job"},
		{"POST", array + "/job", `{"kind":"moments","path":"/etc/passwd"}`, good, 400,
			`the body is not a job: json: unknown field "path"`},
		{"POST", array + "/job", `{"kind":"box","bins":1e99}`, good, 400,
			`the body is not a job: "bins" cannot be a JSON number 1e99`},
		{"POST", array + "/job", `{"kind":"sort"}`, good, 400,
			`kind "sort": want box, histogram, moments, projection or range`},
		{"POST", array + "/job", `{"kind":"histogram","bins":1000000000}`, good, 400, "bins=1000000000: want 1 to 4096"},
		{"POST", array + "/job", `{"kind":"histogram","bins":9,"lo":2,"hi":1}`, good, 400, "lo=2 is more than hi=1"},
		{"POST", array + "/job", `{"kind":"moments","region":{"y":0,"x":0,"at":[0,0,0],"y0":0,"y1":1,"x0":0,"x1":1}}`, good,
			400, "duplicate axis 0"},
		{"POST", array + "/job", `{"kind":"moments","region":{"y":-9,"x":0,"at":[0,0,0],"y0":0,"y1":1,"x0":0,"x1":1}}`, good,
			400, "y=-9: the array has 3 dimensions"},
		{"POST", array + "/job", `{"kind":"moments","field":["` + strings.Repeat("x", 70<<10) + `"]}`, good, 413,
			"the body is too large"},
		{"POST", "/api/array/" + text + "/job", `{"kind":"moments"}`, good, 400, "elements of dtype |S4 are not numbers"},
	}
	entered, n := s.client, 0
	s.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, test := range tests {
		if test.method == "as the page" {
			s.client.Jar, s.client.Transport = entered.Jar, entered.Transport
			continue
		}
		n++
		status, body := s.request(test.method, test.path, test.body, test.header)
		want := fmt.Sprintf("{\"error\":%q}\n", test.message)
		got := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(body))
		if test.method == "HEAD" {
			want = ""
		}
		if status != test.status || got != want {
			t.Errorf("%s %.200s: got %d %s want %d %s", test.method, test.path, status, got, test.status, want)
		}
	}
	t.Logf("%d requests were refused", n)
}

// cookieOf returns the cookie of a session. If at is not empty, the cookie gets the name that the session at that
// address uses.
func cookieOf(s *session, at string) string {
	u, err := url.Parse(s.base)
	if err != nil {
		s.t.Fatal(err)
	}
	c := s.client.Jar.Cookies(u)[0]
	if at != "" {
		return "npyview_" + at[strings.LastIndexByte(at, ':')+1:] + "=" + c.Value
	}
	return c.Name + "=" + c.Value
}

// TestHeaders tests the security headers of all responses, and the attributes of the cookie.
func TestHeaders(t *testing.T) {
	s := startViewer(t, save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 3))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	r, err := client.Get(s.link)
	if err != nil {
		t.Fatal(err)
	}
	key := keyOf(t, r.Body)
	c := r.Header.Get("Set-Cookie")
	if r.StatusCode != 200 || !strings.HasSuffix(c, "; Path=/; HttpOnly; SameSite=Strict") {
		t.Errorf("%s with %q", r.Status, c)
	}
	get := func(path string, header ...string) *http.Response {
		q, err := http.NewRequest("GET", s.base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(header); i += 2 {
			q.Header.Set(header[i], header[i+1])
		}
		r, err := client.Do(q)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	cookie, _, _ := strings.Cut(c, ";")
	for _, r := range []*http.Response{
		r, get("/", "Cookie", cookie), get("/"), get("/api/sources", "Cookie", cookie, "X-NDMap", key),
		get("/none", "Cookie", cookie), get("/enter.js"),
	} {
		r.Body.Close()
		h := r.Header
		for name, want := range map[string]string{
			"Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
			"Referrer-Policy":         "no-referrer", "X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin",
			"Access-Control-Allow-Origin": "", "Server": "",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s of %s: %q, want %q", name, r.Request.URL.Path, got, want)
			}
		}
	}
}

// TestManyAtOnce sends up to ten thousand requests at once. Each must be answered, some with 503, and the memory must
// stay limited.
func TestManyAtOnce(t *testing.T) {
	n := min(10_000, oracle.Cases(t, 1000))
	s := enter(t, sparse(t, "large.npy", "<f4", 1<<16, 1<<16))
	id := s.id("large.npy")
	before := anonymousMemory()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(s.base)
	if err != nil {
		t.Fatal(err)
	}
	jar.SetCookies(u, s.client.Jar.Cookies(u))
	transport := &http.Transport{MaxConnsPerHost: 1000, MaxIdleConnsPerHost: 1000}
	client := &http.Client{Jar: jar, Transport: keyTransport{transport, s.key}}
	defer client.CloseIdleConnections()
	var group sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	most := 0
	for i := range n {
		group.Go(func() {
			r, err := client.Get(fmt.Sprintf("%s/api/array/%s/tile?y=0&x=1&level=0&row=%d&col=%d", s.base, id, i%256, i/256))
			if err != nil {
				t.Error(err)
				return
			}
			n, err := io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if err != nil || r.StatusCode == 200 && n != 40+256*256*4 {
				t.Errorf("%d bytes, %v", n, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if statuses[r.StatusCode]++; i%100 == 0 {
				most = max(most, anonymousMemory())
			}
		})
	}
	group.Wait()
	t.Logf("%d requests: %v; %d MiB of memory before, %d MiB at most, the client's included", n, statuses, before>>20,
		most>>20)
	if statuses[200] == 0 || statuses[200]+statuses[503] != n {
		t.Errorf("answers: %v, want 200 and 503 only", statuses)
	}
	if most > 1<<30 {
		t.Errorf("%d MiB of memory, want less than 1024", most>>20)
	}
	s.get("/api/array/" + id)
}

package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A counter is a handler that counts the requests, and the bytes of the bodies of its responses.
type counter struct {
	http.Handler
	requests, bytes atomic.Int64
}

func (c *counter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.requests.Add(1)
	c.Handler.ServeHTTP(countingWriter{w, c}, r)
}

type countingWriter struct {
	http.ResponseWriter
	c *counter
}

func (w countingWriter) Write(b []byte) (int, error) {
	w.c.bytes.Add(int64(len(b)))
	return w.ResponseWriter.Write(b)
}

// serveFiles starts a server with the handler h, and returns its URL.
func serveFiles(t testing.TB, h http.Handler) (*counter, string) {
	t.Helper()
	c := &counter{Handler: h}
	server := httptest.NewServer(c)
	t.Cleanup(server.Close)
	return c, server.URL
}

// ids returns the ids of the arrays of the command line.
func (s *session) ids() (ids []string) {
	s.t.Helper()
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	for _, n := range list.Sources {
		ids = append(ids, n.ID)
	}
	return ids
}

// saveRecords saves an array of records with a float, a text and a time.
func saveRecords(t testing.TB, path string, shape ...int) string {
	t.Helper()
	d, err := dtype.Packed(dtype.Field{Name: "x", Type: dtype.MustParse("<f8")},
		dtype.Field{Name: "name", Type: dtype.MustParse("<U4")}, dtype.Field{Name: "when", Type: dtype.MustParse("<M8[s]")})
	if err != nil {
		t.Fatal(err)
	}
	f, err := array.New(d, index.C, shape...)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	x, err := f.Field("x")
	if err != nil {
		t.Fatal(err)
	}
	fillRamp(x)
	if err := array.Save(path, f.Array); err != nil {
		t.Fatal(err)
	}
	return path
}

// fillLarge sets 64-bit integers that float64 cannot represent.
func fillLarge(a array.Array) {
	v, err := array.As[int64](a)
	if err != nil {
		panic(err)
	}
	i := int64(0)
	for block := range v.Update(index.C) {
		for k := range block {
			block[k] = 1<<60 + i%1001
			i++
		}
	}
}

// TestURL compares all responses for arrays on a web server with the responses for local files. Each request is for
// another URL, from which no elements have been fetched before.
func TestURL(t *testing.T) {
	dir := t.TempDir()
	files := []struct {
		path   string
		fields string // of queries
	}{
		{save(t, filepath.Join(dir, "c.npy"), "<f4", index.C, fillRamp, 300, 5, 400), ""},
		{save(t, filepath.Join(dir, "f.npy"), ">f8", index.F, fillRamp, 300, 5, 200), ""},
		{save(t, filepath.Join(dir, "i.npy"), "<i8", index.C, fillLarge, 400, 3, 300), ""},
		{save(t, filepath.Join(dir, "z.npy"), "<c8", index.C, fillRamp, 300, 3, 300), ""},
		{saveRecords(t, filepath.Join(dir, "r.npy"), 200, 4, 150), "field=x&"},
		{save(t, filepath.Join(dir, "rgb.npy"), "<f4", index.C, fillRamp, 300, 200, 3), ""},
	}
	queries := []string{
		"?",
		"/tile?y=0&x=2&at=0,3,0&level=0&row=1&col=0",
		"/tile?y=0&x=2&at=0,2,0&level=1&row=0&col=0&how=min",
		"/tile?y=2&x=0&at=0,2,0&level=3&row=0&col=0&how=sample&refine=1",
		"/tile?y=0&x=2&at=0,2,0&level=0&row=0&col=0&minus=OTHER&minusAt=0,1,0",
		"/line?x=0&at=0,1,7&from=0&to=200&n=50",
		"/line?x=2&at=150,1,0&from=3&to=103&n=100&minus=OTHER&minusAt=9,0,0",
		"/profile?y=0&x=2&at=0,2,0&y0=10&x0=140&y1=190&x1=2",
		"/rows?axis=0&cols=2&at=0,2,0&from=150&count=20&colfrom=40&colcount=30",
		"/rows?axis=0&cols=2&at=0,2,0&from=150&count=20&minus=OTHER&minusAt=0,0,0",
		"/rows?axis=0&at=0,2,70&from=190",
		"/value?at=170,1,99",
		"/value?at=170,1,99&minus=OTHER&minusAt=0,0,0",
		"/tile?y=0&x=2&at=0,2,0&level=0&row=0&col=0&minus=FAR&minusAt=0,1,0",
		"/rows?axis=0&cols=2&at=0,2,0&from=150&count=20&minus=FAR&minusAt=0,0,0",
		"/value?at=170,1,99&minus=FAR",
		"/range?all=1",
		"/range?all=1&exact=1",
		"/range?y=0&x=2&at=0,2,0&exact=1&part=PART",
		"/outside?y=0&x=2&at=0,2,0&lo=20&hi=40",
		"/histogram?y=0&x=2&at=0,2,0&edges=0,30,70,130&exact=1",
		"/save?y=0&x=2&at=0,2,0&y0=100&y1=180&x0=60&x1=120",
		"/save?y=0&x=2&at=0,2,0&y0=100&y1=180&x0=60&x1=120&minus=OTHER&minusAt=0,0,0",
	}
	jobs := []string{
		`{"kind":"box","region":{"y":0,"x":2,"at":[0,2,0],"y0":10,"y1":150,"x0":5,"x1":120}}`,
		`{"kind":"moments"}`,
		`{"kind":"range","lo":1,"hi":99}`,
		`{"kind":"histogram","bins":7}`,
	}
	c, base := serveFiles(t, http.FileServer(http.Dir(dir)))
	var args []string
	for _, f := range files {
		args = append(args, f.path)
		for k := range len(queries) + len(jobs) {
			args = append(args, fmt.Sprintf("%s/%s?secret=%d", base, filepath.Base(f.path), k))
		}
	}
	s := enter(t, args...)
	if got, want := c.requests.Load(), int64(len(args)-len(files)); got != want {
		t.Errorf("%d requests for the headers, want %d", got, want)
	}
	ids := s.ids()
	for _, f := range files {
		local, far := ids[0], ids[1:1+len(queries)+len(jobs)]
		ids = ids[1+len(far):]
		name := filepath.Base(f.path)
		t.Run(name, func(t *testing.T) {
			ok := 0
			ask := func(id, q string) string {
				q = strings.ReplaceAll(strings.ReplaceAll(q, "OTHER", local), "?", "?"+f.fields)
				part := map[bool]string{true: "imag", false: ""}[name == "z.npy"]
				status, b := s.request(http.MethodGet, "/api/array/"+id+strings.ReplaceAll(q, "PART", part), "", nil)
				if status == http.StatusOK {
					ok++
				}
				b = bytes.ReplaceAll(b, []byte(base+"/"+name), []byte(name)) // the name of a URL is the URL
				return fmt.Sprintf("%d %s", status, bytes.ReplaceAll(b, []byte(id), []byte("ID")))
			}
			for k, q := range queries {
				id := far[k]
				if strings.Contains(q, "FAR") { // the local array minus the array on the server
					id = local
				}
				got, want := ask(id, strings.ReplaceAll(q, "FAR", far[k])), ask(local, strings.ReplaceAll(q, "FAR", local))
				if got != want {
					t.Errorf("%s: %.300q, want %.300q", q, got, want)
				}
			}
			if ok < 2*len(queries)*2/3 {
				t.Errorf("only %d of %d requests succeed", ok, 2*len(queries))
			}
			projected := func(id string) string {
				field := ""
				if f.fields != "" {
					field = `"field":["x"],`
				}
				id = s.project(id, field+`"op":"mean","along":[{"axis":1,"from":1,"to":3}]`)
				return string(s.get("/api/array/" + id + "/tile?y=0&x=2&at=0,0,0&level=0&row=0&col=0"))
			}
			if projected(far[len(queries)]) != projected(local) {
				t.Error("the projections differ")
			}
			for k, body := range jobs {
				if name == "rgb.npy" && k == 0 {
					continue // the box is too large
				}
				if f.fields != "" {
					body = strings.Replace(body, "{", `{"field":["x"],`, 1)
				}
				got, want := s.job(far[len(queries)+k], body), s.job(local, body)
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("job %s: %+v, want %+v", body, got, want)
				}
			}
		})
	}
}

// A generated is a .npy file of little-endian float32 in C order whose elements are computed when they are read. They
// are evenly distributed between 0 and 1.
type generated struct {
	header []byte
	n      int64
}

func newGenerated(shape ...int) generated {
	dims, n := strings.Trim(strings.ReplaceAll(fmt.Sprint(shape), " ", ","), "[]"), int64(1)
	for _, k := range shape {
		n *= int64(k)
	}
	text := fmt.Sprintf("{'descr': '<f4', 'fortran_order': False, 'shape': (%s,), }", dims)
	text += strings.Repeat(" ", 128-11-len(text)) + "\n"
	header := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), 0)
	return generated{append(header, text...), n}
}

func (g generated) element(i int64) float32 { return float32(uint32(i*2654435761)>>8) / (1 << 24) }

func (g generated) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n) - int64(len(g.header))
		switch {
		case at < 0:
			n += copy(p[n:], g.header[off+int64(n):])
		case at >= 4*g.n:
			return n, io.EOF
		default:
			e := binary.LittleEndian.AppendUint32(nil, math.Float32bits(g.element(at/4)))
			n += copy(p[n:], e[at%4:])
		}
	}
	return n, nil
}

func (g generated) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, g.n))
	http.ServeContent(w, r, "", time.Time{}, io.NewSectionReader(g, 0, int64(len(g.header))+4*g.n))
}

// TestURLBytes counts the bytes that are fetched for the first plane of an array of 800 MB, and compares the range that
// comes from a sample with the true one.
func TestURLBytes(t *testing.T) {
	g := newGenerated(2000, 1000, 100)
	for name, test := range map[string]struct {
		y, x, level  int
		at           string
		most, mostOf int64 // maximum number of MB for the tiles, and for the ranges
		exact        bool
	}{
		"contiguous": {1, 2, 2, "1000,0,0", 1, 4, true},
		"scattered":  {0, 1, 3, "0,0,50", 4, 4, false},
	} {
		t.Run(name, func(t *testing.T) {
			c, base := serveFiles(t, g)
			s := enter(t, base+"/big.npy")
			id := s.ids()[0]
			began := c.bytes.Load()
			if began > 1<<17 {
				t.Errorf("opening the URL takes %d bytes", began)
			}
			s.get("/api/array/" + id)
			got := s.tile(id, fmt.Sprintf("y=%d&x=%d&at=%s&level=%d&row=0&col=0&how=min", test.y, test.x, test.at, test.level))
			if slices.Min(got.values) <= 0 || slices.Max(got.values) >= 1 {
				t.Error("the tile has elements that were not fetched")
			}
			if exact := got.flags == 1; exact != test.exact || got.flags&4 != 0 {
				t.Errorf("the tile has the flags %d", got.flags)
			}
			tiles := c.bytes.Load()
			t.Logf("%d bytes in %d requests for the first tile", tiles, c.requests.Load())
			if tiles > test.most<<20 {
				t.Errorf("%d bytes for a tile, want at most %d MiB", tiles, test.most)
			}
			for _, query := range []string{"all=1", "all=1&exact=1", fmt.Sprintf("y=%d&x=%d&at=%s", test.y, test.x, test.at)} {
				var r struct {
					Lo, Hi  float64
					Sampled bool
				}
				status, b := s.request(http.MethodGet, "/api/array/"+id+"/range?"+query, "", nil)
				if strings.Contains(query, "exact") { // more elements than a request reads of a local file, too
					if status != http.StatusBadRequest {
						t.Errorf("%s: %d %s", query, status, b)
					}
					continue
				}
				s.getJSON(&r, "/api/array/"+id+"/range?"+query)
				if !(r.Lo > 0 && r.Lo < 0.03 && r.Hi > 0.97 && r.Hi < 1) || !r.Sampled {
					t.Errorf("%s: the range is %+v, want about 0.01 to 0.99", query, r)
				}
			}
			st := s.job(id, `{"kind":"range","lo":1,"hi":99}`)
			if !st.Done || st.Error != "" || !strings.Contains(fmt.Sprint(st), "true") {
				t.Errorf("the job for the range: %+v", st)
			}
			s.get("/api/array/" + id + fmt.Sprintf("/outside?y=%d&x=%d&at=%s&lo=0&hi=1", test.y, test.x, test.at))
			ranges := c.bytes.Load() - tiles
			t.Logf("%d bytes for the ranges, %d requests in total", ranges, c.requests.Load())
			if ranges > test.mostOf<<20 {
				t.Errorf("%d bytes for the ranges, want at most %d MiB", ranges, test.mostOf)
			}
		})
	}
}

// TestURLFails tests the errors for URLs that cannot be opened. They name the URL without secrets.
func TestURLFails(t *testing.T) {
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 300, 3, 400)
	for _, name := range []string{"text.npy", "text.npz", "text.safetensors"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("no array"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	files := http.FileServer(http.Dir(dir))
	_, base := serveFiles(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/whole.npy" { // as Python's http.server
			b, _ := os.ReadFile(path)
			w.Write(b)
			return
		}
		files.ServeHTTP(w, r)
	}))
	for _, test := range []struct{ name, want string }{
		{"whole.npy", "ranges"},
		{"none.npy", "404"},
		{"text.npy", "not a .npy file"},
		{"none.npz", "404"},
		{"text.npz", "not a zip archive"},
		{"text.safetensors", "not a .safetensors file"},
		{"model.safetensors.index.json", "the index of a model in shards must be a local file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var stdout, stderr strings.Builder
			secret := strings.Replace(base, "http://", "HTTP://me:password@", 1) + "/" + test.name + "?key=secret#part"
			code := run(context.Background(), []string{secret}, strings.NewReader(""), &stdout, &stderr)
			text := stderr.String()
			if code != 1 || stdout.Len() > 0 || !strings.Contains(text, test.want) ||
				!strings.Contains(text, base[len("http://"):]+"/"+test.name) {
				t.Errorf("status %d, %q, and %q; want an error with %q", code, stdout.String(), text, test.want)
			}
			if strings.Contains(text, "password") || strings.Contains(text, "secret") {
				t.Errorf("the error contains secrets: %s", text)
			}
		})
	}
}

// TestURLReplaced replaces the file on the server: requests of its elements fail, and then show the new file.
func TestURLReplaced(t *testing.T) {
	dir := t.TempDir()
	content := map[string][]byte{}
	for _, name := range []string{"old", "new"} {
		path := save(t, filepath.Join(dir, name+".npy"), "<f4", index.C, func(a array.Array) {
			if name == "old" {
				fillRamp(a)
			}
		}, 20, 30, 1000)
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[name] = b
	}
	var mu sync.Mutex
	now := "old"
	set := func(name string) {
		mu.Lock()
		defer mu.Unlock()
		now = name
	}
	_, base := serveFiles(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		name := now
		mu.Unlock()
		if name == "gone" {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("ETag", `"`+name+`"`)
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content[name]))
	}))
	s := enter(t, base+"/a.npy")
	id := s.ids()[0]
	tile := func(frame int) string { return fmt.Sprintf("y=0&x=2&at=0,%d,0&level=0&row=0&col=0", frame) }
	if got := s.tile(id, tile(1)).values[5]; got != float32((1000+5)%127) {
		t.Errorf("element 5 is %v", got)
	}
	fails := func(frame int, want string) {
		t.Helper()
		status, b := s.request(http.MethodGet, "/api/array/"+id+"/tile?"+tile(frame), "", nil)
		if status != http.StatusBadGateway || !strings.Contains(string(b), want) {
			t.Errorf("the server has the %s file: %d %s", now, status, b)
		}
	}
	set("gone")
	fails(10, "404")
	set("old") // as if it had not been gone
	if got := s.tile(id, tile(10)).values[5]; got != float32((10_000+5)%127) {
		t.Errorf("element 5 of frame 10 is %v", got)
	}
	set("new")
	fails(20, "changed")
	i := s.changes(id, 1)
	if i.Status != "replaced" || i.Version != 2 || i.Message == "" {
		t.Errorf("after the file was replaced: %+v", i)
	}
	for _, frame := range []int{1, 10, 20} {
		for _, x := range s.tile(id, tile(frame)).values {
			if x != 0 {
				t.Fatalf("an element of the new file is %v, want 0", x)
			}
		}
	}
	set("old")
	fails(29, "changed")
	if i := s.changes(id, 2); i.Status != "replaced" || i.Version != 3 {
		t.Errorf("after the file was replaced again: %+v", i)
	}
	if got := s.tile(id, tile(29)).values[5]; got != float32((29_000+5)%127) {
		t.Errorf("element 5 of frame 29 is %v", got)
	}
}

// TestURLRefused tests that no request of the browser can name a URL. The viewer fetches only the URLs on its command
// line.
func TestURLRefused(t *testing.T) {
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 30, 40)
	c, base := serveFiles(t, http.FileServer(http.Dir(dir)))
	s := enter(t, path, base+"/a.npy?listed")
	ids := s.ids()
	before := c.requests.Load()
	for _, u := range []string{base + "/a.npy", base + "/a.npy?listed", base + "/other.npy"} {
		u := url.QueryEscape(u)
		for _, q := range []string{
			u + "?", url.PathEscape(u) + "?", ids[0] + "/tile?y=0&x=1&level=0&row=0&col=0&minus=" + u,
			ids[0] + "/rows?axis=0&minus=" + u, u + "/value?at=0,0", ids[0] + "/value?at=0,0&field=" + u,
		} {
			if status, b := s.request(http.MethodGet, "/api/array/"+q, "", nil); status != http.StatusNotFound &&
				status != http.StatusBadRequest {
				t.Errorf("%s: %d %s", q, status, b)
			}
		}
		status, b := s.request(http.MethodPost, "/api/array/"+ids[0]+"/job", `{"kind":"moments","minus":"`+u+`"}`,
			s.unsafeHeader())
		if status != http.StatusNotFound {
			t.Errorf("a job with a URL: %d %s", status, b)
		}
	}
	// Names in the description of a local file are not URLs, either.
	if err := os.WriteFile(path+".json", fmt.Appendf(nil, `{"axes": [{"values": %q}, "x"]}`, base+"/a.npy"),
		0o600); err != nil {
		t.Fatal(err)
	}
	var i info
	s.getJSON(&i, "/api/array/"+ids[0])
	if after := c.requests.Load(); after != before {
		t.Errorf("%d requests to the server", after-before)
	}
}

// TestURLCopy tests the code to copy for an array on a web server. The code contains no secrets.
func TestURLCopy(t *testing.T) {
	dir := t.TempDir()
	saveRecords(t, filepath.Join(dir, "r.npy"), 5, 6)
	_, base := serveFiles(t, http.FileServer(http.Dir(dir)))
	s := enter(t, base+"/r.npy?secret")
	var statements []string
	for _, test := range []struct{ query, want string }{
		{"y=0&x=1&at=0,0&y0=1&y1=4&x0=2&x1=6", "[1:4, 2:6]"},
		{"y=1&x=0&at=0,0&y0=1&y1=4&x0=2&x1=5&field=x", `["x"][2:5, 1:4].T`},
	} {
		var text struct{ Go, NumPy string }
		s.getJSON(&text, "/api/array/"+s.ids()[0]+"/copy?"+test.query)
		want := fmt.Sprintf("np.load(io.BytesIO(urllib.request.urlopen(%q).read()))", base+"/r.npy") + test.want
		if text.NumPy != want {
			t.Errorf("%s: %s, want %s", test.query, text.NumPy, want)
		}
		statements = append(statements, text.Go)
	}
	var text struct{ Go, NumPy string }
	id := s.project(s.ids()[0], `"field":["x"],"op":"max","along":[{"axis":0,"from":1,"to":4}]`)
	s.getJSON(&text, "/api/array/"+id+"/copy?x=1&at=0,0&x0=2&x1=6")
	if want := `["x"][1:4], axis=(0,), keepdims=True)[0, 2:6]`; !strings.HasSuffix(text.NumPy, want) {
		t.Errorf("%s does not end with %s", text.NumPy, want)
	}
	statements = append(statements, text.Go)
	checkGo(t, statements...)
}

// TestURLMembers compares members of archives on a web server with the local ones.
func TestURLMembers(t *testing.T) {
	dir := t.TempDir()
	arrays := map[string]array.Array{}
	for name, shape := range map[string][]int{"w": {300, 400}, "long": {40_000}, "b:x": {3}} {
		f, err := array.New(dtype.MustParse("<f4"), index.C, shape...)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fillRamp(f.Array)
		arrays[name] = f.Array
	}
	stored, packed, model := filepath.Join(dir, "stored.npz"), filepath.Join(dir, "packed.npz"),
		filepath.Join(dir, "model.safetensors")
	for _, err := range []error{npz.Save(stored, arrays), npz.SaveConfig{Compress: true}.Save(packed, arrays),
		safetensors.Save(model, arrays, nil)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	c, base := serveFiles(t, http.FileServer(http.Dir(dir)))
	s := enter(t, stored, model, base+"/stored.npz?secret=1", base+"/model.safetensors", base+"/packed.npz",
		base+"/stored.npz:b:x", base+"/model.safetensors?secret#long", base+"/packed.npz")
	if n := c.requests.Load(); n > 16 {
		t.Errorf("%d requests to list the archives", n)
	}
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	var names []string
	for _, n := range list.Sources {
		names = append(names, n.Name+" "+n.Kind)
	}
	want := []string{"stored.npz archive", "model.safetensors archive", base + "/stored.npz archive",
		base + "/model.safetensors archive", base + "/packed.npz archive", base + "/stored.npz:b:x array",
		base + "/model.safetensors:long array"}
	if !slices.Equal(names, want) {
		t.Fatalf("the listing has %q, want %q", names, want)
	}
	for _, file := range []string{"stored.npz", "model.safetensors"} {
		local, far := list.Sources[slices.Index(names, file+" archive")], list.Sources[slices.Index(names,
			base+"/"+file+" archive")]
		for i, m := range local.Children {
			n := far.Children[i]
			if n.Name != m.Name || n.Summary != m.Summary || n.Size != m.Size || n.Error != "" {
				t.Errorf("%s: %+v, want %+v", file, n, m)
			}
			q := "/line?x=0&from=0&to=3&n=3&at=0,0"[:len("/line?x=0&from=0&to=3&n=3&at=0")+2*strings.Count(m.Summary, "×")]
			if got, want := s.get("/api/array/"+n.ID+q), s.get("/api/array/"+m.ID+q); !bytes.Equal(got, want) {
				t.Errorf("%s %s: the elements differ", file, n.Name)
			}
			var here, there info
			s.getJSON(&here, "/api/array/"+m.ID)
			s.getJSON(&there, "/api/array/"+n.ID)
			if *here.DataOffset != *there.DataOffset {
				t.Errorf("%s %s: data at byte %d, want %d", file, n.Name, *there.DataOffset, *here.DataOffset)
			}
		}
	}
	if got, want := s.tile(list.Sources[2].Children[2].ID, "y=0&x=1&level=0&row=1&col=1"),
		s.tile(list.Sources[0].Children[2].ID, "y=0&x=1&level=0&row=1&col=1"); !slices.Equal(got.values, want.values) {
		t.Error("the tiles differ")
	}

	// Compressed members, and members that do not exist.
	id := list.Sources[4].Children[1].ID
	var i info
	if s.getJSON(&i, "/api/array/"+id); i.Status != "error" ||
		!strings.HasPrefix(i.Message, `member "long" is compressed, so parts of it cannot be fetched; download`) {
		t.Errorf("a compressed member: %s: %s", i.Status, i.Message)
	}
	var stdout, stderr strings.Builder
	if code := run(context.Background(), []string{base + "/stored.npz?secret#none"}, strings.NewReader(""), &stdout,
		&stderr); code != 1 || !strings.Contains(stderr.String(), base+`/stored.npz: no such member: "none"`) ||
		strings.Contains(stderr.String(), "secret") {
		t.Errorf("a member that does not exist: %d %s", code, &stderr)
	}

	var statements []string
	for _, test := range []struct {
		at   int
		want string
	}{
		{5, fmt.Sprintf("np.load(io.BytesIO(urllib.request.urlopen(%q).read()))[\"b:x\"][0:2]", base+"/stored.npz")},
		{6, fmt.Sprintf("safetensors.numpy.load(urllib.request.urlopen(%q).read())[\"long\"][0:2]",
			base+"/model.safetensors")},
	} {
		var text struct{ Go, NumPy string }
		s.getJSON(&text, "/api/array/"+list.Sources[test.at].ID+"/copy?x=0&at=0&x0=0&x1=2")
		if text.NumPy != test.want {
			t.Errorf("the code for NumPy is %s, want %s", text.NumPy, test.want)
		}
		statements = append(statements, text.Go)
	}
	checkGo(t, statements...)
}

// TestURLMemberReplaced replaces an archive on a server: all its members then show the new archive.
func TestURLMemberReplaced(t *testing.T) {
	dir := t.TempDir()
	content := [2][]byte{}
	for k, rows := range []int{60, 70} {
		arrays := map[string]array.Array{}
		for _, name := range []string{"a", "b", "c"} {
			f, err := array.New(dtype.Float32, index.C, rows, 500)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if k == 0 {
				fillRamp(f.Array)
			}
			arrays[name] = f.Array
		}
		path := filepath.Join(dir, fmt.Sprint(k, ".npz"))
		if err := npz.Save(path, arrays); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		content[k] = b
	}
	var now atomic.Int32
	_, base := serveFiles(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		k := now.Load()
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, k))
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content[k]))
	}))
	s := enter(t, base+"/x.npz")
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	id := func(k int) string { return list.Sources[0].Children[k].ID }
	element := func(k, row int) (int, string) {
		status, b := s.request(http.MethodGet, fmt.Sprintf("/api/array/%s/value?at=%d,3", id(k), row), "", nil)
		return status, string(b)
	}
	for _, k := range []int{0, 1} {
		if status, b := element(k, 10); status != 200 || !strings.Contains(b, `"text":"50`) { // (10·500+3) % 127 = 50
			t.Errorf("an element of member %d: %d %s", k, status, b)
		}
	}
	now.Store(1)
	if status, b := element(1, 55); status != http.StatusBadGateway || !strings.Contains(b, "changed") {
		t.Errorf("an element of an archive that was replaced: %d %s", status, b)
	}
	for _, k := range []int{0, 1, 2} {
		if status, b := element(k, 65); status != 200 || !strings.Contains(b, `"text":"0`) {
			t.Errorf("an element of member %d in the new archive: %d %s", k, status, b)
		}
		if i := s.changes(id(k), 0); k < 2 && i.Status != "replaced" || i.Shape[0] != 70 {
			t.Errorf("member %d: %s %v", k, i.Status, i.Shape)
		}
	}
}

// TestPageURL opens an array of 800 MB on a web server in the page, and replaces the file on the server.
func TestPageURL(t *testing.T) {
	needPage(t)
	t.Parallel()
	var now atomic.Pointer[generated]
	set := func(shape ...int) { g := newGenerated(shape...); now.Store(&g) }
	set(2000, 1000, 100)
	c, base := serveFiles(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) }))
	p := open(t, strings.Replace(base, "http://", "http://me:password@", 1)+"/big.npy?key=secret")
	p.show(base+"/big.npy", "")
	if n, requests := c.bytes.Load(), c.requests.Load(); n > 5<<20 {
		t.Errorf("opening the page takes %d bytes in %d requests", n, requests)
	} else {
		t.Logf("opening the page takes %d bytes in %d requests", n, requests)
	}
	var title string
	p.Run(&title, "return document.title")
	if !strings.Contains(title, base+"/big.npy") || strings.Contains(title, "secret") ||
		strings.Contains(title, "password") {
		t.Errorf("the title is %q", title)
	}
	p.expect(".dtype", "000, 100)")
	p.keepScreenshot("url")
	set(2000, 1000, 90)
	p.Press(".") // the next frame
	p.expect(".banner", "this is the new one")
	p.expect(".dtype", "000, 90)")
	p.Wait("the new file is shown", settled)
	for _, line := range p.Log() {
		if !strings.Contains(line, "502") { // the request that noticed the change
			t.Errorf("the console of the page: %s", line)
		}
	}
}

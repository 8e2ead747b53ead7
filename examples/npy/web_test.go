package main

import (
	"archive/zip"
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// A webServer serves files in memory, and counts the requests and the bytes of the bodies.
type webServer struct {
	*httptest.Server
	mu       sync.Mutex
	files    map[string][]byte
	versions map[string]int // number of times that a file was replaced
	requests int
	bytes    int

	// before is called before each answer. It returns true if it has answered.
	before func(w http.ResponseWriter, r *http.Request) bool
}

func newWebServer(t *testing.T, files map[string][]byte) *webServer {
	s := &webServer{files: files, versions: map[string]int{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *webServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.requests++
	if s.before != nil && s.before(w, r) {
		return
	}
	name := strings.TrimPrefix(r.URL.Path, "/")
	b, ok := s.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("ETag", fmt.Sprintf(`"%d"`, s.versions[name]))
	http.ServeContent(&bodyCounter{w, s}, r, name, time.Time{}, bytes.NewReader(b))
}

// A bodyCounter counts the bytes of bodies.
type bodyCounter struct {
	http.ResponseWriter
	s *webServer
}

func (c *bodyCounter) Write(b []byte) (int, error) {
	c.s.bytes += len(b)
	return c.ResponseWriter.Write(b)
}

// restart sets s to its original state, with another function before.
func (s *webServer) restart(before func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.before, s.requests = before, 0
	clear(s.versions)
}

// counts returns the numbers of requests and bytes since the last call.
func (s *webServer) counts() (requests, bytes int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	requests, bytes = s.requests, s.bytes
	s.requests, s.bytes = 0, 0
	return requests, bytes
}

// urls returns the arguments of a command with the URLs of files instead of their names.
func (s *webServer) urls(args []string) []string {
	args = slices.Clone(args)
	for i, arg := range args {
		for name := range s.files {
			if file, _, _ := strings.Cut(arg[strings.LastIndexAny(arg, "=@")+1:], ":"); file == name {
				args[i] = strings.Replace(arg, name, s.URL+"/"+name, 1)
			}
		}
	}
	return args
}

// writeWebFiles writes files to the working directory, which is a new one, and returns their contents.
func writeWebFiles(t *testing.T) map[string][]byte {
	t.Helper()
	t.Chdir(t.TempDir())
	small := numbered(t, dtype.MustParse("<f8"), index.C, 7, 5)
	large := numbered(t, dtype.MustParse(">i4"), index.F, 300, 400)
	cube := numbered(t, dtype.MustParse("<i2"), index.C, 20, 30, 500)
	text, err := array.FromBytes(bytes.Repeat([]byte("text"), 1001*4300), dtype.MustParse("S17200"), index.C, 1001)
	check(t, err)
	records, err := array.FromBytes([]byte("\x01\x00\x00\x00\x00\x00\xf8?\x02\x00\x00\x00\x00\x00\x04@"),
		dtype.MustParse("[('n', '<i2'), ('x', '<f4'), ('m', '<i2')]"), index.C, 2)
	check(t, err)
	check(t, array.Save("small.npy", small))
	check(t, array.SaveConfig{}.Convert("large.npy", large, large.DType(), index.F))
	check(t, array.Save("cube.npy", cube))
	check(t, array.Save("records.npy", records))
	check(t, array.Save("text.npy", text))
	check(t, array.Save("bools.npy", numbered(t, dtype.Bool, index.C, 1200)))
	first, err := os.ReadFile("small.npy")
	check(t, err)
	check(t, os.WriteFile("two.npy", append(first, first...), 0o666))
	check(t, os.WriteFile("raw.bin", append([]byte("head"), first...), 0o666))
	arrays := map[string]array.Array{"small": small, "cube": cube}
	check(t, npz.Save("stored.npz", arrays))
	check(t, npz.SaveConfig{Compress: true}.Save("deflated.npz", arrays))
	check(t, safetensors.Save("model.safetensors", arrays, map[string]string{"by": "test"}))
	files := map[string][]byte{}
	names, err := filepath.Glob("*")
	check(t, err)
	for _, name := range names {
		files[name], err = os.ReadFile(name)
		check(t, err)
	}
	return files
}

// TestURL tests that commands print the same, and write the same files, for a URL as for the file.
func TestURL(t *testing.T) {
	files := writeWebFiles(t)
	t.Setenv("TMPDIR", t.TempDir())
	s := newWebServer(t, files)
	for _, stdin := range []int{stdinBytes, 0} { // in memory, and a third of them in temporary files
		setStdinBytes(t, stdin)
		for i, line := range []string{
			"info small.npy", "info -json small.npy", "info two.npy", "info -json two.npy", "info -at 408 two.npy",
			"info large.npy cube.npy records.npy", "info stored.npz", "info -json stored.npz", "info deflated.npz",
			"info stored.npz:small deflated.npz:cube", "info model.safetensors", "info -json model.safetensors",
			"info -json model.safetensors:cube", "info -raw u1 -shape -1,4 -offset 3 raw.bin",
			"ls small.npy", "ls stored.npz", "ls model.safetensors", "ls stored.npz small.npy",
			"print small.npy", "print large.npy", "print cube.npy", "print records.npy", "print bools.npy", "print text.npy",
			"print -select :,5 large.npy", "print -select ::-2,3:300:7 large.npy", "print -select 2,...,::-1 cube.npy",
			"print -field x records.npy", "print -json -select :3 large.npy", "print -csv small.npy",
			"print -as u1 small.npy", "print -as u1 -select 0 small.npy", "print -at 408 two.npy",
			"print -raw <f8 -shape 7,-1 -offset 132 raw.bin", "print -raw <f8 -shape -1,5 -raworder F -offset 132 raw.bin",
			"print stored.npz:small", "print deflated.npz:small", "print model.safetensors:cube", "print stored.npz",
			"print model.safetensors", "print stored.npz:absent", "print model.safetensors:absent",
			"print -select 9 small.npy", "print -field y small.npy",
			"head -n 2 small.npy", "head large.npy", "head records.npy", "tail -n 3 cube.npy", "tail -n 1 deflated.npz:small",
			"stats small.npy", "stats -json -select :,7 large.npy", "stats stored.npz", "stats deflated.npz",
			"stats model.safetensors", "stats -json model.safetensors:small", "stats -field x records.npy",
			"check small.npy two.npy large.npy bools.npy", "check stored.npz", "check deflated.npz", "check model.safetensors",
			"check stored.npz:small deflated.npz:cube model.safetensors:small", "check -at 408 two.npy",
			"reduce -op mean -axis 0 large.npy -", "reduce -op sum cube.npy -", "reduce -op median -axis 1 large.npy -",
			"reduce -op argmax -axis -1 -select :,:,::2 cube.npy -", "reduce -op quantile -q 0.3 small.npy -",
			"reduce -op max -as u1 small.npy -", "reduce -op std deflated.npz:cube -", "reduce -op var -axis 5 cube.npy -",
			"diff small.npy large.npy", "diff stored.npz deflated.npz", "diff stored.npz:cube cube.npy",
			"diff stored.npz small.npy", "diff model.safetensors stored.npz",
			"convert -select :,1:3 large.npy out.npy", "convert -order C large.npy out.npy",
			"convert -dtype i1 large.npy out.npy",
			"convert deflated.npz:cube out.npy", "convert stored.npz out.npz", "convert small.npy out.csv",
			"convert model.safetensors out.npz", "convert deflated.npz out.safetensors", "convert -field x records.npy out.npy",
			"reduce -op min -axis 1 large.npy out.npy", "concat out.npy small.npy stored.npz:small",
			"pack out.npz a=small.npy large.npy",
			"pack out.safetensors stored.npz:cube", "append copy.npy small.npy", "set -select ... copy.npy @small.npy",
		} {
			if stdin == 0 && i%3 > 0 {
				continue
			}
			t.Run(strings.ReplaceAll(line, "/", "_"), func(t *testing.T) {
				run := func(args []string) string {
					check(t, os.WriteFile("copy.npy", files["small.npy"], 0o666))
					stdout, stderr, status := runTool(args...)
					text := fmt.Sprintf("%s%s%d", stdout, stderr, status)
					for _, name := range []string{"copy.npy", "out.npy", "out.npz", "out.csv", "out.safetensors"} {
						if b, err := os.ReadFile(name); err == nil {
							text += fmt.Sprintf("\n%s: %q", name, b)
							check(t, os.Remove(name))
						}
					}
					return text
				}
				args := strings.Fields(line)
				if strings.Contains(line, " out.") && slices.Contains([]string{"convert", "reduce", "concat", "pack"}, args[0]) {
					args = slices.Insert(args, 1, "-nosync")
				}
				want := run(args)
				got := strings.ReplaceAll(run(s.urls(args)), s.URL+"/", "")
				if diff := cmp.Diff(oneBlank(want), oneBlank(got)); diff != "" {
					t.Errorf("file -, URL +:\n%s", diff)
				}
			})
		}
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Errorf("temporary files: %v, %v", left, err)
	}
}

// oneBlank replaces runs of blanks by one, because the widths of columns depend on the names of files.
func oneBlank(s string) string {
	for strings.Contains(s, "  ") {
		s = strings.ReplaceAll(s, "  ", " ")
	}
	return s
}

// TestURLRequests tests the numbers of requests and of bytes.
func TestURLRequests(t *testing.T) {
	files := writeWebFiles(t)
	large := numbered(t, dtype.MustParse("<f4"), index.C, 100, 30000) // rows of 120,000 bytes
	var b bytes.Buffer
	check(t, array.Write(&b, large))
	files["wide.npy"] = b.Bytes()
	var list bytes.Buffer
	w := npz.NewWriter(&list)
	for _, name := range []string{"a", "wide", "b"} {
		check(t, w.Add(name, large, large.DType()))
	}
	check(t, w.Close())
	files["wide.npz"] = list.Bytes()
	s := newWebServer(t, files)
	const head = 64 << 10
	for _, c := range []struct {
		line            string
		requests, bytes int // at most
	}{
		{"info wide.npy", 1, head},
		{"ls wide.npy", 1, head},
		{"info wide.npz:wide", 3, 2*head + 5000},
		{"print -select :,20000 wide.npy", 101, head + 400},
		{"print -select :5,20000 wide.npy", 6, head + 20},
		{"print wide.npy", 12, head + 6*2*12},
		{"head -n 1 wide.npy", 3, head + 24},
		{"tail -n 2 -select ...,0 wide.npy", 3, head + 8},
		{"print -select -1,-1 wide.npz:wide", 4, 2*head + 5000},
		{"reduce -op sum -select 50:60 wide.npy -", 2, head + 1200000},
		{"stats -select 50,: wide.npy", 2, head + 120000},
		{"convert -force -select ::50,:10 wide.npy out.npy", 2, head + 40},
		{"diff wide.npy wide.npy", 7, 2*12000128 + head},
		{"check wide.npz", 11, len(files["wide.npz"])},
	} {
		t.Run(c.line, func(t *testing.T) {
			s.counts()
			if _, stderr, status := runTool(s.urls(strings.Fields(c.line))...); status != 0 {
				t.Fatal(status, stderr)
			}
			requests, bytes := s.counts()
			if requests > c.requests || bytes > c.bytes {
				t.Errorf("%d requests and %d bytes; want at most %d and %d", requests, bytes, c.requests, c.bytes)
			}
		})
	}
}

// TestURLErrors tests the messages and the exit status after errors of servers, and for wrong usage.
func TestURLErrors(t *testing.T) {
	files := writeWebFiles(t)
	s := newWebServer(t, files)
	secret := strings.Replace(s.URL, "http://", "http://user:word@", 1)
	replaced := func(w http.ResponseWriter, r *http.Request) bool { // the file after the first answer
		s.versions[strings.TrimPrefix(r.URL.Path, "/")] = s.requests
		return false
	}
	status := func(code int) func(http.ResponseWriter, *http.Request) bool {
		return func(w http.ResponseWriter, r *http.Request) bool {
			w.WriteHeader(code)
			return true
		}
	}
	whole := func(w http.ResponseWriter, r *http.Request) bool { // as a server without ranges
		w.Write(s.files[strings.TrimPrefix(r.URL.Path, "/")])
		return true
	}
	late := func(w http.ResponseWriter, r *http.Request) bool { // requests of elements fail
		var from, to int
		fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-%d", &from, &to)
		if from == 0 || to-from < 100000 {
			return false
		}
		w.WriteHeader(http.StatusForbidden)
		return true
	}
	redirect := func(w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == "/moved.npy" {
			w.Header().Set("Location", "/small.npy")
			w.WriteHeader(http.StatusFound)
			return true
		}
		return false
	}
	for _, c := range []struct {
		line   string // WEB is the URL of the server, and SECRET the URL with user and password
		before func(http.ResponseWriter, *http.Request) bool
		want   string // the start of standard error, or of standard output
		status int
	}{
		{"print -select 0 WEB/moved.npy", redirect, "[0. 1. 2. 3. 4.]\n", 0},
		{"print WEB/absent.npy", nil, "npy: WEB/absent.npy: ", 1},
		{"print SECRET/absent.npy?sig=abc", nil, "npy: WEB/absent.npy: ", 1},
		{"info WEB/small.npy WEB/absent.npz", nil, "npy: WEB/absent.npz: ", 1},
		{"ls WEB/absent.npy", nil, "npy: WEB/absent.npy: ", 1},
		{"check WEB/absent.safetensors", nil, "npy: WEB/absent.safetensors: ", 1},
		{"diff WEB/absent.npz small.npy", nil, "npy: WEB/absent.npz: ", 2},
		{"print WEB/small.npy", status(403), "npy: WEB/small.npy: ", 1},
		{"print WEB/small.npy", status(410), "npy: WEB/small.npy: ", 1},
		{"print WEB/small.npy", whole, "npy: WEB/small.npy: ", 1},
		{"print WEB/cube.npy", nil, "[[[", 0},
		{"print WEB/large.npy", replaced, "npy: WEB/large.npy: read bytes ", 1},
		{"print WEB/stored.npz:cube", replaced, "npy: WEB/stored.npz: ", 1},
		{"print -json WEB/stored.npz:cube", late, "npy: WEB/stored.npz:cube: read bytes ", 1},
		{"print -json WEB/model.safetensors:cube", late, "npy: WEB/model.safetensors:cube: read bytes ", 1},
		{"check WEB/stored.npz", late, "npy: WEB/stored.npz: read bytes ", 1},
		{"reduce -op sum WEB/large.npy -", replaced, "npy: WEB/large.npy: read bytes ", 1},
		{"stats WEB/large.npy", replaced, "npy: WEB/large.npy: read bytes ", 1},
		{"convert WEB/large.npy out.npy", replaced, "npy: WEB/large.npy: read bytes ", 1},
		{"check SECRET/large.npy?sig=abc", replaced, "npy: WEB/large.npy: read bytes ", 1},
		{"info SECRET/stored.npz?sig=abc", nil, "file          WEB/stored.npz\n", 0},
		{"info SECRET/small.npy?sig=abc", nil, "file          WEB/small.npy\n", 0},
		{"info -json SECRET/stored.npz?sig=a:b#small", nil, `{"path":"WEB/stored.npz","member":"small",`, 0},
		{"print SECRET/stored.npz?sig=a:b", nil,
			"npy: WEB/stored.npz: an archive; name one of its members, as WEB/stored.npz#", 1},
		{"print -select 0,0 SECRET/stored.npz?sig=a:b#small", nil, "0.0\n", 0},
		{"check SECRET/stored.npz?sig=a:b", nil, "WEB/stored.npz#cube: ok ", 0},
		{"convert SECRET/stored.npz?sig=a:b out.npz", nil, "", 0},
		{"pack -force out.npz SECRET/small.npy?sig=a=b", nil, "", 0},
		{"print WEB/model.safetensors.index.json:w", nil,
			"npy: WEB/model.safetensors.index.json: the index of a model in shards must be a local file", 1},
		{"print http://", nil, "npy: http://: ", 1},
		{"set -select 0 WEB/small.npy 1", nil, "npy: set: WEB/small.npy is a URL, which cannot be edited in place\n", 2},
		{"set -select 0 SECRET/stored.npz:small?sig 1", nil, "npy: set: WEB/stored.npz:small?sig is a URL, ", 2},
		{"append WEB/small.npy small.npy", nil, "npy: append: WEB/small.npy is a URL, which cannot be appended to\n", 2},
		{"truncate 2 WEB/small.npy", nil, "npy: truncate: WEB/small.npy is a URL, which cannot be edited in place\n", 2},
		{"repair WEB/stored.npz", nil, "npy: repair: WEB/stored.npz is a URL, which cannot be edited in place\n", 2},
		{"new -dtype u1 -shape 2 WEB/new.npy", nil, "npy: new: WEB/new.npy is a URL, but OUT must be a file\n", 2},
		{"convert small.npy WEB/new.npy", nil, "npy: convert: WEB/new.npy is a URL, but OUT must be a file\n", 2},
		{"convert small.npy WEB/new.csv", nil, "npy: convert: WEB/new.csv is a URL, but OUT must be a file\n", 2},
		{"convert stored.npz WEB/new.npz", nil, "npy: convert: WEB/new.npz is a URL, but OUT must be a file\n", 2},
		{"reduce -op sum small.npy WEB/new.npy", nil, "npy: reduce: WEB/new.npy is a URL, but OUT must be a file\n", 2},
		{"concat WEB/new.npy small.npy", nil, "npy: concat: WEB/new.npy is a URL, but OUT must be a file\n", 2},
		{"pack WEB/new.npz small.npy", nil, "npy: pack: WEB/new.npz is a URL, but OUT must be a file\n", 2},
		{"refs WEB/new.json small.npy", nil, "npy: refs: WEB/new.json is a URL, but OUT must be a file\n", 2},
		{"refs new.json WEB/small.npy", nil, "npy: refs: WEB/small.npy is a URL, which cannot be referenced\n", 2},
	} {
		t.Run(strings.ReplaceAll(c.line, "/", "_"), func(t *testing.T) {
			s.restart(c.before)
			line := strings.ReplaceAll(strings.ReplaceAll(c.line, "SECRET", secret), "WEB", s.URL)
			stdout, stderr, status := runTool(strings.Fields(line)...)
			got := stdout
			if status != 0 {
				got = stderr
			}
			if want := strings.ReplaceAll(c.want, "WEB", s.URL); !strings.HasPrefix(got, want) || status != c.status {
				t.Errorf("%q, status %d; want %q, status %d", got, status, want, c.status)
			}
			if n := strings.Count(stderr, "\n"); n > 1 && status == 1 {
				t.Errorf("%d lines: %s", n, stderr)
			}
			if text := stdout + stderr; strings.Contains(text, "word@") || strings.Contains(text, "sig=") {
				t.Errorf("%s shows a secret", text)
			}
			if strings.Count(stderr, s.URL) > 1 && status == 1 && c.before != nil {
				t.Errorf("%s has the URL twice", stderr)
			}
		})
	}
	packed, err := npz.Open("out.npz", array.ReadOnly)
	check(t, err)
	defer packed.Close()
	if names := packed.Names(); !slices.Equal(names, []string{"small"}) {
		t.Errorf("members %q, packed from a URL with a query; want small", names)
	}
}

// TestURLObjects tests that arrays of Python objects behind a URL are shown and converted like local ones.
func TestURLObjects(t *testing.T) {
	t.Chdir(t.TempDir())
	b := "\x93NUMPY\x01\x00\x46\x00{'descr': '|O', 'fortran_order': False, 'shape': (2,), }"
	b += strings.Repeat(" ", 10+0x46-len(b)-1) + "\n"
	head := b
	// pickle.dumps(np.array(["a", "b"], object), 2)
	b += "\x80\x02cnumpy.core.multiarray\n_reconstruct\ncnumpy\nndarray\nK\x00\x85c_codecs\nencode\nX\x01\x00\x00\x00b" +
		"X\x06\x00\x00\x00latin1\x86R\x87R(K\x01K\x02\x85cnumpy\ndtype\nX\x02\x00\x00\x00O8\x89\x88\x87R" +
		"(K\x03X\x01\x00\x00\x00|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]" +
		"(X\x01\x00\x00\x00aX\x01\x00\x00\x00betb."
	check(t, os.WriteFile("o.npy", []byte(b), 0o666))
	check(t, os.WriteFile("bad.npy", []byte(head+"pickle"), 0o666))
	var archive bytes.Buffer
	w := zip.NewWriter(&archive)
	for _, name := range []string{"stored.npy", "deflated.npy"} {
		method := zip.Store
		if name == "deflated.npy" {
			method = zip.Deflate
		}
		m, err := w.CreateHeader(&zip.FileHeader{Name: name, Method: method})
		check(t, err)
		_, err = m.Write([]byte(b))
		check(t, err)
	}
	check(t, w.Close())
	check(t, os.WriteFile("o.npz", archive.Bytes(), 0o666))
	s := newWebServer(t, map[string][]byte{"o.npy": []byte(b), "bad.npy": []byte(head + "pickle"),
		"o.npz": archive.Bytes()})
	if got, stderr, _ := runTool("print", "o.npy"); got != "['a' 'b']\n" {
		t.Fatal(got, stderr)
	}
	for _, line := range []string{
		"info o.npy", "ls o.npy", "check o.npy", "print o.npy", "print -json -select 1 o.npy",
		"convert -nosync -force o.npy out.npy",
		"convert -nosync -force -select :1 o.npy out.npy", "info bad.npy", "print bad.npy", "info o.npz", "ls o.npz",
		"print o.npz:stored", "print o.npz:deflated", "check o.npz", "print o.npz:absent",
	} {
		t.Run(line, func(t *testing.T) {
			run := func(args []string) string {
				stdout, stderr, status := runTool(args...)
				made, _ := os.ReadFile("out.npy")
				os.Remove("out.npy")
				return oneBlank(fmt.Sprintf("%s%s%d%q", stdout, stderr, status, made))
			}
			args := strings.Fields(line)
			want := run(args)
			got := strings.ReplaceAll(run(s.urls(args)), s.URL+"/", "")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("file -, URL +:\n%s", diff)
			}
		})
	}
}

// TestURLCompletion tests that completion of a URL asks no server.
func TestURLCompletion(t *testing.T) {
	s := newWebServer(t, writeWebFiles(t))
	for _, words := range [][]string{
		{"print", s.URL + "/stored.npz:"}, {"set", "-select", "0", "small.npy", "@" + s.URL + "/stored.npz:"},
		{"print", s.URL + "/records.npy", "-field", ""},
	} {
		got, stderr, status := runTool(append([]string{"completion", "bash", "npy"}, words...)...)
		if got != "" || status != 0 {
			t.Error(got, stderr, status)
		}
	}
	if n, _ := s.counts(); n > 0 {
		t.Errorf("%d requests", n)
	}
}

// TestURLInterrupt tests that a signal stops requests, and leaves no files.
func TestURLInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot send itself an interrupt on Windows")
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	s := newWebServer(t, writeWebFiles(t))
	requested, ended := make(chan bool, 1), make(chan bool)
	s.restart(func(http.ResponseWriter, *http.Request) bool {
		if s.requests == 2 {
			requested <- true
			<-ended
		}
		return false
	})
	t.Setenv("TMPDIR", t.TempDir())
	cmd := exec.Command(os.Args[0], "reduce", "-op", "median", s.URL+"/large.npy", "out.npy")
	cmd.Env = append(os.Environ(), asTool+"=1")
	check(t, cmd.Start())
	<-requested
	check(t, cmd.Process.Signal(os.Interrupt))
	err := cmd.Wait()
	close(ended)
	if status, ok := err.(*exec.ExitError); !ok || status.Success() {
		t.Error(err)
	}
	if left, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	if _, err := os.Stat("out.npy"); err == nil {
		t.Error("out.npy exists")
	}
}

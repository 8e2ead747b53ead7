package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// changes waits until the array has a version other than version, and returns its info.
func (s *session) changes(id string, version int) (i info) {
	s.t.Helper()
	s.getJSON(&i, fmt.Sprintf("/api/array/%s/changes?version=%d", id, version))
	if i.Version == version {
		s.t.Fatalf("version %d again", version)
	}
	return i
}

// touch sets the modification time of a file to the future, which changes it even if the system has a coarse clock.
func touch(t testing.TB, path string) {
	t.Helper()
	when := time.Now().Add(time.Hour)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

// TestGrowthAndEdit tests that the server notices appended rows and edited elements.
func TestGrowthAndEdit(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows tells the time of a mapped file late")
	}
	path := filepath.Join(t.TempDir(), "a.npy")
	f, err := array.Create(path, dtype.Int32, index.C, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := enter(t, path)
	id := s.id("a.npy")
	var i info
	s.getJSON(&i, "/api/array/"+id)
	if i.Status != "ok" || i.Shape[0] != 2 {
		t.Fatalf("%+v", i)
	}
	row, err := array.FromSlice([]int32{7, 8, 9}, 1, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Append(row.Array(), row.Array()); err != nil {
		t.Fatal(err)
	}
	for i.Shape[0] != 4 {
		if i = s.changes(id, i.Version); i.Status != "ok" {
			t.Fatalf("after two rows: %+v", i)
		}
	}
	if got := s.tile(id, "y=0&x=1&level=0&row=0&col=0"); !cmp.Equal(got.values, []float32{0, 0, 0, 0, 0, 0, 7, 8, 9, 7, 8,
		9}) {
		t.Errorf("after two rows: %v", got.values)
	}
	s.getJSON(&i, "/api/array/"+id)
	v, err := array.As[int32](f.Array)
	if err != nil {
		t.Fatal(err)
	}
	v.SetAt(-5, 0, 1)
	touch(t, path)
	for s.tile(id, "y=0&x=1&level=0&row=0&col=0").values[1] != -5 { // until the server has noticed the change
		if i = s.changes(id, i.Version); i.Status != "ok" {
			t.Fatalf("after an edit: %+v", i)
		}
	}
}

// TestTruncatedDifference tests that the difference of a truncated file cannot be saved, and that both files are closed
// nevertheless.
func TestTruncatedDifference(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no /proc/self/maps")
	}
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "gone.npy"), "<f8", index.C, fillRamp, 1000, 100)
	save(t, filepath.Join(dir, "b.npy"), "<f8", index.C, fillRamp, 1000, 100)
	s := enter(t, dir)
	top := filepath.Base(dir)
	id, b := s.id(top, "gone.npy"), s.id(top, "b.npy")
	s.get("/api/array/" + id)
	if err := os.Truncate(path, 4096); err != nil {
		t.Fatal(err)
	}
	code, answer := s.request("GET", "/api/array/"+id+"/save?y=0&x=1&y0=0&y1=300&x0=0&x1=100&minus="+b+"&minusAt=0,0", "",
		nil)
	if !strings.HasPrefix(string(answer), `{"error":"the file has no data at byte `) || code != 500 {
		t.Errorf("%d %.100q", code, answer)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	save(t, path, "<i2", index.C, fillRamp, 4)
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		s.request("GET", "/api/array/"+id+"/value?at=1", "", nil) // opens the new file
		maps, err := os.ReadFile("/proc/self/maps")
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(maps), "gone.npy (deleted)") {
			return
		}
	}
	t.Error("the removed file is still mapped")
}

// TestTruncated tests that truncation of a file fails only those requests that need the missing bytes, and that a new
// file at the path is shown.
func TestTruncated(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows truncates no file that is mapped")
	}
	dir := t.TempDir()
	path := save(t, filepath.Join(dir, "a.npy"), "<f8", index.C, fillRamp, 1000, 100)
	s := enter(t, path)
	id := s.id("a.npy")
	var i info
	s.getJSON(&i, "/api/array/"+id)
	if err := os.Truncate(path, 128+800*10); err != nil {
		t.Fatal(err)
	}
	for i.Status == "ok" {
		i = s.changes(id, i.Version)
	}
	want := info{Name: "a.npy", Status: "truncated", Message: "the file has 8128 bytes, and the array ends at byte 800128"}
	if i.Status != want.Status || i.Message != want.Message {
		t.Errorf("truncated: %+v", i)
	}
	for _, query := range []string{"/tile?y=0&x=1&level=0&row=3&col=0", "/value?at=999,0", "/rows?axis=0&cols=1&from=900",
		"/line?x=0&at=0,0&from=500&to=1000&n=10", "/range?y=0&x=1"} {
		code, b := s.request("GET", "/api/array/"+id+query, "", nil)
		if !strings.HasPrefix(string(b), `{"error":"the file has no data at byte `) || code != 500 {
			t.Errorf("%s of a truncated file: %d %s", query, code, b)
		}
	}
	// An error before the header has been sent is an error response. After that, the response is cut off.
	code, b := s.request("GET", "/api/array/"+id+"/save?y=0&x=1&y0=0&y1=300&x0=0&x1=100", "", nil)
	if !strings.HasPrefix(string(b), `{"error":"the file has no data at byte `) || code != 500 {
		t.Errorf("a truncated part was saved: %d %.100q", code, b)
	}
	if r, err := s.client.Get(s.base + "/api/array/" + id + "/save?y=0&x=1&y0=0&y1=950&x0=0&x1=100"); err == nil {
		if _, err := io.Copy(io.Discard, r.Body); err == nil {
			t.Errorf("half of an array was saved with %s", r.Status)
		}
		r.Body.Close()
	}
	if got := s.job(id, `{"kind":"moments"}`); !got.Done || !strings.HasPrefix(got.Error,
		"the file has no data at byte ") {
		t.Errorf("a job of a truncated file: %+v", got)
	}
	if b := s.get("/api/array/" + id + "/value?at=1,1"); !strings.Contains(string(b), `"text":"101.0"`) {
		t.Errorf("the rest of a truncated file: %s", b)
	}
	// Write another array to the same file, as numpy.save does.
	small := save(t, filepath.Join(dir, "b.npy"), "<i2", index.C, fillRamp, 4)
	whole, err := os.ReadFile(small)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, whole, 0o600); err != nil {
		t.Fatal(err)
	}
	for i.Status != "ok" {
		i = s.changes(id, i.Version)
	}
	if !cmp.Equal(i.Shape, []int{4}) || i.DType != "<i2" {
		t.Errorf("after writing the file again: %+v", i)
	}
}

// TestGoneAndReplaced tests that a removed file can be read until another file has its path.
func TestGoneAndReplaced(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows removes no file that is mapped")
	}
	path := save(t, filepath.Join(t.TempDir(), "a.npy"), "<f4", index.C, fillRamp, 5)
	s := enter(t, path)
	id := s.id("a.npy")
	var i info
	s.getJSON(&i, "/api/array/"+id)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for i.Status == "ok" {
		i = s.changes(id, i.Version)
	}
	if i.Status != "gone" || i.Message != "the file is gone; its content can still be shown" {
		t.Errorf("removed: %+v", i)
	}
	if b := s.get("/api/array/" + id + "/value?at=3"); !strings.Contains(string(b), `"text":"3.0"`) {
		t.Errorf("removed: %s", b)
	}
	save(t, path, "<i8", index.C, nil, 2, 2)
	for i.Status == "gone" {
		i = s.changes(id, i.Version)
	}
	if i.Status != "replaced" || !cmp.Equal(i.Shape, []int{2, 2}) ||
		i.Message != "another file has replaced the one shown before" {
		t.Errorf("replaced: %+v", i)
	}
	if b := s.get("/api/array/" + id + "/value?at=1,1"); !strings.Contains(string(b), `"text":"0"`) {
		t.Errorf("replaced: %s", b)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("no array"), 0o600); err != nil {
		t.Fatal(err)
	}
	for i.Status != "error" {
		i = s.changes(id, i.Version)
	}
	if !strings.Contains(i.Message, "not a .npy file") {
		t.Errorf("after overwriting the file with text: %+v", i)
	}
}

// TestInflated tests the limit of memory for inflated members. Unused members make room for others, and a member that
// exceeds the limit is an error that names the flag.
func TestInflated(t *testing.T) {
	dir := t.TempDir()
	a, err := array.New(dtype.Uint8, index.C, 400<<10)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	b, err := array.New(dtype.Uint8, index.C, 2<<20)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	members := map[string]array.Array{"large": b.Array}
	for _, name := range strings.Fields("a b c d e f") {
		members[name] = a.Array
	}
	path := filepath.Join(dir, "d.npz")
	if err := (npz.SaveConfig{Compress: true}).Save(path, members); err != nil {
		t.Fatal(err)
	}
	s := enter(t, "-inflate", "1", path)
	for range 3 {
		for _, name := range strings.Fields("a b c d e f") {
			var i info
			s.getJSON(&i, "/api/array/"+s.id("d.npz", name))
			if i.Status != "ok" || !i.Inflated || i.DataOffset != nil {
				t.Errorf("%s: %+v", name, i)
			}
		}
	}
	var i info
	s.getJSON(&i, "/api/array/"+s.id("d.npz", "large"))
	if i.Status != "error" || !strings.Contains(i.Message, "-inflate") {
		t.Errorf("large: %+v", i)
	}
}

// TestFolder tests the listing of a folder. It must contain only archives and arrays, and no links that lead out of the
// folder.
func TestFolder(t *testing.T) {
	outside := save(t, filepath.Join(t.TempDir(), "secret.npy"), "<f4", index.C, fillRamp, 5)
	dir := t.TempDir()
	save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 5)
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	save(t, filepath.Join(dir, "sub", "b.npy"), "<f4", index.C, fillRamp, 5)
	for name, text := range map[string]string{".hidden.npy": "", "notes.txt": "", "bad.npy": "no array",
		"bad.npz": "no archive"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"out.npy": outside, "in.npy": filepath.Join("sub", "b.npy"),
		"up": filepath.Dir(outside), "loop": "."} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Skip("no symbolic links: ", err)
		}
	}
	list := func(args ...string) []string {
		s := enter(t, args...)
		var list struct{ Sources []node }
		s.getJSON(&list, "/api/sources")
		var names []string
		var walk func(prefix string, nodes []node)
		walk = func(prefix string, nodes []node) {
			for _, n := range nodes {
				names = append(names, prefix+n.Name+" "+n.Kind+" "+n.Error)
				if n.Name == "bad.npy" {
					var info struct{ Message string }
					if s.getJSON(&info, "/api/array/"+n.ID); info.Message != n.Error {
						t.Errorf("a broken file: message %q, but %q in the list", info.Message, n.Error)
					}
				}
				if n.Name == "out.npy" {
					if code, _ := s.request("GET", "/api/array/"+n.ID, "", nil); code != 404 {
						t.Errorf("a link out of the folder: %d", code)
					}
				}
				walk(prefix+n.Name+"/", n.Children)
			}
		}
		walk("", list.Sources[0].Children)
		return names
	}
	want := []string{
		"a.npy array ",
		"bad.npy array text, not a .npy file; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt",
		`bad.npz archive text, not a zip archive (.npz); it may say what went wrong where the file was made or downloaded`,
		"in.npy array ",
		"out.npy array a link that leaves the folder is not followed",
	}
	if diff := cmp.Diff(want, list(dir)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(append(want, "sub folder ", "sub/b.npy array "), list("-r", dir)); diff != "" {
		t.Error(diff)
	}

	// A link that is changed to lead out of the folder is refused when it is opened.
	s := enter(t, dir)
	id := s.id(filepath.Base(dir), "in.npy")
	if err := os.Remove(filepath.Join(dir, "in.npy")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "in.npy")); err != nil {
		t.Fatal(err)
	}
	if code, b := s.request("GET", "/api/array/"+id+"/value?at=0", "", nil); code == 200 {
		t.Errorf("a link that now leads out of the folder: %s", b)
	}
}

package main

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// pickles writes files of Python objects. evil is text that would run a script if it became markup.
const pickles = `
import os
os.chdir(x)
evil = "` + evil + `"
params = {"lr": 0.1, "layers": [64, 32], evil: evil, "bias": np.arange(6.0).reshape(2, 3), "none": None}
np.save("params.npy", np.array(params, dtype=object))
np.save("names.npy", np.array(["one", "two", evil], dtype=object))
np.save("counts.npy", np.array([[1, 2.5, True], [4, 5, 6]], dtype=object))
np.save("mixed.npy", np.array([1, "a", [2, 3], None], dtype=object))
np.save("many.npy", np.array([list(range(1000)), {}, "end"], dtype=object))
r = np.zeros(2, [("id", "i4"), ("tags", "O")])
r["tags"] = [["a"], {"b": 1}]
np.save("records.npy", r)
np.savez("stored.npz", params=np.array(params, dtype=object), w=np.arange(3))
np.savez_compressed("packed.npz", params=np.array(params, dtype=object))
class Code:
    def __reduce__(self): return (os.system, ("touch ran",))
np.save("code.npy", np.array([1, Code()], dtype=object), allow_pickle=True)
np.save("large.npy", np.array([["x" * 100, k] for k in range(9000)], dtype=object))
`

// A treePage is a response for children of a Python object.
type treePage struct {
	From, Total int
	Items       []struct {
		Label, Type, Text string
		Count             int
	}
}

func (p treePage) String() string {
	lines := []string{}
	for _, x := range p.Items {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%d", x.Label, x.Type, x.Text, x.Count))
	}
	return fmt.Sprintf("%d of %d: %s", p.From, p.Total, strings.Join(lines, "; "))
}

// TestObjects tests the listing, the description and the tree of files and members of Python objects.
func TestObjects(t *testing.T) {
	dir := t.TempDir()
	if err := oracle.Start(t).Run(pickles, dir, nil); err != nil {
		t.Fatal(err)
	}
	s := enter(t, "-inflate", "4", dir)
	folder := filepath.Base(dir)
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	summaries := map[string]string{}
	for _, n := range list.Sources[0].Children {
		if n.Error != "" {
			t.Errorf("%s is listed with the error %q", n.Name, n.Error)
		}
		summaries[n.Name] = n.Summary
	}
	for name, want := range map[string]string{"params.npy": "|O", "counts.npy": "|O · 2 × 3",
		"records.npy": "2 fields · 2",
		"code.npy":    "|O · 2"} {
		if got := summaries[name]; got != want {
			t.Errorf("%s is listed as %q, want %q", name, got, want)
		}
	}

	for _, c := range []struct{ name, status, kind, dtype, mode, shape string }{
		{"params.npy", "ok", "object", "|O", "tree", "[]"},
		{"stored.npz/params", "ok", "object", "|O", "tree", "[]"},
		{"mixed.npy", "ok", "object", "|O", "tree", "[4]"},
		{"records.npy", "ok", "object", "[('id', '<i4'), ('tags', '|O')]", "tree", "[2]"},
		{"names.npy", "ok", "str", "<U34", "table", "[3]"},
		{"counts.npy", "ok", "float", "<f8", "table", "[2 3]"},
		{"stored.npz/w", "ok", "int", "<i8", "lines", "[3]"},
	} {
		var i info
		s.getJSON(&i, "/api/array/"+s.id(append([]string{folder}, strings.Split(c.name, "/")...)...))
		if i.Status != c.status || i.Kind != c.kind || i.DType != c.dtype || i.First.Mode != c.mode ||
			fmt.Sprint(i.Shape) != c.shape {
			t.Errorf("%s: %s %s %s %s %v %s, want %v", c.name, i.Status, i.Kind, i.DType, i.First.Mode, i.Shape, i.Message, c)
		}
	}

	params := "0 of 5: lr|float|0.1|0; layers|list|[64, 32]|2; '" + evil + "'|str|'" + evil +
		"'|0; bias|array <f8 [2 × 3]||6; none|None|None|0"
	params = strings.ReplaceAll(params, "lr|", "'lr'|")
	for _, name := range []string{"layers", "bias", "none"} {
		params = strings.ReplaceAll(params, name+"|", "'"+name+"'|")
	}
	for _, c := range []struct{ name, query, want string }{
		{"params.npy", "path=0", params},
		{"stored.npz/params", "path=0", params},
		{"packed.npz/params", "path=0", params},
		{"params.npy", "path=0,1&from=1", "1 of 2: 1|int|32|0"},
		{"params.npy", "path=0,3&from=4", "4 of 6: [1, 1]|<f8|4.0|0; [1, 2]|<f8|5.0|0"},
		{"mixed.npy", "", "0 of 4: [0]|int|1|0; [1]|str|'a'|0; [2]|list|[2, 3]|2; [3]|None|None|0"},
		{"records.npy", "path=1", "0 of 2: id|int|0|0; tags|dict|{'b': 1}|1"},
		{"counts.npy", "from=4&count=1", "4 of 6: [1, 1]|int|5|0"},
		{"many.npy", "path=0&from=998", "998 of 1000: 998|int|998|0; 999|int|999|0"},
	} {
		var p treePage
		s.getJSON(&p, "/api/array/"+s.id(append([]string{folder}, strings.Split(c.name, "/")...)...)+"/tree?"+c.query)
		if got := p.String(); got != c.want {
			t.Errorf("%s %s: %s, want %s", c.name, c.query, got, c.want)
		}
	}
	var p treePage
	if s.getJSON(&p, "/api/array/"+s.id(folder, "many.npy")+"/tree?path=0"); len(p.Items) != 200 {
		t.Errorf("a page has %d values, want 200", len(p.Items))
	}
	var cell struct{ Rows [][]string }
	s.getJSON(&cell, "/api/array/"+s.id(folder, "names.npy")+"/rows?axis=0&at=0")
	if want := [][]string{{"one"}, {"two"}, {evil}}; !slices.EqualFunc(cell.Rows, want, slices.Equal) {
		t.Errorf("the table of texts has %q, want %q", cell.Rows, want)
	}

	array := func(name string) string { return "/api/array/" + s.id(folder, name) }
	const refused = `pickle at byte 278: "posix.system" is neither a plain value nor an array, and ndmap runs no code`
	for _, c := range []struct {
		path, message string
		status        int
	}{
		{array("params.npy") + "/tree?path=0,5", "path=5 at level 1: the value has 5 children", 400},
		{array("params.npy") + "/tree?path=-1", "path=-1: want 0 to 9223372036854775807", 400},
		{array("params.npy") + "/tree?path=x", `path="x": want an integer`, 400},
		{array("params.npy") + "/tree?path=" + strings.Repeat("0,", 99) + "0", "path has 100 entries: want at most 99", 400},
		{array("params.npy") + "/tree?count=201", "count=201: want 0 to 200", 400},
		{array("params.npy") + "/tree?from=-1", "from=-1: want 0 to", 400},
		{array("params.npy") + "/value?at=", "the elements are Python objects that have no other dtype", 400},
		{array("mixed.npy") + "/tile?y=-1&x=0&level=0&row=0&col=0", "the elements are Python objects", 400},
		{array("params.npy") + "?field=lr", `no field "lr": the elements are Python objects`, 400},
		{"/api/array/" + s.id(folder, "stored.npz", "w") + "/tree", "have no tree: want Python objects", 400},
		{array("code.npy") + "/tree", refused, 422},
		{array("large.npy") + "/tree", "the pickle has too many values; a larger limit can be set (npyview -inflate)", 422},
	} {
		status, b := s.request(http.MethodGet, c.path, "", nil)
		if status != c.status || !strings.Contains(string(b), strings.ReplaceAll(c.message, `"`, `\"`)) {
			t.Errorf("GET %s: %d %s, want %d %s", c.path, status, b, c.status, c.message)
		}
	}
	var i info
	if s.getJSON(&i, array("code.npy")); i.Status != "error" || !strings.HasPrefix(i.Message, refused) {
		t.Errorf("a pickle that runs code: %s: %s", i.Status, i.Message)
	}
	if _, err := os.Stat(filepath.Join(dir, "ran")); err == nil {
		t.Error("a pickle ran its code")
	}

	// The code for a table of objects opens them.
	var code struct{ Go, NumPy string }
	s.getJSON(&code, array("counts.npy")+"/copy?at=0,0&y=0&x=1&y0=0&y1=2&x0=1&x1=3")
	if want := "np.load(" + fmt.Sprintf("%q", filepath.Join(dir,
		"counts.npy")) + ", allow_pickle=True)[0:2, 1:3]"; code.NumPy != want {
		t.Errorf("the code for NumPy is %s, want %s", code.NumPy, want)
	}
	var member struct{ Go string }
	s.getJSON(&member, array("names.npy")+"/copy?at=0&y=-1&x=0&y0=0&y1=1&x0=1&x1=3")
	checkGo(t, code.Go, member.Go)

	// The tree follows the file.
	id := s.id(folder, "mixed.npy")
	s.getJSON(&i, "/api/array/"+id)
	if err := os.Rename(filepath.Join(dir, "params.npy"), filepath.Join(dir, "mixed.npy")); err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Millisecond) // the server checks a file at most every 50 ms
	var next info
	s.getJSON(&next, "/api/array/"+id+"/changes?version="+url.QueryEscape(fmt.Sprint(i.Version)))
	s.getJSON(&p, "/api/array/"+id+"/tree?path=0")
	if next.Status != "replaced" || len(next.Shape) != 0 || p.String() != params {
		t.Errorf("after the file was replaced: %s %v %v", next.Status, next.Shape, p)
	}
}

package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestRefsText tests complete references: with a padded copy, with a tail, to files whose names need escapes in URLs,
// and to ranges that are not in the order of chunks.
func TestRefsText(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.Mkdir("a b", 0o777))
	const name = "a b/x%20#\u00e9.npy"
	for _, args := range [][]string{
		{"new", "-dtype", ">i2", "-shape", "5,2", "-fill", "258", name},
		{"new", "-dtype", "[('x', '<i2'), ('\u00e9\U0001f600', '|u1', (2,))]", "-shape", "700007", "-sparse", "r.npy"},
		{"pack", "r.npz", "r.npy"},
		{"refs", "-base", "https://host/data/", "-concat", "0", "-chunk", "16", "copy.json", name},
		{"refs", "-base", "file:///data", "-stack", "0", "order.json", name, name, name},
		{"refs", "-base", "http://host:80", "-stack", "-1", "http.json", name, name, name},
		{"refs", "-base", "s3://bucket", "-stack", "1", "stack.json", "a b/../" + name},
		{"refs", "-base", "file:///data", "-chunk", "2000000", "tail.json", "r.npz:r"},
	} {
		if _, stderr, status := runTool(args...); status != 0 {
			t.Fatal(args, stderr)
		}
	}
	for name, want := range map[string]string{
		"copy.json": `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"data/.zarray":"{\"zarr_format\":2,\"shape\":[5,2],\"chunks\":[4,2],\"dtype\":\">i2\",\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"data/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"dim_0\",\"dim_1\"]}",
"data/0.0":["https://host/data/a%20b/x%2520%23%C3%A9.npy",128,16],
"data/1.0":"base64:AQIBAgAAAAAAAAAAAAAAAA=="
}}
`,
		"stack.json": `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"data/.zarray":"{\"zarr_format\":2,\"shape\":[5,1,2],\"chunks\":[5,1,2],\"dtype\":\">i2\",\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"data/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"dim_0\",\"dim_1\",\"dim_2\"]}",
"data/0.0.0":["s3://bucket/a b/x%20#é.npy",128,20]
}}
`,
		"order.json": `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"data/.zarray":"{\"zarr_format\":2,\"shape\":[3,5,2],\"chunks\":[1,5,2],\"dtype\":\">i2\",\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"data/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"dim_0\",\"dim_1\",\"dim_2\"]}",
"data/0.0.0":["file:///./././data/a b/x%20#é.npy",128,20],
"data/1.0.0":["file:///././/data/a b/x%20#é.npy",128,20],
"data/2.0.0":["file:///.//./data/a b/x%20#é.npy",128,20]
}}
`,
		"http.json": `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"data/.zarray":"{\"zarr_format\":2,\"shape\":[5,2,3],\"chunks\":[5,2,1],\"dtype\":\">i2\",\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"data/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"dim_0\",\"dim_1\",\"dim_2\"]}",
"data/0.0.0":["http://host:80/%2E/%2E/a%20b/x%2520%23%C3%A9.npy",128,20],
"data/0.0.1":["http://host:80/%2E/./a%20b/x%2520%23%C3%A9.npy",128,20],
"data/0.0.2":["http://host:80/./%2E/a%20b/x%2520%23%C3%A9.npy",128,20]
}}
`,
		"tail.json": `{"version":1,"refs":{
".zgroup":"{\"zarr_format\":2}",
"data/.zarray":"{\"zarr_format\":2,\"shape\":[500000],\"chunks\":[500000],\"dtype\":[[\"x\",\"<i2\"],[\"\\u00e9\\ud83d\\ude00\",\"|u1\",[2]]],\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"data/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"dim_0\"]}",
"data/0":["file:///data/r.npz",192,2000000],
"tail/.zarray":"{\"zarr_format\":2,\"shape\":[200007],\"chunks\":[200007],\"dtype\":[[\"x\",\"<i2\"],[\"\\u00e9\\ud83d\\ude00\",\"|u1\",[2]]],\"order\":\"C\",\"fill_value\":null,\"compressor\":null,\"filters\":null}",
"tail/.zattrs":"{\"_ARRAY_DIMENSIONS\":[\"tail_0\"],\"continues\":\"data\",\"axis\":0}",
"tail/0":["file:///data/r.npz",2000192,800028]
}}
`,
	} {
		t.Run(name, func(t *testing.T) {
			b, err := os.ReadFile(name)
			check(t, err)
			if diff := cmp.Diff(want, string(b)); diff != "" {
				t.Errorf("%s: want -, got +\n%s", name, diff)
			}
		})
	}
}

// TestRefsMany tests that references to many chunks are written in constant memory. It logs the time.
func TestRefsMany(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "<f8", "-shape", "100000,16", "-sparse", "a.npy")
	measure := func(chunk string) (chunks int, allocated uint64) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := time.Now()
		if _, stderr, status := runTool("refs", "-force", "-chunk", chunk, "a.json", "a.npy"); status != 0 {
			t.Fatal(stderr)
		}
		took := time.Since(start)
		runtime.ReadMemStats(&after)
		b, err := os.ReadFile("a.json")
		check(t, err)
		for _, c := range b {
			if c == '[' {
				chunks++
			}
		}
		chunks -= 3 // the shape, the shape of chunks, and the names of the axes
		t.Logf("references to %d chunks, %d bytes: %v, %d bytes allocated", chunks, len(b), took,
			after.TotalAlloc-before.TotalAlloc)
		return chunks, after.TotalAlloc - before.TotalAlloc
	}
	few, little := measure("1280000")
	many, much := measure("128")
	if few != 10 || many != 100000 || much > little+1<<20 {
		t.Errorf("%d chunks allocate %d bytes, and %d chunks %d", few, little, many, much)
	}
}

// TestRefsFail tests that no references are left if a file cannot be read completely, or if the references cannot be
// written.
func TestRefsFail(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "<f8", "-shape", "1009", "a.npy")
	for _, args := range [][]string{
		{"refs", "-stack", "0", "out.json", "a.npy", "b.npy"},
		{"refs", filepath.Join("missing", "out.json"), "a.npy"},
	} {
		if _, stderr, status := runTool(args...); status != 1 {
			t.Errorf("%v: exit status %d, %s", args, status, stderr)
		}
	}
	if entries, err := os.ReadDir("."); len(entries) != 1 {
		t.Errorf("in the folder: %v, %v", entries, err)
	}
}

// TestRefsLink tests that references to link/../t.npy name the file that was read, which may differ from t.npy.
func TestRefsLink(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there link/../t.npy is t.npy")
	}
	dir, err := filepath.EvalSymlinks(t.TempDir())
	check(t, err)
	check(t, os.MkdirAll(filepath.Join(dir, "far", "sub"), 0o777))
	check(t, os.Mkdir(filepath.Join(dir, "near"), 0o777))
	check(t, os.Symlink(filepath.Join(dir, "far", "sub"), filepath.Join(dir, "near", "link")))
	t.Chdir(filepath.Join(dir, "near"))
	for _, name := range []string{"t.npy", "link/../t.npy"} {
		_, stderr, status := runTool("new", "-dtype", "i1", "-shape", "3", name)
		if _, stderr2, status2 := runTool("refs", "-force", "t.json", name); status+status2 > 0 {
			t.Fatal(stderr, stderr2)
		}
		b, err := os.ReadFile("t.json")
		check(t, err)
		want := filepath.Join(dir, map[bool]string{true: "near", false: "far"}[name == "t.npy"], "t.npy")
		if !strings.Contains(string(b), `["`+want+`",`) {
			t.Errorf("references to %s, want %s:\n%s", name, want, b)
		}
	}
	if _, stderr, status := runTool("refs", "-base", "https://host", "u.json", "link/../t.npy"); status != 1 ||
		stderr != "npy: link/../t.npy: the path goes through a link and \"..\", which a URL below -base cannot do; use a path without \"..\"\n" {
		t.Errorf("status %d, %q", status, stderr)
	}
}

// Package imports tests the structure of the source: the import graph, the types in exported signatures, panics, passes
// and temporary files of tests. It contains only tests.
package imports

import (
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/ndmap/ndmap"

// policy lists the packages that each folder may import, apart from the standard library. An entry also applies to the
// folders below it that have no separate entry. The graph must not have cycles.
//
// Tests may import every package of this module, go-cmp and golang.org/x/sys.
var policy = map[string][]string{
	"mmap":  {"internal/atomicfile", "internal/stable", "golang.org/x/sys"},
	"index": {},
	"dtype": {"internal/pylit", "internal/descr"},
	"array": {"mmap", "dtype", "index", "internal/pylit", "internal/npy", "internal/kernel",
		"internal/elem", "internal/strided", "internal/atomicfile", "internal/stable", "internal/watch", "internal/render",
		"internal/reduce", "internal/compare", "internal/jsontext", "internal/readat", "internal/report", "internal/nd",
		"internal/fetch", "internal/sorting"},
	"array/npz": {"mmap", "dtype", "index", "array", "internal/nd", "internal/npy", "internal/readat",
		"internal/stable", "internal/strided", "internal/zipfile", "internal/atomicfile", "internal/report"},
	"array/safetensors": {"mmap", "dtype", "index", "array", "internal/filekind", "internal/readat",
		"internal/stable", "internal/strided",
		"internal/tensors", "internal/atomicfile", "internal/report"},
	"array/objects": {"dtype", "index", "array", "array/npz", "internal/descr", "internal/jsontext", "internal/npy",
		"internal/pylit", "internal/render"},
	"array/httpat":      {"mmap"},
	"internal/faultfs":  {"golang.org/x/sys"},
	"internal/filekind": {},
	"internal/tensors":  {"dtype", "index", "internal/filekind", "internal/pylit"},
	"internal/zipfile":  {"internal/filekind"},
	"internal/pylit":    {},
	"internal/descr":    {},
	"internal/kernel":   {"golang.org/x/sys"},
	"internal/elem":     {"dtype", "internal/kernel", "internal/nearest"},
	"internal/nearest":  {},
	"internal/strided":  {"mmap", "index", "internal/elem", "internal/kernel", "internal/stable"},
	"internal/reduce":   {"dtype", "index", "internal/elem", "internal/kernel", "internal/nd", "internal/strided"},
	"internal/nd": {"mmap", "dtype", "index", "internal/elem", "internal/kernel", "internal/pylit", "internal/render",
		"internal/strided"},
	"internal/sorting":    {"dtype", "index", "internal/elem", "internal/kernel", "internal/nd", "internal/strided"},
	"internal/compare":    {"dtype", "internal/elem", "internal/kernel", "internal/strided"},
	"internal/atomicfile": {"golang.org/x/sys"},
	"internal/stable":     {},
	"internal/watch":      {"golang.org/x/sys"},
	"internal/render":     {"dtype", "index"},
	"internal/readat":     {"mmap"},
	"internal/report":     {},
	"internal/fetch": {"mmap", "dtype", "index", "internal/nd", "internal/npy", "internal/readat",
		"internal/strided"},
	"internal/jsontext":     {"dtype", "index", "internal/nd", "internal/render", "internal/stable", "internal/strided"},
	"internal/npy":          {"dtype", "index", "internal/filekind", "internal/pylit", "internal/descr"},
	"internal/oracle":       {},
	"internal/oracle/where": {"internal/oracle"},
	"internal/oracle/far":   {"array", "dtype", "index"},
	"internal/readme":       {},
	"internal/release":      {},
	"internal/imports":      {},
	"internal/insns":        {},
	"internal/mutate":       {},
	"internal/surface":      {},
	"internal/typecheck":    {"internal/typecheck"}, // its command
	"examples": {"mmap", "dtype", "index", "array", "array/npz", "array/safetensors", "array/objects",
		"golang.org/x/sys"},
	"examples/npy": {"mmap", "dtype", "index", "array", "array/httpat", "array/npz", "array/safetensors", "array/objects",
		"golang.org/x/sys",
		"internal/filekind", "internal/npy", "internal/render", "internal/jsontext", "internal/nearest",
		"internal/atomicfile"},
	".": {"mmap", "dtype", "index", "array"},
}

// mayImportUnsafe reports whether a file may import unsafe. Only these files may: the file that converts addresses to
// typed pointers, the file with an exported function that takes a pointer, system calls, the loops over bytes, tests,
// and the example that calls C.
func mayImportUnsafe(file string) bool {
	return file == "internal/strided/pointer.go" ||
		file == "array/pointer.go" ||
		path.Dir(file) == "mmap" ||
		within(file, "internal/kernel") ||
		within(file, "examples/cgo") ||
		strings.HasSuffix(file, "_test.go")
}

// mayImportHTTP reports whether a file may import net/http, which would make all programs larger.
func mayImportHTTP(file string) bool {
	return within(file, "array/httpat") || within(file, "examples") || strings.HasSuffix(file, "_test.go")
}

// TestImports tests that the imports of all files comply with policy, mayImportUnsafe and mayImportHTTP.
func TestImports(t *testing.T) {
	root := moduleRoot(t)
	files := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() {
			if rel != "." && (isIgnored(d.Name()) || hasGoMod(name)) {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		// Check all files, for all platforms.
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		files++
		for _, spec := range f.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if err := check(rel, imp); err != nil {
				t.Error(err)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if files < 10 {
		t.Errorf("only %d Go files under %s: the test looks in the wrong place", files, root)
	}
}

// check returns an error if a file may not import imp. The file is a slash-separated path relative to the module root.
func check(file, imp string) error {
	dir, test := path.Dir(file), strings.HasSuffix(file, "_test.go")
	if imp == "unsafe" {
		if mayImportUnsafe(file) {
			return nil
		}
		return fmt.Errorf("%s imports unsafe: only internal/strided/pointer.go, array/pointer.go, mmap and internal/kernel may", file)
	}
	if imp == "net/http" && !mayImportHTTP(file) {
		return fmt.Errorf("%s imports net/http: only array/httpat and examples may", file)
	}
	own := within(imp, module)
	first, _, _ := strings.Cut(imp, "/")
	switch {
	case imp == module:
		imp = "."
	case own:
		imp = strings.TrimPrefix(imp, module+"/")
	case !strings.Contains(first, "."):
		return nil // the standard library, and C
	}
	switch program := strings.SplitN(dir, "/", 3); {
	case test && (own || within(imp, "github.com/google/go-cmp") || within(imp, "golang.org/x/sys")):
		return nil
	case own && program[0] == "examples" && len(program) > 1 && within(imp, path.Join(program[0], program[1])):
		return nil // a package of the same program
	}
	owner, allowed, ok := lookup(dir)
	if !ok {
		return fmt.Errorf("%s: folder %s has no entry in policy", file, dir)
	}
	if !slices.ContainsFunc(allowed, func(a string) bool {
		return imp == a || a == "golang.org/x/sys" && within(imp,
			a)
	}) {
		return fmt.Errorf("%s imports %s: %s may import %v", file, imp, owner, allowed)
	}
	return nil
}

// lookup returns the entry of policy for a folder: its own entry, or the entry of the nearest folder above it. The
// entry of the module root applies only to the root.
func lookup(dir string) (owner string, allowed []string, ok bool) {
	for owner = dir; ; owner = path.Dir(owner) {
		allowed, ok = policy[owner]
		if ok && (owner != "." || dir == ".") {
			return owner, allowed, true
		}
		if owner == "." {
			return "", nil, false
		}
	}
}

// within reports whether name is dir or below it.
func within(name, dir string) bool {
	return name == dir || strings.HasPrefix(name, dir+"/")
}

// isIgnored reports whether the go command ignores folders with this name.
func isIgnored(name string) bool {
	return name == "testdata" || name == "vendor" || name[0] == '.' || name[0] == '_'
}

// hasGoMod reports whether the folder is the root of a module. Modules inside this one are not checked.
func hasGoMod(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for !hasGoMod(dir) {
		up := filepath.Dir(dir)
		if up == dir {
			t.Fatal("no go.mod above the working directory")
		}
		dir = up
	}
	return dir
}

// TestCheck tests check with imports that it must accept and imports that it must reject.
func TestCheck(t *testing.T) {
	for _, tt := range []struct{ file, imp, want string }{
		{"mmap/os_unix.go", "golang.org/x/sys/unix", ""},
		{"mmap/os_unix.go", "unsafe", ""},
		{"mmap/mmap.go", module + "/index",
			"mmap/mmap.go imports index: mmap may import [internal/atomicfile internal/stable golang.org/x/sys]"},
		{"mmap/mmap_test.go", module + "/array", ""},
		{"mmap/mmap_test.go", "github.com/google/go-cmp/cmp", ""},
		{"mmap/mmap_test.go", "github.com/stretchr/testify",
			"mmap/mmap_test.go imports github.com/stretchr/testify: mmap may import [internal/atomicfile internal/stable golang.org/x/sys]"},
		{"index/layout.go", "slices", ""},
		{"array/file.go", "net/url", ""},
		{"array/file.go", "net/http", "array/file.go imports net/http: only array/httpat and examples may"},
		{"array/httpat/request.go", "net/http", ""},
		{"examples/guard/main.go", "net/http", ""},
		{"array/file_test.go", "net/http", ""},
		{"index/layout.go", "unsafe",
			"index/layout.go imports unsafe: only internal/strided/pointer.go, array/pointer.go, mmap and internal/kernel may"},
		{"index/layout.go", module + "/dtype", "index/layout.go imports dtype: index may import []"},
		{"index/layout.go", "golang.org/x/sys/cpu", "index/layout.go imports golang.org/x/sys/cpu: index may import []"},
		{"index/layout.go", "golang.org/x/system", "index/layout.go imports golang.org/x/system: index may import []"},
		{"dtype/parse.go", module + "/internal/pylit", ""},
		{"dtype/parse.go", module + "/internal/npy",
			"dtype/parse.go imports internal/npy: dtype may import [internal/pylit internal/descr]"},
		{"internal/npy/read.go", module + "/dtype", ""},
		{"internal/npy/read.go", module + "/array",
			"internal/npy/read.go imports array: internal/npy may import [dtype index internal/filekind internal/pylit internal/descr]"},
		{"internal/kernel/swap/swap.go", "unsafe", ""},
		{"internal/kernel/swap/swap.go", module + "/index",
			"internal/kernel/swap/swap.go imports index: internal/kernel may import [golang.org/x/sys]"},
		{"internal/strided/pointer.go", "unsafe", ""},
		{"array/pointer.go", "unsafe", ""},
		{"array/view.go", "unsafe",
			"array/view.go imports unsafe: only internal/strided/pointer.go, array/pointer.go, mmap and internal/kernel may"},
		{"array/view.go", module + "/internal/kernel", ""},
		{"array/view.go", module + "/internal/oracle",
			"array/view.go imports internal/oracle: array may import [mmap dtype index internal/pylit internal/npy internal/kernel internal/elem internal/strided internal/atomicfile internal/stable internal/watch internal/render internal/reduce internal/compare internal/jsontext internal/readat internal/report internal/nd internal/fetch internal/sorting]"},
		{"array/view.go", "github.com/google/go-cmp/cmp",
			"array/view.go imports github.com/google/go-cmp/cmp: array may import [mmap dtype index internal/pylit internal/npy internal/kernel internal/elem internal/strided internal/atomicfile internal/stable internal/watch internal/render internal/reduce internal/compare internal/jsontext internal/readat internal/report internal/nd internal/fetch internal/sorting]"},
		{"array/view_converts_test.go", module + "/internal/oracle", ""},
		{"internal/oracle/where/main.go", module + "/internal/oracle", ""},
		{"internal/oracle/oracle.go", module + "/dtype",
			"internal/oracle/oracle.go imports dtype: internal/oracle may import []"},
		{"examples/sum/main.go", module + "/array", ""},
		{"examples/sum/main.go", module + "/internal/npy",
			"examples/sum/main.go imports internal/npy: examples may import [mmap dtype index array array/npz array/safetensors array/objects golang.org/x/sys]"},
		{"examples/npy/main.go", module + "/examples/npy/progress", ""},
		{"examples/npy/print.go", module + "/internal/render", ""},
		{"examples/npy/value/parse.go", module + "/internal/render", ""},
		{"examples/npy/print.go", module + "/internal/strided",
			"examples/npy/print.go imports internal/strided: examples/npy may import [mmap dtype index array array/httpat array/npz array/safetensors array/objects golang.org/x/sys internal/filekind internal/npy internal/render internal/jsontext internal/nearest internal/atomicfile]"},
		{"examples/sum/main.go", module + "/internal/render",
			"examples/sum/main.go imports internal/render: examples may import [mmap dtype index array array/npz array/safetensors array/objects golang.org/x/sys]"},
		{"examples/sum/main.go", module + "/examples/npy/progress",
			"examples/sum/main.go imports examples/npy/progress: examples may import [mmap dtype index array array/npz array/safetensors array/objects golang.org/x/sys]"},
		{"examples/cgo/main.go", "C", ""},
		{"examples/cgo/main.go", "unsafe", ""},
		{"new/new.go", module + "/array", "new/new.go: folder new has no entry in policy"},
		{"ndmap.go", module + "/array", ""},
		{"ndmap.go", module + "/internal/npy", "ndmap.go imports internal/npy: . may import [mmap dtype index array]"},
	} {
		got := ""
		if err := check(tt.file, tt.imp); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%s importing %s:\ngot  %q\nwant %q", tt.file, tt.imp, got, tt.want)
		}
	}
}

package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOnePass checks that goroutines are started, and pages prefetched and released, by the pass alone. Package npz
// works on bytes that no array describes, and reduce prefetches what it reduces in one goroutine.
func TestOnePass(t *testing.T) {
	where := map[string][]string{ // for each function, the files that may call it
		"Share":     {"internal/strided/pass.go", "array/npz/"},
		"Prefetch":  {"internal/strided/pass.go", "internal/strided/paging.go", "internal/reduce/share.go"},
		"Readahead": {"internal/strided/pass.go", "internal/strided/paging.go"},
	}
	where["prefetch"], where["release"] = where["Prefetch"], where["Prefetch"]
	calls := map[string]int{}
	for _, dir := range []string{"internal/strided", "internal/nd", "internal/reduce", "internal/compare", "array",
		"array/npz",
		"array/safetensors"} {
		files, err := filepath.Glob(filepath.Join("../..", dir, "*.go"))
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", dir, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			name := filepath.ToSlash(file[len("../../"):])
			ast.Inspect(tree, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				if !ok {
					return true
				}
				called := calledName(call)
				allowed, known := where[called]
				if !known || strings.HasPrefix(name, "array/") && called == "release" { // of files and archives
					return true
				}
				calls[called]++
				isAllowed := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
				if !slices.ContainsFunc(allowed, isAllowed) {
					t.Errorf("%s calls %s; let a strided.Pass do that", name, called)
				}
				return true
			})
		}
	}
	for called := range where {
		t.Run(called, func(t *testing.T) {
			if calls[called] == 0 {
				t.Errorf("nothing calls %s: the test looks for an old name", called)
			}
		})
	}
}

// calledName returns the name of the function or method that is called, or "" for kernel.Prefetch, which is about the
// cache of the processor, and for functions without a name.
func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		if x, ok := f.X.(*ast.Ident); ok && x.Name == "kernel" {
			return ""
		}
		return f.Sel.Name
	}
	return ""
}

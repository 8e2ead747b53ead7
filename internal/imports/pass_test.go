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

// TestOnePass tests that only strided.Pass starts goroutines, and prefetches and releases pages. Exceptions are package
// npz, which works on bytes that are not in an array, and reduce, which prefetches the elements that it reduces in one
// goroutine.
func TestOnePass(t *testing.T) {
	callers := map[string][]string{ // maps a function to the files that may call it
		"Share":     {"internal/strided/pass.go", "array/npz/"},
		"Prefetch":  {"internal/strided/pass.go", "internal/strided/paging.go", "internal/reduce/share.go"},
		"Readahead": {"internal/strided/pass.go", "internal/strided/paging.go"},
	}
	callers["prefetch"], callers["release"] = callers["Prefetch"], callers["Prefetch"]
	calls := map[string]int{}
	for _, dir := range []string{"internal/strided", "internal/nd", "internal/reduce", "internal/compare",
		"internal/sorting", "array", "array/npz",
		"array/safetensors", "array/objects"} {
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
				allowed, known := callers[called]
				if !known || strings.HasPrefix(name, "array/") && called == "release" { // a call that releases no pages
					return true
				}
				calls[called]++
				isAllowed := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
				if !slices.ContainsFunc(allowed, isAllowed) {
					t.Errorf("%s calls %s; use a strided.Pass", name, called)
				}
				return true
			})
		}
	}
	for called := range callers {
		t.Run(called, func(t *testing.T) {
			if calls[called] == 0 {
				t.Errorf("nothing calls %s: has it been renamed?", called)
			}
		})
	}
}

// calledName returns the name of the called function or method. It returns "" for functions without a name. It also
// returns "" for functions of package kernel, because kernel.Prefetch prefetches into the cache of the processor.
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

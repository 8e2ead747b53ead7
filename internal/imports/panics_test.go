package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPanics tests that the values of panics are errors, so that callers can examine them with errors.Is. Packages for
// tests may panic with strings.
func TestPanics(t *testing.T) {
	root := moduleRoot(t)
	panics := 0
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != root && (isIgnored(d.Name()) || slices.Contains([]string{"node_modules", "oracle", "_gen"},
			d.Name())):
			return fs.SkipDir
		case !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		n, text := panicsOf(f)
		panics += n
		for _, pos := range text {
			t.Errorf("%v: a panic with text; want an error", fset.Position(pos))
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if panics < 20 {
		t.Errorf("only %d panics under %s: the test looks in the wrong place", panics, root)
	}
}

// panicsOf returns the number of calls to panic in f, and the positions of the calls with a string as argument.
func panicsOf(f *ast.File) (n int, text []token.Pos) {
	ast.Inspect(f, func(node ast.Node) bool {
		call, ok := node.(*ast.CallExpr)
		if !ok || len(call.Args) != 1 {
			return true
		}
		if fn, ok := call.Fun.(*ast.Ident); !ok || fn.Name != "panic" {
			return true
		}
		n++
		switch v := ast.Unparen(call.Args[0]).(type) {
		case *ast.BasicLit, *ast.BinaryExpr:
			text = append(text, call.Pos())
		case *ast.CallExpr:
			if fn, ok := v.Fun.(*ast.SelectorExpr); ok && (strings.HasPrefix(fn.Sel.Name, "Sprint") ||
				fn.Sel.Name == "Error" || fn.Sel.Name == "String") {
				text = append(text, call.Pos())
			}
		}
		return true
	})
	return n, text
}

func TestPanicsOf(t *testing.T) {
	for _, tt := range []struct {
		call    string
		n, text int
	}{
		{`panic("p: text")`, 1, 1},
		{`panic(("p: " + s))`, 1, 1},
		{`panic(fmt.Sprintf("p: %d", n))`, 1, 1},
		{`panic(err.Error())`, 1, 1},
		{`panic(order.String())`, 1, 1},
		{`panic(err)`, 1, 0},
		{`panic(fmt.Errorf("p: %w", err))`, 1, 0},
		{`panic(&BoundsError{Index: i})`, 1, 0},
		{`p.panic("text")`, 0, 0},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p.go", "package p\nfunc f() { "+tt.call+" }",
			parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if n, text := panicsOf(f); n != tt.n || len(text) != tt.text {
			t.Errorf("%s: %d panics, %d with text, want %d and %d", tt.call, n, len(text), tt.n, tt.text)
		}
	}
}

package imports

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestTemporaryFiles tests that TestMain calls oracle.Main in each package whose tests create temporary files, so that
// the next run removes the files of a killed test. It includes the modules inside this one.
func TestTemporaryFiles(t *testing.T) {
	root := moduleRoot(t)
	first, main := map[string]string{}, map[string]bool{} // for each folder
	err := filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != root && (isIgnored(d.Name()) || d.Name() == "node_modules") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		makes, calls := tempCalls(f)
		dir := filepath.ToSlash(filepath.Dir(name))
		if makes != "" && first[dir] == "" {
			first[dir] = filepath.Base(name) + " calls " + makes
		}
		main[dir] = main[dir] || calls
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range slices.Sorted(maps.Keys(first)) {
		if !main[dir] {
			t.Errorf("%s: %s, but no TestMain calls oracle.Main", dir, first[dir])
		}
	}
	if len(first) < 20 {
		t.Errorf("only %d packages with temporary files under %s: the test looks in the wrong place", len(first), root)
	}
}

// tempCalls returns the name of a function that f calls to create temporary files, or "" if f creates none. It also
// reports whether f has a TestMain that calls oracle.Main.
func tempCalls(f *ast.File) (makes string, main bool) {
	for _, decl := range f.Decls {
		fn, _ := decl.(*ast.FuncDecl)
		ast.Inspect(decl, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			of, name := "", ""
			switch x := call.Fun.(type) {
			case *ast.Ident:
				of, name = f.Name.Name, x.Name
			case *ast.SelectorExpr:
				name = x.Sel.Name
				if id, ok := x.X.(*ast.Ident); ok {
					of = id.Name
				}
			}
			switch {
			case name == "TempDir" || name == "MkdirTemp" || name == "CreateTemp" || of == "oracle" && (name == "Start" ||
				name == "TempIn"):
				makes = name
			case of == "oracle" && name == "Main":
				main = main || fn != nil && fn.Recv == nil && fn.Name.Name == "TestMain"
			}
			return true
		})
	}
	return makes, main
}

func TestTemporary(t *testing.T) {
	for _, tt := range []struct {
		src   string
		makes string
		main  bool
	}{
		{"package p\nfunc TestMain(m *testing.M) { oracle.Main(m) }\nfunc f() { g() }", "", true},
		{"package p\nfunc TestMain(m *testing.M) { m.Run() }\nfunc f() { t.TempDir() }", "TempDir", false},
		{"package p\nfunc TestMain(m *testing.M) { if c() { main() }; oracle.Main(m) }\nvar d = os.TempDir()", "TempDir",
			true},
		{"package p\nfunc other(m *testing.M) { oracle.Main(m) }\nfunc f() { x := must(os.MkdirTemp(\"\", \"a\")) }",
			"MkdirTemp", false},
		{"package p\nfunc (x) TestMain(m *testing.M) { oracle.Main(m) }\nfunc f() { oracle.Start(t).Run() }", "Start", false},
		{"package p\nfunc f() { cmd.Start(); Main(m) }", "", false},
		{"package oracle\nfunc TestMain(m *testing.M) { Main(m) }\nfunc f() { os.CreateTemp(\"\", \"\") }", "CreateTemp",
			true},
	} {
		f, err := parser.ParseFile(token.NewFileSet(), "p_test.go", tt.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		if makes, main := tempCalls(f); makes != tt.makes || main != tt.main {
			t.Errorf("%s\n%q, %v, want %q, %v", tt.src, makes, main, tt.makes, tt.main)
		}
	}
}

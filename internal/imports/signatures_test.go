package imports

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// TestPublicSignatures tests that other packages can name every type that the public packages use in the signatures of
// exported functions and methods, in exported fields and in exported types. These types must be exported, and must not
// belong to an internal package. Embedded types may be unexported.
func TestPublicSignatures(t *testing.T) {
	root := moduleRoot(t)
	seen := 0
	for _, pkg := range []string{"mmap", "dtype", "index", "array", "array/npz", "array/safetensors", "array/objects",
		"array/httpat"} {
		files, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			wrong, n := privateTypes(t, pkg+"/"+filepath.Base(name), string(b))
			for _, w := range wrong {
				t.Error(w)
			}
			seen += n
		}
	}
	if seen < 100 {
		t.Errorf("only %d exported declarations: the test looks in the wrong place", seen)
	}
}

// privateTypes returns an error message for each use of a type that other packages cannot name, and the number of
// exported declarations in the file.
func privateTypes(t *testing.T, name, src string) (wrong []string, n int) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, name, src, 0)
	if err != nil {
		t.Fatal(err)
	}
	internal := map[string]bool{} // local names of internal packages
	for _, spec := range f.Imports {
		imp, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(imp, "/internal/") {
			continue
		}
		local := imp[strings.LastIndexByte(imp, '/')+1:]
		if spec.Name != nil {
			local = spec.Name.Name
		}
		internal[local] = true
	}
	look := func(in string, params map[string]bool, n ast.Node) {
		ast.Inspect(n, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok && internal[x.Name] {
					wrong = append(wrong, name+": "+in+" has the internal type "+x.Name+"."+n.Sel.Name)
				}
				return false
			case *ast.Field: // only its type, not its names
				ast.Inspect(n.Type, func(m ast.Node) bool {
					if id, ok := m.(*ast.Ident); ok && !params[id.Name] && !id.IsExported() && !doc.IsPredeclared(id.Name) {
						wrong = append(wrong, name+": "+in+" has the private type "+id.Name)
					}
					switch m.(type) {
					case *ast.SelectorExpr, *ast.Field: // the outer Inspect visits them
						return false
					}
					return true
				})
			}
			return true
		})
	}
	params := func(lists ...*ast.FieldList) map[string]bool {
		names := map[string]bool{}
		for _, l := range lists {
			if l == nil {
				continue
			}
			for _, f := range l.List {
				for _, id := range f.Names {
					names[id.Name] = true
				}
			}
		}
		return names
	}
	for _, decl := range f.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			p := params(d.Type.TypeParams)
			if d.Recv != nil {
				recv := d.Recv.List[0].Type
				if star, ok := recv.(*ast.StarExpr); ok {
					recv = star.X
				}
				if ix, ok := recv.(*ast.IndexExpr); ok {
					p[ix.Index.(*ast.Ident).Name] = true
					recv = ix.X
				}
				// The exported types embed view, so its methods are exported, too.
				if id := recv.(*ast.Ident); !id.IsExported() && id.Name != "view" {
					continue
				}
			}
			if d.Name.IsExported() {
				n++
				look(d.Name.Name, p, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				ts, ok := spec.(*ast.TypeSpec)
				if !ok || !ts.Name.IsExported() {
					continue
				}
				n++
				p := params(ts.TypeParams)
				switch x := ts.Type.(type) {
				case *ast.StructType:
					for _, field := range x.Fields.List {
						for _, id := range field.Names {
							if id.IsExported() {
								look(ts.Name.Name+"."+id.Name, p, field)
							}
						}
					}
				default:
					look(ts.Name.Name, p, x)
				}
			}
		}
	}
	return wrong, n
}

func TestPrivateTypes(t *testing.T) {
	const src = `package p
import "github.com/ndmap/ndmap/internal/pylit"
import k "github.com/ndmap/ndmap/internal/kernel"
type private struct{}
type Struct struct { private; Public pylit.Value; hidden private }
type Real interface{ k.Real }
func F(v pylit.Value) error { return nil }
func G(p private) {}
func H[T any](x, private T) T { return x }
func (s *Struct) M() (private int, p *private) { return 0, nil }
func (private) N(pylit.Value) {}
func f(pylit.Value) {}
`
	got, n := privateTypes(t, "p.go", src)
	want := []string{
		"p.go: Struct.Public has the internal type pylit.Value",
		"p.go: Real has the internal type k.Real",
		"p.go: F has the internal type pylit.Value",
		"p.go: G has the private type private",
		"p.go: M has the private type private",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if n != 6 {
		t.Errorf("%d exported declarations, want 6", n)
	}
}

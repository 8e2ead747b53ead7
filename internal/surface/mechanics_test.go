package surface

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// packageMap maps import paths to packages. It is a types.Importer.
type packageMap map[string]*types.Package

func (p packageMap) Import(path string) (*types.Package, error) { return p[path], nil }

// surfaceOf returns the lines of a package p. Its only file is src, which can import a package q.
func surfaceOf(t *testing.T, src string) []string {
	t.Helper()
	const other = "package q\ntype Int int\nfunc (Int) Count() int { return 0 }\ntype Alias = Int\n"
	done, fset := packageMap{}, token.NewFileSet()
	for _, p := range []struct{ path, src string }{{"q", other}, {"p",
		"package p\nimport \"q\"\ntype unexported q.Int\n" + src}} {
		f, err := parser.ParseFile(fset, p.path, p.src, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		conf := types.Config{IgnoreFuncBodies: true, Importer: done}
		if done[p.path], err = conf.Check(p.path, fset, []*ast.File{f}, nil); err != nil {
			t.Fatal(err)
		}
	}
	return surface(done["p"])
}

// TestLines tests the line of each kind of exported name. Unexported names have no lines.
func TestLines(t *testing.T) {
	got := surfaceOf(t, `
const (
	One Op = iota + 1
	Two
)
const Pi = 3.25
const Name, small = "p", 1
type Op uint8
func (o Op) String() string { return "" }
func (o *Op) Set(name string) (err error) { return nil }
func (o Op) unseen() {}

var Any, hidden any
var At q.Alias

func F(name string, more ...q.Int) (n int, err error) { return 0, nil }
func G[S ~[]E, E comparable](s S, f func(a, b E) (less bool)) map[string][]*E { return nil }
func unseen() {}

type Pair[K comparable, V any] struct {
	inner[V]
	*q.Int
	Key   K `+"`npy:\"key\"`"+`
	value V
}
func (p *Pair[A, B]) Swap(with Pair[A, B]) (old B) { return old }

type inner[V any] struct {
	Key   string // Pair.Key hides it
	Inner []V
	count int
}
func (x *inner[V]) Reset(to V) {}
func (x inner[V]) Count() int { return 0 } // as deep as q.Int.Count: Pair has neither

type Flat struct{ X, Y float64 }
type Over struct{ q.Int } // its Count is q.Int.Count
type Node struct {
	next  *Node
	inner struct{ Depth int }
}
type Func func(x int) (y int)
type Short = Pair[string, q.Int]
type Few[T any] = []T

type Walker interface {
	Walker1
	Walk(f func(x int) error) (n int)
}
type Walker1 interface { Done() bool; private() }
type Integer interface { ~int | int8 | signed }
type signed interface { int8 | q.Alias }
type Both interface { Integer; comparable; String() string }
`)
	want := strings.Split(`p.Any var any
p.At var q.Int
p.Both type interface int8 | q.Int | ~int; comparable
p.Both.String method func() string
p.F func(string, ...q.Int) (int, error)
p.Few type [T any] = []T
p.Flat type struct, comparable
p.Flat.X field float64
p.Flat.Y field float64
p.Func type func(int) int
p.G func[S ~[]E, E comparable](S, func(E, E) bool) map[string][]*E
p.Integer type interface int8 | q.Int | ~int
p.Name const untyped string = "p"
p.Node type struct, comparable
p.One const Op = 1
p.Op type uint8
p.Op.Set method (*Op) func(string) error
p.Op.String method (Op) func() string
p.Over type struct, comparable
p.Over.Int embedded q.Int
p.Pair type [K comparable, V any] struct
p.Pair.Inner field []V
p.Pair.Int embedded *q.Int
p.Pair.Key field K `+"`npy:\"key\"`"+`
p.Pair.Reset method (*Pair[K, V]) func(V)
p.Pair.Swap method (*Pair[K, V]) func(Pair[K, V]) V
p.Pi const untyped float = 13/4
p.Short type = Pair[string, q.Int]
p.Two const Op = 2
p.Walker type interface
p.Walker.Done method func() bool
p.Walker.Walk method func(func(int) error) int
p.Walker.private method that no other package can declare
p.Walker1 type interface
p.Walker1.Done method func() bool
p.Walker1.private method that no other package can declare`, "\n")
	if d := diff(want, got); len(d) > 0 || !slices.Equal(got, want) {
		t.Errorf("%s", strings.Join(d, "\n"))
	}
}

// TestNoticed tests that lines change if and only if callers can notice a change to the source.
func TestNoticed(t *testing.T) {
	for _, tt := range []struct {
		name, before, after string
		want                []string
	}{
		{"a result", "func F(x int) int { return x }", "func F(x int) (int, error) { return x, nil }",
			[]string{"- p.F func(int) int", "+ p.F func(int) (int, error)"}},
		{"a variadic parameter", "func F(x []int) {}", "func F(x ...int) {}", []string{"- p.F func([]int)",
			"+ p.F func(...int)"}},
		{"a method is gone", "type T struct{}\nfunc (T) M() {}", "type T struct{}", []string{"- p.T.M method (T) func()"}},
		{"a method is the pointer's", "type T struct{}\nfunc (T) M() {}", "type T struct{}\nfunc (*T) M() {}",
			[]string{"- p.T.M method (T) func()", "+ p.T.M method (*T) func()"}},
		{"a promoted method is gone", "type T struct{ u }\ntype u struct{}\nfunc (u) M() {}",
			"type T struct{ u }\ntype u struct{}",
			[]string{"- p.T.M method (T) func()"}},
		{"a promoted method is hidden", "type T struct{ u }\ntype u struct{}\nfunc (u) M() {}",
			"type T struct{ u; M int }\ntype u struct{}\nfunc (u) M() {}",
			[]string{"- p.T.M method (T) func()", "+ p.T.M field int"}},
		{"a constant is new", "const A = 1", "const A, B = 1, 2", []string{"+ p.B const untyped int = 2"}},
		{"a constant has another value", "type T int\nconst (\n\tA T = iota\n\tB\n)",
			"type T int\nconst (\n\tN T = iota\n\tA\n\tB\n)",
			[]string{"- p.A const T = 0", "+ p.A const T = 1", "- p.B const T = 1", "+ p.B const T = 2", "+ p.N const T = 0"}},
		{"a constant has a type", "const A = 1", "const A int = 1", []string{"- p.A const untyped int = 1",
			"+ p.A const int = 1"}},
		{"a variable has another type", "var A error", "var A *int", []string{"- p.A var error", "+ p.A var *int"}},
		{"a field is gone", "type T struct{ X, Y int }", "type T struct{ X int }", []string{"- p.T.Y field int"}},
		{"a tag", "type T struct { X int }", "type T struct { X int `x:\"y\"` }", []string{"- p.T.X field int",
			"+ p.T.X field int `x:\"y\"`"}},
		{"== no longer compiles", "type T struct{ x int }", "type T struct{ x []int }",
			[]string{"- p.T type struct, comparable", "+ p.T type struct"}},
		{"an underlying type", "type T int32", "type T int64", []string{"- p.T type int32", "+ p.T type int64"}},
		{"another constraint", "func F[T any](T) {}", "func F[T comparable](T) {}", []string{"- p.F func[T any](T)",
			"+ p.F func[T comparable](T)"}},
		{"a type set, by way of an embedded one", "type C interface{ d }\ntype d interface{ int }",
			"type C interface{ d }\ntype d interface{ int | ~uint }",
			[]string{"- p.C type interface int", "+ p.C type interface int | ~uint"}},
		{"a method of an interface", "type I interface{ M() }", "type I interface{ M(); N() }",
			[]string{"+ p.I.N method func()"}},
		{"an alias is a type", "type T = int", "type T int", []string{"- p.T type = int", "+ p.T type int"}},

		{"names of parameters", "func F(x int) (n int) { return x }", "func F(int) int { return 0 }", nil},
		{"names of parameters of parameters", "func F(f func(x int) (n int)) {}", "func F(f func(int) int) {}", nil},
		{"names of a receiver's parameters", "type T[A any] struct{}\nfunc (T[A]) M(A) {}",
			"type T[A any] struct{}\nfunc (T[B]) M(B) {}", nil},
		{"the order of terms", "type C interface{ int | uint }", "type C interface{ uint | int }", nil},
		{"another name of a type", "type G[T any] int\nfunc F(q.Int, []interface{}, G[q.Int]) {}",
			"type G[T any] int\nfunc F(q.Alias, []any, G[q.Alias]) {}", nil},
		{"unexported names", "type T struct{ x int }",
			"type T struct{ y, z int }\nfunc (T) m() {}\nfunc f() {}\nvar v, w = 1, 2\nconst c = 1", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := diff(surfaceOf(t, tt.before), surfaceOf(t, tt.after))
			if !slices.Equal(got, tt.want) {
				t.Errorf("%s:\ngot\n%s\nwant\n%s", tt.name, strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
		})
	}
}

package main

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
)

func command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Env = append(os.Environ(), "OPENBLAS_NUM_THREADS=1")
	return cmd
}

// checkGo fails the test unless each of statements compiles as the body of a function.
func checkGo(t testing.TB, statements ...string) {
	t.Helper()
	list, err := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"github.com/ndmap/ndmap/array/httpat", "github.com/ndmap/ndmap/array/npz",
		"github.com/ndmap/ndmap/array/objects", "github.com/ndmap/ndmap/array/safetensors").Output()
	if err != nil {
		t.Fatal(err)
	}
	exports := map[string]string{}
	for line := range strings.Lines(string(list)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		exports[path] = file
	}
	set := token.NewFileSet()
	imports := importer.ForCompiler(set, "gc", func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) })
	for _, s := range statements {
		program := `package p
import (
	"context"
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/httpat"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/index"
)
var _, _, _, _, _ = array.Open, httpat.Open, npz.Open, objects.Open, safetensors.Open
func f(ctx context.Context) error {
` + s + `
	_, _, _ = part, index.Colon, array.ReadOnly
	return nil
}`
		file, err := parser.ParseFile(set, "p.go", program, 0)
		if err == nil {
			_, err = (&types.Config{Importer: imports}).Check("p", set, []*ast.File{file}, nil)
		}
		if err != nil {
			t.Errorf("%v in\n%s", err, program)
		}
	}
}

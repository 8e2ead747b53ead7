package readme

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

// guideNumPy is a Python program that runs the Python code of each line in a separate folder, which contains the files
// that setup writes. It also creates a folder with the same files for the Go code of the line.
const guideNumPy = `
import ast, contextlib, datetime, os, zipfile

def text(x):
    if isinstance(x, np.dtype):
        return dict(Text=str(x.descr) if x.names else x.str)
    if isinstance(x, (str, datetime.datetime)):
        return dict(Text=x if isinstance(x, str) else x.isoformat())
    a = np.asarray(x)
    return dict(DType=str(a.dtype.descr) if a.dtype.names else a.dtype.str, Shape=list(a.shape), Text=str(a))

@contextlib.contextmanager
def folder(path):
    old = os.getcwd()
    os.makedirs(path)
    os.chdir(path)
    try:
        yield
    finally:
        os.chdir(old)

def line(dir, setup, code):
    with folder(os.path.join(dir, 'go')):
        exec(setup, {'np': np})
    got = []
    def use(*values):
        got.extend(text(x) for x in values if x is not None)
    names = {'np': np, 'use': use}
    with folder(os.path.join(dir, 'python')):
        exec(setup, names)
        tree = ast.parse(code)
        if not isinstance(tree.body[0], ast.Expr):
            exec(code, names)
        elif isinstance(tree.body[0].value, ast.Tuple):
            use(*eval(code, names))
        else:
            use(eval(code, names))
    return got

def content(path):
    if not zipfile.is_zipfile(path):
        return open(path, 'rb').read()
    z = zipfile.ZipFile(path)
    return [(m.filename, m.compress_type, z.read(m)) for m in z.infolist()]

def files(dir):
    one, two = os.path.join(dir, 'python'), os.path.join(dir, 'go')
    if sorted(os.listdir(one)) != sorted(os.listdir(two)):
        return 'NumPy writes the files %s, Go %s' % (sorted(os.listdir(one)), sorted(os.listdir(two)))
    bad = [f for f in os.listdir(one) if content(os.path.join(one, f)) != content(os.path.join(two, f))]
    return 'files that differ from those of NumPy: %s' % bad if bad else ''
`

// A guideValue describes a value that a line returns: an array, or a value without dtype and shape.
type guideValue struct {
	DType string
	Shape []int
	Text  string
}

// TestGuide tests that the two sides of every line of array/NUMPY.md, NumPy and Go, return the same values and write
// the same files.
func TestGuide(t *testing.T) {
	p := oracle.Start(t)
	if _, err := exec.LookPath("go"); err != nil || runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("no go command that builds programs for this machine")
	}
	guide, err := os.ReadFile("../../array/NUMPY.md")
	if err != nil {
		t.Fatal(err)
	}
	block := func(language string) string {
		m := regexp.MustCompile("(?s)```" + language + "\n(.*?)```").FindSubmatch(guide)
		if m == nil {
			t.Fatalf("the guide has no code block in %s", language)
		}
		return string(m[1])
	}
	lines := regexp.MustCompile("(?m)^\\| `(.*)` \\| `(.*)` \\|$").FindAllStringSubmatch(string(guide), -1)
	if all := regexp.MustCompile("(?m)^\\| +`").FindAll(guide, -1); len(lines) < 60 || len(lines) != len(all) {
		t.Fatalf("%d lines of the guide have two columns, of %d; want all, and at least 60", len(lines), len(all))
	}
	if err := p.Run(guideNumPy, nil, nil); err != nil {
		t.Fatal(err)
	}

	dir := t.TempDir()
	want := make([][]guideValue, len(lines))
	var cases strings.Builder
	for i, line := range lines {
		x := []string{filepath.Join(dir, fmt.Sprint(i)), block("python"), line[1]}
		if err := p.Eval("line(*x)", x, &want[i]); err != nil {
			t.Fatalf("%s\n%v", line[1], err)
		}
		fmt.Fprintf(&cases, "case %d:\n%s\n", i, statement(line[2]))
	}
	program := filepath.Join(dir, "program")
	source := filepath.Join(dir, "main.go")
	main, err := os.ReadFile("testdata/guide.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.NewReplacer("// SETUP\n", block("go"), "// CASES\n", cases.String()).Replace(string(main))
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", fast, "-ldflags=-s -w", "-o", program,
		source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command(program, dir, fmt.Sprint(len(lines))).Output()
	if exit, ok := err.(*exec.ExitError); ok {
		t.Fatalf("%v\n%s", err, exit.Stderr)
	} else if err != nil {
		t.Fatal(err)
	}
	var got [][]guideValue
	if err := json.Unmarshal(out, &got); err != nil || len(got) != len(lines) {
		t.Fatalf("%v, %d of %d lines\n%s", err, len(got), len(lines), out)
	}
	for i, line := range lines {
		for k := range min(len(got[i]), len(want[i])) {
			if got[i][k].DType == "" { // a Go value, not an array
				want[i][k].DType = ""
			}
		}
		if diff := cmp.Diff(want[i], got[i]); diff != "" {
			t.Errorf("%s\n%s\n-NumPy +Go\n%s", line[1], line[2], diff)
		}
		var msg string
		if err := p.Eval("files(x)", filepath.Join(dir, fmt.Sprint(i)), &msg); err != nil || msg != "" {
			t.Errorf("%s\n%s\n%s %v", line[1], line[2], msg, err)
		}
	}
}

// statement returns code as a statement. If code is an expression with a value, the statement passes the value to the
// function use.
func statement(code string) string {
	x, err := parser.ParseExpr(code)
	if err != nil {
		return code
	}
	if call, ok := x.(*ast.CallExpr); ok {
		switch f := call.Fun.(type) {
		case *ast.Ident:
			if f.Name == "use" {
				return code
			}
		case *ast.SelectorExpr:
			if f.Sel.Name == "Fill" || f.Sel.Name == "SetAt" {
				return code
			}
		}
	}
	return "use(" + code + ")"
}

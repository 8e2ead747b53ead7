package readme

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTasks tests the task lists in the package documentation: symbols must have examples, if the list says so, and
// folders must exist.
func TestTasks(t *testing.T) {
	for _, dir := range []string{"array/npz", "array/safetensors", "array/objects", "array/httpat", "mmap", "dtype",
		"index"} {
		_, list, ok := strings.Cut(packageDoc(t, dir), "\n# Tasks\n")
		if !ok {
			t.Errorf("the documentation of %s lists no tasks", dir)
			continue
		}
		list, _, _ = strings.Cut(list, "\n# ")
		first := dir == "dtype" || dir == "index"
		if first && !strings.HasPrefix(list, "\nEach has an example on the symbol named first") {
			t.Errorf("the tasks of %s do not begin with what this test checks of them", dir)
		}
		for _, task := range regexp.MustCompile(`(?m)^ +- .*$`).FindAllString(list, -1) {
			for i, m := range regexp.MustCompile(`\[([\w.]+)\]`).FindAllStringSubmatch(task, -1) {
				if first && i == 0 {
					needExample(t, dir, m[1])
				}
			}
			for _, m := range regexp.MustCompile(`Example \((\w+)\)`).FindAllStringSubmatch(task, -1) {
				needExample(t, dir, "_"+strings.ToLower(m[1]))
			}
			if strings.Contains(task, "the package's Example") {
				needExample(t, dir, "")
			}
			for _, path := range regexp.MustCompile(`examples/\w+`).FindAllString(task, -1) {
				if _, err := os.Stat("../../" + path); err != nil {
					t.Errorf("%s: %s: %v", dir, task, err)
				}
			}
		}
	}
}

// TestDecisionTable tests that each call in the decision table of package array exists.
func TestDecisionTable(t *testing.T) {
	surface, err := os.ReadFile("../surface/surface.txt")
	if err != nil {
		t.Fatal(err)
	}
	exists := func(name string) bool { return strings.Contains(string(surface), "\narray."+name+" ") }
	_, table, _ := strings.Cut(packageDoc(t, "array"), "\n# Which function\n\n")
	table, _, ok := strings.Cut(table, "\n\n")
	header, rows, _ := strings.Cut(table, "\n")
	column := strings.Index(header, "call ")
	if !ok || column < 0 {
		t.Fatalf("the documentation of array has no decision table:\n%s", table)
	}
	for row := range strings.SplitSeq(rows, "\n") {
		calls, _, _ := strings.Cut(row[column:], "  ")
		calls = regexp.MustCompile(`\(.*?\)`).ReplaceAllString(calls, "")
		receiver := "Array"
		for _, name := range regexp.MustCompile(`[\w.]+`).FindAllString(calls, -1) {
			if typ, _, ok := strings.Cut(name, "."); ok {
				receiver = typ
			}
			if !exists(name) && !exists(receiver+"."+name) {
				t.Errorf("%s: array.%s does not exist", strings.TrimSpace(row), name)
			}
		}
	}
}

// packageDoc returns the documentation of the package in a folder.
func packageDoc(t *testing.T, dir string) string {
	files, err := filepath.Glob("../../" + dir + "/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(f.Doc.Text(), "Package ") {
			return f.Doc.Text()
		}
	}
	t.Fatalf("%s has no documentation", dir)
	return ""
}

// needExample fails the test if a symbol has no example. The symbol belongs to the package in dir (View.At), or names
// another package (mmap.Guard).
func needExample(t *testing.T, dir, symbol string) {
	t.Helper()
	if pkg, name, ok := strings.Cut(symbol, "."); ok && !ast.IsExported(pkg) {
		dir, symbol = pkg, name
	}
	name, suffix := "Example"+strings.ReplaceAll(symbol, ".", "_"), `(_[a-z]\w*)?`
	if symbol == "" {
		suffix = ""
	}
	files, err := filepath.Glob("../../" + dir + "/example*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if regexp.MustCompile(`(?m)^func ` + name + suffix + `\(`).Match(text) {
			return
		}
	}
	t.Errorf("%s lists a task whose example is missing: %s", dir, name)
}

package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// skips maps a run to the functions of package oracle that skip a test in it. Runs without an entry have only -short.
var skips = map[string][]string{
	"race":    {"OneGoroutine", "CountsAllocations"},
	"386":     {"Slow", "CountsAllocations"},
	"windows": {"Slow", "CountsAllocations"},
	"s390x":   {"Slow", "AnyProcessor"},
	"arm64":   {"Slow", "AnyProcessor"},
	"riscv64": {"Slow", "AnyProcessor"},
	"ppc64le": {"Slow", "AnyProcessor"},
}

// printLeftOut prints the packages that do not match the patterns, and the tests of the matching packages that a run of
// internal/tools/test.sh skips.
func printLeftOut(w io.Writer, run string, patterns []string) error {
	all, err := packages("./...")
	if err != nil {
		return err
	}
	chosen, err := packages(patterns...)
	if err != nil {
		return err
	}
	var rest []string
	for _, p := range all {
		if !slices.ContainsFunc(chosen, func(q pkg) bool { return p.Dir == q.Dir }) {
			rest = append(rest, p.name())
		}
	}
	fmt.Fprintf(w, "test-%s runs %d packages", run, len(chosen))
	if len(rest) > 0 {
		fmt.Fprintf(w, ", not %s", strings.Join(rest, " "))
	}
	fmt.Fprintln(w)
	for _, kind := range append(skips[run], "Short") {
		for _, p := range chosen {
			tests, err := p.testsCalling(kind)
			if err != nil {
				return err
			}
			if len(tests) > 0 {
				fmt.Fprintf(w, "    %-18s%s: %s\n", kind, p.name(), strings.Join(tests, " "))
			}
		}
	}
	return nil
}

// printLong prints the names of the tests that have a long form, as an argument of go test -run.
func printLong(w io.Writer, patterns []string) error {
	chosen, err := packages(patterns...)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range chosen {
		tests, err := p.testsCalling("Long")
		if err != nil {
			return err
		}
		names = append(names, tests...)
	}
	if len(names) == 0 {
		return errors.New("no test in these packages calls Long")
	}
	_, err = fmt.Fprintf(w, "^(%s)$\n", strings.Join(names, "|"))
	return err
}

// A pkg describes a package with tests, in the format of go list -json.
type pkg struct {
	Dir, ImportPath           string
	TestGoFiles, XTestGoFiles []string
	Module                    struct{ Path string }
}

func (p pkg) name() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
}

// packages returns the packages that match the patterns and have tests.
func packages(patterns ...string) (list []pkg, err error) {
	out, err := exec.Command("go", append([]string{"list", "-json=Dir,ImportPath,TestGoFiles,XTestGoFiles,Module"},
		patterns...)...).Output()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return nil, fmt.Errorf("go list: %s", exit.Stderr)
	} else if err != nil {
		return nil, err
	}
	for dec := json.NewDecoder(strings.NewReader(string(out))); dec.More(); {
		var p pkg
		if err := dec.Decode(&p); err != nil {
			return nil, err
		}
		if len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 {
			list = append(list, p)
		}
	}
	return list, nil
}

// testsCalling returns the names of the tests in p that call the given function of package oracle or testing.
func (p pkg) testsCalling(function string) (tests []string, err error) {
	for _, file := range slices.Concat(p.TestGoFiles, p.XTestGoFiles) {
		f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && calls(fn, function) {
				tests = append(tests, fn.Name.Name)
			}
		}
	}
	slices.Sort(tests)
	return tests, nil
}

// calls reports whether fn calls the given function of package oracle or testing, or a helper function with the same
// name in lower case, such as long.
func calls(fn *ast.FuncDecl, function string) (found bool) {
	ast.Inspect(fn, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		switch f := call.Fun.(type) {
		case *ast.SelectorExpr:
			x, ok := f.X.(*ast.Ident)
			found = found || ok && (x.Name == "oracle" || x.Name == "testing") && f.Sel.Name == function
		case *ast.Ident:
			found = found || f.Name == strings.ToLower(function)
		}
		return true
	})
	return found
}

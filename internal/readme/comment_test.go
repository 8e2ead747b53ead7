package readme

import (
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestComments tests that the parser of pkg.go.dev recognizes the links, lists and headings in the documentation of
// each package. Names in brackets must be links, lists must not be paragraphs or code, and headings must not be
// paragraphs. All functions and types must have comments.
func TestComments(t *testing.T) {
	plain := regexp.MustCompile(`(?:^|[^\w])\[\*?(?:\w+\.)*[A-Z]\w+(?:\.\w+)*\]`)
	for _, dir := range []string{"array", "array/npz", "array/safetensors", "array/objects", "array/httpat", "mmap",
		"dtype", "index"} {
		p := parseDoc(t, dir)
		check := func(what, text string) {
			for _, block := range p.Parser().Parse(text).Content {
				lines := []comment.Text{}
				switch b := block.(type) {
				case *comment.Heading:
					lines = b.Text
				case *comment.Paragraph:
					lines = b.Text
				case *comment.List:
					for _, item := range b.Items {
						for _, block := range item.Content {
							lines = append(lines, block.(*comment.Paragraph).Text...)
						}
					}
				case *comment.Code:
					if strings.HasPrefix(b.Text, "- ") || strings.HasPrefix(b.Text, "1. ") {
						t.Errorf("%s %s: a list is parsed as code: %s", dir, what, b.Text)
					}
				}
				for _, part := range lines {
					if text, ok := part.(comment.Plain); ok {
						if m := plain.FindString(string(text)); m != "" {
							t.Errorf("%s %s: %s is not a link", dir, what, m)
						}
						if strings.HasPrefix(string(text), "# ") || strings.Contains(string(text), "\n- ") {
							t.Errorf("%s %s: a heading or a list is parsed as text: %s", dir, what, text)
						}
					}
				}
			}
		}
		values := func(values []*doc.Value) {
			for _, v := range values {
				check(strings.Join(v.Names, ", "), v.Doc)
			}
		}
		funcs := func(of string, all []*doc.Func) {
			for _, f := range all {
				if check(of+f.Name, f.Doc); f.Doc == "" {
					t.Errorf("%s: %s%s has no comment", dir, of, f.Name)
				}
			}
		}
		check("", p.Doc)
		values(p.Consts)
		values(p.Vars)
		funcs("", p.Funcs)
		for _, typ := range p.Types {
			if check(typ.Name, typ.Doc); typ.Doc == "" {
				t.Errorf("%s: %s has no comment", dir, typ.Name)
			}
			values(typ.Consts)
			values(typ.Vars)
			funcs("", typ.Funcs)
			funcs(typ.Name+".", typ.Methods)
		}
	}
}

// parseDoc parses the documentation of the package in a folder, as built for this system.
func parseDoc(t *testing.T, dir string) *doc.Package {
	t.Helper()
	pkg, err := build.ImportDir("../../"+dir, 0)
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range pkg.GoFiles {
		f, err := parser.ParseFile(fset, filepath.Join(pkg.Dir, name), nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, f)
	}
	p, err := doc.NewFromFiles(fset, files, "github.com/ndmap/ndmap/"+dir)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

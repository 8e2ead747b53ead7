package examples

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/readme"
)

// A tree is a copy of this module whose programs are built and run. NDMAP_TREE sets the path of another copy.
type tree struct {
	root string
	bin  string // directory of the built programs
}

var built tree

// builtTree returns the tree whose programs are tested. Its first call builds them.
func builtTree(t *testing.T) tree {
	t.Helper()
	switch {
	case os.Getenv("NDMAP_QEMU") != "":
		t.Skip("cannot run programs directly")
	case testing.Short():
		t.Skip("builds all programs")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	if built.bin == "" {
		root, err := filepath.Abs("..")
		must(t, err)
		if other := os.Getenv("NDMAP_TREE"); other != "" {
			root = other
		}
		bin, err := os.MkdirTemp("", "programs") // inside the temporary directory of this run, which oracle.Main removes
		must(t, err)
		tr := tree{root, bin}
		tr.build(t)
		built = tr
	}
	return built
}

// programs returns the names of the example directories and of the programs in documents, such as README.md-1.
func (tr tree) programs(t *testing.T) (examples, documents []string, source map[string]string) {
	t.Helper()
	for _, path := range glob(t, tr.root+"/examples/*/main.go") {
		examples = append(examples, filepath.Base(filepath.Dir(path)))
	}
	names, err := readme.Documents(tr.root)
	source = map[string]string{}
	for _, name := range names {
		blocks, err := readme.Blocks(tr.root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range blocks {
			if !b.Console && name != "array/NUMPY.md" { // TestGuide in readme runs its lines one by one
				documents = append(documents, b.Name)
				source[b.Name] = b.Program()
			}
		}
	}
	if err != nil || len(examples) < 15 || len(documents) < 10 {
		t.Fatalf("%d examples and %d programs in documents: the test looks in the wrong place (%v)",
			len(examples), len(documents), err)
	}
	return examples, documents, source
}

// build builds all programs and puts them into tr.bin. Linking each program by itself would take longer than running
// it. So most are linked into a single program that selects one by the name under which it is called: an overlay turns
// each program into a package whose function main is called Main. Programs that use cgo, and those in modules of their
// own, are linked separately.
func (tr tree) build(t *testing.T) {
	t.Helper()
	tmp := t.TempDir()
	examples, documents, sources := tr.programs(t)
	replace := map[string]string{}
	add := func(folder, file, text string) {
		path := filepath.Join(tmp, folder, file)
		must(t, os.MkdirAll(filepath.Dir(path), 0o777))
		must(t, os.WriteFile(path, []byte(text), 0o666))
		replace[filepath.Join(tr.root, "examples/all_programs", folder, file)] = path
	}
	pack := strings.NewReplacer("\npackage main\n", "\npackage program\n", "\nfunc main() {", "\nfunc Main() {")
	var imports, cases strings.Builder
	var names []string
	one := func(name, folder string) {
		name = programFile(name)
		names = append(names, name)
		fmt.Fprintf(&imports, "\tp%d \"github.com/ndmap/ndmap/examples/all_programs/%s\"\n", len(names), folder)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\tp%d.Main()\n", name, len(names))
	}
	separate := []string{}
	for _, name := range examples {
		dir := filepath.Join(tr.root, "examples", name)
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			continue
		}
		files := map[string]string{}
		calls := false
		for _, path := range glob(t, dir+"/*.go") {
			if !strings.HasSuffix(path, "_test.go") {
				b, err := os.ReadFile(path)
				must(t, err)
				files[filepath.Base(path)] = string(b)
				calls = calls || strings.Contains(string(b), "\nimport \"C\"\n")
			}
		}
		if calls {
			separate = append(separate, "./"+name)
			continue
		}
		for file, text := range files {
			add(name, file, pack.Replace("\n"+text))
		}
		one(name, name)
	}
	for _, name := range documents {
		folder := regexp.MustCompile(`\W`).ReplaceAllString(name, "_")
		add(folder, "main.go", pack.Replace("\n"+sources[name]))
		one(name, folder)
	}
	add("", "main.go", "package main\n\nimport (\n\t\"os\"\n\t\"path/filepath\"\n"+imports.String()+
		")\n\nfunc main() {\n\tswitch filepath.Base(os.Args[0]) {\n"+cases.String()+
		"\tdefault:\n\t\tpanic(os.Args[0])\n\t}\n}\n")
	b, err := json.Marshal(map[string]any{"Replace": replace})
	must(t, err)
	overlay := filepath.Join(tmp, "overlay.json")
	must(t, os.WriteFile(overlay, b, 0o666))
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Logf("without gcc: not %v", separate)
		separate = nil
	}
	// Without inlining, the programs compile in half the time.
	args := []string{"build", "-gcflags=github.com/ndmap/ndmap/examples/all_programs/...=-l -dwarf=false",
		"-ldflags=-s -w",
		"-overlay", overlay, "-o", tr.bin + "/", "./all_programs"}
	tr.command(t, "examples", "go", append(args, separate...)...)
	for _, name := range names {
		must(t, os.Symlink("all_programs", filepath.Join(tr.bin, name)))
	}
}

// programFile returns the file name for a program in tr.bin.
func programFile(name string) string { return strings.ReplaceAll(name, "/", "-") }

// buildModule builds a program that is a module of its own.
func (tr tree) buildModule(t *testing.T, name string) {
	t.Helper()
	tr.command(t, "examples/"+name, "go", "build", "-o", filepath.Join(tr.bin, name), ".")
}

func (tr tree) command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = filepath.Join(tr.root, dir)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	must(t, err)
	return paths
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

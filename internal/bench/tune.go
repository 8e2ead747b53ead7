package main

import (
	"bufio"
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// drawWorks draws random works and random reductions until n of each match, and returns these. It gives up after 1000*n
// tries.
func drawWorks(n int, seed uint64, match *regexp.Regexp) (works [2][]string) {
	for stream, draw := range []func(*rand.Rand) string{drawWork, drawReduction} {
		works[stream] = drawTexts(draw, n, rand.NewPCG(seed, uint64(stream)), match)
	}
	return works
}

// drawSaves is like drawWorks, and returns random saves.
func drawSaves(n int, seed uint64, match *regexp.Regexp) []string {
	return drawTexts(drawSave, n, rand.NewPCG(seed, 2), match)
}

func drawTexts(draw func(*rand.Rand) string, n int, source rand.Source, match *regexp.Regexp) (texts []string) {
	r := rand.New(source)
	for tries := 0; len(texts) < n && tries < 1000*n; tries++ {
		if text := draw(r); match.MatchString(text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// printTimes prints the minimum time of each small work among the named works, n random works and n random reductions.
func printTimes(n int, seed uint64, named []string) {
	works := drawWorks(n, seed, regexp.MustCompile(""))
	for _, text := range slices.Concat(named, works[0], works[1]) {
		if !isSmall(text) {
			continue
		}
		work, done := newWork(text)
		least := math.Inf(1)
		for start, k := time.Now(), 0; k < 3 || time.Since(start) < 4*time.Millisecond; k++ {
			least = min(least, averageTime(1, work))
		}
		fmt.Printf("%s\t%g\n", text, least)
		done()
	}
}

// isSmall reports whether the arrays of a work have few elements, so that its time does not depend on the speed of
// memory.
func isSmall(text string) bool {
	_, src, dst, err := parse(text)
	must(0, err)
	elements := 1
	for _, shape := range [][]int{src.shape, dst.shape} {
		n := 1
		for _, k := range shape {
			n *= k
		}
		elements = max(elements, n)
	}
	return elements < 1<<20
}

// newWork returns a function that runs a work on new arrays of small integers, and a function that frees the arrays.
func newWork(text string) (work, done func()) {
	op, src, dst, err := parse(text)
	must(0, err)
	var a, o array.Array
	var files []*array.File
	if src.dtype != "" {
		f := src.make()
		files = append(files, f)
		some := must(array.New(dtype.Uint8, index.C, f.Array.Shape()...))
		defer some.Close()
		r := rand.New(rand.NewPCG(1, 1))
		for i, b := 0, must(must(array.As[byte](some.Array)).Data()); i < len(b); i++ {
			b[i] = byte(r.IntN(100))
		}
		must(0, array.Copy(f.Array, some.Array))
		a = src.part(f.Array)
	}
	if dst.dtype != "" {
		if dst.shape == nil {
			dst.shape = a.Shape()
		}
		f := dst.make()
		files = append(files, f)
		o = dst.part(f.Array)
	}
	switch op {
	default:
		r, _ := parseReduction(op)
		reduce, result := newReduction(r, a)
		files = append(files, result)
		work = func() { reduce() }
	case "copy":
		work = func() { must(0, array.Copy(o, a)) }
	case "fill":
		fill := fills[native(dst.dtype)](o)
		work = func() { fill() }
	case "sum":
		sum := sums[native(src.dtype)](a)
		work = func() { sum() }
	case "minmax":
		extremes := extremes[native(src.dtype)](a)
		work = func() { extremes() }
	}
	return work, func() {
		for _, f := range files {
			f.Close()
		}
	}
}

// A change of tune disables a loop, or multiplies or divides a constant by two.
type change struct {
	name  string
	fixed bool   // whether the constant must stay a constant, so that the program is compiled again
	path  string // the path of the file with the constant
	text  []byte // the text of the changed file
}

// tune prints the gain of each assembly loop and each tuning constant. It makes one change at a time, and times the
// same works alternately with and without the change. A ratio compares the minimum times of a work. If it is below 1,
// the work takes longer with the change. The first lines are measured without a change and show the noise.
//
// tune works on a copy of the source. In the copy, constants are variables wherever that compiles, so that most changes
// do not need another program.
func tune(dir string, n int, seed uint64, rounds int, match *regexp.Regexp) error {
	root := filepath.Join(dir, "source")
	if err := copySource(root); err != nil {
		return err
	}
	base, other := filepath.Join(dir, "base"), filepath.Join(dir, "other")
	changes, err := prepare(root, base)
	if err != nil {
		return err
	}
	none := change{name: "none"}
	fmt.Printf("| change | worst | median | below 0.95 | slowest |\n|---|---|---|---|---|\n")
	for _, c := range slices.Concat([]change{none, none, none}, changes) {
		if c.name != none.name && !match.MatchString(c.name) {
			continue
		}
		program := base
		if c.fixed {
			old, _ := os.ReadFile(c.path)
			must(0, os.WriteFile(c.path, c.text, 0o666))
			out, err := build(root, other)
			must(0, os.WriteFile(c.path, old, 0o666))
			if err != nil { // for example if the constant is the length of an array
				fmt.Printf("| %s | does not compile: %.60q | | | |\n", c.name, out)
				continue
			}
			program = other
		}
		if err := compare(c.name, base, program, n, seed, rounds); err != nil {
			return err
		}
	}
	return nil
}

// build compiles the program in the copy at root, and returns the output of the compiler.
func build(root, to string) (out []byte, err error) {
	cmd := exec.Command("go", "build", "-o", to, ".")
	cmd.Dir = filepath.Join(root, "internal", "bench")
	return cmd.CombinedOutput()
}

// compare times the works alternately with two programs, times works that are slower with the change again, and prints
// a line of the table.
func compare(name, base, other string, n int, seed uint64, rounds int) error {
	least := map[string]*[2]float64{}
	if err := timeBoth(least, name, base, other, n, seed, fixed, rounds); err != nil {
		return err
	}
	for range 2 {
		var slower []string
		for text, t := range least {
			if t[0] < 0.95*t[1] {
				slower = append(slower, text)
			}
		}
		if len(slower) > 0 {
			if err := timeBoth(least, name, base, other, 0, seed, slower, 2*rounds); err != nil {
				return err
			}
		}
	}
	var ratios []float64
	below, worst, slowest := 0, math.Inf(1), ""
	for text, t := range least {
		r := t[0] / t[1]
		if ratios = append(ratios, r); r < 0.95 {
			below++
		}
		if r < worst {
			worst, slowest = r, text
		}
	}
	fmt.Printf("| %s | %.2f × | %.3f × | %d of %d | %s |\n", name, worst, median(ratios), below, len(ratios), slowest)
	return nil
}

// timeBoth times n random works and the named works alternately with two programs, base without and other with the
// change. It updates the minimum times in least.
func timeBoth(least map[string]*[2]float64, name, base, other string, n int, seed uint64, named []string,
	rounds int) error {
	for range rounds {
		for k, program := range []string{base, other} {
			arguments := []string{"-times", strconv.Itoa(n), "-seed", strconv.FormatUint(seed, 10)}
			cmd := exec.Command(program, append(arguments, named...)...)
			if cmd.Env = os.Environ(); k == 1 {
				cmd.Env = append(cmd.Env, "NDMAP_TUNE="+name)
			}
			out, err := cmd.Output()
			if err != nil {
				return err
			}
			for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
				text, number, _ := strings.Cut(s.Text(), "\t")
				seconds, err := strconv.ParseFloat(number, 64)
				if err != nil {
					return err
				}
				if least[text] == nil {
					least[text] = &[2]float64{math.Inf(1), math.Inf(1)}
				}
				least[text][k] = min(least[text][k], seconds)
			}
		}
	}
	return nil
}

// copySource copies the Go and assembly files of the module to a folder.
func copySource(to string) error {
	return filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := d.Name()
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "../.." && (name[0] == '.' || name == "node_modules" || name == "testdata" ||
			name == "examples"):
			return filepath.SkipDir
		case d.IsDir() || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		switch filepath.Ext(name) {
		case ".go", ".s", ".h", ".mod", ".sum", ".py":
		default:
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel("../..", path)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(filepath.Join(to, rel)), 0o777); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(to, rel), text, 0o666)
	})
}

// prepare rewrites the source at root so that the environment variable NDMAP_TUNE can disable a loop or change a
// constant. It builds the rewritten program as base, and returns all possible changes.
func prepare(root, base string) (changes []change, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(root, "internal/kernel/loops.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	without := "package kernel\n\nimport \"os\"\n\nfunc init() {\n\tvar none loops\n\tswitch os.Getenv(\"NDMAP_TUNE\") {\n"
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == "loops" {
			for _, f := range t.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					c := change{name: "without " + name.Name}
					changes = append(changes, c)
					without += fmt.Sprintf("\tcase %q:\n\t\tactive.%s = none.%[2]s\n", c.name, name.Name)
				}
			}
		}
		return true
	})
	must(0, os.WriteFile(filepath.Join(root, "internal/kernel/zz_without.go"), []byte(without+"\t}\n}\n"), 0o666))
	paths, err := filepath.Glob(filepath.Join(root, "internal/*/tuning.go"))
	if err != nil {
		return nil, err
	}
	var all []constant
	for _, path := range paths {
		constants, err := constantsOf(path)
		if err != nil {
			return nil, err
		}
		all = append(all, constants...)
	}
	for {
		for _, path := range paths {
			must(0, os.WriteFile(path, rewritten(path, all), 0o666))
		}
		out, err := build(root, base)
		if err == nil {
			break
		}
		more := false // whether more constants must stay constants
		for k := range all {
			c := &all[k]
			if !c.fixed && regexp.MustCompile(`\b`+c.ident+`\b`).Match(out) {
				c.fixed, more = true, true
			}
		}
		if !more {
			return nil, fmt.Errorf("%w: %s", err, out)
		}
	}
	for _, c := range all {
		for _, by := range []string{"/2", "*2"} {
			changed := change{name: c.name() + by, fixed: c.fixed, path: c.path}
			if c.fixed {
				value := c.value
				c.value = "(" + value + ")" + by
				changed.text = rewritten(c.path, replaced(all, c))
				c.value = value
			}
			changes = append(changes, changed)
		}
	}
	return changes, nil
}

// A constant is a constant or a variable of a file tuning.go.
type constant struct {
	path, pkg, ident, value string
	fixed                   bool // it must stay a constant
}

func (c *constant) name() string { return c.pkg + "." + c.ident }

// replaced returns a copy of all in which c replaces the constant of the same name.
func replaced(all []constant, c constant) []constant {
	all = slices.Clone(all)
	all[slices.IndexFunc(all, func(o constant) bool { return o.name() == c.name() })] = c
	return all
}

// constantsOf returns the constants and variables of a file.
func constantsOf(path string) (all []constant, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, path, text, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
			at := func(p token.Pos) int { return set.Position(p).Offset }
			value := string(text[at(v.Values[0].Pos()):at(v.Values[0].End())])
			all = append(all, constant{path: path, pkg: file.Name.Name, ident: v.Names[0].Name, value: value})
		}
		return true
	})
	return all, nil
}

// rewritten returns the new content of a file, in which constants that are not fixed are variables.
func rewritten(path string, all []constant) []byte {
	var b bytes.Buffer
	i := slices.IndexFunc(all, func(c constant) bool { return c.path == path })
	fmt.Fprintf(&b, "package %s\n\nimport \"os\"\n\n", all[i].pkg)
	for _, c := range all {
		switch {
		case c.path != path:
		case c.fixed:
			fmt.Fprintf(&b, "const %s = %s\n", c.ident, c.value)
		default:
			fmt.Fprintf(&b, "var %s = tuned(%q, %s)\n", c.ident, c.name(), c.value)
		}
	}
	b.WriteString(`
func tuned(name string, n int) int {
	switch os.Getenv("NDMAP_TUNE") {
	case name + "/2":
		return n / 2
	case name + "*2":
		return 2 * n
	}
	return n
}
`)
	return b.Bytes()
}

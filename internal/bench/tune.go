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

// drawWorks returns n works that match, and as many reductions.
func drawWorks(n int, seed uint64, match *regexp.Regexp) (works [2][]string) {
	for stream, draw := range []func(*rand.Rand) string{draw, drawReduction} {
		r := rand.New(rand.NewPCG(seed, uint64(stream)))
		for tries := 0; len(works[stream]) < n && tries < 1000*n; tries++ {
			if text := draw(r); match.MatchString(text) {
				works[stream] = append(works[stream], text)
			}
		}
	}
	return works
}

// printTimes prints each work that is named or drawn, if it is small, and the least of its times.
func printTimes(n int, seed uint64, named []string) {
	works := drawWorks(n, seed, regexp.MustCompile(""))
	for _, text := range slices.Concat(named, works[0], works[1]) {
		if !isSmall(text) {
			continue
		}
		work, done := alone(text)
		least := math.Inf(1)
		for start, k := time.Now(), 0; k < 3 || time.Since(start) < 10*time.Millisecond; k++ {
			least = min(least, clock(1, work))
		}
		fmt.Printf("%s\t%g\n", text, least)
		done()
	}
}

// isSmall reports whether the arrays of a work have few elements, so that it is not the memory that takes the time.
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

// alone returns a work on arrays of its own, of small integers.
func alone(text string) (work, done func()) {
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
		reduce, result := reduces(r, a)
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

// A change is one that tune makes to a copy of the source: a file, and what its text becomes.
type change struct {
	name, path string
	text       []byte
}

// tune prints what each loop and each constant of tuning is worth: it changes one at a time in a copy of the source,
// and times the same works with and without the change, in turns. A ratio is that of the least times of a work, so
// below 1 it takes longer with the change.
func tune(dir string, n int, seed uint64, rounds int, match *regexp.Regexp) error {
	root := filepath.Join(dir, "source")
	if err := copySource(root); err != nil {
		return err
	}
	changes, err := changesOf(root)
	if err != nil {
		return err
	}
	build := func(to string) error {
		cmd := exec.Command("go", "build", "-o", to, ".")
		cmd.Dir = filepath.Join(root, "internal", "bench")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	base, other := filepath.Join(dir, "base"), filepath.Join(dir, "other")
	if err := build(base); err != nil {
		return err
	}
	fmt.Printf("| change | worst | median | below 0.95 | slowest |\n|---|---|---|---|---|\n")
	for _, c := range changes {
		if !match.MatchString(c.name) {
			continue
		}
		old, _ := os.ReadFile(c.path)
		if err := os.WriteFile(c.path, c.text, 0o666); err != nil {
			return err
		}
		err := build(other)
		if old == nil {
			os.Remove(c.path)
		} else if err := os.WriteFile(c.path, old, 0o666); err != nil {
			return err
		}
		if err != nil { // as where an array is as long as a constant says
			fmt.Printf("| %s | does not compile | | | |\n", c.name)
			continue
		}
		if err := compare(c.name, base, other, n, seed, rounds); err != nil {
			return err
		}
	}
	return nil
}

// compare times the works with two programs in turns, and prints a line.
func compare(name, base, other string, n int, seed uint64, rounds int) error {
	least := map[string]*[2]float64{}
	for range rounds {
		for k, program := range []string{base, other} {
			out, err := exec.Command(program, "-times", strconv.Itoa(n), "-seed", strconv.FormatUint(seed, 10)).Output()
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

// copySource copies the files of Go and assembly of the module to a folder.
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

// changesOf returns the changes to the source at root: without each loop of the table in internal/kernel, and with
// half and with twice each constant in files named tuning.go.
func changesOf(root string) (changes []change, err error) {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, filepath.Join(root, "internal/kernel/loops.go"), nil, 0)
	if err != nil {
		return nil, err
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if t, ok := n.(*ast.TypeSpec); ok && t.Name.Name == "loops" {
			for _, f := range t.Type.(*ast.StructType).Fields.List {
				for _, name := range f.Names {
					text := fmt.Sprintf("package kernel\n\nfunc init() {\n\tvar none loops\n\tdo.%s = none.%[1]s\n}\n", name.Name)
					changes = append(changes, change{"without " + name.Name, filepath.Join(root, "internal/kernel/zz_without.go"),
						[]byte(text)})
				}
			}
		}
		return true
	})
	paths, err := filepath.Glob(filepath.Join(root, "internal/*/tuning.go"))
	if err != nil {
		return nil, err
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(set, path, text, 0)
		if err != nil {
			return nil, err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if v, ok := n.(*ast.ValueSpec); ok && len(v.Values) == 1 {
				from, to := set.Position(v.Values[0].Pos()).Offset, set.Position(v.Values[0].End()).Offset
				for _, by := range []string{"/2", "*2"} {
					name := fmt.Sprintf("%s.%s%s", file.Name.Name, v.Names[0].Name, by)
					changed := slices.Concat(text[:from], []byte("("), text[from:to], []byte(")"+by), text[to:])
					changes = append(changes, change{name, path, changed})
				}
			}
			return true
		})
	}
	return changes, nil
}

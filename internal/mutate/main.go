// Mutate finds holes in the tests: it makes small changes to the code, one at a
// time, and runs the tests, which should fail.
//
//	go run ./internal/mutate -n 80 -seed 1 ./array ./mmap
//
// It draws n changes at random over the packages named: an operator for another
// (+ and -, < and <=, && and ||), a number for the next one, min for max, true for
// false, a condition for its negation, an argument for its neighbour. Each is made
// in a copy of the module in the temporary folder, never in the working tree, and
// judged with go test -short of its package and, if array imports that, of array.
// Changes that do not compile are not counted. Package oracle is never changed: it
// removes files.
//
// Each change that all tests pass is printed with its place. It is either a hole, to
// be closed by a test that fails with the change, or it alters nothing that a
// program can see: only speed, or code that is redundant.
package main

import (
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

var (
	count = flag.Int("n", 40, "how many changes to draw")
	seed  = flag.Uint64("seed", 1, "the same seed draws the same changes")
	skip  = flag.String("skip", "", "names of files to leave alone, with commas between")
)

// A change replaces bytes of a file.
type change struct {
	file       string // from the module's root
	line       int
	start, end int
	text       string // instead of the bytes from start to end
	what       string
	tests      []string // the packages whose tests judge it, its own first
}

// limits has the time and memory of a test: some changes loop or allocate without end.
type limits struct{ time, data string }

const unlimited = "unlimited"

// A tree is a copy of the module.
type tree string

// near has what an operator or a name becomes; += becomes -=, as + becomes -.
var near = map[string]string{
	"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&",
	"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "^": "&", "&^": "&", "<<": ">>", ">>": "<<",
	"++": "--", "--": "++", "min": "max", "max": "min", "true": "false", "false": "true",
}

// changes appends all changes of a file to list.
func (dir tree) changes(list []change, file string, tests []string) ([]change, error) {
	src, err := os.ReadFile(filepath.Join(string(dir), file))
	if err != nil {
		return nil, err
	}
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, file, src, 0)
	at := func(p token.Pos) int { return fset.Position(p).Offset }
	text := func(n ast.Node) string { return string(src[at(n.Pos()):at(n.End())]) }
	replace := func(from, to token.Pos, s string) {
		if old := string(src[at(from):at(to)]); old != s {
			list = append(list, change{file, fset.Position(from).Line, at(from), at(to), s, old + "  =>  " + s, tests})
		}
	}
	swap := func(pos token.Pos, old, suffix string) {
		if to, ok := near[old]; ok {
			replace(pos, pos+token.Pos(len(old+suffix)), to+suffix)
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			swap(n.OpPos, n.Op.String(), "")
		case *ast.AssignStmt:
			if op, ok := strings.CutSuffix(n.Tok.String(), "="); ok {
				swap(n.TokPos, op, "=")
			}
		case *ast.IncDecStmt:
			swap(n.TokPos, n.Tok.String(), "")
		case *ast.UnaryExpr:
			if n.Op == token.NOT || n.Op == token.SUB {
				replace(n.Pos(), n.End(), text(n.X))
			}
		case *ast.IfStmt:
			if b, ok := n.Cond.(*ast.BinaryExpr); !ok || b.Op != token.EQL && b.Op != token.NEQ { // else it is the operator's
				replace(n.Cond.Pos(), n.Cond.End(), "!("+text(n.Cond)+")")
			}
		case *ast.BasicLit:
			if v, err := strconv.ParseInt(n.Value, 0, 64); err == nil && n.Kind == token.INT {
				replace(n.Pos(), n.End(), strconv.FormatInt(v+1, 10))
			}
		case *ast.Ident:
			swap(n.Pos(), n.Name, "")
		case *ast.CallExpr:
			if name := text(n.Fun); name == "min" || name == "max" { // the order counts for nothing
				break
			}
			for i := 1; i < len(n.Args) && !n.Ellipsis.IsValid(); i++ {
				a, b := n.Args[i-1], n.Args[i]
				replace(a.Pos(), b.End(), text(b)+string(src[at(a.End()):at(b.Pos())])+text(a))
			}
		}
		return true
	})
	return list, err
}

// run runs a command of Go in the tree, with no more memory than data, in kilobytes.
func (dir tree) run(data string, args ...string) (string, error) {
	cmd := exec.Command("sh", append([]string{"-c", "ulimit -d " + data + `; exec go "$@"`, "go"}, args...)...)
	cmd.Dir = string(dir)
	cmd.WaitDelay = 10 * time.Second // what a test started may outlive it
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	flag.Parse()
	if err := mutate(flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func mutate(args []string) error {
	tmp, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	dir := tree(tmp)
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	err = os.CopyFS(tmp, os.DirFS(strings.TrimSpace(string(root))))
	if err := errors.Join(err, os.RemoveAll(filepath.Join(tmp, ".git"))); err != nil { // in a worktree .git is the way back there
		return err
	}
	var all []change
	limit := map[string]limits{}
	deps, err := dir.run(unlimited, "list", "-deps", "./array")
	if err != nil {
		return err
	}
	pkgs, err := dir.run(unlimited, append([]string{"list", "-f", `{{.ImportPath}} .{{slice .ImportPath (len .Module.Path)}}{{range .GoFiles}} {{.}}{{end}}`}, args...)...)
	if err != nil {
		return err
	}
	for line := range strings.Lines(pkgs) {
		f := strings.Fields(line) // the import path, the folder and the files
		if f[1] == "./internal/oracle" {
			continue
		}
		tests := []string{f[1]}
		if f[1] != "./array" && slices.Contains(strings.Fields(deps), f[0]) {
			tests = append(tests, "./array")
		}
		for _, name := range f[2:] {
			if slices.Contains(strings.Split(*skip, ","), name) {
				continue
			}
			if all, err = dir.changes(all, filepath.Join(f[1], name), tests); err != nil {
				return err
			}
		}
		for _, t := range tests {
			for _, data := range []string{"4194304", unlimited} { // mmap's tests want more addresses
				if limit[t].time != "" {
					break
				}
				start := time.Now()
				if _, err = dir.run(data, "test", "-short", "-vet=off", "-count=1", t); err == nil {
					limit[t] = limits{fmt.Sprint(10*time.Second + 3*time.Since(start)), data}
				}
			}
			if err != nil {
				return fmt.Errorf("without a change: %w", err)
			}
		}
	}

	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	verdicts, drawn := map[string]int{}, 0
	for _, c := range all {
		if drawn == *count {
			break
		}
		verdict, err := dir.judge(c, limit)
		if err != nil {
			return err
		}
		if verdict != "" {
			drawn++
			verdicts[verdict]++
		}
		if verdict != "" && verdict != "killed" {
			fmt.Printf("%s:%d: %s: %s\n", c.file, c.line, verdict, strings.Join(strings.Fields(c.what), " "))
		}
	}
	fmt.Printf("seed %d, %d of %d changes: %v\n", *seed, drawn, len(all), verdicts)
	return nil
}

// judge makes a change, runs the tests, and takes the change back. It returns "" for
// a change that does not compile.
func (dir tree) judge(c change, limit map[string]limits) (verdict string, err error) {
	name := filepath.Join(string(dir), c.file)
	src, err := os.ReadFile(name)
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(name, slices.Concat(src[:c.start], []byte(c.text), src[c.end:]), 0o666); err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, os.WriteFile(name, src, 0o666)) }()
	if _, err := dir.run(unlimited, "build", "-o", os.DevNull, c.tests[0]); err != nil {
		return "", nil
	}
	for _, t := range c.tests {
		out, err := dir.run(limit[t].data, "test", "-short", "-vet=off", "-count=1", "-failfast", "-timeout", limit[t].time, t)
		if strings.Contains(out, "panic: test timed out") {
			return "ended by its time", nil
		}
		if err != nil {
			return "killed", nil
		}
	}
	return "survived", nil
}

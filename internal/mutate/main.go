// Command mutate finds code that the tests do not check. It makes small changes to the code, one at a time, and runs
// the tests, which should fail.
//
//	go run ./internal/mutate -n 80 -seed 1 ./array ./mmap
//	go run ./internal/mutate -changed main
//
// It draws n changes at random in the given packages. A change replaces an operator (+ by -, < by <=, && by ||), a
// number by the next one, min by max, true by false, or a condition by its negation, or it exchanges two arguments.
// With -changed it draws only from lines of the working tree that differ from a revision of git. Changes that do not
// compile do not count. Packages oracle and mutate, which remove files, are never changed. The working tree is not
// changed: the tests run with -overlay, in a copy of the module in a temporary folder.
//
// These tests run for each change, until one fails:
//
//   - the tests of its package with -short, and the tests of array with -short if array or its tests import the package,
//     directly or indirectly
//   - all tests of its package and of array
//   - all tests of further packages of the module that import the package, including the examples and internal/readme
//
// If all tests pass, mutate prints the change and its position. Either a test that fails with the change is missing, or
// the change has no effect that a program can notice: it affects only speed, memory within the documented limits, or
// redundant code. Such changes belong in equivalent.txt, with the reason.
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

var (
	count   = flag.Int("n", 40, "`number` of changes to draw")
	seed    = flag.Uint64("seed", 1, "`seed` of the random changes")
	workers = flag.Int("p", 2, "`number` of changes to test at a time")
	changed = flag.String("changed", "",
		"draw only from lines that differ from this `revision`; by default in all packages")
)

//go:embed equivalent.txt
var equivalents string

// A step runs the tests of a package (./array).
type step struct {
	pkg   string
	short bool
}

// args returns the arguments of the go command.
func (s step) args(more ...string) []string {
	args := append([]string{"test", "-vet=off", "-count=1"}, more...)
	if s.short {
		args = append(args, "-short")
	}
	return append(args, s.pkg)
}

// limits holds the maximum time and memory of a step, because some changes cause endless loops or allocations.
type limits struct{ time, data string }

const unlimited = "unlimited"

// A module is a copy of the module, with the tests to run for each package.
type module struct {
	context.Context
	dir     string
	overlay string            // the file for -overlay that changes nothing
	steps   map[string][]step // the steps of each package
	limit   sync.Map          // maps a step to a function that measures its limits once
}

// run runs the go command in the module, with at most data kilobytes of memory. overlay is the file for -overlay; the
// command creates temporary files in its folder.
func (m *module) run(data, overlay string, args ...string) (string, error) {
	cmd := exec.CommandContext(m, "sh", append([]string{"-c", "ulimit -d " + data + `; exec go "$@"`, "go"}, args...)...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // the go command ends the tests
	cmd.Dir = m.dir
	cmd.WaitDelay = 10 * time.Second // child processes of a test may outlive it
	cmd.Env = append(os.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -overlay="+overlay, "TMPDIR="+filepath.Dir(overlay))
	out, err := cmd.CombinedOutput()
	if err != nil {
		err = fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return string(out), err
}

// measure returns the limits of a step. The first call for a step runs it without a change.
func (m *module) measure(s step) (limits, error) {
	once, _ := m.limit.LoadOrStore(s, sync.OnceValues(func() (l limits, err error) {
		for _, data := range []string{"4194304", unlimited} { // the tests of mmap need more address space
			start := time.Now()
			if _, err = m.run(data, m.overlay, s.args()...); err == nil {
				return limits{fmt.Sprint(20*time.Second + 4*time.Since(start)), data}, nil
			}
		}
		return l, fmt.Errorf("without a change: %w", err)
	}))
	return once.(func() (limits, error))()
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("mutate: ")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := mutate(ctx, flag.Args()); err != nil {
		log.Fatal(err)
	}
}

func mutate(ctx context.Context, pkgs []string) error {
	list, err := parseEquivalents(equivalents)
	if err != nil {
		return err
	}
	listed := map[string]bool{}
	for _, e := range list {
		listed[e.key()] = true
	}
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return err
	}
	tmp, err := makeTemp("")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	m := &module{Context: ctx, dir: filepath.Join(tmp, "module"), steps: map[string][]step{}}
	if m.overlay, err = m.overlayOf(nil); err != nil {
		return err
	}
	var lines map[string][]lineRange
	if *changed != "" {
		if lines, err = changedLines(strings.TrimSpace(string(root)), *changed); err != nil {
			return err
		}
		if len(pkgs) == 0 {
			pkgs = []string{"./..."}
		}
	}
	err = os.CopyFS(m.dir, os.DirFS(strings.TrimSpace(string(root))))
	if err := errors.Join(err, os.RemoveAll(filepath.Join(m.dir,
		".git"))); err != nil { // in a worktree, .git refers to the original repository
		return err
	}
	all, err := m.load(pkgs)
	if err != nil {
		return err
	}
	if lines != nil {
		all = slices.DeleteFunc(all, func(c change) bool { return !c.touches(lines[c.file]) })
	}
	r := rand.New(rand.NewPCG(*seed, 0))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })

	verdicts, drawn := map[string]int{}, 0
	err = m.judgeAll(all, func(c change, verdict string) {
		drawn++
		switch isListed := listed[c.key()]; {
		case isListed && verdict == survived:
			verdict = "equivalent (listed)"
		case isListed:
			verdict += ", although listed as equivalent"
		}
		if verdicts[verdict]++; verdict != killed {
			fmt.Printf("%s:%d: %s\n\t%s\n\t%s\n", c.file, c.line, verdict, c.source, c.what)
		}
	})
	fmt.Printf("seed %d, %d of %d changes: %v\n", *seed, drawn, len(all), verdicts)
	if n := drawn - verdicts["equivalent (listed)"]; n > 0 {
		fmt.Printf("%.1f %% of the %d changes that are not listed as equivalent failed a test\n",
			100*(1-float64(verdicts[survived])/float64(n)), n)
	}
	return err
}

// changedLines returns the lines of each file that differ from a revision, including all lines of new files.
func changedLines(root, revision string) (map[string][]lineRange, error) {
	git := func(args ...string) (string, error) {
		cmd := exec.Command("git", append([]string{"-c", "core.quotePath=false"}, args...)...)
		cmd.Dir = root
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		return string(out), err
	}
	diff, err := git("diff", "-U0", "-M", "--no-color", "--no-ext-diff", "--src-prefix=a/", "--dst-prefix=b/", revision,
		"--", "*.go")
	if err != nil {
		return nil, fmt.Errorf("git diff %s: %w", revision, err)
	}
	lines, err := parseDiff(diff)
	if err != nil {
		return nil, err
	}
	others, err := git("ls-files", "--others", "--exclude-standard", "--", "*.go")
	for _, file := range strings.Fields(others) {
		lines[file] = []lineRange{{1, 1 << 30}}
	}
	return lines, err
}

// load returns all possible changes to the packages, and sets the steps of each package.
func (m *module) load(pkgs []string) (all []change, err error) {
	name, err := m.run(unlimited, m.overlay, "list", "-m")
	if err != nil {
		return nil, err
	}
	local := func(path string) string { return "." + strings.TrimPrefix(path, strings.TrimSpace(name)) }
	tests, err := m.run(unlimited, m.overlay, "list", "-test", "-f", `{{.ImportPath}}{{range .Deps}} {{.}}{{end}}`,
		"./...")
	if err != nil {
		return nil, err
	}
	importedBy := map[string][]string{}
	for line := range strings.Lines(tests) {
		f := strings.Fields(line)
		if by, ok := strings.CutSuffix(f[0], ".test"); ok {
			for _, path := range f[1:] { // for a package compiled for the test, "path [path.test]", these are two fields
				importedBy[local(path)] = append(importedBy[local(path)], local(by))
			}
		}
	}
	files, err := m.run(unlimited, m.overlay, append([]string{"list", "-f",
		`{{.ImportPath}}{{range .GoFiles}} {{.}}{{end}}`}, pkgs...)...)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(files) {
		f := strings.Fields(line)
		pkg := local(f[0])
		if pkg == "./internal/oracle" || pkg == "./internal/mutate" {
			continue
		}
		m.steps[pkg] = steps(pkg, importedBy[pkg])
		for _, file := range f[1:] {
			file = filepath.Join(pkg, file)
			src, err := os.ReadFile(filepath.Join(m.dir, file))
			if err != nil {
				return nil, err
			}
			list, err := changes(filepath.ToSlash(file), src)
			if err != nil {
				return nil, err
			}
			all = append(all, list...)
		}
	}
	return all, nil
}

// steps returns the steps for changes to pkg. importedBy lists the packages whose tests import pkg.
func steps(pkg string, importedBy []string) (steps []step) {
	first := slices.DeleteFunc([]string{pkg, "./array"}, func(p string) bool { return !slices.Contains(importedBy, p) })
	first = slices.Compact(first)
	for _, short := range []bool{true, false} {
		for _, p := range first {
			steps = append(steps, step{p, short})
		}
	}
	for _, p := range slices.Compact(slices.Sorted(slices.Values(importedBy))) {
		if !slices.Contains(first, p) {
			steps = append(steps, step{p, false})
		}
	}
	return steps
}

const (
	survived = "survived"
	killed   = "killed"
)

// judgeAll judges the first *count changes that compile, several at a time. It calls report for each of them, one at a
// time.
func (m *module) judgeAll(all []change, report func(c change, verdict string)) error {
	var (
		mu    sync.Mutex
		wg    sync.WaitGroup
		first error
		next  int
		begun int // the number of changes begun, except those that do not compile
	)
	for range *workers {
		wg.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for next < len(all) && begun < *count && first == nil {
				c := all[next]
				next++
				begun++
				mu.Unlock()
				verdict, err := m.judge(c)
				mu.Lock()
				switch {
				case err != nil:
					first = errors.Join(first, err)
				case verdict == "":
					begun--
				default:
					report(c, verdict)
				}
			}
		})
	}
	wg.Wait()
	return first
}

// makeTemp creates a temporary folder in the folder in. Other users can open files in the new folder, because tests run
// programs as other users.
func makeTemp(in string) (string, error) {
	dir, err := os.MkdirTemp(in, "mutate")
	return dir, errors.Join(err, os.Chmod(dir, 0o755))
}

// overlayOf creates a folder with a file for -overlay that makes a change, and returns the path of the file.
func (m *module) overlayOf(c *change) (string, error) {
	work, err := makeTemp(filepath.Dir(m.dir))
	if err != nil {
		return "", err
	}
	replace := map[string]string{}
	if c != nil {
		name, changedFile := filepath.Join(m.dir, c.file), filepath.Join(work, "with.go")
		src, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(changedFile, slices.Concat(src[:c.start], []byte(c.text), src[c.end:]), 0o666); err != nil {
			return "", err
		}
		replace[name] = changedFile
	}
	b, err := json.Marshal(map[string]any{"Replace": replace})
	overlay := filepath.Join(work, "overlay.json")
	return overlay, errors.Join(err, os.WriteFile(overlay, b, 0o666))
}

// judge runs the tests with a change. It returns "" if the change does not compile.
func (m *module) judge(c change) (verdict string, err error) {
	overlay, err := m.overlayOf(&c)
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(filepath.Dir(overlay))
	pkg := "./" + filepath.ToSlash(filepath.Dir(c.file))
	if _, err := m.run(unlimited, overlay, "build", "-o", os.DevNull, pkg); err != nil {
		return "", m.Err()
	}
	for _, s := range m.steps[pkg] {
		l, err := m.measure(s)
		if err != nil {
			return "", err
		}
		out, err := m.run(l.data, overlay, s.args("-failfast", "-timeout", l.time)...)
		switch {
		case m.Err() != nil:
			return "", m.Err()
		case strings.Contains(out, "panic: test timed out"):
			return "timed out", nil
		case err != nil:
			return killed, nil
		}
	}
	return survived, nil
}

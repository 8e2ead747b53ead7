package examples

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

//go:embed hostile.py
var hostilePy string

// TestHostile runs every example, and every program in documents, on unexpected files, while other processes truncate
// or replace its file, with a full disk, and with signals that end it. In all cases the program must not print a stack
// trace. It may exit with 0 only if its results are correct, as judged by NumPy. Otherwise it must exit with 1 and
// print one line, or with 2 and print its usage. After a failure, it must not leave a file that looks complete. After a
// signal, it may leave only complete files.
//
// By default the test draws a few random cases of each kind. NDMAP_HOSTILE=n draws n times as many; with n >= 10 it
// combines all shapes with all dtypes and values. With any n, the test includes examples in modules of their own.
// NDMAP_TREE sets the path of another copy of this module to test.
func TestHostile(t *testing.T) {
	h := newHostile(t)
	for _, p := range h.programsToRun() {
		t.Run(programFile(p.name), func(t *testing.T) {
			t.Parallel()
			h := h.forProgram(t, p)
			switch {
			case p.tested != "":
				t.Skip(p.tested)
			case p.own && h.long == 0:
				t.Skip("a separate module, which takes long to build: make long-hostile")
			case p.own:
				h.tree.buildModule(t, p.name)
			}
			if _, err := os.Stat(h.path()); err != nil {
				t.Skipf("it was not built: %v", err)
			}
			switch {
			case p.serves != "":
				h.runServer()
			case p.follows:
				h.runFollowing()
			default:
				h.runTypical()
				h.runKinds()
				h.runDisturbed()
				h.runOnFullDisk()
				if !p.document() || h.long > 0 {
					h.runWithSignals()
					h.runTwice()
				}
			}
			if !p.document() {
				h.runMisused()
			}
			h.judge()
		})
	}
}

// A programTest runs one program under hostile conditions.
type programTest struct {
	*testing.T
	tree   tree
	python *oracle.Proc
	base   string        // directory for all files
	long   int           // multiplies the number of cases of a long run; 0 in the short run
	count  *atomic.Int64 // number of directories
	seed   uint64

	p        namedProgram
	r        *rand.Rand
	input    string        // path of the current input
	duration time.Duration // time from mapping the file to the end
	pending  []question
}

type namedProgram struct {
	name string
	program
}

// document reports whether p is a program in a document.
func (p namedProgram) document() bool { return strings.Contains(p.name, ".md-") }

// A question asks NumPy whether the contents of a directory are correct.
type question struct {
	what string
	ask  [][5]string // name, kind, input, dir, text; one of them must be correct
}

func newHostile(t *testing.T) *programTest {
	h := &programTest{T: t, tree: builtTree(t), python: oracle.Start(t), count: new(atomic.Int64), seed: oracle.Seed(t)}
	h.long = oracle.EnvInt(t, "NDMAP_HOSTILE", 0)
	var err error
	if h.base, err = oracle.TempIn(t, "/dev/shm"); err != nil {
		h.base = t.TempDir()
	}
	must(t, h.python.Run(hostilePy, nil, nil))
	return h
}

// programsToRun returns the entries of all examples and programs in documents. It fails the test if a program has no
// entry in
// programs.
func (h *programTest) programsToRun() (all []namedProgram) {
	examples, documents, _ := h.tree.programs(h.T)
	for _, name := range slices.Concat(examples, documents) {
		p, ok := programs[name]
		if !ok {
			h.Errorf("table_linux_test.go lacks a line for %s, so that it does not run on hostile files", name)
			continue
		}
		if p.kind != "" && p.in == "" {
			p.in = "in.npy"
		}
		if p.prefix == "" {
			p.prefix = name
		}
		all = append(all, namedProgram{name, p})
	}
	return all
}

func (h *programTest) forProgram(t *testing.T, p namedProgram) *programTest {
	one := *h
	one.T, one.p, one.r = t, p, rand.New(rand.NewPCG(h.seed, uint64(len(p.name))*1000+uint64(p.name[0])))
	return &one
}

func (h *programTest) path() string {
	return filepath.Join(h.tree.bin, programFile(h.p.name))
}

// cases returns the number of repetitions: n by default, and a multiple of n in longer tests.
func (h *programTest) cases(n int) int { return n * max(1, h.long) }

// makeInput creates an input for the program with hostile.py, and returns its path.
func (h *programTest) makeInput(shape []int, dtype, values string) (path string) {
	h.Helper()
	if h.p.kind == "" {
		return ""
	}
	path = filepath.Join(h.base, fmt.Sprintf("input-%d", h.count.Add(1)))
	x := []any{path, h.p.kind, append([]int{}, shape...), dtype, values}
	err := h.python.Eval("make(*x[:2], tuple(x[2]), *x[3:])", x, nil)
	if err != nil {
		h.Fatal(err)
	}
	return path
}

// folders creates n directories with copies of an input, and waits until Unchanged can detect changes to the copies.
func (h *programTest) folders(n int, input string) (dirs []string) {
	h.Helper()
	for range n {
		dirs = append(dirs, h.folder(input))
	}
	h.settle()
	return dirs
}

func (h *programTest) folder(input string) string {
	h.Helper()
	dir := filepath.Join(h.base, fmt.Sprintf("run-%d", h.count.Add(1)))
	must(h, os.Mkdir(dir, 0o777))
	if input != "" {
		h.copy(filepath.Join(dir, h.p.in), input)
	}
	return dir
}

// linkedFolders creates n directories with hard links to the input, which is faster than copying it. If the program
// modifies its input, or has none, linkedFolders calls folders instead.
func (h *programTest) linkedFolders(n int) (dirs []string) {
	h.Helper()
	if h.p.edits || h.input == "" {
		return h.folders(n, h.input)
	}
	for range n {
		dir := h.folder("")
		must(h, os.Link(h.input, filepath.Join(dir, h.p.in)))
		dirs = append(dirs, dir)
	}
	h.settle()
	return dirs
}

func (h *programTest) settle() { time.Sleep(25 * time.Millisecond) }

func (h *programTest) copy(to, from string) {
	h.Helper()
	b, err := os.ReadFile(from)
	must(h, err)
	must(h, os.WriteFile(to, b, 0o666))
}

// A run is a program started in a directory.
type run struct {
	*programTest
	dir      string
	cmd      *exec.Cmd
	cancel   func()
	out, err bytes.Buffer
	signal   syscall.Signal // signal sent to the program
	other    bool           // whether another run uses the same directory
	began    time.Time
}

// args returns the arguments of the program, with replacements.
func (h *programTest) args(replace ...string) []string {
	out, _, _ := strings.Cut(h.p.outs, " ")
	return strings.Fields(strings.NewReplacer(append(replace, "IN", h.p.in, "OUT", out)...).Replace(h.p.args))
}

// start starts the program in a directory. replace contains pairs of a word in the arguments and its replacement.
func (h *programTest) start(dir string, replace ...string) *run {
	h.Helper()
	ctx, cancel := context.WithTimeout(h.Context(), time.Minute)
	r := &run{programTest: h, dir: dir, cmd: exec.CommandContext(ctx, h.path(), h.args(replace...)...), cancel: cancel}
	r.cmd.Dir, r.cmd.Stdout, r.cmd.Stderr = dir, &r.out, &r.err
	r.cmd.WaitDelay = time.Second
	must(h, r.cmd.Start())
	r.began = time.Now()
	return r
}

// waitUntilMapped waits until the program has mapped its input, or has ended.
func (r *run) waitUntilMapped() {
	maps, err := os.Open(fmt.Sprintf("/proc/%d/maps", r.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer maps.Close()
	path, text := []byte(filepath.Join(r.dir, r.p.in)), make([]byte, 1<<16)
	for time.Sleep(time.Millisecond); ; time.Sleep(20 * time.Microsecond) { // no program maps its input within the first millisecond
		n := 0
		for n < len(text) {
			k, err := maps.ReadAt(text[n:], int64(n))
			if n += k; k == 0 || err != nil {
				break
			}
		}
		if n == 0 || bytes.Contains(text[:n], path) {
			return
		}
	}
}

func (r *run) kill(s syscall.Signal) {
	r.signal = s
	r.cmd.Process.Signal(s)
}

// wait waits until the program ends, and checks the guarantees that hold however it ends. It returns the exit status,
// or -1 after a signal.
func (r *run) wait(what string) (status int) {
	r.Helper()
	err := r.cmd.Wait()
	r.cancel()
	status = r.cmd.ProcessState.ExitCode()
	stderr := r.err.String()
	by := r.cmd.ProcessState.Sys().(syscall.WaitStatus).Signal()
	ended := r.signal != 0 && (status == -1 && by == r.signal || status == 130 || status == 143)
	stderr = stderr[1+strings.LastIndexByte(stderr, '\r'):] // after the progress output
	first, _, _ := strings.Cut(strings.TrimSpace(stderr), "\n")
	line := strings.Count(strings.TrimSpace(stderr), "\n") == 0 && first != ""
	switch {
	case regexp.MustCompile(`goroutine \d|panic: |fatal error|SIG(SEGV|BUS|ABRT)`).MatchString(stderr):
		r.Errorf("%s: prints a stack trace: %s", what, first)
	case status == 0, ended:
	case status == 2 && strings.Contains("\n"+stderr, "\nusage: "+r.p.prefix):
	case status != 1:
		r.Errorf("%s: ends with %v: %s", what, err, first)
	case !line:
		r.Errorf("%s: exit status 1 and %d lines: %s", what, strings.Count(stderr, "\n"), first)
	case !r.p.document() && !strings.HasPrefix(first, r.p.prefix+": "):
		r.Errorf("%s: the error does not begin with the name of the program: %s", what, first)
	}
	if !r.other {
		r.checkLeftovers(what, r.signal != 0)
	}
	return status
}

// checkLeftovers reports files in the directory that the program must not leave. A program in a document may leave a
// temporary file of Save if a signal ends it, because handling signals would take more lines than the program has.
func (r *run) checkLeftovers(what string, signal bool) {
	r.Helper()
	left, err := os.ReadDir(r.dir)
	must(r, err)
	for _, e := range left {
		switch {
		case e.Name() == r.p.in || e.Name() == filler || slices.Contains(strings.Fields(r.p.outs), e.Name()):
		case signal && r.p.document() && strings.HasSuffix(e.Name(), ".ndmap-tmp"):
		default:
			r.Errorf("%s: leaves %s", what, e.Name())
		}
	}
}

// outputNames returns the names of the output files that exist.
func (r *run) outputNames() (names []string) {
	for _, name := range strings.Fields(r.p.outs) {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			names = append(names, name)
		}
	}
	return names
}

// record adds a question for judge: whether the directory and the printed output are correct for at least one of the
// inputs.
func (r *run) record(what string, inputs ...string) {
	q := question{what: what}
	for _, input := range inputs {
		q.ask = append(q.ask, [5]string{r.p.judge, r.p.kind, input, r.dir, r.out.String()})
	}
	r.pending = append(r.pending, q)
}

// judge asks NumPy the recorded questions.
func (h *programTest) judge() {
	h.Helper()
	var asked [][][5]string
	for _, q := range h.pending {
		asked = append(asked, q.ask)
	}
	if len(asked) == 0 {
		return
	}
	var answers [][]string
	if err := h.python.Eval("[[judge(*q) for q in one] for one in x]", asked, &answers); err != nil {
		h.Fatal(err)
	}
	for i, a := range answers {
		if !slices.Contains(a, "") {
			h.Errorf("%s: exit status 0, but NumPy has a different result: %s", h.pending[i].what, strings.Join(a, "; "))
		}
	}
}

// checkNoOutput checks that a failed program leaves no output.
func (r *run) checkNoOutput(what string) {
	r.Helper()
	if names := r.outputNames(); len(names) > 0 && !r.p.grows {
		r.Errorf("%s: failed, but leaves %v", what, names)
	}
}

// runTypical runs the program on a typical input, undisturbed.
func (h *programTest) runTypical() {
	h.Helper()
	h.input = h.makeInput(h.p.shape, h.p.dtype, "positive")
	r := h.start(h.linkedFolders(1)[0])
	if h.p.kind != "" {
		r.waitUntilMapped()
		r.began = time.Now()
	}
	if status := r.wait("undisturbed"); status != 0 {
		h.Errorf("undisturbed: exit status %d: %s", status, &r.err)
	}
	h.duration = time.Since(r.began)
	r.record("undisturbed", h.input)
	h.pending = r.pending
}

// A kind describes an input.
type kind struct {
	shape         []int
	dtype, values string
}

var (
	shapes = [][]int{{}, {0}, {1}, {2, 3, 4}, {4, 5}, {20, 2}, {0, 3}}
	dtypes = strings.Fields(`<f8 >f8 <f4 >f4 <f2 >f2 |i1 |u1 <i2 >i2 <u2 >u2 <i4 >i4 <u4 >u4 <i8 >i8 <u8 >u8 |b1
		<c8 >c8 <c16 >c16 |S3 <U2 >U2 <M8[s] >m8[s] |V4`)
	values = strings.Fields("small time large nan")
)

// kinds returns the kinds with which the program failed before, and a random choice of further kinds, or all of them.
func (h *programTest) kinds() (kinds []kind) {
	for _, shape := range shapes {
		for _, v := range values {
			if h.p.dtype == "" { // the program accepts only one dtype
				kinds = append(kinds, kind{shape, "", v})
				continue
			}
			for _, d := range dtypes {
				kinds = append(kinds, kind{shape, d, v})
			}
		}
	}
	h.r.Shuffle(len(kinds), func(i, j int) { kinds[i], kinds[j] = kinds[j], kinds[i] })
	if h.long < 10 {
		kinds = append(slices.Clone(h.p.seen), kinds[:min(len(kinds), max(1, 2*h.long))]...)
	}
	return kinds
}

// runKinds runs the program on inputs of all kinds.
func (h *programTest) runKinds() {
	h.Helper()
	if h.p.kind == "" {
		return
	}
	kinds := h.kinds()
	var inputs, dirs []string
	for i, k := range kinds {
		inputs = append(inputs, h.makeInput(k.shape, k.dtype, k.values))
		dirs = append(dirs, h.folder(inputs[i]))
	}
	h.settle()
	for i, k := range kinds {
		what := fmt.Sprintf("%v of %s, values %s", k.shape, k.dtype, k.values)
		r := h.start(dirs[i])
		if r.wait(what) == 0 {
			r.record(what, inputs[i])
			h.pending = r.pending
		} else {
			r.checkNoOutput(what)
		}
	}
}

// runMisused runs the program without its required arguments, or with an extra argument.
func (h *programTest) runMisused() {
	h.Helper()
	dir := h.folders(1, "")[0]
	cmd := exec.CommandContext(h.Context(), h.path(), strings.Fields(h.p.usage)...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	exit, _ := errors.AsType[*exec.ExitError](err)
	want := "usage: " + h.p.prefix // at the start of a line, because an error message may precede it
	if exit == nil || exit.ExitCode() != 2 || !strings.Contains("\n"+stderr.String(), "\n"+want) {
		h.Errorf("misused: %v and %q, want status 2 and %s …", err, stderr.String(), want)
	}
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/where"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

// hostileNames are names that a shell would run or expand if completion inserted them without escaping. X stands for a
// command that creates a file.
var hostileNames = strings.Split(strings.ReplaceAll(
	"w$(X)|w`X`|w\"; X; \"|w'; X; '|w; X;|w& X &|w\\$(X)|w\\`X\\`|w\\\"; X; \"|w\\'; X; '|w\\\\$(X)|w\\\\`X`|$(X)|`X`|"+
		"w$'X'|w$\"X\"|w${IFS}X|w$(X|w`X|w)`X`|(X)|w{X,X}|w>pwned|w<pwned|w>(X)|w<(X)|w=(X)|w!!|w!touch|w!-1|w!x\"y'z$(X)|"+
		"^w^X|#X|~root|=ls|*|?|[0-9]*|w  b|w |\\|w\\|w\\\\|'|\"|$HOME|${HOME}|$((1))|$[1]|%1|@(a,b)|w'$(X)'|w\"$(X)\"|"+
		"w'\"'$(X)|w\\x27; X;|-n|--|:w:|wé ü|日本 $(X)|$$|w$!|w;X;#|w\n X\n|w\r X\r|w\x03 X\r|w\t\tX|w\x1b[31m|w\u202ex|w\u0085|"+
		"w' X '\\|w\" X \"\\|a,b=c%d@e+f",
	"X", "touch pwned"), "|")

// A shell describes a shell that completes commands in a terminal.
type shell struct {
	name   string
	args   []string
	setup  string   // command that the shell runs first
	quotes []string // quotes that may be open at the end of a line
	skip   string   // characters with which the shell fails to complete file names
}

var testedShells = []shell{
	{"bash", []string{"--norc", "--noprofile", "-i"}, "source <(npy completion bash)", []string{"", `"`, "'", "$'", `$"`},
		"!"},
	{"zsh", []string{"-f", "-i"}, "autoload -Uz compinit; compinit -D -u; source <(npy completion zsh)", []string{"", `"`,
		"'", "$'"}, `!\`},
	{"fish", []string{"--no-config", "-i"}, "function fish_prompt; echo 'READY> '; end; npy completion fish | source",
		[]string{"", `"`, "'"}, "!*"},
}

// canQuote reports whether the shell can write a name after a quote.
func (s shell) canQuote(name, quote string) bool {
	switch {
	case name != words.Printable(name):
		return false
	case s.name == "bash" && strings.HasSuffix(quote, `"`):
		return !strings.Contains(name, "!")
	case s.name == "bash" && quote == "'":
		return !strings.Contains(name, "'") && !strings.HasSuffix(name, `\`)
	}
	return true
}

// A shellSession is a shell running in a terminal.
type shellSession struct {
	t        *testing.T
	terminal *os.File
	mu       sync.Mutex
	output   []byte // since the start of the last line
	record   string // path of the file to which npy writes its arguments
}

// start starts a shell in dir. In it, npy is this program, which records its arguments.
func (s shell) start(t *testing.T, path, dir string) *shellSession {
	home := t.TempDir()
	self, err := os.Executable()
	check(t, err)
	check(t, os.Symlink(self, filepath.Join(home, "npy")))
	master, slave := openTerminal(t, 8000)
	cmd := exec.Command(path, s.args...)
	c := &shellSession{t: t, terminal: master, record: filepath.Join(home, "record")}
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, slave, slave, slave
	cmd.Env = []string{"PATH=" + home + ":/usr/bin:/bin", "HOME=" + home, "PS1=READY> ", "TERM=xterm", "LC_ALL=C.UTF-8",
		"HISTFILE=/dev/null", asTool + "=recorded", "NDMAP_TEST_RECORD=" + c.record, "PWD=" + dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(t, cmd.Start())
	check(t, slave.Close())
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
	})
	go func() {
		b := make([]byte, 1<<12)
		for {
			n, err := master.Read(b)
			c.mu.Lock()
			c.output = append(c.output, b[:n]...)
			c.mu.Unlock()
			if bytes.Contains(b[:n], []byte("\x1b[c")) { // the shell asks for the type of the terminal
				master.WriteString("\x1b[?1;2c")
			}
			if err != nil {
				return
			}
		}
	}()
	c.run(s.setup + "; npy begin")
	return c
}

// run types keys and Enter, and returns the arguments with which npy was called, or nil if it was not called.
func (c *shellSession) run(keys string) []string {
	c.t.Helper()
	os.Remove(c.record)
	c.printed(true)
	_, err := c.terminal.WriteString(keys + "\r")
	check(c.t, err)
	for range 30000 {
		// Before the prompt, the terminal itself handles tabs and backspaces.
		if _, after, ok := bytes.Cut(c.printed(false), []byte(recorded)); ok && bytes.Contains(after, []byte("READY> ")) {
			b, err := os.ReadFile(c.record)
			check(c.t, err)
			return strings.Split(strings.TrimSuffix(string(b), "\x00"), "\x00")
		}
		time.Sleep(time.Millisecond)
	}
	out := c.printed(true)
	c.t.Fatalf("npy did not run, or there is no prompt after it: %q", out[max(0, len(out)-1000):])
	return nil
}

// printed returns a copy of the output since the start of the last line. If end is set, a new line starts afterwards.
func (c *shellSession) printed(end bool) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := bytes.Clone(c.output)
	if end {
		c.output = nil
	}
	return out
}

// TestShells tests that shells complete the names of members, tensors, fields, files and directories after any open
// quote, and never run them. By default each name is tried after every third quote, so that each is tried in each
// shell. With NDMAP_SHELLS=require in the environment, all combinations are tried, and missing shells are a failure.
func TestShells(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	if len(hostileNames) < 60 {
		t.Fatal(len(hostileNames), "names")
	}
	for _, s := range testedShells {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			path, err := exec.LookPath(s.name)
			if err != nil && os.Getenv("NDMAP_SHELLS") != "require" {
				t.Skip(err)
			}
			check(t, err)
			s.test(t, path)
		})
	}
}

func (s shell) test(t *testing.T, path string) {
	dir := t.TempDir()
	none, err := array.New(dtype.Int8, index.C, 0)
	check(t, err)
	f := none.Array
	arrays, printable := map[string]array.Array{}, map[string]array.Array{}
	var fields []dtype.Field
	names := make([]string, len(hostileNames))
	for i, name := range hostileNames {
		names[i] = fmt.Sprintf("%02d%s", i, name)
		arrays[names[i]] = f
		if name == words.Printable(name) {
			printable[names[i]] = f
			fields = append(fields, dtype.Field{Name: names[i], Type: dtype.Int8, Offset: i})
		}
	}
	check(t, npz.Save(filepath.Join(dir, "m.npz"), arrays))
	check(t, safetensors.Save(filepath.Join(dir, "m.safetensors"), printable, nil))
	records, err := dtype.Struct(-1, fields...)
	check(t, err)
	packed, err := records.Packed()
	check(t, err)
	file, err := array.Create(filepath.Join(dir, "r.npy"), packed, index.C, 1)
	check(t, err)
	check(t, npz.Save(filepath.Join(dir, "s.npz"), map[string]array.Array{"r": file.Array}))
	check(t, file.Close())
	isAny := func(string) bool { return true }
	isColumn := func(name string) bool {
		text, _ := where.Quote(name)
		return text == name
	}
	isInList := func(name string) bool { return !strings.Contains(name, ",") }
	var folders []string
	for i := 0; i < len(names); i += 10 {
		name := "d" + names[i]
		if name == words.Printable(name) && !strings.ContainsAny(name, s.skip) {
			folders = append(folders, name)
			check(t, os.Mkdir(filepath.Join(dir, name), 0o777))
			check(t, npz.Save(filepath.Join(dir, name, name+".npz"), map[string]array.Array{"w$(touch pwned)": f}))
		}
	}
	before, err := os.ReadDir(dir)
	check(t, err)
	defer func() {
		after, err := os.ReadDir(dir)
		check(t, err)
		if len(after) != len(before) {
			t.Error("commands in names have run: there are", after, "and there were", before)
		}
	}()
	c := s.start(t, path, dir)
	for _, tt := range []struct {
		what, before, after string // before is the beginning of the line; after precedes each name
		flag                string // precedes each field
		step                int    // 1 tests all names, 7 every seventh one
		can                 func(name string) bool
	}{
		{"member", "info", "m.npz:", "", 1, isAny}, {"tensor", "info", "m.safetensors:", "", 7, isAny},
		{"field", "print r.npy", "", "-field", 7, isAny}, {"column", "take r.npy", "", "-where", 20, isColumn},
		{"column of a member", "take s.npz:r", "", "-sort", 20, isColumn},
		{"list of fields", "take r.npy", "00,", "-fields", 20, isInList},
	} {
		for k, quote := range s.quotes {
			line, want := "npy "+tt.before, strings.Fields(tt.before)
			step, first := tt.step, k%tt.step
			switch {
			case testing.Short() || quote == `$"`:
				step = max(step, 7)
			case step == 1 && os.Getenv("NDMAP_SHELLS") != "require":
				step, first = 3, k%3
			}
			for i := first; i < len(names); i += step {
				if tt.what != "member" && hostileNames[i] != words.Printable(hostileNames[i]) {
					continue
				}
				if tt.flag != "" {
					line, want = line+" "+tt.flag, append(want, tt.flag)
				}
				line += " " + quote + tt.after + names[i][:2] + "\t"
				name := names[i][:2]
				if s.canQuote(names[i], quote) && tt.can(names[i]) {
					name = names[i]
				}
				// Fish does not end a word after some characters.
				if len(name) == 2 || s.name == "fish" && strings.ContainsRune("/=@:.,-", rune(name[len(name)-1])) {
					line += strings.TrimPrefix(quote, "$")
				}
				want = append(want, tt.after+name)
			}
			if diff := cmp.Diff(want, c.run(line)); diff != "" {
				t.Errorf("%ss after %q: want -, got +\n%s", tt.what, quote, diff)
			}
		}
	}
	for _, quote := range s.quotes {
		if quote != "" && (quote != `"` || testing.Short()) {
			continue
		}
		for _, name := range folders {
			got := c.run("npy info " + quote + name[:3] + "\t" + name[:3] + "\t\x7f" + quote + ":w\t")
			if want := []string{"info", name + "/" + name + ".npz:w$(touch pwned)"}; !slices.Equal(got, want) {
				t.Errorf("folders after %q: got %q, want %q", quote, got, want)
			}
		}
	}
}

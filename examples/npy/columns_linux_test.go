package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"
)

// escapes matches the escape sequences for colours.
var escapes = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestColumns tests that tables and charts fit the terminal, leaving its last column empty, and that they are complete
// in a pipe. Colours appear on a terminal only, and not with NO_COLOR.
func TestColumns(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	t.Setenv("NO_COLOR", "")
	t.Setenv("TERM", "xterm")
	t.Chdir(t.TempDir())
	var fields []string
	for k := range 30 {
		fields = append(fields, fmt.Sprintf("('measured%d', '<f8')", k))
	}
	wide := "[" + strings.Join(fields, ", ") + "]"
	for _, args := range [][]string{
		{"new", "-dtype", wide, "-shape", "20", "r.npy"}, {"new", "-dtype", "i4", "-shape", "12345", "a.npy"},
		{"new", "-dtype", "|S2", "-shape", "3", "s.npy"}, {"set", "-select", ":7", "a.npy", "5"}, {"pack", "z.npz", "r.npy",
			"a.npy"},
		{"convert", "-field", "measured0", "r.npy", "f.npy"},
	} {
		if _, stderr, status := runTool(args...); status != 0 {
			t.Fatal(stderr)
		}
	}
	check(t, os.WriteFile("broken.npy",
		[]byte("\x93NUMPY\x01\x00 nothing that is a header, and more of it, so that its line would be long"), 0o666))
	for _, tt := range []struct {
		args    string
		fits    bool // all of the output fits in 80 columns
		colours bool // the output has colours
		width   bool // the output is as wide as the terminal
	}{
		{"head r.npy", false, true, true}, {"tail z.npz:r", false, true, true}, {"take r.npy", false, true, true},
		{"head a.npy", true, false, false}, {"head f.npy", true, false, false},
		{"ls", false, true, false}, {"ls z.npz", false, true, false},
		{"stats a.npy", true, true, true}, {"stats -log a.npy", true, true, true}, {"stats -json a.npy", false, false, false},
		{"plot a.npy", true, true, true},
		{"print -csv a.npy", true, false, false}, {"print -csv -select 0 r.npy", false, false, false},
		{"reduce -op sum a.npy", true, false, false}, {"completion zsh npy", true, false, false},
	} {
		args := strings.Fields(tt.args)
		piped, stderr, status := runTool(args...)
		if escapes.MatchString(piped + stderr) {
			t.Errorf("npy %s: colours in a pipe: %q", tt.args, piped)
		}
		for _, columns := range []int{80, 200} {
			show := func() string {
				master, slave := openTerminal(t, columns)
				ended := make(chan int)
				read := make(chan string)
				go func() {
					b, _ := io.ReadAll(master)
					read <- strings.ReplaceAll(string(b), "\r\n", "\n")
				}()
				go func() { ended <- run(args, nil, slave, io.Discard) }()
				if got := <-ended; got != status {
					t.Errorf("npy %s: exit status %d, and piped %d", tt.args, got, status)
				}
				check(t, slave.Close())
				return <-read
			}
			coloured := show()
			text := escapes.ReplaceAllString(coloured, "")
			if (coloured != text) != tt.colours {
				t.Errorf("npy %s on %d columns: %q", tt.args, columns, coloured)
			}
			t.Setenv("NO_COLOR", "1")
			if got := show(); got != text {
				t.Errorf("npy %s with NO_COLOR: got %q, want %q", tt.args, got, text)
			}
			t.Setenv("NO_COLOR", "")
			most := 0
			for line := range strings.Lines(text) {
				most = max(most, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")))
			}
			isTable := tt.colours
			switch {
			case isTable && most >= columns:
				t.Errorf("npy %s: lines of %d columns on %d", tt.args, most, columns)
			case tt.width && most != columns-1:
				t.Errorf("npy %s: lines of %d columns on %d", tt.args, most, columns)
			case tt.fits && !tt.width && text != piped:
				t.Errorf("npy %s on %d columns:\n%s\nand piped\n%s", tt.args, columns, text, piped)
			}
			first, _, _ := strings.Cut(piped, "\n")
			if n := utf8.RuneCountInString(first); isTable && !tt.fits && strings.Contains(tt.args, "r") && n < 300 &&
				!strings.HasPrefix(tt.args, "ls") {
				t.Errorf("npy %s: a pipe has %d columns of the table", tt.args, n)
			}
		}
	}
}

// TestTextOnTerminal tests that text is escaped for a terminal, and passes unchanged through a pipe.
func TestTextOnTerminal(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "[('\x1bname', 'S8'), ('x', 'i1')]", "-shape", "1", "r.npy")
	runTool("set", "-select", "0", "-field", "\x1bname", "r.npy", "\x1b]0;a\n")
	runTool("new", "-dtype", "U8", "-shape", "", "u.npy")
	runTool("set", "-select", "...", "u.npy", "\x1b]0;a\nb")
	for args, want := range map[string]string{
		"print -csv r.npy": "\\x1bname,x\r\n\\x1b]0;a\\n,0\r\n",
		"print u.npy":      "\\x1b]0;a\r\nb\r\n",
		"head u.npy":       "\\x1b]0;a\r\nb\r\n",
		"take r.npy":       "\\x1bname    x\r\n\\x1b]0;a\\n  0\r\n",
		"head r.npy":       "\\x1bname    x\r\n\\x1b]0;a\\n  0\r\n",
	} {
		t.Run(args, func(t *testing.T) {
			t.Setenv("NO_COLOR", "1")
			master, slave := openTerminal(t, 80)
			run(strings.Fields(args), nil, slave, slave)
			if got := terminalOutput(t, master, slave); got != want {
				t.Errorf("%s: got %q, want %q", args, got, want)
			}
		})
	}
	if got, _, _ := runTool("print", "-csv", "r.npy"); got != "\x1bname,x\n\"\x1b]0;a\n\",0\n" {
		t.Errorf("piped: %q", got)
	}
	if got, _, _ := runTool("print", "u.npy"); got != "\x1b]0;a\nb\n" {
		t.Errorf("piped: %q", got)
	}
}

// TestBashCompletes tests that Bash completes a command and a member, and runs the line.
func TestBashCompletes(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash here")
	}
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "f8", "-shape", "3", "-fill", "2.5", "weights.npy")
	runTool("pack", "m.npz", "a=weights.npy", "bias=weights.npy")
	self, err := os.Executable()
	check(t, err)
	check(t, os.Mkdir("bin", 0o777))
	check(t, os.Symlink(self, "bin/npy"))
	dir, err := os.Getwd()
	check(t, err)
	master, slave := openTerminal(t, 80)
	cmd := exec.Command(bash, "--norc", "--noprofile", "-i")
	cmd.Env = append(os.Environ(), asTool+"=1", "PATH="+dir+"/bin:"+os.Getenv("PATH"), "PS1=", "TERM=dumb", "HISTFILE=")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	check(t, cmd.Start())
	stop := time.AfterFunc(time.Minute, func() { cmd.Process.Kill() })
	defer stop.Stop()
	_, err = io.WriteString(master, "eval \"$(npy completion bash)\"\nnpy pri\tm.npz:bi\t> out; exit\n")
	check(t, err)
	done := make(chan string)
	go func() {
		b, _ := io.ReadAll(master)
		done <- string(b)
	}()
	cmd.Wait()
	check(t, slave.Close())
	said := <-done
	if b, err := os.ReadFile("out"); string(b) != "[2.5 2.5 2.5]\n" || err != nil {
		t.Errorf("%q, %v; bash said %q", b, err, said)
	}
}

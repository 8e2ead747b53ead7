package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestFullOutput tests that a full device is an error that names the output.
func TestFullOutput(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "f8", "-shape", "1000,100", "-fill", "3", "a.npy")
	for _, args := range []string{"convert a.npy -", "convert -dtype f4 a.npy -", "reduce -op sum a.npy -",
		"concat - a.npy a.npy", "new -dtype u1 -shape 3 -", "convert a.npy /dev/full", "concat /dev/full a.npy"} {
		var stderr strings.Builder
		status := run(strings.Fields(args), nil, full, &stderr)
		name := "standard output"
		if strings.Contains(args, "/dev/full") {
			name = "/dev/full"
		}
		if want := "npy: " + name + ": no space left on device\n"; stderr.String() != want || status != 1 {
			t.Errorf("npy %s: exit status %d, %q; want %q", args, status, &stderr, want)
		}
	}
	if fi, err := os.Stat("/dev/full"); err != nil || fi.Mode()&os.ModeCharDevice == 0 {
		t.Fatal("/dev/full is no device anymore:", err)
	}
}

// TestTerminalAsOutput tests that a terminal as OUT is wrong usage, and gets no bytes.
func TestTerminalAsOutput(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "f8", "-shape", "2", "a.npy")
	for _, args := range []string{"convert a.npy -", "convert a.npy /dev/stdout", "convert a.npy /dev/fd/1",
		"reduce -op sum a.npy -", "concat - a.npy", "new -dtype f8 -shape 3 -", "convert a.npy TERMINAL",
		"new -force -dtype f8 -shape 3 TERMINAL"} {
		master, slave := openTerminal(t, 80)
		name, message := slave.Name(),
			"standard output is a terminal; redirect it to a file or pipe it: npy ... - | npy print -"
		stdout := io.Writer(slave)
		if strings.Contains(args, "TERMINAL") {
			stdout, message = io.Discard, name+" is a terminal, but OUT must be a file or a pipe"
		}
		var stderr strings.Builder
		status := run(strings.Fields(strings.ReplaceAll(args, "TERMINAL", name)), nil, stdout, &stderr)
		if _, got, _ := strings.Cut(stderr.String(), ": "); status != 2 || !strings.Contains(got, ": "+message+"\n") {
			t.Errorf("npy %s: exit status %d, %q; want %q", args, status, &stderr, message)
		}
		if got := terminalOutput(t, master, slave); got != "" {
			t.Errorf("npy %s writes %q", args, got)
		}
	}
}

// TestNamedPipes tests that OUT may be a named pipe, and a link to one, which stays a pipe.
func TestNamedPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "<i4", "-shape", "300,1000", "-fill", "7", "a.npy")
	runTool("new", "-dtype", "i4", "-shape", "300,1000", "-fill", "7", "native.npy")
	runTool("convert", "a.npy", "a.csv")
	check(t, unix.Mkfifo("fifo", 0o666))
	check(t, unix.Mkfifo("fifo.csv", 0o666))
	check(t, os.Symlink("fifo", "link"))
	for _, tt := range []struct{ args, want string }{
		{"convert a.npy fifo", "a.npy"}, {"convert -force a.npy link", "a.npy"}, {"concat fifo a.npy", "a.npy"},
		{"new -dtype <i4 -shape 300,1000 -fill 7 fifo", "a.npy"}, {"convert a.npy fifo.csv", "a.csv"},
		{"reduce -op max -axis 0 -select None a.npy fifo", "native.npy"},
	} {
		name := "fifo"
		if strings.Contains(tt.args, "fifo.csv") {
			name = "fifo.csv"
		}
		read := make(chan []byte, 1)
		go func() {
			b, _ := os.ReadFile(name)
			read <- b
		}()
		_, stderr, status := runTool(strings.Fields(tt.args)...)
		if status != 0 || stderr != "" {
			t.Fatalf("npy %s: exit status %d, %s", tt.args, status, stderr)
		}
		want, err := os.ReadFile(tt.want)
		check(t, err)
		if got := <-read; !bytes.Equal(got, want) {
			t.Errorf("npy %s writes %d bytes, want %d", tt.args, len(got), len(want))
		}
	}
	// A reader that closes the pipe ends the command without a message.
	opened := make(chan error, 1)
	go func() {
		f, err := os.Open("fifo")
		if err == nil {
			err = f.Close()
		}
		opened <- err
	}()
	_, stderr, status := runTool("new", "-dtype", "f8", "-shape", "1000000", "fifo")
	if check(t, <-opened); status != closedPipeStatus || stderr != "" {
		t.Errorf("without a reader: exit status %d, %q", status, stderr)
	}
	for _, name := range []string{"fifo", "fifo.csv"} {
		if fi, err := os.Lstat(name); err != nil || fi.Mode().Type() != os.ModeNamedPipe {
			t.Errorf("%s is no pipe anymore: %v", name, err)
		}
	}
}

// TestDescriptors tests that OUT may be an open file, which a shell passes for >(command). Writing continues at its
// position.
func TestDescriptors(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	t.Chdir(t.TempDir())
	self, err := os.Executable()
	check(t, err)
	t.Setenv(asTool, "1")
	t.Setenv("NPY", self)
	for _, tt := range []struct{ script, want string }{
		{`{ "$NPY" new -dtype u1 -shape 2 -; "$NPY" new -dtype u1 -fill 7 -shape 3 /dev/stdout; } > f; "$NPY" print - < f; ` +
			`tail -c 131 f | "$NPY" print -`, "[0 0]\n[7 7 7]\n"},
		{`"$NPY" new -dtype u1 -shape 2 /dev/fd/5 5> f; "$NPY" print f`, "[0 0]\n"},
		{`"$NPY" new -dtype u1 -shape 2 -fill 3 /proc/self/fd/5 5>&1 >/dev/null | "$NPY" print -`, "[3 3]\n"},
		{`"$NPY" new -dtype u1 -shape 2 -fill 3 /dev/stderr 2>&1 | "$NPY" print -`, "[3 3]\n"},
		{`"$NPY" new -dtype u1 -shape 2 /dev/fd/7; echo $?`, "npy: /dev/fd/7: bad file descriptor\n1\n"},
		{`"$NPY" new -dtype u1 -shape 2 /dev/null; "$NPY" new -dtype u1 -shape 2 -force /dev/null; test -c /dev/null`, ""},
		// The output is the input.
		{`"$NPY" new -dtype u1 -shape 2 g; "$NPY" convert g - >> g; echo $?; "$NPY" convert - - < g 1<> g; "$NPY" info -json g`,
			"npy: -: input and output are the same file\n1\nnpy: -: input and output are the same file\n" +
				`{"path":"g","version":[1,0],"descr":"|u1","shape":[2],"fortran_order":false,"data_offset":128,"itemsize":1,"size":2,"nbytes":2}` + "\n"},
		// As SIGPIPE ends any program.
		{`{ "$NPY" new -dtype u1 -shape 10000000 -; echo $? >f; } | head -c 6 | tail -c 5; cat f`, "NUMPY141\n"},
		{`{ "$NPY" convert h -; echo $? >&2; } | "$NPY" head -n 1 -`, "npy: h: no such file or directory\n1\n" +
			"npy: -: no data on standard input\n"},
	} {
		cmd := exec.Command("sh", "-c", tt.script)
		out, err := cmd.CombinedOutput()
		if _, failed := err.(*exec.ExitError); err != nil && !failed || string(out) != tt.want {
			t.Errorf("%s\ngot  %q, %v\nwant %q", tt.script, out, err, tt.want)
		}
	}
	if bash, err := exec.LookPath("bash"); err == nil {
		out, err := exec.Command(bash, "-c",
			`"$NPY" new -dtype u1 -shape 2 -fill 9 >("$NPY" print - > f; echo done > g); while ! grep -q done g; do sleep 0.01; done; cat f`).CombinedOutput()
		if want := "[9 9]\n"; string(out) != want || err != nil {
			t.Errorf("process substitution: %q, %v; want %q", out, err, want)
		}
	}
}

// TestSignalWhileWriting tests that a signal ends a command that waits for the reader of a pipe.
func TestSignalWhileWriting(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	self, err := os.Executable()
	check(t, err)
	r, w, err := os.Pipe()
	check(t, err)
	defer r.Close()
	cmd := exec.Command(self, "new", "-dtype", "u1", "-shape", "100000000", "-")
	cmd.Env = append(os.Environ(), asTool+"=1")
	var stderr strings.Builder
	cmd.Stdout, cmd.Stderr = w, &stderr
	check(t, cmd.Start())
	check(t, w.Close())
	_, err = io.ReadFull(r, make([]byte, 200)) // the command has begun to write
	check(t, err)
	time.Sleep(10 * time.Millisecond)
	check(t, cmd.Process.Signal(syscall.SIGTERM))
	cmd.Wait()
	status := cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signal() != syscall.SIGTERM || stderr.Len() > 0 {
		t.Errorf("%s, %q", fmt.Sprint(cmd.ProcessState), &stderr)
	}
}

// TestTruncatedWhileWriting tests that if another process truncates the input while its memory is written to a pipe,
// the error names the input and the byte, and the bytes before it stay written.
func TestTruncatedWhileWriting(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "u1", "-shape", "4194304", "-fill", "7", "t.npy")
	whole, err := os.ReadFile("t.npy")
	check(t, err)
	r, w, err := os.Pipe()
	check(t, err)
	read := make(chan []byte, 1)
	go func() {
		b := make([]byte, 200)
		io.ReadFull(r, b)
		os.Truncate("t.npy", 1<<20)
		rest, _ := io.ReadAll(r)
		read <- append(b, rest...)
	}()
	var stderr strings.Builder
	status := run([]string{"convert", "t.npy", "-"}, nil, w, &stderr)
	check(t, w.Close())
	var at int64
	if n, _ := fmt.Sscanf(stderr.String(), "npy: t.npy: page fault at byte %d:", &at); n != 1 || status != 1 ||
		at < 1<<20 {
		t.Errorf("exit status %d, %q", status, &stderr)
	}
	if got := <-read; len(got) < 1<<20 || !bytes.HasPrefix(whole, got) {
		t.Errorf("%d bytes were written", len(got))
	}
}

package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
)

// openTerminal creates a terminal of the given width. The output written to slave can be read from master.
func openTerminal(t *testing.T, columns int) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here, so the bar is not tested on one:", err)
	}
	t.Cleanup(func() { master.Close() })
	fd := int(master.Fd())
	check(t, unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0))
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	check(t, err)
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	check(t, err)
	t.Cleanup(func() { slave.Close() })
	check(t, unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: uint16(columns)}))
	return master, slave
}

// terminalOutput returns the output written to a terminal. It closes slave.
func terminalOutput(t *testing.T, master, slave *os.File) string {
	t.Helper()
	check(t, slave.Close())
	b, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // end of the output
		t.Fatal(err)
	}
	return string(b)
}

// TestBarOnTerminal tests that long work shows a bar on a terminal, fitted to its width, and erases it at the end, and
// that a pipe gets no bar.
func TestBarOnTerminal(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	defer func(d time.Duration) { term.After = d }(term.After)
	term.After = 0
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "|b1", "-shape", "200,100", "a.npy")
	for _, args := range []string{"check a.npy", "stats a.npy", "convert -dtype <f4 -force a.npy b.npy"} {
		for _, tt := range []struct{ columns, width, share int }{{200, 163, 33}, {80, 43, 33}, {40, 32, 4}, {0, 43, 33}} {
			master, slave := openTerminal(t, tt.columns)
			if status := run(strings.Fields(args), nil, io.Discard, slave); status != 0 {
				t.Errorf("%s: exit status %d", args, status)
			}
			got := terminalOutput(t, master, slave)
			bar := "\r[" + strings.Repeat(".", tt.width) + "]   0%" + strings.Repeat(" ", tt.share-len("  0%"))
			erased := "\r" + strings.Repeat(" ", len(bar)-1) + "\r"
			if !strings.HasPrefix(got, bar) || !strings.HasSuffix(got, erased) {
				t.Errorf("%s on %d columns: got %q, want %q first, and %q last", args, tt.columns, got, bar, erased)
			}
		}
		r, w, err := os.Pipe()
		check(t, err)
		run(strings.Fields(args), nil, io.Discard, w)
		check(t, w.Close())
		if b, err := io.ReadAll(r); len(b) > 0 || err != nil {
			t.Errorf("%s: on a pipe: %q, %v", args, b, err)
		}
	}
}

// TestBytesOnTerminal tests that print -json shows the number of bytes written, because the total is unknown.
func TestBytesOnTerminal(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	defer func(d time.Duration) { term.After = d }(term.After)
	term.After = 0
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "|b1", "-shape", "200,100", "a.npy")
	for columns, want := range map[int]string{80: `^\r6\d\.\d KiB  0\.0 B/s {60}`, 10: `^\r6\d\.\d KiB `} {
		master, slave := openTerminal(t, columns)
		if status := run([]string{"print", "-json", "a.npy"}, nil, io.Discard, slave); status != 0 {
			t.Errorf("exit status %d", status)
		}
		got, erased := terminalOutput(t, master, slave), "\r"+strings.Repeat(" ", columns-1)+"\r"
		if !regexp.MustCompile(want).MatchString(got) || !strings.HasSuffix(got, erased) {
			t.Errorf("on %d columns: %q, want %s first, and %q last", columns, got, want, erased)
		}
	}
}

// TestBarBesideOutput tests that the bar does not mix with JSON on the same terminal, and that other output replaces
// it.
func TestBarBesideOutput(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	defer func(d time.Duration) { term.After = d }(term.After)
	term.After = 0
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "|b1", "-shape", "2", "a.npy")
	t.Setenv("NO_COLOR", "1")
	const bar, erased = "\r[................................]   0%", "\r                                       \r"
	for args, want := range map[string]string{
		"print -json a.npy": "[false,false]\r\n",
		"check a.npy":       bar + erased + "a.npy: ok dtype |b1, shape (2,), order C\r\n",
		"stats a.npy": bar + erased + "file          a.npy\r\ndtype         |b1: boolean\r\nshape         (2,)\r\nelements      2\r\n" +
			"false         2\r\ntrue          0\r\nmin           False\r\nmax           False\r\nmean          0.0\r\nstd           0.0\r\n\r\n" +
			"False " + strings.Repeat("█", 31) + " 2\r\n",
	} {
		t.Run(args, func(t *testing.T) {
			master, slave := openTerminal(t, 40)
			run(strings.Fields(args), nil, slave, slave)
			if got := terminalOutput(t, master, slave); got != want {
				t.Errorf("%s:\ngot  %q\nwant %q", args, got, want)
			}
		})
	}
}

// startConvert starts a process that converts a file of size MiB, and returns once it has begun to write. The shell
// commands before run first. If the process does not replace a file, its new file has a temporary name, as on systems
// without unnamed files.
func startConvert(t *testing.T, size int, before string, args ...string) *exec.Cmd {
	t.Helper()
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	t.Chdir(t.TempDir())
	f, err := array.SaveConfig{Sparse: true}.Create("in.npy", dtype.Float32, index.C, size<<18)
	if err != nil {
		t.Skip(err) // not enough space
	}
	check(t, f.Close())
	check(t, os.WriteFile("old.npy", []byte("old"), 0o666))
	self, err := os.Executable()
	check(t, err)
	cmd := exec.Command("sh", append([]string{"-c", before + `exec "$0" "$@"`, self, "convert"}, args...)...)
	as := "named"
	if slices.Contains(args, "-force") {
		as = "1"
	}
	cmd.Env = append(os.Environ(), asTool+"="+as)
	cmd.Stderr = os.Stderr
	check(t, cmd.Start())
	dir, err := os.Getwd()
	check(t, err)
	for range 10000 {
		if names := folderNames(t); len(names) > 2 || hasUnnamed(cmd.Process.Pid, dir) {
			return cmd
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("no temporary file; %v", cmd.Wait())
	return nil
}

// hasUnnamed reports whether a process has an open file without a name in the directory dir.
func hasUnnamed(pid int, dir string) bool {
	links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
	return slices.ContainsFunc(links, func(link string) bool {
		to, err := os.Readlink(link)
		return err == nil && filepath.Dir(to) == dir && strings.HasSuffix(to, " (deleted)")
	})
}

func folderNames(t *testing.T) (names []string) {
	entries, err := os.ReadDir(".")
	check(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// TestInterruptedConvert tests that convert ends by the signal that interrupts it, without leaving an incomplete or
// temporary file.
func TestInterruptedConvert(t *testing.T) {
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		for _, args := range []string{"-dtype >f4 in.npy out.npy", "-order F -force in.npy old.npy"} {
			t.Run(fmt.Sprint(s, " ", args), func(t *testing.T) {
				if signal.Ignored(s) {
					t.Skip("whoever started this ignores the signal (nohup), and so will what it starts: not tested here")
				}
				var status syscall.WaitStatus
				for range 5 { // the command may finish before the signal arrives
					cmd := startConvert(t, 512, "", strings.Fields(args)...)
					check(t, cmd.Process.Signal(s))
					cmd.Wait()
					if status = cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
						break
					}
				}
				if status.Signal() != s {
					t.Errorf("it ended with status %#x", status)
				}
				if names := strings.Join(folderNames(t), " "); names != "in.npy old.npy" {
					t.Errorf("in the folder: %s", names)
				}
				if b, err := os.ReadFile("old.npy"); string(b) != "old" {
					t.Errorf("old.npy: %d bytes, %v", len(b), err)
				}
			})
		}
	}
}

// TestQuitConvert tests that convert exits with status 131 after SIGQUIT, without stack traces of Go's runtime.
func TestQuitConvert(t *testing.T) {
	var status syscall.WaitStatus
	said := filepath.Join(t.TempDir(), "err")
	for range 5 { // the command may finish before the signal arrives
		cmd := startConvert(t, 512, "exec 2>"+said+"; ", "-dtype", ">f4", "in.npy", "out.npy")
		check(t, cmd.Process.Signal(syscall.SIGQUIT))
		cmd.Wait()
		if status = cmd.ProcessState.Sys().(syscall.WaitStatus); status.ExitStatus() != 0 {
			break
		}
	}
	if b, err := os.ReadFile(said); status.ExitStatus() != 131 || len(b) > 0 || err != nil {
		t.Errorf("it ended with status %#x, and said %.300s, %v", status, b, err)
	}
	if names := strings.Join(folderNames(t), " "); names != "in.npy old.npy" {
		t.Errorf("in the folder: %s", names)
	}
}

// TestInterruptedAppend tests that a signal ends append and leaves the file unchanged, including its length.
func TestInterruptedAppend(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	self, err := os.Executable()
	check(t, err)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGQUIT} {
		t.Chdir(t.TempDir())
		f, err := array.SaveConfig{Sparse: true}.Create("src.npy", dtype.Float32, index.C, 256<<18)
		if err != nil {
			t.Skip(err) // not enough space
		}
		check(t, f.Close())
		interrupted := false
		for range 5 { // the command may finish before the signal arrives
			runTool("new", "-dtype", "<f4", "-shape", "3", "-force", "dst.npy")
			before, err := os.ReadFile("dst.npy")
			check(t, err)
			cmd := exec.Command(self, "append", "dst.npy", "src.npy")
			cmd.Env = append(os.Environ(), asTool+"=1")
			check(t, cmd.Start())
			for range 10000 {
				if fi, err := os.Stat("dst.npy"); err == nil && fi.Size() > int64(len(before)) {
					break
				}
				time.Sleep(time.Millisecond)
			}
			check(t, cmd.Process.Signal(s))
			cmd.Wait()
			if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && status.Signal() == s ||
				status.ExitStatus() == 131 {
				interrupted = true
				if after, err := os.ReadFile("dst.npy"); string(after) != string(before) {
					t.Errorf("%v: the file has %d bytes, and had %d; %v", s, len(after), len(before), err)
				}
				break
			}
		}
		if !interrupted {
			t.Errorf("%v did not end it", s)
		}
		os.Remove("src.npy")
		os.Remove("dst.npy")
	}
}

// TestInterruptedSet tests that a signal ends set, and that the archive then has the right checksum.
func TestInterruptedSet(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	self, err := os.Executable()
	check(t, err)
	const n = 64 << 18
	t.Chdir(t.TempDir())
	src, err := array.Create("src.npy", dtype.Float32, index.C, n)
	check(t, err)
	ones, err := array.As[float32](src.Array)
	check(t, err)
	ones.Fill(1)
	defer src.Close()
	zeros, err := array.New(dtype.Float32, index.C, n)
	check(t, err)
	defer zeros.Close()
	for range 20 { // the command may finish before the signal arrives
		check(t, npz.Save("a.npz", map[string]array.Array{"x": zeros.Array}))
		a, err := npz.Open("a.npz", array.ReadOnly)
		check(t, err)
		x, err := a.Array("x")
		check(t, err)
		v, err := array.As[float32](x)
		check(t, err)
		cmd := exec.Command(self, "set", "-select", "...", "a.npz:x", "@src.npy")
		cmd.Env = append(os.Environ(), asTool+"=1")
		check(t, cmd.Start())
		for start := time.Now(); v.At(0) == 0 && time.Since(start) < time.Minute; {
			time.Sleep(50 * time.Microsecond)
		}
		check(t, cmd.Process.Signal(syscall.SIGTERM))
		cmd.Wait()
		set := v.At(n-1) == 1
		check(t, a.Verify("x"))
		check(t, a.Close())
		if status := cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() && !set {
			return
		}
	}
	t.Error("no signal stopped it before the last element")
}

// TestIgnoredSignal tests that a signal ignored by the parent process, such as nohup, remains ignored.
func TestIgnoredSignal(t *testing.T) {
	cmd := startConvert(t, 64, "trap '' INT; ", "-dtype", ">f4", "in.npy", "out.npy")
	check(t, cmd.Process.Signal(os.Interrupt))
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	if names := strings.Join(folderNames(t), " "); names != "in.npy old.npy out.npy" {
		t.Errorf("in the folder: %s", names)
	}
}

// TestTerminalAsInput tests that reading standard input from a terminal is an error.
func TestTerminalAsInput(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user has no terminals: not tested here")
	}
	_, slave := openTerminal(t, 80)
	defer slave.Close()
	_, stderr, status := runToolWithInput(slave, "print", "-")
	want := "npy: print: standard input is a terminal; redirect a file: npy ... - < FILE\n"
	if status != 2 || !strings.HasPrefix(stderr, want) {
		t.Errorf("exit status %d, %q; want %q", status, stderr, want)
	}
}

package main

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestOddFiles tests that a file that is not a regular file causes one line on standard error at once, and is not
// changed.
func TestOddFiles(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "<f8", "-shape", "3", "a.npy")
	check(t, unix.Mkfifo("fifo", 0o666))
	check(t, unix.Mkfifo("fifo.csv", 0o666))
	check(t, os.Mkdir("dir", 0o777))
	check(t, os.Symlink("fifo", "link"))
	for _, name := range []string{"sock", "sock.csv"} {
		listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: name})
		check(t, err)
		defer listener.Close()
	}
	check(t, os.Symlink("sock", "socklink"))
	check(t, os.Mkdir("pipes", 0o777))
	check(t, unix.Mkfifo("pipes/a.npy", 0o666))
	check(t, os.Symlink("../fifo", "pipes/b.npy"))
	check(t, os.Symlink("../a.npy", "pipes/c.npy"))
	stdout, _, _ := runTool("ls", "pipes")
	const pipe = "  broken: not a regular file\n"
	if want := "name   dtype  shape  bytes\na.npy" + pipe + "b.npy" + pipe + "c.npy  <f8    (3,)      24\n"; stdout != want {
		t.Errorf("npy ls pipes: %q; want %q", stdout, want)
	}
	check(t, os.RemoveAll("pipes"))
	for _, name := range []string{"fifo", "link", "sock", "dir", "/dev/zero", "fifo:a"} { // completion must not wait
		if got, stderr, status := runTool("completion", "zsh", "npy", "take", name, "-where", ""); got+stderr != "" ||
			status != 0 {
			t.Errorf("fields of %s: %q, %q, exit status %d", name, got, stderr, status)
		}
	}
	for _, tt := range []struct{ args, want string }{
		{"info fifo", "npy: fifo: not a regular file\n"},
		{"print fifo", "npy: fifo: not a regular file\n"},
		{"stats fifo", "npy: fifo: not a regular file\n"},
		{"stats dir", "npy: dir: is a directory\n"},
		{"stats /dev/null", "npy: /dev/null: not a regular file\n"},
		{"head fifo", "npy: fifo: not a regular file\n"},
		{"tail dir", "npy: dir: is a directory\n"},
		{"ls fifo", "npy: fifo: not a regular file\n"},
		{"ls link", "npy: link: not a regular file\n"},
		{"convert -dtype f8 fifo.csv out.npy", "npy: fifo.csv: not a regular file\n"},
		{"convert a.npy sock.csv", "npy: sock.csv: file exists\n"},
		{"convert -force a.npy sock.csv", "npy: sock.csv: not a regular file\n"},
		{"set -select 0 a.npy @fifo", "npy: fifo: not a regular file\n"},
		{"check fifo dir", "npy: fifo: not a regular file\nnpy: dir: is a directory\n"},
		{"set -select 0 fifo 1", "npy: fifo: not a regular file\n"},
		{"set -select 0 dir 1", "npy: dir: is a directory\n"},
		{"convert fifo out.npy", "npy: fifo: not a regular file\n"},
		{"convert a.npy sock", "npy: sock: file exists\n"},
		{"convert a.npy dir", "npy: dir: is a directory\n"},
		{"convert -force a.npy sock", "npy: sock: not a regular file\n"},
		{"convert -force a.npy socklink", "npy: socklink: not a regular file\n"},
		{"convert -force a.npy dir", "npy: dir: is a directory\n"},
		{"new -dtype <f8 -shape 3 sock", "npy: sock: file exists\n"},
		{"new -dtype <f8 -shape 3 -force sock", "npy: sock: not a regular file\n"},
		{"new -dtype <f8 -shape 3 -force socklink", "npy: socklink: not a regular file\n"},
		{"new -dtype <f8 -shape 3 -force dir", "npy: dir: is a directory\n"},
		{"new -dtype <f8 -shape 3 -fill 1 -force sock", "npy: sock: not a regular file\n"},
	} {
		stdout, stderr, status := runTool(strings.Fields(tt.args)...)
		if stdout != "" || stderr != tt.want || status != 1 {
			t.Errorf("npy %s: %q, %q, exit status %d; want %q", tt.args, stdout, stderr, status, tt.want)
		}
	}
	var got []string
	for _, name := range folderNames(t) {
		fi, err := os.Lstat(name)
		check(t, err)
		got = append(got, fmt.Sprint(fi.Mode().Type(), name))
	}
	if want := "----------a.npy d---------dir p---------fifo p---------fifo.csv L---------link " +
		"S---------sock S---------sock.csv L---------socklink"; strings.Join(got,
		" ") != want {
		t.Errorf("in the folder: %s; want %s", got, want)
	}
}

// TestNewKeepsLink tests that new -force, like convert -force, writes to the target of a link, and keeps the link and
// the target's permissions.
func TestNewKeepsLink(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, os.Mkdir("dir", 0o777))
	file := filepath.Join("dir", "a.npy")
	check(t, os.WriteFile(file, []byte("old"), 0o666))
	check(t, os.Chmod(file, 0o640))
	check(t, os.Symlink(file, "link"))
	if _, stderr, _ := runTool("new", "-dtype", "<f8", "-shape", "3", "-force", "link"); stderr != "" {
		t.Error(stderr)
	}
	fi, err := os.Lstat(file)
	check(t, err)
	if to, err := os.Readlink("link"); to != file || fi.Mode() != 0o640 || fi.Size() != 128+24 {
		t.Errorf("link to %s, %v; the file has mode %v, %d bytes", to, err, fi.Mode(), fi.Size())
	}
}

// TestOddNames tests that names of files are printed so that they cannot control a terminal.
func TestOddNames(t *testing.T) {
	t.Chdir(t.TempDir())
	name := "a\nb\x1b[31m\u202ec\xff\u0085.npy"
	const shown = `a\nb\x1b[31m\u202ec\xff\u0085.npy`
	runTool("new", "-dtype", "<f8", "-shape", "3", "-fill", "1", name)
	for _, tt := range []struct {
		args   []string
		stdout string // prefix of the output
		stderr string
	}{
		{[]string{"info", name}, "file          " + shown + "\n", ""},
		{[]string{"stats", name}, "file          " + shown + "\n", ""},
		{[]string{"check", name}, shown + ": ok dtype <f8, shape (3,), order C\n", ""},
		{[]string{"info", "-json", name}, `{"path":"a\nb\u001b[31m\u202ec` + "\uFFFD" + `\u0085.npy","version"`, ""},
		{[]string{"new", "-dtype", "<f8", "-shape", "3", name}, "", "npy: " + shown + ": file exists; -force replaces it\n"},
		{[]string{"print", "x" + name}, "", "npy: x" + shown + ": no such file or directory\n"},
		{[]string{"convert", name, "none/" + name}, "", "npy: none/" + shown + ": no such file or directory\n"},
		{[]string{"append", name, "x" + name}, "", "npy: x" + shown + ": no such file or directory\n"},
		{[]string{"set", "-select", "9", name, "1"}, "",
			"npy: " + shown + ": index 9 out of range for axis 0 with length 3\n"},
	} {
		stdout, stderr, _ := runTool(tt.args...)
		if !strings.HasPrefix(stdout, tt.stdout) || tt.stdout == "" && stdout != "" || stderr != tt.stderr {
			t.Errorf("npy %q:\n got %q, %q\nwant %q, %q", tt.args, stdout, stderr, tt.stdout, tt.stderr)
		}
	}
	// Names of fields also come from files.
	runTool("new", "-dtype", "[('a\x1bb', '<f8')]", "-shape", "3", "fields.npy")
	if stdout, _, _ := runTool("info", "fields.npy"); strings.Contains(stdout, "\x1b") || !strings.Contains(stdout,
		`a\x1bb`) {
		t.Errorf("%q", stdout)
	}
}

// TestHugetlbfs tests that a hugetlbfs, which does not support such files, causes an error at once and leaves no file.
func TestHugetlbfs(t *testing.T) {
	dir := t.TempDir()
	if err := unix.Mount("none", dir, "hugetlbfs", 0, ""); err != nil {
		t.Skipf("mount hugetlbfs: %v: needs the right to mount", err)
	}
	t.Cleanup(func() { unix.Unmount(dir, unix.MNT_DETACH) })
	path := filepath.Join(dir, "t.npy")
	for _, args := range []string{"new -dtype <f8 -shape 300 ", "new -dtype <f8 -shape 300 -sparse ",
		"new -dtype <f8 -shape 300 -force ", "new -dtype <f8 -shape 300 -fill 1 "} {
		_, stderr, status := runTool(strings.Fields(args + path)...)
		if !strings.HasPrefix(stderr,
			"npy: "+path+": unsupported operation: the folder is a hugetlbfs, whose files are whole pages of ") || status != 1 {
			t.Errorf("npy %s: %q, exit status %d", args, stderr, status)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
			t.Errorf("npy %s leaves %v, %v", args, entries, err)
		}
	}
}

// TestAppendLoops tests that four concurrent loops of npy append lose no rows and never fail.
func TestAppendLoops(t *testing.T) {
	oracle.OneGoroutine(t)
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user starts no programs of its processor: not tested here")
	}
	t.Chdir(t.TempDir())
	self, err := os.Executable()
	check(t, err)
	const loops, rounds = 4, 30
	runTool("new", "-dtype", "<i8", "-shape", "0", "all.npy")
	errs := make(chan error, loops)
	for k := range loops {
		name := fmt.Sprintf("%d.npy", k)
		runTool("new", "-dtype", "<i8", "-shape", "1", "-fill", fmt.Sprint(k), name)
		go func() {
			for range rounds {
				cmd := exec.Command(self, "append", "all.npy", name)
				cmd.Env = append(os.Environ(), asTool+"=1")
				if out, err := cmd.CombinedOutput(); err != nil {
					errs <- fmt.Errorf("%w: %s", err, out)
					return
				}
			}
			errs <- nil
		}()
	}
	for range loops {
		check(t, <-errs)
	}
	stdout, _, _ := runTool("print", "-json", "all.npy")
	for k := range loops {
		if n := strings.Count(stdout, fmt.Sprint(k)); n != rounds {
			t.Errorf("%d rows of loop %d, want %d", n, k, rounds)
		}
	}
}

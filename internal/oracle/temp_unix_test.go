//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package oracle

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// If NDMAP_TEST_CHILD is "run DIR", the test program creates a run in the folder DIR, prints its path, and waits.
func init() {
	var base string
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "run %q", &base); n != 1 {
		return
	}
	dir, err := runFolder(base)
	fmt.Println(dir)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	io.Copy(io.Discard, os.Stdin)
	os.Exit(1)
}

// otherRun starts a process that creates a run in base. It returns the path of the run and a function that kills the
// process.
func otherRun(t *testing.T, base string) (dir string, kill func()) {
	t.Helper()
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=run %q", base))
	cmd.Stderr = os.Stderr
	_, err := cmd.StdinPipe() // open until Wait
	var out io.Reader
	if err == nil {
		out, err = cmd.StdoutPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	kill = func() {
		cmd.Process.Kill()
		cmd.Wait()
	}
	t.Cleanup(kill)
	line, err := bufio.NewReader(out).ReadString('\n')
	dir = strings.TrimSpace(line)
	if err != nil || filepath.Dir(filepath.Dir(dir)) != base {
		t.Fatalf("the other process prints %q, %v", line, err)
	}
	return dir, kill
}

// names returns the names of the files in a folder.
func names(t *testing.T, dir string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// sweepOwnFolder calls sweep for the folder of this user in base.
func sweepOwnFolder(t *testing.T, base string) {
	t.Helper()
	root, err := ownFolder(base)
	must(t, err)
	defer root.Close()
	must(t, sweep(root))
}

// TestSweep tests that sweep removes the run of a process that was killed, but neither the run of a running process nor
// anything that is not a run.
func TestSweep(t *testing.T) {
	base, outside := t.TempDir(), t.TempDir()
	must(t, os.WriteFile(outside+"/kept", nil, 0o600))
	dir, kill := otherRun(t, base)
	top := filepath.Dir(dir)
	want := names(t, top)
	if name := filepath.Base(dir); !slices.Equal(want, []string{name, name + ".lock"}) {
		t.Fatalf("one run: %q", want)
	}
	must(t, os.MkdirAll(dir+"/a/b", 0o700))
	must(t, os.WriteFile(dir+"/a/b/file", nil, 0o600))
	must(t, os.Symlink(outside, dir+"/a/link"))
	must(t, os.Chmod(dir+"/a/b", 0))

	odd := []string{"else", "link", "run-1", "run-2", "run-3.lock", "run-4x", "run-5.lock", "xrun-6"}
	must(t, os.Mkdir(top+"/else", 0o700))
	must(t, os.Symlink(dir, top+"/link"))
	must(t, os.Symlink(outside, top+"/run-1"))
	must(t, os.WriteFile(top+"/run-2", nil, 0o600))
	must(t, os.Mkdir(top+"/run-3.lock", 0o700))
	must(t, os.Mkdir(top+"/run-4x", 0o700))
	must(t, os.Symlink("else", top+"/run-5.lock"))
	must(t, os.Mkdir(top+"/xrun-6", 0o700))
	want = slices.Sorted(slices.Values(append(want, odd...)))

	// A process that is killed while it creates or removes a run may leave only the lock or only the folder.
	for range 2 {
		must(t, os.WriteFile(top+"/run-7.lock", nil, 0o600))
		must(t, os.Mkdir(top+"/run-8", 0o700))
		must(t, os.WriteFile(top+"/run-8/file", nil, 0o600))
		sweepOwnFolder(t, base)
		if got := names(t, top); !slices.Equal(got, want) {
			t.Fatalf("while the process runs:\ngot  %q\nwant %q", got, want)
		}
	}

	kill()
	second, _ := otherRun(t, base) // sweeps
	want = slices.Sorted(slices.Values(append(odd, filepath.Base(second), filepath.Base(second)+".lock")))
	if got := names(t, top); !slices.Equal(got, want) {
		t.Errorf("after the process was killed:\ngot  %q\nwant %q", got, want)
	}
	if got := names(t, outside); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("the target of the links has %q, want kept", got)
	}
}

// TestSweepTogether tests that several processes may remove the run of a killed process at the same time, and that each
// of them gets a separate run.
func TestSweepTogether(t *testing.T) {
	base := t.TempDir()
	dead, kill := otherRun(t, base)
	for i := range 200 {
		must(t, os.WriteFile(fmt.Sprintf("%s/%d", dead, i), nil, 0o600))
	}
	kill()
	type entered struct {
		r   *run
		err error
	}
	const n = 8
	c := make(chan entered)
	for range n {
		go func() { // flock locks belong to an open file, so goroutines can take the place of processes
			root, err := ownFolder(base)
			var r *run
			if err == nil {
				err = sweep(root)
			}
			if err == nil {
				r, err = createRun(root)
			}
			c <- entered{r, err}
		}()
	}
	var want []string
	for range n {
		e := <-c
		if e.err != nil {
			t.Error(e.err)
			continue
		}
		defer e.r.lock.Close()
		want = append(want, e.r.name, e.r.name+".lock")
	}
	sweepOwnFolder(t, base)
	slices.Sort(want)
	if got := names(t, filepath.Dir(dead)); !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestMainLeavesNothing tests that Main removes the temporary files that tests leave.
func TestMainLeavesNothing(t *testing.T) {
	if os.Getenv("NDMAP_TEST_CHILD") == "leave" {
		fmt.Println("in", t.TempDir())
		_, err := os.MkdirTemp("", "left")
		must(t, err)
		return
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start itself")
	}
	base := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestMainLeavesNothing$")
	cmd.Env = append(os.Environ(), "NDMAP_TEST_CHILD=leave", runVariable+"=", "TMPDIR="+base, "GOTMPDIR="+t.TempDir())
	out, err := cmd.CombinedOutput()
	top := fmt.Sprintf("%s/ndmap-test-%d", base, os.Getuid())
	if err != nil || !strings.HasPrefix(string(out), "in "+top+"/run-") {
		t.Fatalf("%v, %s", err, out)
	}
	if got := names(t, top); got != nil {
		t.Errorf("left: %q", got)
	}
	fi, err := os.Stat(top)
	if err != nil || fi.Mode() != os.ModeDir|0o711 {
		t.Errorf("%v, %v", fi.Mode(), err)
	}
}

// TestOwnFolder tests that ownFolder returns an error for a folder that another user owns or can write to.
func TestOwnFolder(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(dir string) error
		want string
	}{
		{"link", func(dir string) error { return os.Symlink(t.TempDir(), dir) }, "not a folder"},
		{"file", func(dir string) error { return os.WriteFile(dir, nil, 0o600) }, "not a folder"},
		{"open to all", func(dir string) error {
			return firstError(os.Mkdir(dir, 0o700), func() error { return os.Chmod(dir, 0o777|os.ModeSticky) })
		}, "other users can write to it"},
		{"another user's", func(dir string) error {
			return firstError(os.Mkdir(dir, 0o711), func() error { return os.Chown(dir, 12345, 12345) })
		}, "belongs to another user"},
		{"own", func(dir string) error { return os.Mkdir(dir, 0o700) }, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			base := t.TempDir()
			dir := fmt.Sprintf("%s/ndmap-test-%d", base, os.Getuid())
			if err := tt.make(dir); os.IsPermission(err) {
				t.Skip("only root can create a folder of another user: ", err)
			} else if err != nil {
				t.Fatal(err)
			}
			root, err := ownFolder(base)
			if err == nil {
				root.Close()
			}
			if tt.want == "" {
				if err != nil {
					t.Error(err)
				}
			} else if err == nil || err.Error() != dir+": "+tt.want {
				t.Errorf("%v, want %s: %s", err, dir, tt.want)
			}
		})
	}
}

// firstError returns err, or the error of then if err is nil.
func firstError(err error, then func() error) error {
	if err != nil {
		return err
	}
	return then()
}

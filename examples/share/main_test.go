package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// python returns a command that runs Python. It is killed after a minute.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	oracle.Need(t)
	path, _, _ := oracle.Python()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = append(os.Environ(), "PYTHONDONTWRITEBYTECODE=1")
	cmd.Stderr = os.Stderr
	return cmd
}

// createZeros creates a file of n integers, in memory if Linux has a directory for that, because locks behave
// differently on network file systems.
func createZeros(t *testing.T, n int) string {
	t.Helper()
	dir, err := oracle.TempIn(t, "/dev/shm")
	if err != nil {
		dir = t.TempDir()
	}
	path := filepath.Join(dir, "t.npy")
	f, err := array.Create(path, dtype.Int64, index.C, n)
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// runTogether runs both programs on a file at the same time.
func runTogether(t *testing.T, way, path string, n int) {
	t.Helper()
	cmd := python(t, "share.py", way, path, fmt.Sprint(n))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() {
		if way == "add" { // Python takes longer to start
			share(path, 1, func(_ *mmap.Map, x []int64) error {
				for start := time.Now(); atomic.LoadInt64(&x[0]) == 0 && time.Since(start) < time.Minute; {
					time.Sleep(100 * time.Microsecond)
				}
				return nil
			})
		}
		gone <- share(path, n, do[way])
	}()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	select {
	case err := <-gone:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("a minute after Python, Go is not done")
	}
}

// TestAdd tests that no addition is lost, and that the holder of the lock sees both elements of an addition or none.
func TestAdd(t *testing.T) {
	oracle.Need(t) // before the file is mapped, because Windows cannot remove a mapped file
	const n = 5000
	path := createZeros(t, 2)
	looked := make(chan error, 1)
	go func() {
		looked <- share(path, 500, func(m *mmap.Map, x []int64) error {
			if err := m.Lock(10 * time.Second); err != nil {
				return err
			}
			defer m.Unlock()
			if x[1] != 2*x[0] {
				return fmt.Errorf("with the lock: %v", x)
			}
			return nil
		})
	}()
	runTogether(t, "add", path, n)
	if err := <-looked; err != nil {
		t.Error(err)
	}
	if got, want := elements(t, path), []int64{2 * n, 4 * n}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestTurns tests that each process sees all earlier writes when its turn comes. The programs check that.
func TestTurns(t *testing.T) {
	const n = 200
	path := createZeros(t, 4)
	runTogether(t, "turns", path, n)
	if got, want := elements(t, path), []int64{2 * n, -2 * n, -2 * n, -2 * n}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func elements(t *testing.T, path string) []int64 {
	t.Helper()
	f, err := array.Open(path, array.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := array.As[int64](f.Array)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(v.Values())
}

// TestLocks tests which locks taken in Python and Go exclude each other.
func TestLocks(t *testing.T) {
	path := createZeros(t, 2)
	cmd := python(t, "-u", "-c", `
import fcntl, sys
f = open(sys.argv[1], "r+b")
for line in sys.stdin:
    try:
        getattr(fcntl, line.split()[0])(f, fcntl.LOCK_NB | getattr(fcntl, line.split()[1]))
        print("done")
    except BlockingIOError:
        print("locked")
`, path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(out)
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lock := func() string { return result(f.Map().Lock(0)) }
	open := func(mode array.Mode) func() string {
		return func() string {
			f, err := array.OpenConfig{Mode: mode, Lock: true}.Open(path)
			if err == nil {
				err = f.Close()
			}
			return result(err)
		}
	}
	for _, tt := range []struct {
		who  any // command for Python, or a Go function
		want string
	}{
		{"flock LOCK_EX", "done"},
		{lock, "locked"},
		{open(array.ReadOnly), "locked"},
		{"flock LOCK_SH", "done"},
		{lock, "locked"},
		{open(array.ReadWrite), "locked"},
		{open(array.ReadOnly), "done"}, // several readers may lock
		{"flock LOCK_UN", "done"},
		{lock, "done"},
		{"flock LOCK_EX", "locked"},
		{"flock LOCK_SH", "locked"},
		{"lockf LOCK_EX", map[bool]string{true: "done", false: "locked"}[runtime.GOOS == "linux"]}, // a different lock
		{func() string { return result(f.Map().Unlock()) }, "done"},
		{"flock LOCK_EX", "done"},
	} {
		var got string
		switch who := tt.who.(type) {
		case string:
			io.WriteString(in, who+"\n")
			answers.Scan()
			got = answers.Text()
		case func() string:
			got = who()
		}
		if got != tt.want {
			t.Fatalf("%v: %s, want %s", tt.who, got, tt.want)
		}
	}

	// When Python ends, its lock is released.
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	if err := f.Map().Lock(10 * time.Second); err != nil {
		t.Error(err)
	}
}

func result(err error) string {
	switch {
	case err == nil:
		return "done"
	case errors.Is(err, mmap.ErrLocked):
		return "locked"
	}
	return err.Error()
}

func TestErrors(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f.npy")
	f, err := array.Create(path, dtype.Float64, index.C, 2)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	for _, tt := range []struct {
		path, want string
		n          int
		do         func(m *mmap.Map, x []int64) error
	}{
		{path, fmt.Sprintf(": have dtype %v, want %v; Cast[int64] converts", dtype.Float64, dtype.Int64), 1, add},
		{createZeros(t, 0), ": has 0 elements, want 2 or more", 1, add},
		{createZeros(t, 1), ": has 1 elements, want 2 or more", 1, turn},
		{createZeros(t, 1), ": has 1 elements, want 2 or more", 0, add},
	} {
		if err := share(tt.path, tt.n, tt.do); err == nil || err.Error() != tt.path+tt.want {
			t.Errorf("%v, want %s", err, tt.path+tt.want)
		}
	}
}

// TestPatience tests that turn returns an error after the timeout if no other process runs.
func TestPatience(t *testing.T) {
	path := createZeros(t, 3)
	defer func(d time.Duration) { timeout = d }(timeout)
	timeout = 20 * time.Millisecond
	want := "turn 1: the other program has written nothing for 20ms"
	if err := share(path, 2, turn); err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}

// TestCut tests that truncation is an error even if it causes no page fault.
func TestCut(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("a file that is mapped cannot be truncated, or faults have no addresses")
	}
	path := createZeros(t, 2)
	err := share(path, 1, func(_ *mmap.Map, x []int64) error { return os.Truncate(path, 128+8) })
	if err == nil {
		t.Error("truncated within the last page: no error")
	}
	path = createZeros(t, 100_000)
	err = share(path, 1, func(_ *mmap.Map, x []int64) error {
		if err := os.Truncate(path, 128); err != nil {
			return err
		}
		x[99_999]++
		return nil
	})
	if _, ok := errors.AsType[*mmap.FaultError](err); !ok {
		t.Errorf("cut: %v, want a page fault", err)
	}
}

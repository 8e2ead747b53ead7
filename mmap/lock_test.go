//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows

package mmap_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"github.com/ndmap/ndmap/mmap"
)

// openLocked opens path with a lock, and closes it at the end of the test.
func openLocked(t *testing.T, path string, mode mmap.Mode) (*mmap.Map, error) {
	m, err := mmap.Config{Mode: mode, Lock: true}.Open(path)
	if err == nil {
		t.Cleanup(func() { m.Close() })
	}
	return m, err
}

const (
	byWriter = "lock DIR/t.npy: locked: it is open for writing, in another process or in this one"
	byReader = "lock DIR/t.npy: locked: it is open for reading, in another process or in this one"
)

// TestLock tests which locks exclude each other, and the error of the second lock. A failed attempt must leave no lock,
// and Close must release the lock.
func TestLock(t *testing.T) {
	for _, test := range []struct {
		first, second mmap.Mode
		want          string
	}{
		{mmap.ReadOnly, mmap.ReadOnly, ""},
		{mmap.ReadOnly, mmap.CopyOnWrite, ""},
		{mmap.CopyOnWrite, mmap.ReadOnly, ""},
		{mmap.ReadOnly, mmap.ReadWrite, byReader},
		{mmap.CopyOnWrite, mmap.ReadWrite, byReader},
		{mmap.ReadWrite, mmap.ReadOnly, byWriter},
		{mmap.ReadWrite, mmap.CopyOnWrite, byWriter},
		{mmap.ReadWrite, mmap.ReadWrite, byWriter},
	} {
		t.Run(test.first.String()+" "+test.second.String(), func(t *testing.T) {
			path := writeFile(t, pages(1))
			first, err := openLocked(t, path, test.first)
			if err != nil {
				t.Fatal(err)
			}
			if err := first.Sync(); err != nil {
				t.Error(err)
			}
			for range 2 {
				second, err := openLocked(t, path, test.second)
				if test.want != "" {
					checkError(t, err, path, test.want, mmap.ErrLocked)
				} else if err != nil {
					t.Error(err)
				} else if err := second.Close(); err != nil {
					t.Error(err)
				}
			}
			open(t, path, mmap.ReadWrite) // an Open without Lock succeeds

			if err := first.Close(); err != nil {
				t.Error(err)
			}
			if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
				t.Errorf("after Close: %v", err)
			}
		})
	}
}

// TestLockCreate tests the lock of a new file, and the lock of a file without bytes, which has no
// mapping.
func TestLockCreate(t *testing.T) {
	for _, size := range []int64{0, 10} {
		path := filepath.Join(t.TempDir(), "t.npy")
		m, err := mmap.Config{Lock: true}.Create(path, size)
		if err != nil {
			t.Fatal(err)
		}
		_, err = openLocked(t, path, mmap.ReadOnly)
		checkError(t, err, path, byWriter, mmap.ErrLocked)
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		if _, err := openLocked(t, path, mmap.ReadOnly); err != nil {
			t.Error(err)
		}
	}
}

// TestLockRenamed tests that the lock stays with the file after a rename.
func TestLockRenamed(t *testing.T) {
	path := writeFile(t, pages(1))
	if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
		t.Fatal(err)
	}
	err := os.Rename(path, path+".old")
	if runtime.GOOS == "windows" && err != nil {
		t.Skipf("Windows does not rename a file that is open: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("new"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
		t.Errorf("another file of the same name: %v", err)
	}
	if _, err := openLocked(t, path+".old", mmap.ReadOnly); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("the same file by another name: %v", err)
	}
}

// startChild runs the test again in a new process, and returns when that process is ready. stop kills it, as a crash
// would.
func startChild(t *testing.T, path string) (stop func()) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
	cmd.Env = append(os.Environ(), "NDMAP_TEST_LOCK="+path)
	in, err := cmd.StdinPipe() // never closed: the child waits for it
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); errors.Is(err, syscall.ENOEXEC) {
		t.Skipf("this program is being emulated, and cannot start itself: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}
	stop = func() {
		cmd.Process.Kill()
		cmd.Wait()
		in.Close()
	}
	t.Cleanup(stop)
	if said, err := io.ReadAll(io.LimitReader(out, int64(len(ready)))); err != nil || string(said) != ready {
		t.Fatalf("the child says %q, %v", said, err)
	}
	return stop
}

const ready = "ready\n"

// waitForKill runs in the child process until it is killed.
func waitForKill() {
	fmt.Print(ready)
	io.Copy(io.Discard, os.Stdin)
}

// TestLockDies tests that a lock is released when its process dies.
func TestLockDies(t *testing.T) {
	if path := os.Getenv("NDMAP_TEST_LOCK"); path != "" {
		if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
			t.Fatal(err)
		}
		waitForKill()
	}
	path := writeFile(t, pages(1))
	stop := startChild(t, path)
	_, err := openLocked(t, path, mmap.ReadOnly)
	checkError(t, err, path, byWriter, mmap.ErrLocked)
	stop()
	if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
		t.Error(err)
	}
}

// TestLockInherited tests that Close releases a lock even if other processes were started in the
// meantime.
func TestLockInherited(t *testing.T) {
	if os.Getenv("NDMAP_TEST_LOCK") != "" {
		waitForKill()
	}
	path := writeFile(t, pages(1))
	m, err := openLocked(t, path, mmap.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	startChild(t, path)
	if err := m.Close(); err != nil {
		t.Error(err)
	}
	if _, err := openLocked(t, path, mmap.ReadWrite); err != nil {
		t.Error(err)
	}
}

package array

import (
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestLock tests that Open and OpenOrCreate lock the file if OpenConfig.Lock is set.
func TestLock(t *testing.T) {
	path := tempPath(t)
	f := must(OpenConfig{Mode: ReadWrite, Lock: true}.OpenOrCreate(path, dtype.Int64, index.C, 3))
	for _, mode := range []mmap.Mode{mmap.ReadOnly, mmap.ReadWrite} {
		_, err := OpenConfig{Mode: mode, Lock: true}.Open(path)
		want := "lock " + path + ": locked: it is open for writing, in another process or in this one"
		if err == nil || err.Error() != want || !errors.Is(err, mmap.ErrLocked) {
			t.Errorf("%v: %v, want %s", mode, err, want)
		}
	}
	f.Close()
	a, b := must(OpenConfig{Lock: true}.Open(path)), must(OpenConfig{Lock: true}.Open(path))
	defer a.Close()
	defer b.Close()
	if _, err := (OpenConfig{Mode: mmap.ReadWrite, Lock: true}).Open(path); !errors.Is(err, mmap.ErrLocked) {
		t.Errorf("two readers, and a writer: %v", err)
	}
}

// incrementLocked adds 1 to the only element of the file at path, in each of the given number of rounds. A round
// opens the file with an exclusive lock and closes it.
func incrementLocked(path string, rounds int) error {
	for done := 0; done < rounds; {
		f, err := OpenConfig{Mode: mmap.ReadWrite, Lock: true}.Open(path)
		if errors.Is(err, mmap.ErrLocked) {
			runtime.Gosched()
			continue
		}
		if err != nil {
			return err
		}
		v := must(As[int64](f.Array))
		x := v.At(0)
		time.Sleep(10 * time.Microsecond) // time for a process that ignores the lock to interfere
		v.SetAt(x+1, 0)
		if err := errors.Join(f.Sync(), f.Close()); err != nil {
			return err
		}
		done++
	}
	return nil
}

// TestLockRounds tests that no addition is lost if several processes, or several goroutines of one process, add to one
// element under a lock. NDMAP_ROUNDS sets the number of additions of each process or goroutine.
func TestLockRounds(t *testing.T) {
	rounds := 100
	if s := os.Getenv("NDMAP_ROUNDS"); s != "" {
		rounds = must(strconv.Atoi(s))
	}
	if path := os.Getenv("NDMAP_TEST_LOCK"); path != "" {
		if err := incrementLocked(path, rounds); err != nil {
			t.Fatal(err)
		}
		return
	}
	process := func(path string) error {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLockRounds$")
		cmd.Env = append(os.Environ(), "NDMAP_TEST_LOCK="+path, "NDMAP_ROUNDS="+strconv.Itoa(rounds))
		out, err := cmd.CombinedOutput()
		if err != nil && len(out) > 0 {
			err = errors.New(strings.TrimSpace(string(out)))
		}
		return err
	}
	goroutine := func(path string) error { return incrementLocked(path, rounds) }
	for _, test := range []struct {
		name   string
		worker func(path string) error
		n      int
	}{
		{"processes", process, 3},
		{"goroutines", goroutine, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := tempPath(t)
			f := must(Create(path, dtype.Int64, index.C, 1))
			defer f.Close()
			errs := make(chan error)
			for range test.n {
				go func() { errs <- test.worker(path) }()
			}
			for range test.n {
				switch err := <-errs; {
				case errors.Is(err, syscall.ENOEXEC):
					t.Skipf("this program is being emulated, and cannot start itself: %v", err)
				case err != nil:
					t.Error(err)
				}
			}
			if got, want := must(As[int64](f.Array)).At(0), int64(test.n*rounds); got != want {
				t.Errorf("the element is %d after %d additions", got, want)
			}
		})
	}
}

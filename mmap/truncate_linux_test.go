package mmap_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/ndmap/ndmap/mmap"
)

const (
	racePages = 16
	raceShort = 5 // the shortened file has this many pages and a half
)

// init runs shortenAndLengthen in the second process of TestTruncationRace.
func init() {
	var path string
	var times int
	if n, _ := fmt.Sscanf(os.Getenv("NDMAP_TEST_CHILD"), "truncate %q %d", &path, &times); n == 2 {
		if err := shortenAndLengthen(path, times); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// shortenAndLengthen repeatedly shortens a file and restores its length. The restored bytes are zeros, and in every
// second round the old content is written to them. It prints a line after the given number of rounds, and continues
// until standard input ends.
func shortenAndLengthen(path string, times int) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	whole, err := os.ReadFile(path)
	short := raceShort*page + page/2
	var over atomic.Bool
	go func() {
		io.Copy(io.Discard, os.Stdin) // until the test closes the pipe, or dies
		over.Store(true)
	}()
	for i := 0; (i < times || !over.Load()) && err == nil; i++ {
		if i == times {
			fmt.Println("cut")
		}
		err = f.Truncate(int64(short))
		if i%16 == 0 {
			time.Sleep(time.Millisecond) // so that readers find the file short
		}
		err = errors.Join(err, f.Truncate(int64(len(whole))))
		if i%2 == 1 {
			_, again := f.WriteAt(whole[short:], int64(short))
			err = errors.Join(err, again)
		}
	}
	return err
}

// TestTruncationRace tests Guard while another process shortens and lengthens a file. Readers and writers must see the
// content of the file, the zeros of restored bytes, or a FaultError with an offset that may have been truncated. The
// program must survive, and nothing may stay mapped.
func TestTruncationRace(t *testing.T) {
	needAddresses(t)
	whole := pages(racePages)
	path := writeFile(t, whole)
	live, fds := mmap.Live(), countDescriptors(t)

	times := shortOrLong(t, 500, 10000)
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), fmt.Sprintf("NDMAP_TEST_CHILD=truncate %q %d", path, times),
		"GORACE=atexit_sleep_ms=0")
	stdin, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); errors.Is(err, unix.ENOEXEC) {
		t.Skipf("this program is being emulated, and cannot start itself: %v", err)
	} else if err != nil {
		t.Fatal(err)
	}

	var over atomic.Bool
	var faults, zeros, rounds atomic.Int64
	check := func(b []byte) error {
		for i, c := range b {
			switch {
			case c == whole[i]:
			case c == 0 && i >= raceShort*page+page/2:
				zeros.Add(1)
			default:
				return fmt.Errorf("byte %d is %d, want %d", i, c, whole[i])
			}
		}
		return nil
	}
	buf := make([]byte, len(whole)) // used by one goroutine
	var wait sync.WaitGroup
	for _, use := range []struct {
		name string
		mode mmap.Mode
		do   func(b []byte) error
	}{
		{"bytes", mmap.ReadOnly, check},
		{"bytes", mmap.ReadWrite, check},
		{"bytes", mmap.CopyOnWrite, check},
		{"copy", mmap.ReadOnly, func(b []byte) error {
			return check(buf[:copy(buf, b)])
		}},
		{"store", mmap.ReadWrite, func(b []byte) error {
			for i := len(b) - 1; i >= raceShort*page+page/2; i -= 97 {
				b[i] = whole[i]
			}
			return nil
		}},
	} {
		t.Run(use.name, func(t *testing.T) {
			wait.Go(func() {
				var m *mmap.Map
				for i := 0; !over.Load(); i++ {
					if m == nil {
						var err error
						if m, err = mmap.Open(path, use.mode); err != nil {
							t.Errorf("%v %s: open: %v", use.mode, use.name, err)
							return
						}
					}
					err := mmap.Guard(func() error { return use.do(m.Bytes()) })
					var fe *mmap.FaultError
					switch {
					case errors.As(err, &fe):
						faults.Add(1)
						if fe.Path != path || fe.Offset < raceShort*int64(page) || fe.Offset >= int64(len(whole)) ||
							!errors.Is(fe, mmap.ErrUnavailable) && (fe.Err != fs.ErrPermission || use.mode != mmap.ReadOnly) {
							t.Errorf("%v %s: %#v", use.mode, use.name, fe)
						}
					case err != nil:
						t.Errorf("%v %s: %v", use.mode, use.name, err)
					}
					rounds.Add(1)
					if i%8 == 7 {
						m.Close()
						m = nil
					}
				}
				if m != nil {
					m.Close()
				}
			})
		})
	}
	wait.Go(func() {
		for !over.Load() {
			var fe *mmap.FaultError
			if err := openAndSum(path); err != nil && !errors.As(err, &fe) {
				t.Error(err)
			}
		}
	})
	said := make([]byte, 200)
	n, _ := stdout.Read(said) // waits for the given number of rounds
	for start := time.Now(); (faults.Load() == 0 || zeros.Load() == 0) && time.Since(start) < 20*time.Second; {
		time.Sleep(time.Millisecond) // until the readers have met a truncation, which takes longer on a busy machine
	}
	stdin.Close()
	err = child.Wait()
	over.Store(true)
	wait.Wait()
	if err != nil || string(said[:n]) != "cut\n" {
		t.Errorf("the other process: %v: %s", err, said[:n])
	}
	t.Logf("cut %d times: %d rounds, %d faults, %d zeros", times, rounds.Load(), faults.Load(), zeros.Load())
	if faults.Load() == 0 || zeros.Load() == 0 {
		t.Error("the two processes did not meet")
	}
	if n := mmap.Live(); n != live {
		t.Errorf("%d mappings are left in the registry", n-live)
	}
	if n := countDescriptors(t); n != fds {
		t.Errorf("the process has %d descriptors, and had %d", n, fds)
	}
	if maps := readFile(t, "/proc/self/maps"); bytes.Contains(maps, []byte(path)) {
		t.Errorf("the file is still mapped:\n%s", maps)
	}
}

func openAndSum(path string) error {
	m, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer m.Close()
	return mmap.Guard(func() error {
		for _, c := range m.Bytes() {
			sink += c
		}
		return nil
	})
}

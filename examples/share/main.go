// Share edits a .npy file of integers at the same time as share.py, a Python process, does.
//
//	share add FILE N      adds 1 to the first element and 2 to the second, N times
//	share turns FILE N    writes a row, and waits for Python's row, N times
//
// From this folder, with the npy tool that `make demo` builds:
//
//	npy new -dtype i8 -shape 4 t.npy
//	python3 share.py turns t.npy 1000 & go run . turns t.npy 1000
//	npy print t.npy    # [ 2000 -2000 -2000 -2000]
//
// Both processes map the file: what one writes, the other sees at once, without a call, if both are on one machine. The
// disk has it after File.Sync, or flush in Python.
//
// A reader sees an aligned element of up to 8 bytes (4 on 32-bit machines) before or after a write, never half. Nothing
// more is promised: a row that is being written may be seen half old, and one of two simultaneous additions may be
// lost. So processes take turns, in one of two ways:
//
//   - add takes a lock. Its holder sees all that holders before it wrote. Map.Lock is flock(2), as fcntl.flock in
//     Python is; on Linux fcntl.lockf is another lock, which Go does not see. NumPy takes none. The system releases
//     the lock of a process that dies.
//   - turns has an element that says whose turn it is, and that each process writes last: no system call. A process
//     waits 10 seconds for the other. Go's sync/atomic keeps the order of its writes. Python has only what the
//     processor keeps: amd64 keeps it, arm64 does not, so take a lock there.
//
// When the file grows, File.Refresh has the new rows, and in Python np.load; see ../follow.
package main

import (
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 4 || do[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: share add|turns FILE N")
		os.Exit(2)
	}
	n, err := strconv.Atoi(os.Args[3])
	if err != nil {
		err = fmt.Errorf("argument N: %w", err)
	} else {
		err = share(os.Args[2], n, do[os.Args[1]])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "share:", err)
		os.Exit(1)
	}
}

var do = map[string]func(m *mmap.Map, x []int64) error{"add": add, "turns": turn}

// patience is how long the other may take.
var patience = 10 * time.Second

// share maps the file at path and calls do n times with it and its elements.
func share(path string, n int, do func(m *mmap.Map, x []int64) error) error {
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		return err
	}
	defer f.Close() // also ends a lock
	v, err := array.As[int64](f.Array)
	if err != nil {
		return err
	}
	x, err := v.Data() // the memory that Python maps, too
	if err == nil && len(x) < 2 {
		err = fmt.Errorf("%s: has %d elements, want 2 or more", path, len(x))
	}
	for i := 0; i < n && err == nil; i++ {
		err = mmap.Guard(func() error { return do(f.Map(), x) }) // a file that is cut is an error
	}
	if err == nil {
		_, err = f.Refresh() // also if it was cut within the last page, or replaced
	}
	return err
}

// add changes two elements, which nobody sees half done who takes the lock.
func add(m *mmap.Map, x []int64) error {
	if err := m.Lock(patience); err != nil { // waits as long as others have it
		return err
	}
	x[0]++
	x[1] += 2
	return m.Unlock()
}

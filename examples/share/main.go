// Share edits a .npy file of integers at the same time as the Python program share.py.
//
//	share add FILE N      adds 1 to the first element and 2 to the second, N times
//	share turns FILE N    writes a row, and waits for Python's row, N times
//
// In this directory, with the npy tool that `make demo` builds:
//
//	npy new -dtype i8 -shape 4 t.npy
//	python3 share.py turns t.npy 1000 & go run . turns t.npy 1000
//	npy print t.npy    # [ 2000 -2000 -2000 -2000]
//
// Both processes map the file. If both run on one machine, each process sees new writes at once, without a system call.
// The data reaches the disk with File.Sync, or flush in Python.
//
// A read of an aligned element of up to 8 bytes (4 on 32-bit machines) returns the value before or after a write, never
// a mixture of both. Nothing else is guaranteed: a row may be seen half written, and one of two simultaneous additions
// may be lost. So the processes take turns in one of two ways:
//
//   - add takes a lock. Its holder sees all writes of earlier holders. Map.Lock is flock(2), like fcntl.flock in
//     Python. On Linux, fcntl.lockf is a different lock, which Go does not see. NumPy takes no lock. If a process
//     dies, the system releases its lock.
//
//   - turns uses an element that indicates whose turn it is. Each process writes that element last, without a system
//     call, and waits up to 10 seconds for its turn. In Go, sync/atomic keeps the order of writes. Python
//     relies on the processor: amd64 keeps the order, arm64 does not, so take a lock there.
//
// If the file grows, File.Refresh finds the new rows; in Python, call np.load again. See ../follow.
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

// timeout is the maximum time to wait for a lock or a turn.
var timeout = 10 * time.Second

// share maps the file at path and calls do n times with the mapping and its elements.
func share(path string, n int, do func(m *mmap.Map, x []int64) error) error {
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		return err
	}
	defer f.Close() // also releases a lock
	v, err := array.As[int64](f.Array)
	if err != nil {
		return err
	}
	x, err := v.Data() // the memory that Python also maps
	if err == nil && len(x) < 2 {
		err = fmt.Errorf("%s: has %d elements, want 2 or more", path, len(x))
	}
	for i := 0; i < n && err == nil; i++ {
		err = mmap.Guard(func() error { return do(f.Map(), x) }) // truncation of the file is an error
	}
	if err == nil {
		_, err = f.Refresh() // an error if the file was truncated within the last page, or replaced
	}
	return err
}

// add changes two elements. Processes that take the lock see both changes or none.
func add(m *mmap.Map, x []int64) error {
	if err := m.Lock(timeout); err != nil { // waits while another process holds the lock
		return err
	}
	x[0]++
	x[1] += 2
	return m.Unlock()
}

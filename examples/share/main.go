// Share works on a .npy file of integers at the same time as a process of Python, which is
// share.py beside it. It has two ways.
//
//	share add FILE N      N times adds 1 to the first element, and 2 to the second
//	share turns FILE N    N times writes a row, and waits for that of Python
//
// Both print nothing: np.load, or npy print, shows the elements. To see it, make a file, and start both programs:
//
//	npy new -dtype i8 -shape 4 t.npy
//	python3 share.py turns t.npy 1000 & go run . turns t.npy 1000
//
// Both processes map the file: what one writes, the other sees at once, without any call, as
// long as both are on one machine. On the disk it is after File.Sync, or flush in Python.
//
// An aligned element of up to 8 bytes is seen as it was before a write or after it, never half
// (on 32-bit machines: of up to 4). More is not promised for memory alone: a row that is being
// written may be seen half old and half new, and of two additions at a time one may be lost. So
// processes take turns:
//
//   - By a lock. Who has it reads and writes as if alone, and the next one sees all of that.
//     Map.Lock is flock(2), as is fcntl.flock in Python: they exclude each other, and the system
//     ends the lock of a process that dies. On Linux fcntl.lockf is another lock, which Go does
//     not see. NumPy takes none.
//   - By an element that says whose turn it is, and that each writes last. That takes no system
//     call. Who waits for the other gives up after 10 seconds. Go's sync/atomic keeps the order of its writes; in Python only processors that keep
//     it by themselves do, which amd64 does and arm64 does not: there, take a lock.
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

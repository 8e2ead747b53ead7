//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd) && !arm64 && !ppc64le && !s390x

// Windows does not truncate or replace mapped files. QEMU, which emulates some processors in tests, reports wrong
// addresses of faults or none.

package array_test

import (
	"bytes"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A server keeps running if a file that it serves is truncated. The program in examples/guard is such a server, with
// net/http. Each request calls Guard in its own goroutine. Bytes that are cut off within the last page do not fault,
// but read as zeros. Therefore, a request is answered only after Unchanged has reported that the file did not change
// while it was read.
func Example_server() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.Float64, index.C, 1000, 1000))
	check(0, f.Close())
	time.Sleep(25 * time.Millisecond) // Unchanged needs a file that was last written at least 20 ms before

	f = check(array.Open(path, array.ReadOnly))
	defer f.Close()
	v := check(array.As[float64](f.Array))
	request := func() (mean float64, err error) {
		err = mmap.Guard(func() error {
			mean = array.Mean(v)
			return f.Unchanged()
		})
		return mean, err
	}
	for _, size := range []int64{128 + 8_000_000 - 40, 100_000, 0} {
		if mean, err := request(); err == nil {
			fmt.Println("200 OK:", mean)
		} else {
			_, fault := errors.AsType[*mmap.FaultError](err)
			fmt.Println("503 Service Unavailable: page fault:", fault, "changed:", errors.Is(err, mmap.ErrChanged))
		}
		if err := os.Truncate(path, size); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 200 OK: 0
	// 503 Service Unavailable: page fault: false changed: true
	// 503 Service Unavailable: page fault: true changed: false
}

// EncodedSize returns the size before any element is read, for example for a Content-Length header. With this header, a
// client can show its progress and notice a truncated answer. examples/guard sends it.
func ExampleEncodedSize() {
	f := check(array.New(dtype.Float64, index.F, 1000, 50))
	defer f.Close()
	part := check(f.Select(index.To(10)))
	size := check(array.EncodedSize(part))
	var b bytes.Buffer
	n, err := part.WriteTo(&b)
	fmt.Println(size, n, b.Len(), err)
	// Output: 4128 4128 4128 <nil>
}

// A program notices that its file was replaced, and opens the new file when it is ready. The old file stays mapped
// until Close. The server in examples/reload does this while other goroutines read.
func Example_reload() {
	path, remove := tempFile("t.npy")
	defer remove()
	save := func(x float64) {
		v := check(array.FromSlice([]float64{x}))
		if err := array.Save(path, v.Array()); err != nil { // creates a new file
			log.Fatal(err)
		}
	}
	save(1)
	f := check(array.Open(path, array.ReadOnly))
	fmt.Println(f.Map().CheckPath())

	save(2)
	if err := f.Map().CheckPath(); errors.Is(err, mmap.ErrReplaced) {
		fmt.Println("replaced, but still", f)
		newer := check(array.Open(path, array.ReadOnly))
		f.Close() // no goroutine uses f any more
		f = newer
	}
	defer f.Close()
	fmt.Println(f)
	// Output:
	// <nil>
	// replaced, but still [1.]
	// [2.]
}

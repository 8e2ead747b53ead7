//go:build (darwin || dragonfly || freebsd || linux || netbsd || openbsd) && !arm64 && !ppc64le && !s390x

// Windows lets nobody truncate or replace a mapped file, and QEMU, which stands in for some machines
// in tests, reports wrong addresses of faults or none.

package array_test

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"strconv"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A server goes on when somebody truncates its file. Each request guards what it does itself, since
// each has a goroutine of its own. What is cut off within the last page faults nowhere, and reads as zeros: so it reads
// first, and answers 200 only once Unchanged has said that the file was what it is all the time. All of examples/guard
// is such a server; examples/reload opens a file that has changed anew.
func Example_server() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.Float64, index.C, 1000, 1000))
	check(0, f.Close())
	time.Sleep(25 * time.Millisecond) // of a file that was changed less than 20 ms before Unchanged cannot tell

	f = check(array.Open(path, array.ReadOnly))
	defer f.Close()
	v := check(array.As[float64](f.Array))
	handler := func(w http.ResponseWriter, _ *http.Request) {
		var mean float64
		err := mmap.Guard(func() error {
			mean = array.Mean(v)
			return f.Unchanged()
		})
		if err != nil {
			_, fault := errors.AsType[*mmap.FaultError](err)
			fmt.Println("log: page fault:", fault, "changed:", errors.Is(err, mmap.ErrChanged))
			http.Error(w, "the data is not available", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprint(w, mean)
	}
	for _, size := range []int64{128 + 8_000_000 - 40, 100_000, 0} {
		w := httptest.NewRecorder()
		handler(w, httptest.NewRequest("GET", "/", nil))
		fmt.Println(w.Code)
		if err := os.Truncate(path, size); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 200
	// log: page fault: false changed: true
	// 503
	// log: page fault: true changed: false
	// 503
}

// A handler sends part of a file as a .npy file. With a Content-Length, the client shows its progress, and notices an
// answer that ends early.
func ExampleEncodedSize() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.Float64, index.F, 1000, 50))
	defer f.Close()
	send := func(w http.ResponseWriter, a array.Array) error {
		size, err := array.EncodedSize(a)
		if err != nil {
			return err
		}
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Header().Set("Content-Length", strconv.FormatInt(size, 10))
		return mmap.Guard(func() error {
			_, err := a.WriteTo(w)
			return err
		})
	}
	w := httptest.NewRecorder()
	err := send(w, check(f.Select(index.To(10))))
	fmt.Println(w.Header().Get("Content-Length"), w.Body.Len(), err)
	// Output: 4128 4128 <nil>
}

// A program sees that its file was replaced, and opens the new one when it likes: the old one stays
// as it is until Close. examples/reload is a server that does this while others read.
func Example_reload() {
	path, remove := tempFile("t.npy")
	defer remove()
	save := func(x float64) {
		v := check(array.FromSlice([]float64{x}))
		if err := array.Save(path, v.Array()); err != nil { // as a new file
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
		f.Close() // no goroutine uses it any more
		f = newer
	}
	defer f.Close()
	fmt.Println(f)
	// Output:
	// <nil>
	// replaced, but still [1.]
	// [2.]
}

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

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A server goes on when somebody truncates its file. Each request guards what it does itself, since
// each has a goroutine of its own. All of examples/guard is such a server.
func Example_server() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.Float64, index.C, 1000, 1000))
	defer f.Close()
	v := check(array.As[float64](f.Array))

	handler := func(w http.ResponseWriter, _ *http.Request) {
		var mean float64
		err := mmap.Guard(func() error {
			mean = array.Mean(v)
			return nil
		})
		if fault, ok := errors.AsType[*mmap.FaultError](err); ok {
			fmt.Println("log:", fault.Path == path, errors.Is(err, mmap.ErrUnavailable))
			http.Error(w, "the data is not available", http.StatusInternalServerError)
			return
		}
		fmt.Fprint(w, mean)
	}
	for range 2 {
		w := httptest.NewRecorder()
		handler(w, httptest.NewRequest("GET", "/", nil))
		fmt.Println(w.Code)
		if err := os.Truncate(path, 100_000); err != nil {
			log.Fatal(err)
		}
	}
	// Output:
	// 200
	// log: true true
	// 500
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
	f := check(array.Open(path, mmap.ReadOnly))
	fmt.Println(f.Map().CheckPath())

	save(2)
	if err := f.Map().CheckPath(); errors.Is(err, mmap.ErrReplaced) {
		fmt.Println("replaced, but still", f)
		newer := check(array.Open(path, mmap.ReadOnly))
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

// Guard serves the rows of a .npy file over HTTP: GET /3 returns row 3 as text, one number per line, and GET /3.npy
// returns it as a .npy file with the dtype of the original file.
//
//	go run ./examples/guard localhost:8080 t.npy &
//	curl http://localhost:8080/3
//	curl -O http://localhost:8080/3.npy
//
// If the file is truncated, or if its disk fails, the answer has status 503 and the server continues. Without
// mmap.Guard the process would crash. Bytes cut off within the last remaining page cause no page fault: they read as
// zeros until they are written again. Therefore the server sends numbers only after File.Unchanged has confirmed that
// the file has not changed.
//
// A row may be larger than memory, because it is sent one block at a time. If the file changes after an answer has
// begun, the server aborts the answer. The client can detect that: with HTTP/1.1 the last chunk is missing, and a .npy
// answer is shorter than its Content-Length. Complete answers are always correct.
//
// Each request opens the file, which takes about 20 µs. So once the file is complete again, or has been replaced, the
// next request reads the new contents. For 20 ms after a change, Unchanged cannot exclude further changes, and the
// status is 503. examples/reload waits during that time, and shares an open file among requests.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: guard ADDRESS FILE")
		os.Exit(2)
	}
	log.SetPrefix("guard: ")
	log.Fatal(server(os.Args[1], os.Args[2]).ListenAndServe())
}

func server(address, path string) *http.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{row}", func(w http.ResponseWriter, r *http.Request) {
		sent, err := send(w, path, r.PathValue("row"))
		if err == nil {
			return
		}
		log.Print(err) // for example a *mmap.FaultError, with the file and the offset
		if sent {
			panic(http.ErrAbortHandler) // aborts the answer
		}
		http.Error(w, "the data is not available", http.StatusServiceUnavailable)
	})
	return &http.Server{Addr: address, Handler: mux, ReadTimeout: timeout, IdleTimeout: timeout}
}

// send sends a row, or an error status if the row does not exist. sent reports whether the answer has begun.
func send(w http.ResponseWriter, path, row string) (sent bool, err error) {
	f, err := array.Open(path, array.ReadOnly)
	if err != nil {
		return false, err
	}
	defer f.Close()
	i, err := strconv.Atoi(strings.TrimSuffix(row, ".npy"))
	if err != nil || f.NDim() == 0 || i < 0 || i >= f.Len(0) {
		http.NotFound(w, nil)
		return true, nil
	}
	if strings.HasSuffix(row, ".npy") {
		return sendFile(w, f, f.Index(i))
	}
	rows, err := array.Cast[float64](f.Array) // accepts any real numbers
	if err != nil {
		return false, err
	}
	var text []byte
	err = mmap.Guard(func() error { // Guard works per goroutine, and each request has its own
		for block := range rows.Index(i).Blocks(index.C) {
			text = text[:0]
			for _, x := range block {
				text = append(strconv.AppendFloat(text, x, 'g', -1, 64), '\n')
			}
			if err := f.Unchanged(); err != nil {
				return err
			}
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(timeout))
			sent = true
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	})
	return sent, err
}

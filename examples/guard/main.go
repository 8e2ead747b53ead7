// Guard serves the rows of a .npy file by HTTP: GET /3 is row 3, in text, a number a line, and GET /3.npy is a .npy
// file of row 3, in the dtype of the file.
//
//	go run ./examples/guard localhost:8080 t.npy &
//	curl http://localhost:8080/3
//	curl -O http://localhost:8080/3.npy
//
// When the file is truncated, or its disk fails, that is an answer with status 503, and the server goes on. Without
// mmap.Guard it would be the end of the process. Bytes that are cut off within the last page of what is left of the
// file fault nowhere: they read as zeros, and are there again once somebody has put them back. So the server sends no
// number before File.Unchanged has said that the file was the same all the time.
//
// A row may be larger than memory: it is sent a block at a time. An answer that has begun when the file changes is
// broken off, which the client sees: with HTTP/1.1 the last chunk is missing, and of a .npy file
// the answer is shorter than its Content-Length. What a client is told in full is right.
//
// Each request opens the file, which takes some 20 µs: so when the file is whole again, or another
// one is there, the next request reads that. For 20 ms after a change Unchanged cannot tell, and
// the status is 503; examples/reload waits for these, and has one open file for all requests.
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
		log.Print(err) // a *mmap.FaultError, say: which file, and which byte
		if sent {
			panic(http.ErrAbortHandler) // breaks the answer off
		}
		http.Error(w, "the data is not available", http.StatusServiceUnavailable)
	})
	return &http.Server{Addr: address, Handler: mux, ReadTimeout: patience, IdleTimeout: patience}
}

// send sends a row, or that there is none, and reports whether it has sent anything.
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
	rows, err := array.Cast[float64](f.Array) // any real numbers
	if err != nil {
		return false, err
	}
	var text []byte
	err = mmap.Guard(func() error { // of this goroutine: each request has one
		for block := range rows.Index(i).Blocks(index.C) {
			text = text[:0]
			for _, x := range block {
				text = append(strconv.AppendFloat(text, x, 'g', -1, 64), '\n')
			}
			if err := f.Unchanged(); err != nil {
				return err
			}
			http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
			sent = true
			if _, err := w.Write(text); err != nil {
				return err
			}
		}
		return nil
	})
	return sent, err
}

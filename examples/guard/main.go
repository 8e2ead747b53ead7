// Guard serves the rows of a .npy file by HTTP: GET /3 is row 3, in text. When the file is
// truncated, or its disk fails, that is an answer with status 500, and the server goes on. Without
// mmap.Guard it would be the end of the process. Bytes that are cut off within the last page of what
// is left of the file fault nowhere: they read as zeros. So the server also looks, once it has the row,
// whether the file still is as long as its array.
package main

import (
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: guard ADDRESS FILE")
		os.Exit(2)
	}
	f, err := array.Open(os.Args[2], mmap.ReadOnly)
	if err != nil {
		log.Fatal(err)
	}
	rows, err := array.Cast[float64](f.Array) // any real numbers
	if err != nil {
		log.Fatal(err)
	}
	log.Fatal(http.ListenAndServe(os.Args[1], handler(f, rows)))
}

// handler serves rows, which are those of f. Any number of requests may read them at a time.
func handler(f *array.File, rows array.View[float64]) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{row}", func(w http.ResponseWriter, r *http.Request) {
		i, err := strconv.Atoi(r.PathValue("row"))
		if err != nil || rows.NDim() == 0 || i < 0 || i >= rows.Dim(0) {
			http.NotFound(w, r)
			return
		}
		var text []byte
		err = mmap.Guard(func() error { // of this goroutine: each request has one
			for x := range rows.Index(i).Values() {
				text = strconv.AppendFloat(text, x, 'g', -1, 64)
				text = append(text, '\n')
			}
			return nil
		})
		if err == nil {
			err = whole(f)
		}
		if err != nil { // a *mmap.FaultError: which file, and which byte
			log.Print(err)
			http.Error(w, "the data is not available", http.StatusInternalServerError)
			return
		}
		w.Write(text)
	})
	return mux
}

// whole returns an error if the file is shorter than its array. One that was replaced keeps its elements.
// If it was truncated before that, only a file that is opened ReadWrite or with Config.Lock can tell.
func whole(f *array.File) error {
	info, err := f.Stat()
	switch want := int64(f.DataOffset() + f.NBytes()); {
	case errors.Is(err, mmap.ErrReplaced):
		return nil
	case err == nil && info.Size() < want:
		return fmt.Errorf("%s: truncated to %d bytes, want %d", f.Path(), info.Size(), want)
	}
	return err
}

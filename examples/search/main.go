// Search finds the rows of a matrix that are closest to a given row by cosine similarity. The rows may be embeddings of
// texts, for example, and may exceed memory.
//
//	a = np.random.randn(1_000_000, 384).astype("f2")
//
//	go run ./examples/search VECTORS.npy 17
//	go run ./examples/search MODEL.safetensors embeddings.weight 17
//
// It prints the ten closest rows and their cosines, starting with the given row itself. Numbers may have any dtype;
// models usually contain bfloat16. All cores work in parallel, each on a few rows at a time, which are converted to
// float32. So the memory needed is bounded, and the file is read once, in order.
package main

import (
	"fmt"
	"os"
	"strconv"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	args := os.Args[1:]
	if len(args) != 2 && len(args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: search FILE.npy ROW, or search FILE.safetensors NAME ROW")
		os.Exit(2)
	}
	row, err := strconv.Atoi(args[len(args)-1])
	var best []hit
	if err == nil {
		best, err = searchFile(args[:len(args)-1], row)
	}
	for _, h := range best {
		if err == nil {
			_, err = fmt.Printf("%8d  %.6f\n", h.row, h.cosine)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "search:", err)
		os.Exit(1)
	}
}

// search returns the top rows of a that are closest to query.
func search(a array.Array, query []float32, top int) (best []hit, err error) {
	v, err := array.Cast[float32](a)
	if err != nil {
		return nil, err
	}
	buffers := sync.Pool{New: func() any { return new([]float32) }}
	var mu sync.Mutex
	err = mmap.Guard(func() error { // returns page faults as errors
		return array.Rows(v, func(first int, rows array.View[float32]) error {
			buf := buffers.Get().(*[]float32)
			defer buffers.Put(buf)
			*buf = rows.AppendTo((*buf)[:0])
			var some []hit
			for i := range rows.Len(0) {
				some = insert(some, hit{first + i, cosine(query, (*buf)[i*len(query):][:len(query)])}, top)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, h := range some {
				best = insert(best, h, top)
			}
			return nil
		})
	})
	return best, err
}

// Search finds the rows of a matrix that are nearest to one of them, by the cosine of their angle:
// embeddings of texts, say, of which there may be more than fit in memory.
//
//	a = np.random.randn(1_000_000, 384).astype("f2")
//
//	go run ./examples/search VECTORS.npy 17
//	go run ./examples/search MODEL.safetensors embeddings.weight 17
//
// It prints the ten nearest rows and their cosines, the row itself first. The numbers may be of any
// dtype: those of models are bfloat16 more often than not. All cores work, each on a part of the
// rows at a time, which it converts to a MiB of float32; so the memory is bounded, and the file is
// read once, in order.
package main

import (
	"cmp"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
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
		best, err = file(args[:len(args)-1], row)
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

// A hit is a row and how near it is.
type hit struct {
	row    int
	cosine float64
}

// search returns the top rows of a by their nearness to query.
func search(a array.Array, query []float32, top int) ([]hit, error) {
	n, dim := a.Shape()[0], len(query)
	step := max(1, 1<<18/max(1, dim))
	results, errs := make([][]hit, runtime.GOMAXPROCS(0)), make([]error, runtime.GOMAXPROCS(0))
	var next atomic.Int64
	var wait sync.WaitGroup
	for k := range results {
		wait.Go(func() {
			errs[k] = mmap.Guard(func() error { // page faults are errors of the goroutine that has them
				rows := make([]float32, step*dim)
				for lo := int(next.Add(int64(step))) - step; lo < n; lo = int(next.Add(int64(step))) - step {
					m := min(step, n-lo)
					part, err := a.Select(index.Range(lo, lo+m))
					block, e := array.FromSlice(rows[:m*dim], m, dim)
					if err = cmp.Or(err, e); err == nil {
						err = array.Copy(block.Array(), part)
					}
					if err != nil {
						return err
					}
					for i := range m {
						results[k] = insert(results[k], hit{lo + i, cosine(query, rows[i*dim:][:dim])}, top)
					}
				}
				return nil
			})
		})
	}
	wait.Wait()
	var best []hit
	for _, h := range slices.Concat(results...) {
		best = insert(best, h, top)
	}
	return best, cmp.Or(errs...)
}

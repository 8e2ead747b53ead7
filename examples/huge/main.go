// Huge makes a sparse 4 GiB .npy file, writes and sums a part of it, and prints
// how much memory that took at its peak. The disk holds only what was written.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: huge FILE")
		os.Exit(2)
	}
	if err := huge(os.Stdout, os.Args[1], 1<<20); err != nil {
		fmt.Fprintln(os.Stderr, "huge:", err)
		os.Exit(1)
	}
	fmt.Printf("peak memory of this program: %s\n", peakMemory())
}

// huge makes a file of rows × 512 float64.
func huge(w io.Writer, path string, rows int) error {
	cfg := array.Config{Sparse: true} // takes disk space only where it is written
	f, err := cfg.Create(path, dtype.Float64, index.C, rows, 512)
	if err != nil {
		return err
	}
	defer f.Close()
	fmt.Fprintf(w, "%s: shape %v, %d bytes\n", f.DType(), f.Shape(), f.NBytes())
	v, err := array.As[float64](f.Array)
	if err != nil {
		return err
	}
	part, err := v.Select(index.Range(rows/2, rows/2+1000)) // a[rows/2 : rows/2+1000]
	if err != nil {
		return err
	}
	return mmap.Guard(func() error {
		part.Fill(0.5)
		part.SetAt(0.25, 999, 511)
		sum := 0.0
		for x := range part.Values() {
			sum += x
		}
		fmt.Fprintf(w, "wrote and summed %d elements in its middle: %v\n", part.Size(), sum)
		return f.Sync()
	})
}

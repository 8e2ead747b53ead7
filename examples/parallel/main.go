// Parallel writes a .npy file of numbers as float32 with mean 0 and deviation 1, with passes of
// its own over blocks of elements, on all cores.
package main

import (
	"fmt"
	"math"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: parallel IN OUT")
		os.Exit(2)
	}
	if err := normalize(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "parallel:", err)
		os.Exit(1)
	}
}

// sums are of some elements that are no NaN.
type sums struct{ n, x, xx float64 }

func normalize(in, out string) (err error) {
	f, err := array.Open(in, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer f.Close()
	src, err := array.Cast[float64](f.Array) // any real numbers
	if err != nil {
		return err
	}
	g, err := array.Create(out, dtype.Float32, f.Order(), f.Shape()...)
	if err != nil {
		return err
	}
	defer func() {
		if e := g.Close(); err == nil {
			err = e
		}
		if err != nil {
			os.Remove(out)
		}
	}()
	dst, err := array.As[float32](g.Array)
	if err != nil {
		return err
	}
	return mmap.Guard(func() error { // page faults are errors, also those of other goroutines
		s, err := array.Reduce(src, func(block []float64) (s sums, err error) {
			for _, x := range block {
				if x == x {
					s.n, s.x, s.xx = s.n+1, s.x+x, s.xx+x*x
				}
			}
			return s, nil
		}, func(a, b sums) sums { return sums{a.n + b.n, a.x + b.x, a.xx + b.xx} })
		if err != nil {
			return err
		}
		mean := s.x / s.n
		deviation := math.Sqrt(s.xx/s.n - mean*mean) // array.MomentsOf is more exact
		err = array.Map(dst, src, func(dst []float32, src []float64) error {
			for i, x := range src {
				dst[i] = float32((x - mean) / deviation)
			}
			return nil
		})
		if err != nil {
			return err
		}
		return g.Sync()
	})
}

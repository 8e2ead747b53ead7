package main

import (
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// greatest has the greatest number of the floats of so many bytes.
var greatest = map[int]float64{2: 65504, 4: math.MaxFloat32, 8: math.MaxFloat64}

// times returns a copy of a, which has floats, with all elements times factor. Integers it refuses: a product that
// is no integer, or out of their range, would be stored as another number.
func times(a array.Array, factor float64) (array.Array, error) {
	limit, ok := greatest[a.ItemSize()]
	if !ok || a.DType().Kind() != dtype.KindFloat {
		return a, fmt.Errorf("have dtype %v, want f2, f4 or f8", a.DType())
	}
	src, err := array.Cast[float64](a)
	if err != nil {
		return a, err
	}
	c, err := a.Clone(index.K)
	if err != nil {
		return c, err
	}
	dst, err := array.Cast[float64](c)
	if err != nil {
		return c, err
	}
	return c, array.Map(dst, src, func(dst, src []float64) error {
		for i, x := range src {
			y := factor * x
			if !(math.Abs(y) <= limit) && !math.IsInf(x, 0) && x == x {
				return fmt.Errorf("%v times %v is no number of dtype %v", factor, x, a.DType())
			}
			dst[i] = y
		}
		return nil
	})
}

// open opens the archive at path once it has been left alone for 20 ms, or for 2 s where its time is a whole
// second: only then can Map.Unchanged tell whether it is changed from now on.
func open(path string) (*npz.Archive, error) {
	for try := 0; ; try++ {
		a, err := npz.Open(path, array.ReadOnly)
		if err != nil || try == 100 || !errors.Is(a.Map().Unchanged(), mmap.ErrChanged) {
			return a, err
		}
		a.Close()
		time.Sleep(25 * time.Millisecond)
	}
}

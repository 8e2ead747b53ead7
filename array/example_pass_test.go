package array_test

import (
	"errors"
	"fmt"
	"log"
	"math"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// Compute the mean of all measurements except NaN in one pass over a file of any size and byte order. If the file is
// truncated meanwhile, mmap.Guard returns an error.
func ExampleReduce() {
	path, remove := tempFile("t.npy")
	defer remove()
	f := check(array.Create(path, dtype.MustParse(">f4"), index.C, 1000, 1000))
	defer f.Close()
	v := check(array.As[float32](f.Array))
	v.Fill(2.5)
	v.SetAt(float32(math.NaN()), 7, 7)

	type sum struct{ total, n float64 }
	var all sum
	err := mmap.Guard(func() (err error) {
		all, err = array.Reduce(v, func(block []float32) (s sum, err error) {
			for _, x := range block {
				if x == x {
					s.total += float64(x)
					s.n++
				}
			}
			return s, nil
		}, func(a, b sum) sum { return sum{a.total + b.total, a.n + b.n} })
		return err
	})
	fmt.Println(all.total/all.n, all.n, err)
	// Output: 2.5 999999 <nil>
}

// Scale an array in place. The function gets the same block as source and destination. Map returns an error for arrays
// that overlap in any other way.
func ExampleMap() {
	v := check(array.FromSlice([]float64{1, 2, 3, 4, 5, 6}, 2, 3))
	double := func(dst, src []float64) error {
		for i, x := range src {
			dst[i] = 2 * x
		}
		return nil
	}
	if err := array.Map(v, v, double); err != nil {
		log.Fatal(err)
	}
	fmt.Println(v)

	cols := check(v.Select(index.Colon, index.Range(1, 3)))
	before := check(v.Select(index.Colon, index.Range(0, 2)))
	fmt.Println(array.Map(cols, before, double))
	// Output:
	// [[ 2.  4.  6.]
	//  [ 8. 10. 12.]]
	// array: source and destination share memory, but are not the same elements; Clone the source
}

// Add a row to every row of an array of another type.
func ExampleMap2() {
	m := check(array.FromSlice([]int32{1, 2, 3, 4, 5, 6}, 2, 3))
	row := check(array.FromSlice([]float64{0.1, 0.2, 0.3}))
	sum := check(array.FromSlice(make([]float64, 6), 2, 3))
	err := array.Map2(sum, m, row, func(dst []float64, a []int32, b []float64) error {
		for i := range dst {
			dst[i] = float64(a[i]) + b[i]
		}
		return nil
	})
	fmt.Println(sum, err)
	// Output:
	// [[1.1 2.2 3.3]
	//  [4.1 5.2 6.3]] <nil>
}

// An error of the function ends the pass.
func ExampleMap_error() {
	src := check(array.FromSlice([]float64{1, 2, math.NaN()}))
	dst := check(array.FromSlice(make([]int32, 3)))
	fmt.Println(array.Map(dst, src, func(dst []int32, src []float64) error {
		for i, x := range src {
			if dst[i] = int32(x); x != x {
				return errors.New("a measurement is missing")
			}
		}
		return nil
	}))
	// Output: a measurement is missing
}

// Find the rows of a table that meet a condition.
func ExampleView_Find() {
	table := check(array.FromSlice([]float64{1, 0.5, 2, 0.9, 3, 0.1}, 3, 2))
	weight := check(table.Select(index.Colon, index.At(1)))
	rows := slices.Collect(weight.Find(func(w float64) bool { return w >= 0.5 }))
	fmt.Println(rows, check(table.AppendRows(nil, rows)))
	// Output: [0 1] [1 0.5 2 0.9]
}

func ExampleQuantile() {
	v := check(array.FromSlice([]int16{9, 1, 4, 3}))
	fmt.Println(array.Quantile(v, 0, 0.5, 1))
	fmt.Println(array.Histogram(v, []float64{0, 3, 6, 9}))
	// Output:
	// [1 3.5 9] <nil>
	// [1 2 1] <nil>
}

// Count the elements in 4 bins of equal width from 0 to 1.
func ExampleHistogram() {
	v := check(array.FromSlice([]float32{0.1, 0.3, 0.2, 0.9, 0.6, 1, 7}))
	edges := make([]float64, 5)
	for i := range edges {
		edges[i] = float64(i) / 4
	}
	fmt.Println(check(array.Histogram(v, edges)))
	// Output: [2 1 1 2]
}

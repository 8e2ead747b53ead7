package index_test

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"

	"github.com/ndmap/ndmap/index"
)

func ExampleAll() {
	for idx := range index.All([]int{2, 3}, index.F) {
		fmt.Print(idx, " ")
	}
	// Output: [0 0] [1 0] [0 1] [1 1] [0 2] [1 2]
}

func ExampleNext() {
	shape := []int{2, 2}
	idx := make([]int, len(shape))
	for ok := true; ok; ok = index.Next(idx, shape, index.C) {
		fmt.Print(idx, " ")
	}
	// Output: [0 0] [0 1] [1 0] [1 1]
}

func ExampleLayout_Select() {
	l, _ := index.NewLayout([]int{2, 3}, 8, index.C)
	// Row 1, backwards.
	row, off, err := l.Select(index.At(1), index.Reverse())
	fmt.Println(row, "from byte", off, err)
	// Output: (3,) strides (-8,) from byte 40 <nil>
}

func ExampleParse() {
	sel, err := index.Parse("1:10:2, ..., np.newaxis, -1")
	fmt.Println(sel, err)
	_, err = index.Parse("1:x")
	fmt.Println(err)
	// Output:
	// 1:10:2, ..., None, -1 <nil>
	// index: selection "1:x" at character 3: want an integer, ':' or ','
}

func ExampleSelector() {
	for _, sel := range []index.Selector{
		index.At(-1), index.Range(1, 5), index.From(1), index.To(5), index.Every(2), index.Reverse(),
		index.From(1).Every(2),
	} {
		l, _ := index.NewLayout([]int{8}, 1, index.C)
		taken, off, _ := l.Select(sel)
		fmt.Printf("a[%v]:", sel)
		for idx := range index.All(taken.Shape(), index.C) {
			fmt.Print(" ", off+taken.Offset(idx...)) // the items have one byte, so the offset is the index
		}
		fmt.Println()
	}
	// Output:
	// a[-1]: 7
	// a[1:5]: 1 2 3 4
	// a[1:]: 1 2 3 4 5 6 7
	// a[:5]: 0 1 2 3 4
	// a[::2]: 0 2 4 6
	// a[::-1]: 7 6 5 4 3 2 1 0
	// a[1::2]: 1 3 5 7
}

func ExampleSelection() {
	var job struct {
		Select index.Selection
		Order  index.Order
	}
	flags := flag.NewFlagSet("job", flag.ContinueOnError)
	flags.TextVar(&job.Select, "select", job.Select, "the elements, as between NumPy's brackets")
	flags.TextVar(&job.Order, "order", job.Order, "the order of the elements in the file")
	err := flags.Parse([]string{"-select", "::2, 0", "-order", "F"})
	fmt.Println(job.Select, job.Order, err)
	text, err := json.Marshal(job)
	fmt.Println(string(text), err)
	l, _ := index.NewLayout([]int{4, 3}, 8, job.Order)
	fmt.Println(l.Select(job.Select...))
	// Output:
	// ::2, 0 F <nil>
	// {"Select":"::2, 0","Order":"F"} <nil>
	// (2,) strides (16,) 0 <nil>
}

func ExampleLayout_Reshape() {
	l, _ := index.NewLayout([]int{2, 3}, 8, index.C)
	r, err := l.Reshape([]int{3, -1}, 8)
	fmt.Println(r, err)
	t, _ := l.Transpose()
	_, err = t.Reshape([]int{6}, 8)
	fmt.Println(errors.Is(err, index.ErrCopy), err)
	// Output:
	// (3, 2) strides (16, 8) <nil>
	// true cannot reshape (3, 2) strides (8, 24) to (6,) in place: copy it first
}

func ExampleLayout_Coalesce() {
	l, _ := index.Strided([]int{2, 3, 4}, []int{100, 32, 8})
	fmt.Println(l.Coalesce()) // two runs of 12 elements
	// Output: (2, 12) strides (100, 8)
}

func ExampleLayout_Bounds() {
	l, _ := index.Strided([]int{3, 2}, []int{-16, 8}) // the rows of a C array of float64, the last one first
	fmt.Println(l.Bounds(8))
	// Output: -32 16
}

func ExampleLayout_Compact() {
	l, _ := index.Strided([]int{2, 3}, []int{8, 100}) // columns with gaps between them
	k, _ := l.Compact(8, index.K)
	c, _ := l.Compact(8, index.C)
	fmt.Println(k)
	fmt.Println(c)
	// Output:
	// (2, 3) strides (8, 16)
	// (2, 3) strides (24, 8)
}

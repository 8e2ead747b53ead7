package main

import (
	"fmt"
	"log"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// The rows of reductions along axes: of 800 MB of float64, of 512 MB of uint16, and of 800 MB of big-endian float64.
func init() {
	for _, name := range []string{"f8", "u2", "f8, big-endian"} {
		for _, r := range []array.Reduction{
			{Op: array.OpSum, Axes: []int{0}}, {Op: array.OpSum, Axes: []int{1}}, {Op: array.OpSum, Axes: []int{2}},
			{Op: array.OpSum, Axes: []int{0, 1}}, {Op: array.OpSum},
			{Op: array.OpMean, Axes: []int{0}}, {Op: array.OpMean},
			{Op: array.OpMax, Axes: []int{0}},
			{Op: array.OpArgMax}, {Op: array.OpArgMax, Axes: []int{0}}, {Op: array.OpArgMax, Axes: []int{-1}},
			{Op: array.OpStd}, {Op: array.OpStd, Axes: []int{0}},
			{Op: array.OpMax, SkipNaN: true},
		} {
			rows = append(rows, func(dir string) row { return reductionRow(dir, name, r) })
		}
	}
	rows = append(rows, func(dir string) row {
		f := file(dir, "c.npy", little, index.C, n0, n1, n2)
		v := must(array.As[float64](f.Array))
		return row{name: "np.isnan(a).sum() of f8; Moments", bytes: f.NBytes(),
			setup: "a = np.load('c.npy', mmap_mode='r')", numpy: "np.isnan(a).sum()",
			ndmap: func() { sink = float64(array.MomentsOf(v).NaN) }}
	})
}

// reductionRow returns the row for the reduction r of the elements called name.
func reductionRow(dir, name string, r array.Reduction) row {
	var f *array.File
	var path string
	switch name {
	case "f8":
		path = "c.npy"
		f = file(dir, path, little, index.C, n0, n1, n2)
	case "u2":
		path = "u2.npy"
		f = file(dir, path, dtype.Uint16.WithByteOrder(dtype.LittleEndian), index.C, 1000, 512, 512)
	default:
		path = "big.npy"
		f = file(dir, path, bigEnd, index.C, n0, n1, n2)
	}
	o := must(array.New(must(r.DType(f.Array)), index.C, must(r.Shape(f.Array))...))
	function, axes := r.Op.String(), "None"
	if r.SkipNaN {
		function = "nan" + function
	}
	if r.Axes != nil {
		axes = strings.Trim(fmt.Sprint(r.Axes), "[]")
		if len(r.Axes) > 1 {
			axes = "(" + strings.ReplaceAll(axes, " ", ", ") + ")"
		}
	}
	call := fmt.Sprintf("np.%s(a, axis=%s)", function, axes)
	return row{name: call + " of " + name, bytes: f.NBytes(),
		setup: fmt.Sprintf("a = np.load('%s', mmap_mode='r')", path), numpy: call,
		ndmap: func() {
			if err := r.Into(o.Array, f.Array); err != nil {
				log.Fatal(err)
			}
		}}
}

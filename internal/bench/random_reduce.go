package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// parseReduction parses a reduction such as "nanmean@0,2": the name of the operation in ndmap, with the prefix "nan" to
// skip NaN, and the axes. Without axes, all axes are reduced.
func parseReduction(text string) (r array.Reduction, ok bool) {
	name, axes, ok := strings.Cut(text, "@")
	name, r.SkipNaN = strings.CutPrefix(name, "nan")
	for r.Op = array.OpSum; r.Op < array.OpMoments && r.Op.String() != name; r.Op++ {
	}
	if !ok || r.Op == array.OpMoments {
		return r, false
	}
	if axes != "" {
		var err error
		if r.Axes, err = ints(axes); err != nil {
			return r, false
		}
	}
	return r, true
}

// pythonReduction returns the name of the operation in NumPy, and its axes in Python's syntax.
func pythonReduction(r array.Reduction) (function, axes string) {
	function, axes = r.Op.String(), "None"
	if r.Op == array.OpCount {
		function = "count_nonzero"
	}
	if r.SkipNaN {
		function = "nan" + function
	}
	if len(r.Axes) == 1 {
		axes = fmt.Sprint(r.Axes[0])
	} else if r.Axes != nil {
		axes = "(" + joinInts(r.Axes) + ")"
	}
	return function, axes
}

// drawReduction returns the text of a random reduction: an operation that NumPy supports, along random axes of an array
// that may be broadcast.
func drawReduction(r *rand.Rand) string {
	shape := drawShape(r, 16<<10<<(8*r.IntN(2)))
	d := pick(r, all)
	op := array.Op(r.IntN(int(array.OpMoments)))
	text := op.String() + "@"
	if isFloat := d[0] == 'f' || d[0] == 'c'; isFloat && op != array.OpCount && r.IntN(4) == 0 {
		text = "nan" + text
	}
	side, wide := drawSide(r, d, shape), ""
	if len(shape) < 4 && r.IntN(8) == 0 { // add a first axis
		n := pick(r, []int{2, 3, 16})
		shape = append([]int{n}, shape...)
		wide = " B" + joinInts(shape)
	}
	switch axes := r.Perm(len(shape)); {
	case r.IntN(4) == 0: // all
	case op == array.OpArgMin || op == array.OpArgMax:
		text += joinInts(axes[:1])
	default:
		axes = axes[:1+r.IntN(len(axes))]
		slices.Sort(axes)
		text += joinInts(axes)
	}
	return text + " " + side + wide
}

// newReduction returns a function that reduces a, and the array in which the function stores its result.
func newReduction(r array.Reduction, a array.Array) (work func() [2]float64, result *array.File) {
	result = must(array.New(must(r.DType(a)), index.C, must(r.Shape(a))...))
	return func() (none [2]float64) {
		must(0, r.Into(result.Array, a))
		return none
	}, result
}

// agree reports whether got and want are equal except for the last digits. want is the result of NumPy, computed in
// float64, because with shorter floats NumPy loses digits along axes where it adds millions of numbers in succession.
func agree(got, want array.Array) bool {
	if !slices.Equal(got.Shape(), want.Shape()) || !got.DType().Equal(want.DType().WithByteOrder(dtype.Native)) {
		return false
	}
	x, y := must(array.Cast[complex128](got)), must(array.Cast[complex128](want))
	tolerance := map[string]float64{"f2": 2e-3, "f4": 1e-6, "c8": 1e-6, "f8": 1e-9,
		"c16": 1e-9}[native(got.DType().String())]
	next := slices.Collect(y.Values())
	for k, x := range slices.Collect(x.Values()) {
		y := next[k]
		if !isNear(real(x), real(y), tolerance) || !isNear(imag(x), imag(y), tolerance) {
			return false
		}
	}
	return true
}

func isNear(x, y, tolerance float64) bool {
	return x == y || x != x && y != y || max(x-y, y-x) <= tolerance*max(1, x, -x)
}

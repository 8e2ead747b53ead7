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

// A reduction is a work as "nanmean@0,2": an operation, by its name in ndmap, of numbers that are not NaN if nan is
// before it, along axes, all if there are none.
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

// pythonReduction returns NumPy's name of the operation, and its axes.
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
		axes = "(" + join(r.Axes) + ")"
	}
	return function, axes
}

// drawReduction returns the text of a reduction: of any operation that NumPy has, along any axes, also of an array
// that is
// broadcast.
func drawReduction(r *rand.Rand) string {
	shape := drawShape(r, 16<<10<<(8*r.IntN(2)))
	d := pick(r, all)
	op := array.Op(r.IntN(int(array.OpMoments)))
	text := op.String() + "@"
	if isFloat := d[0] == 'f' || d[0] == 'c'; isFloat && op != array.OpCount && r.IntN(4) == 0 {
		text = "nan" + text
	}
	side, wide := drawSide(r, d, shape), ""
	if len(shape) < 4 && r.IntN(8) == 0 { // a new axis before the others
		n := pick(r, []int{2, 3, 16})
		shape = append([]int{n}, shape...)
		wide = " B" + join(shape)
	}
	switch axes := r.Perm(len(shape)); {
	case r.IntN(4) == 0: // all
	case op == array.OpArgMin || op == array.OpArgMax:
		text += join(axes[:1])
	default:
		axes = axes[:1+r.IntN(len(axes))]
		slices.Sort(axes)
		text += join(axes)
	}
	return text + " " + side + wide
}

// reduces returns a work that reduces a, and where its result is.
func reduces(r array.Reduction, a array.Array) (work func() [2]float64, result *array.File) {
	result = must(array.New(must(r.DType(a)), index.C, must(r.Shape(a))...))
	return func() (none [2]float64) {
		must(0, r.Into(result.Array, a))
		return none
	}, result
}

// agree reports whether what ndmap made of numbers is what NumPy has, computed in float64, where along some axes it
// adds millions of numbers to one: but for the last digits.
func agree(got, want array.Array) bool {
	if !slices.Equal(got.Shape(), want.Shape()) || !got.DType().Equal(want.DType().WithByteOrder(dtype.Native)) {
		return false
	}
	x, y := must(array.Cast[complex128](got)), must(array.Cast[complex128](want))
	near := map[string]float64{"f2": 2e-3, "f4": 1e-6, "c8": 1e-6, "f8": 1e-9, "c16": 1e-9}[native(got.DType().String())]
	next := slices.Collect(y.Values())
	for k, x := range slices.Collect(x.Values()) {
		y := next[k]
		if !isNear(real(x), real(y), near) || !isNear(imag(x), imag(y), near) {
			return false
		}
	}
	return true
}

func isNear(x, y, near float64) bool {
	return x == y || x != x && y != y || max(x-y, y-x) <= near*max(1, x, -x)
}

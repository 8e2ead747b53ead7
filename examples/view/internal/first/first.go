// Package first chooses the first view of an array: an image, lines or a table, its axes, and whether integers are
// categories.
package first

import (
	"slices"

	"github.com/ndmap/ndmap/examples/view/internal/summary"
)

// A View is the first view of an array. An axis is -1 if the array has no such axis.
type View struct {
	Mode string `json:"mode"` // image, lines or table

	// The axes of the rows and of the columns of the image.
	Y int `json:"y"`
	X int `json:"x"`

	Line int   `json:"line"` // the axis along the lines
	Few  []int `json:"few"`  // axes with so few elements that each can have a line

	// Records are drawn as lines of the field Field. The lines of such a field are drawn against the field Against. Both
	// are empty for other arrays.
	Field   string `json:"field"`
	Against string `json:"against"`

	Categories bool `json:"categories"` // each integer has a colour of its own
}

// Facts are the properties of an array that determine its first view.
type Facts struct {
	Shape   []int
	Numbers bool   // the elements can be drawn
	Bool    bool   // the elements are bools
	Colours bool   // the axis Channels holds the channels of colours
	Against string // a sibling field whose values rise, or ""
	Field   string // a field to draw against the first field, whose values rise, or ""
	Values  Values // integers only

	Channels int
}

const (
	fewLines  = 8   // maximum length of an axis with a line for each index
	manyDots  = 500 // only the axis along signals has more elements than this
	longTimes = 8   // the axis along signals is longer than any other axis by at least this factor
)

// Choose returns the first view of an array with the given facts.
func Choose(f Facts) View {
	v := View{Mode: "image", Field: f.Field, Against: f.Against, Few: []int{}}
	n, shape := len(f.Shape), slices.Clone(f.Shape)
	if f.Colours {
		shape[f.Channels] = -1 // is not shown
	}
	v.Y, v.X = plane(shape)
	v.Line = longest(shape)
	for k, length := range f.Shape {
		if 1 < length && length <= fewLines {
			v.Few = append(v.Few, k)
		}
	}
	switch {
	case !f.Numbers || product(f.Shape) == 1:
		v.Mode = "table"
	case f.Colours:
	case n == 1 || isLine(squeeze(f.Shape)):
		v.Mode = "lines"
	case !f.Bool && areSignals(squeeze(f.Shape)): // lines of bools would cover each other
		v.Mode = "lines"
	}
	v.Categories = f.Bool || f.Values.areLabels()
	return v
}

// plane returns the axes of the rows and of the columns of an image: the last two axes of more than fewLines elements,
// because shorter axes hold channels. Without two such axes, it returns the last two axes of more than one element, or
// else the last two axes.
func plane(shape []int) (y, x int) {
	for _, least := range []int{fewLines + 1, 2, 0} {
		var long []int
		for k, length := range shape {
			if length >= least {
				long = append(long, k)
			}
		}
		if n := len(long); n >= 2 {
			return long[n-2], long[n-1]
		}
	}
	return -1, len(shape) - 1
}

// longest returns the longest axis, the last one of several. It returns -1 without axes.
func longest(shape []int) int {
	axis := -1
	for k, length := range shape {
		if axis == -1 || length >= shape[axis] {
			axis = k
		}
	}
	return axis
}

// squeeze returns the lengths that are not 1.
func squeeze(shape []int) []int {
	return slices.DeleteFunc(slices.Clone(shape), func(length int) bool { return length == 1 })
}

// isLine reports whether an array of the squeezed shape has a single axis of elements.
func isLine(shape []int) bool { return len(shape) == 1 && shape[0] > 1 }

// areSignals reports whether an array of the squeezed shape has one long axis, next to an axis of few signals.
func areSignals(shape []int) bool {
	line := longest(shape)
	if line == -1 || shape[line] <= manyDots {
		return false
	}
	for k, length := range shape {
		if k != line && (length > manyDots || length*longTimes > shape[line]) {
			return false
		}
	}
	isFew := func(k int) bool { return k >= 0 && k < len(shape) && shape[k] <= fewLines }
	return isFew(line-1) || isFew(line+1)
}

func product(shape []int) int {
	n := 1
	for _, length := range shape {
		n *= length
	}
	return n
}

// Values describes a sample of the elements of an array of integers, and the neighbours of sampled elements in the
// image.
type Values struct {
	Distinct int   // number of distinct values
	Elements int64 // number of elements in the sample
	Greatest int64 // number of elements with the greatest value

	// Pairs of neighbours, except pairs of the most frequent value, which may be a background.
	Pairs int64
	Equal int64 // pairs of equal values
	Jumps int64 // pairs of values that differ by more than 1
}

// maxLabels is the maximum number of distinct values of labels. The page has a colour for each.
const maxLabels = summary.MaxDistinct

// areLabels reports whether the values are labels, which have no order, rather than counts or measurements. The
// greatest counts are rare. Neighbours have nearly equal measurements.
func (v Values) areLabels() bool {
	n := v.Distinct
	if n < 2 || v.Elements < 4*int64(n) {
		return false
	}
	smooth := 4*v.Jumps < v.Pairs-v.Equal
	regions := !smooth && v.Pairs > 0 && 3*v.Equal >= 2*v.Pairs
	rare := 4*v.Greatest*int64(n) < v.Elements
	return n <= 8 || n <= 20 && !rare || n <= 64 && !rare && !smooth || n <= maxLabels && regions
}

// describe returns the Values of a sample. pairs are neighbours.
func describe(sample []float64, pairs [][2]float64) Values {
	counts := map[float64]int64{}
	for _, x := range sample {
		counts[x]++
	}
	v := Values{Distinct: len(counts), Elements: int64(len(sample))}
	if len(sample) == 0 {
		return v
	}
	v.Greatest = counts[slices.Max(sample)]
	most := sample[0] // the most frequent value
	for x, n := range counts {
		if n > counts[most] || n == counts[most] && x < most {
			most = x
		}
	}
	for _, p := range pairs {
		if p[0] == most && p[1] == most {
			continue
		}
		v.Pairs++
		switch d := p[0] - p[1]; {
		case d == 0:
			v.Equal++
		case d > 1 || d < -1:
			v.Jumps++
		}
	}
	return v
}

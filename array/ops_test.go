package array

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/index"
)

// An op is an operation that makes a view of another view. It can be applied to a view of this package and to a
// slowView, and written as Python code for NumPy.
type op struct {
	name    string
	args    []int
	items   []selectorItem
	asArray bool // call it on the Array, not on the View
}

// omit denotes a missing bound or step of an item.
const omit = math.MinInt

// A selectorItem is a selector. Its kind is 'i' for the index lo, ':' for lo:hi:step, 'n' for None, or '.' for an
// ellipsis.
type selectorItem struct {
	kind         byte
	lo, hi, step int
}

func (it selectorItem) selector() index.Selector {
	switch it.kind {
	case 'i':
		return index.At(it.lo)
	case 'n':
		return index.NewAxis
	case '.':
		return index.Ellipsis
	}
	s := index.Range(it.lo, it.hi)
	switch {
	case it.lo == omit && it.hi == omit:
		s = index.Colon
	case it.lo == omit:
		s = index.To(it.hi)
	case it.hi == omit:
		s = index.From(it.lo)
	}
	if it.step != omit {
		s = s.Every(it.step)
	}
	return s
}

func (it selectorItem) String() string {
	bound := func(b int) string {
		if b == omit {
			return ""
		}
		return fmt.Sprint(b)
	}
	switch it.kind {
	case 'i':
		return fmt.Sprint(it.lo)
	case 'n':
		return "None"
	case '.':
		return "..."
	}
	return bound(it.lo) + ":" + bound(it.hi) + ":" + bound(it.step)
}

// String returns o as Python code for the array a. The code calls functions of NumPy and of the cross-check.
func (o op) String() string {
	list := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(o.args)), ", "), "[]")
	switch o.name {
	case "select":
		s := make([]string, 0, len(o.items)+1)
		dots := false
		for _, it := range o.items {
			s = append(s, it.String())
			dots = dots || it.kind == '.'
		}
		if !dots {
			s = append(s, "...") // without an ellipsis, NumPy turns a single element into a scalar
		}
		return "a[" + strings.Join(s, ", ") + "]"
	case "index":
		return "a[" + list + ", ...]"
	case "part":
		return "a[" + strings.Repeat(":, ", o.args[0]) + fmt.Sprint(o.args[1]) + ", ...]"
	case "transpose":
		if len(o.args) == 0 {
			return "a.T"
		}
		return "a.transpose(" + list + ")"
	case "moveaxis":
		return "np.moveaxis(a, " + list + ")"
	case "expanddims":
		return "expand(a, " + list + ")"
	case "squeeze":
		if len(o.args) == 0 {
			return "np.squeeze(a)"
		}
		return "np.squeeze(a, (" + list + ",))"
	case "diagonal":
		return "diagonal(a, " + list + ")"
	}
	return o.name + "(a, [" + list + "])" // broadcast, reshape
}

// apply applies o to v.
func apply[T any](v View[T], o op) (View[T], error) {
	if o.asArray {
		return viaArray(v, o)
	}
	switch o.name {
	case "select":
		return v.Select(selectors(o.items)...)
	case "index":
		return v.Index(o.args[0]), nil
	case "part":
		for i, w := range v.Axis(o.args[0]) {
			if i == o.args[1] {
				return w, nil
			}
		}
		panic("Axis ended too soon")
	case "transpose":
		return v.Transpose(o.args...)
	case "moveaxis":
		return v.MoveAxis(o.args[0], o.args[1])
	case "expanddims":
		return v.ExpandDims(o.args[0])
	case "squeeze":
		return v.Squeeze(o.args...)
	case "broadcast":
		return v.Broadcast(o.args...)
	case "reshape":
		return v.Reshape(o.args...)
	case "diagonal":
		return v.Diagonal(o.args[0], o.args[1], o.args[2])
	}
	panic("no operation " + o.name)
}

// viaArray applies o to the Array of v.
func viaArray[T any](v View[T], o op) (View[T], error) {
	a, err := applyArray(v.Array(), o)
	if err != nil {
		return View[T]{}, err
	}
	return As[T](a)
}

func applyArray(a Array, o op) (Array, error) {
	switch o.name {
	case "select":
		return a.Select(selectors(o.items)...)
	case "index":
		return a.Index(o.args[0]), nil
	case "part":
		for i, w := range a.Axis(o.args[0]) {
			if i == o.args[1] {
				return w, nil
			}
		}
		panic("Axis ended too soon")
	case "transpose":
		return a.Transpose(o.args...)
	case "moveaxis":
		return a.MoveAxis(o.args[0], o.args[1])
	case "expanddims":
		return a.ExpandDims(o.args[0])
	case "squeeze":
		return a.Squeeze(o.args...)
	case "broadcast":
		return a.Broadcast(o.args...)
	case "reshape":
		return a.Reshape(o.args...)
	case "diagonal":
		return a.Diagonal(o.args[0], o.args[1], o.args[2])
	}
	panic("no operation " + o.name)
}

func selectors(items []selectorItem) []index.Selector {
	sel := make([]index.Selector, len(items))
	for k, it := range items {
		sel[k] = it.selector()
	}
	return sel
}

// A chooser makes choices. It is a random generator, or the bytes of a fuzz target.
type chooser interface{ IntN(n int) int }

// maxElements limits the number of elements in a random array, for speed.
const maxElements = 240

// randomReshape distributes the prime factors of the size over a random number of axes.
func randomReshape(r chooser, shape []int, wrong bool) []int {
	size := slowSize(shape)
	args := make([]int, r.IntN(7))
	for k := range args {
		args[k] = 1
	}
	if oneIn(r, 3) { // merge or split one axis, which a view can do in most cases
		args = slices.Clone(shape)
		if k := r.IntN(max(1, len(args))); len(args) > 1 && k > 0 && oneIn(r, 2) {
			args[k-1] *= args[k]
			args = slices.Delete(args, k, k+1)
		} else if k < len(args) && args[k]%2 == 0 && args[k] > 0 {
			args[k] /= 2
			args = slices.Insert(args, k, 2)
		}
	} else if size == 0 && len(args) > 0 {
		for k := range args {
			args[k] = r.IntN(4)
		}
		args[r.IntN(len(args))] = 0
	} else if len(args) > 0 {
		for p := 2; size > 1; {
			if size%p != 0 {
				p++
				continue
			}
			size /= p
			args[r.IntN(len(args))] *= p
		}
	}
	if len(args) > 0 && oneIn(r, 3) {
		args[r.IntN(len(args))] = -1
	}
	if wrong && len(args) > 0 {
		args[r.IntN(len(args))] = among(r, -1, -2, 0, 7)
	}
	return args
}

// randomItems returns a random selection, with bounds near and beyond the ends of the axes.
func randomItems(r chooser, shape []int, wrong bool) (items []selectorItem) {
	axes := shape[:len(shape)-r.IntN(len(shape)+1)*r.IntN(2)]
	dots := r.IntN(len(axes) + 4) // the axis before which an ellipsis comes
	for k, n := range axes {
		for oneIn(r, 8) {
			items = append(items, selectorItem{kind: 'n'})
		}
		if k == dots {
			// The remaining items count from the last axis, or the ellipsis replaces this axis.
			items = append(items, selectorItem{kind: '.'})
			if oneIn(r, 2) {
				continue
			}
		}
		switch c := r.IntN(10); {
		case c < 2 && (n > 0 || wrong):
			i := r.IntN(2*max(n, 1)) - max(n, 1)
			if wrong && oneIn(r, 2) {
				i = among(r, n, -n-1, math.MaxInt, math.MinInt)
			}
			items = append(items, selectorItem{kind: 'i', lo: i})
		case c < 4:
			items = append(items, selectorItem{kind: ':', lo: omit, hi: omit, step: omit})
		default:
			it := selectorItem{kind: ':', lo: randomBound(r, n), hi: randomBound(r, n), step: among(r, omit, omit, 1, 1, 2,
				3, -1, -1, -2, -3)}
			if oneIn(r, 30) {
				it.step = among(r, math.MaxInt, -math.MaxInt, 100, -100)
			}
			if n > 0 && len(it.positions(n)) == 0 && !oneIn(r, 6) {
				it.lo, it.hi = omit, omit // otherwise most chains would end without elements
			}
			if wrong && oneIn(r, 5) {
				it.step = 0
			}
			items = append(items, it)
		}
	}
	for oneIn(r, 8) {
		items = append(items, selectorItem{kind: 'n'})
	}
	if wrong && oneIn(r, 4) {
		items = append(items, among(r, selectorItem{kind: '.'}, selectorItem{kind: 'i'}))
	}
	return items
}

func randomBound(r chooser, n int) int {
	switch r.IntN(8) {
	case 0, 1, 2:
		return omit
	case 3:
		return among(r, n, -n, n+1, -n-1, 100, -100, math.MaxInt, -math.MaxInt)
	}
	return r.IntN(2*n+3) - n - 1
}

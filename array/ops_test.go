package array

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/index"
)

// An op is one operation that makes a view of another, in three languages: as a
// call of this package, as Python for NumPy, and as data for slow.
type op struct {
	name    string
	args    []int
	items   []item
	asArray bool // call it on the Array and not on the View
}

// omit stands for a bound or step that an item does not have.
const omit = math.MinInt

// An item is a selector: 'i' for lo, ':' for lo:hi:step, 'n' for None, '.' for an
// ellipsis.
type item struct {
	kind         byte
	lo, hi, step int
}

func (it item) selector() index.Selector {
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

func (it item) String() string {
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

// String is o in Python, on the array a. The functions are NumPy's, or those that
// the cross-check defines.
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
			s = append(s, "...") // else NumPy makes a scalar of a single element
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

// apply is o on a view.
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

// viaArray is o on the Array of a view.
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

func selectors(items []item) []index.Selector {
	sel := make([]index.Selector, len(items))
	for k, it := range items {
		sel[k] = it.selector()
	}
	return sel
}

// A chooser makes choices: a random generator, or the bytes of a fuzz target.
type chooser interface{ IntN(n int) int }

// oneIn is true once in n times.
func oneIn(r chooser, n int) bool { return r.IntN(n) == 0 }

// among is one of the choices.
func among[T any](r chooser, choices ...T) T { return choices[r.IntN(len(choices))] }

// maxElements bounds what a chain may have by broadcasting, for speed.
const maxElements = 240

// randomShape has up to 6 dimensions, some of length 0 or 1.
func randomShape(r chooser) []int {
	if oneIn(r, 12) {
		return []int{r.IntN(60)}
	}
	shape := make([]int, r.IntN(7))
	size := 1
	for axis := range shape {
		n := among(r, 1, 1, 2, 2, 2, 3, 3, 4, 5)
		if oneIn(r, 25) {
			n = 0
		}
		if size*n > maxElements {
			n = 1
		}
		shape[axis] = n
		size *= max(n, 1)
	}
	return shape
}

// randomOp is an operation for a view of that shape. About one in ten cannot be done.
func randomOp(r chooser, shape []int) op {
	nd := len(shape)
	o := op{asArray: oneIn(r, 4)}
	wrong := oneIn(r, 15)
	axis := func() int { // of n, perhaps from the end
		if wrong && oneIn(r, 3) {
			return among(r, nd, nd+1, -nd-1, -nd-2, 1<<30, -1<<30) // NumPy's axes are C ints
		}
		return r.IntN(2*max(nd, 1)) - max(nd, 1)
	}
	o.name = among(r, "select", "select", "select", "index", "part", "transpose", "transpose", "reshape", "reshape",
		"broadcast", "squeeze", "diagonal", "moveaxis", "expanddims")
	if nd == 0 && (o.name == "index" || o.name == "part") || slices.Contains(shape, 0) && (o.name == "index" ||
		o.name == "part") {
		o.name = "select" // these two panic
	}
	switch o.name {
	case "select":
		o.items = randomItems(r, shape, wrong)
	case "index":
		o.args = []int{r.IntN(shape[0])}
	case "part":
		k := r.IntN(nd)
		o.args = []int{k, r.IntN(shape[k])}
	case "transpose":
		if oneIn(r, 3) {
			break
		}
		for k := range nd {
			o.args = slices.Insert(o.args, r.IntN(k+1), k)
		}
		for k := range o.args {
			if oneIn(r, 4) {
				o.args[k] -= nd
			}
			if wrong && oneIn(r, 4) {
				o.args[k] = axis()
			}
		}
		if wrong && nd > 0 && oneIn(r, 2) {
			o.args = o.args[:nd-1]
		}
	case "moveaxis":
		o.args = []int{axis(), axis()}
	case "expanddims":
		o.args = []int{axis()}
	case "squeeze":
		for k, n := range shape {
			if n == 1 && oneIn(r, 2) || wrong && oneIn(r, 4) {
				o.args = append(o.args, k-nd*r.IntN(2))
			}
		}
		if wrong && oneIn(r, 2) {
			o.args = append(o.args, axis())
		}
	case "diagonal":
		a := r.IntN(max(nd, 1))
		b := r.IntN(max(nd, 1))
		if a == b && !wrong {
			b = (a + 1) % max(nd, 1)
		}
		o.args = []int{r.IntN(7) - 3, a - nd*r.IntN(2), b - nd*r.IntN(2)}
		if oneIn(r, 20) {
			o.args[0] = among(r, 100, -100, 1<<30, -1<<30) // NumPy's offset is a C int
		}
		if nd < 2 && !wrong { // a matrix is needed
			o = op{name: "expanddims", args: []int{axis()}}
		}
	case "broadcast":
		o.args = slices.Clone(shape)
		for oneIn(r, 3) {
			o.args = slices.Insert(o.args, 0, among(r, 1, 1, 2, 2, 3, 3, 0))
		}
		for k := range o.args {
			if o.args[k] == 1 && oneIn(r, 2) && slowSize(o.args) <= maxElements/4 {
				o.args[k] = among(r, 2, 2, 3, 3, 4, 4, 0)
			}
			if wrong && oneIn(r, 4) {
				o.args[k] = among(r, -1, 0, 1, 2, 5)
			}
		}
		if wrong && len(o.args) > 0 && oneIn(r, 3) {
			o.args = o.args[1:]
		}
		if slowSize(o.args) > 2*maxElements {
			o.args = slices.Clone(shape)
		}
	case "reshape":
		o.args = randomReshape(r, shape, wrong)
	}
	return o
}

// randomReshape deals the prime factors of the size to some axes.
func randomReshape(r chooser, shape []int, wrong bool) []int {
	size := slowSize(shape)
	args := make([]int, r.IntN(7))
	for k := range args {
		args[k] = 1
	}
	if oneIn(r, 3) { // merge or split one axis: what views can do most often
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

// randomItems is a selection, with bounds near and beyond the ends.
func randomItems(r chooser, shape []int, wrong bool) (items []item) {
	axes := shape[:len(shape)-r.IntN(len(shape)+1)*r.IntN(2)]
	dots := r.IntN(len(axes) + 4) // where an ellipsis takes over from the front
	for k, n := range axes {
		for oneIn(r, 8) {
			items = append(items, item{kind: 'n'})
		}
		if k == dots {
			// The rest of the axes counts from the end, or some are left out.
			items = append(items, item{kind: '.'})
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
			items = append(items, item{kind: 'i', lo: i})
		case c < 4:
			items = append(items, item{kind: ':', lo: omit, hi: omit, step: omit})
		default:
			it := item{kind: ':', lo: randomBound(r, n), hi: randomBound(r, n), step: among(r, omit, omit, 1, 1, 2,
				3, -1, -1, -2, -3)}
			if oneIn(r, 30) {
				it.step = among(r, math.MaxInt, -math.MaxInt, 100, -100)
			}
			if n > 0 && len(it.positions(n)) == 0 && !oneIn(r, 6) {
				it.lo, it.hi = omit, omit // else most chains end with nothing
			}
			if wrong && oneIn(r, 5) {
				it.step = 0
			}
			items = append(items, it)
		}
	}
	for oneIn(r, 8) {
		items = append(items, item{kind: 'n'})
	}
	if wrong && oneIn(r, 4) {
		items = append(items, among(r, item{kind: '.'}, item{kind: 'i'}))
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

package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
)

// Values iterates over the elements in C order. It allocates nothing, and an
// element is read when its turn comes.
func (v View[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		w := walk(&v.core)
		for w.more {
			off, n, stride := w.off, w.inner.Len, w.inner.Stride
			for range n {
				if !yield(load[T](v.p, off, v.load, v.o)) {
					return
				}
				off += stride
			}
			w.next()
		}
	}
}

// All iterates over the elements with their indices, in the order C or F; K is
// the same as C. The slice of indices is reused from step to step and must not be
// changed. All allocates nothing where the compiler can inline it (in a range
// statement), and one slice of indices otherwise.
func (v View[T]) All(order index.Order) iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		var buf [index.MaxDims]int
		idx := buf[:v.NDim()]
		for off, ok := 0, v.lay.Size() > 0; ok; off, ok = advance(v.lay, idx, off, order) {
			if !yield(idx, load[T](v.p, off, v.load, v.o)) {
				return
			}
		}
	}
}

// advance steps idx to its successor and off with it. ok is false after the last.
func advance(lay index.Layout, idx []int, off int, order index.Order) (next int, ok bool) {
	for k := range idx {
		axis := k
		if order != index.F {
			axis = len(idx) - 1 - k
		}
		d := lay.Dim(axis)
		if idx[axis]++; idx[axis] < d.Len {
			return off + d.Stride, true
		}
		off -= (d.Len - 1) * d.Stride
		idx[axis] = 0
	}
	return off, false
}

// A walker goes through a layout in C order, run by run: a run is what one
// innermost loop covers. Axes that continue one another are taken as one.
type walker struct {
	more  bool
	off   int       // of the run, from the first element
	inner index.Dim // the run
	n     int       // axes outside of the run
	dims  [index.MaxDims]index.Dim
	idx   [index.MaxDims]int
}

// walk is a walker at the first run of c. It panics for the zero View.
func walk(c *core) (w walker) {
	c.some()
	w.more = true
	w.inner = index.Dim{Len: 1}
	for axis := c.lay.NDim() - 1; axis >= 0; axis-- {
		d := c.lay.Dim(axis)
		last := &w.inner
		if w.n > 0 {
			last = &w.dims[w.n-1]
		}
		switch {
		case d.Len == 0:
			w.more = false
		case d.Len == 1:
		case last.Len == 1:
			*last = d
		case d.Stride == last.Stride*last.Len:
			last.Len *= d.Len
		default:
			w.dims[w.n] = d // from the inside out
			w.n++
		}
	}
	return w
}

// next steps to the next run.
func (w *walker) next() {
	for k := range w.n {
		d := w.dims[k]
		w.off += d.Stride
		if w.idx[k]++; w.idx[k] < d.Len {
			return
		}
		w.off -= d.Len * d.Stride
		w.idx[k] = 0
	}
	w.more = false
}

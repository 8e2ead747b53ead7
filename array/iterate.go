package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Values iterates over the elements in C order. Elements that are not Go values in memory, or lie scattered, are read
// up to 1 KiB ahead of the loop; of a file that is not in memory and lies in another order, as [View.Blocks] says. For
// elements of up to 1 KiB it allocates nothing, but for a small object in a file of more than 32 MiB, and for the parts
// of a [Stack].
func (v View[T]) Values() iter.Seq[T] {
	return func(yield func(T) bool) {
		var buf nd.LoopBuffer
		w := v.cursor(index.C)
		for {
			p, n, stride := w.ReadValues(&buf)
			if n == 0 {
				return
			}
			for off := 0; n > 0; n-- {
				if !yield(strided.Load[T](p, off)) {
					return
				}
				off += stride
			}
		}
	}
}

// All iterates over the elements with their indices, in the order C, F, or K, which is the order they have in memory;
// another order panics. The slice of indices is reused from step to step and must not be changed. It reads ahead, and
// in a range statement allocates, as [View.Values] does.
func (v View[T]) All(order index.Order) iter.Seq2[[]int, T] {
	return func(yield func([]int, T) bool) {
		var buf nd.LoopBuffer
		var indices [index.MaxDims]int
		idx := indices[:v.NDim()]
		w := v.cursor(order)
		v.view.FirstIndex(idx, order)
		for {
			p, n, stride := w.ReadValues(&buf)
			if n == 0 {
				return
			}
			for off := 0; n > 0; n-- {
				if !yield(idx, strided.Load[T](p, off)) {
					return
				}
				off += stride
				if order == index.K {
					nd.IncrementK(v.view.Layout, idx)
				} else {
					nd.Increment(v.view.Layout, idx, order)
				}
			}
		}
	}
}

// cursor begins to walk through v for a loop over values.
func (v *View[T]) cursor(order index.Order) (w nd.Cursor) {
	w.Ahead = strided.Copied
	w.Walk(&v.view, order)
	return w
}

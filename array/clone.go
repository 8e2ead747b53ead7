package array

import (
	"fmt"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Clone returns a contiguous copy of a, in the order C or F, or, for K, with its axes in the order of the memory, as
// NumPy's copy(order="K") does; strides are not negative. It has the dtype of a, byte order included, and is in Go's
// memory, which needs no Close. Another order is an error. [Config.Clone] can be called off.
func (a Array) Clone(order index.Order) (Array, error) {
	c, err := a.view.Clone(order)
	return Array{shaped{c}}, err
}

// Clone returns a contiguous copy of v in Go's memory; see [Array.Clone]. It keeps the dtype and the byte order of v;
// that of a [Cast] or of [Scaled] has the elements as they are read, with the dtype of T in the byte order of the
// machine: 4 bytes each for float32.
func (v View[T]) Clone(order index.Order) (View[T], error) {
	if v.view.MustBeSet().Converts {
		return v.cloneConverted(order)
	}
	a, err := v.Array().Clone(order)
	if err != nil {
		return View[T]{}, err
	}
	return As[T](a)
}

// cloneConverted is Clone of a view that converts: the copy has elements of type T.
func (v View[T]) cloneConverted(order index.Order) (View[T], error) {
	d, err := typeOf[T]()
	if err != nil {
		return View[T]{}, err
	}
	lay, err := v.view.Layout.Compact(d.ItemSize(), order)
	if err != nil {
		return View[T]{}, fmt.Errorf("%s%w", nd.Prefix(v.view.Store.Mem.Path), err)
	}
	c, err := nd.OnBytes(strided.Alloc(v.Size()*d.ItemSize()), d, lay)
	if err != nil {
		return View[T]{}, err
	}
	w, err := As[T](Array{shaped{c}})
	if err == nil {
		err = w.CopyFrom(v)
	}
	return w, err
}

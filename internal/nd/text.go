package nd

import (
	"fmt"
	"io/fs"
	"sync/atomic"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/internal/strided"
)

// Printable returns a for package render, which prints elements by their dtype.
func (a View) Printable() render.Array {
	appendSelected := func(dst []byte, sel []index.Selector) ([]byte, error) {
		part, err := a.Derive(a.Layout.Select(sel...))
		if err != nil {
			return dst, err
		}
		err = part.Paged(func() error {
			part, err = part.Clone(index.C)
			return err
		})
		if err != nil {
			return dst, err
		}
		return append(dst, strided.Slice[byte](part.P, part.NBytes())...), nil
	}
	element := func(idx []int) ([]byte, error) { return a.ElementBytes(a.Layout.Offset(idx...)), nil }
	return render.Array{DType: a.Store.DType, Shape: a.Layout.Shape(), Append: appendSelected, Element: element}
}

// OrderText describes the order of the elements, or their strides if they are not contiguous. With sep ": ", the result
// is "order: C", for example, or "strides: (48, 8)".
func (a View) OrderText(sep string) string {
	for _, order := range []index.Order{index.C, index.F} {
		if a.layoutIsContiguous(order) {
			return "order" + sep + order.String()
		}
	}
	return "strides" + sep + Tuple(a.Layout.Strides())
}

// CheckOpen returns an error that wraps fs.ErrClosed if the file of a, or of one of its members, is closed.
func (a View) CheckOpen() error {
	for _, mem := range a.memories() {
		if mem.Closed != nil && atomic.LoadUint32(mem.Closed) != 0 || mem.File != nil && mem.File.Bytes() == nil {
			return fmt.Errorf("%s%w", Prefix(mem.Path), fs.ErrClosed)
		}
	}
	return nil
}

// ElementBytes returns the memory of the element off bytes after the first one.
func (a *View) ElementBytes(off int) []byte {
	return strided.Slice[byte](a.address(off), a.Store.DType.ItemSize())
}

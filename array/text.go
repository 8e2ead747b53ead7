package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A TextView reads and writes elements of bytes (S) or unicode (U) as strings.
type TextView struct{ shaped }

// Text returns a as text, in the same memory. Bytes are Latin-1, NULs at the end padding. Another kind is a
// *[DTypeError].
func Text(a Array) (TextView, error) {
	a.view.mustBeSet()
	if k := a.DType().Kind(); k != dtype.KindBytes && k != dtype.KindUnicode {
		return TextView{}, &DTypeError{Path: a.view.el.mem.Path, Have: a.DType(), Want: dtype.Bytes(a.ItemSize()),
			Msg: "only S and U are text"}
	}
	return TextView(a), nil
}

// Array returns t without its Go type.
func (t TextView) Array() Array { return Array(t) }

// At returns a copy of the element at idx without the NULs at its end. It panics if an index is out of range. Code
// points that are no characters are an error, and U+FFFD in the string.
func (t TextView) At(idx ...int) (string, error) {
	s, err := elem.Text(t.DType(), t.view.element(t.Layout().Offset(idx...)))
	if err != nil {
		err = fmt.Errorf("%s%w", prefix(t.view.el.mem.Path), err)
	}
	return s, err
}

// Values iterates over the elements in C order, with the errors of At.
func (t TextView) Values() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		t.view.mustBeSet()
		var indices [index.MaxDims]int
		idx := indices[:t.NDim()]
		for range t.Size() {
			if !yield(t.At(idx...)) {
				return
			}
			increment(t.view.lay, idx, index.C)
		}
	}
}

// SetAt sets the element at idx to s, followed by NULs. It panics as [View.SetAt] does. What does not fit is an error,
// and leaves the element as it was: what is too long, a NUL at the end, over U+00FF in bytes, no UTF-8.
func (t TextView) SetAt(s string, idx ...int) error {
	off := t.Layout().Offset(idx...)
	t.view.mustBeWritable()
	if err := elem.CheckText(t.view.el.dtype, s); err != nil {
		return fmt.Errorf("%s%w", prefix(t.view.el.mem.Path), err)
	}
	elem.PutText(t.view.el.dtype, t.view.element(off), s)
	return nil
}

// element returns the memory of the element off bytes from the first one.
func (c *view) element(off int) []byte {
	return strided.Slice[byte](c.address(off), c.el.dtype.ItemSize())
}

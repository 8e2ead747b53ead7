package array

import (
	"fmt"
	"iter"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
)

// A TextView reads and writes elements of bytes (S) or unicode (U) as strings.
type TextView struct{ shaped }

// Text returns a as text, in the same memory. Bytes are Latin-1, NULs at the end padding. Another kind is a
// *[DTypeError].
func Text(a Array) (TextView, error) {
	a.view.MustBeSet()
	if k := a.DType().Kind(); k != dtype.KindBytes && k != dtype.KindUnicode {
		return TextView{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: a.DType(), Want: dtype.Bytes(a.ItemSize()),
			Msg: "only S and U are text"}
	}
	return TextView(a), nil
}

// Array returns t without its Go type.
func (t TextView) Array() Array { return Array(t) }

// At returns a copy of the element at idx without the NULs at its end. It panics if an index is out of range. Code
// points that are no characters are an error, and U+FFFD in the string.
func (t TextView) At(idx ...int) (string, error) {
	s, err := elem.Text(t.DType(), t.view.ElementBytes(t.Layout().Offset(idx...)))
	if err != nil {
		err = fmt.Errorf("%s%w", nd.Prefix(t.view.Store.Mem.Path), err)
	}
	return s, err
}

// Values iterates over the elements in C order, with the errors of At.
func (t TextView) Values() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		t.view.MustBeSet()
		var indices [index.MaxDims]int
		idx := indices[:t.NDim()]
		for range t.Size() {
			if !yield(t.At(idx...)) {
				return
			}
			nd.Increment(t.view.Layout, idx, index.C)
		}
	}
}

// SetAt sets the element at idx to s, followed by NULs. It panics as [View.SetAt] does. What does not fit is an error,
// and leaves the element as it was: what is too long, a NUL at the end, over U+00FF in bytes, no UTF-8.
func (t TextView) SetAt(s string, idx ...int) error {
	off := t.Layout().Offset(idx...)
	t.view.MustBeWritable()
	if err := elem.CheckText(t.view.Store.DType, s); err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(t.view.Store.Mem.Path), err)
	}
	elem.PutText(t.view.Store.DType, t.view.ElementBytes(off), s)
	return nil
}

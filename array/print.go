package array

import (
	"fmt"
	"io"
	"iter"
	"reflect"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/mmap"
)

// Format implements [fmt.Formatter]:
//
//	%v   as NumPy prints a; for more than 1000 elements, only 3 at each end of an axis are read and printed
//	%+v  a line with path, dtype, shape and order, and then what %v prints
//	%#v  type, path, dtype, shape and order, without elements
//	%s   like %v, but text without quotes
//
// Other verbs format each element as fmt formats Go values, in the brackets of %v. An element of more than 16 KiB is
// truncated. Elements that cannot be read print as an error, such as %!v(t.npy: file already closed), as does text of
// more than 64 MiB. The zero Array prints as <no array>.
func (a Array) Format(s fmt.State, verb rune) {
	formatArray(a.view, s, verb, "array.Array", a.view.Printable)
}

// Format implements [fmt.Formatter] like [Array.Format], for values of type T.
func (v View[T]) Format(s fmt.State, verb rune) {
	formatArray(v.view, s, verb, "array.View["+reflect.TypeFor[T]().String()+"]", v.printableArray)
}

// printableArray returns the array to print for v.
func (v View[T]) printableArray() render.Array {
	if !v.view.Store.Converts {
		return v.view.Printable()
	}
	d := nd.Must(dtype.Of[T]())
	return render.Array{DType: d, Shape: v.Shape(), Append: func(dst []byte, sel []index.Selector) ([]byte, error) {
		part, err := v.Select(sel...)
		if err != nil {
			return dst, err
		}
		buf := make([]byte, part.Size()*d.ItemSize())
		err = part.view.Paged(func() error {
			part.view.Decode(buf)
			return nil
		})
		return append(dst, buf...), err
	}}
}

// Format implements [fmt.Formatter] like [Array.Format].
func (t TextView) Format(s fmt.State, verb rune) {
	formatArray(t.view, s, verb, "array.TextView", t.view.Printable)
}

// Format implements [fmt.Formatter] like [Array.Format].
func (v Vector[T]) Format(s fmt.State, verb rune) {
	formatFixed(v.store, s, verb, "array.Vector["+reflect.TypeFor[T]().String()+"]", v.p, []int{v.n2}, []int{v.s2})
}

// Format implements [fmt.Formatter] like [Array.Format].
func (m Matrix[T]) Format(s fmt.State, verb rune) {
	formatFixed(m.store, s, verb, "array.Matrix["+reflect.TypeFor[T]().String()+"]", m.p, []int{m.n1, m.n2}, []int{m.s1,
		m.s2})
}

// Format implements [fmt.Formatter] like [Array.Format].
func (c Cube[T]) Format(s fmt.State, verb rune) {
	formatFixed(c.store, s, verb, "array.Cube["+reflect.TypeFor[T]().String()+"]", c.p, []int{c.n0, c.n1, c.n2},
		[]int{c.s0,
			c.s1,
			c.s2})
}

// formatFixed formats a view of fixed rank.
func formatFixed(el *nd.Storage, s fmt.State, verb rune, goType string, p pointer, shape, strides []int) {
	if el == nil {
		io.WriteString(s, "[]")
		return
	}
	c := nd.View{P: p, Layout: nd.Must(index.Strided(shape, strides)), Store: el, Read: nd.InPlace, Write: nd.NoWrite}
	formatArray(c, s, verb, goType, c.Printable)
}

// formatArray formats c for the verb. goType is the name of its Go type, and printable returns its elements.
func formatArray(c nd.View, s fmt.State, verb rune, goType string, printable func() render.Array) {
	switch {
	case c.IsZero():
		io.WriteString(s, "<no array>")
		return
	case verb == 'v' && s.Flag('#'):
		path := ""
		if c.Store.Mem.Path != "" {
			path = fmt.Sprintf("path: %q, ", c.Store.Mem.Path)
		}
		fmt.Fprintf(s, "%s{%sdtype: %q, shape: %s, %s}", goType, path, c.Store.DType, nd.Tuple(c.Layout.Shape()),
			c.OrderText(": "))
		return
	case verb == 'v' && s.Flag('+'):
		if c.Store.Mem.Path != "" {
			fmt.Fprintf(s, "%s: ", c.Store.Mem.Path)
		}
		fmt.Fprintf(s, "dtype %v, shape %s, %s\n", c.Store.DType, nd.Tuple(c.Layout.Shape()), c.OrderText(" "))
	}
	text := ""
	err := c.CheckOpen()
	if err == nil {
		err = mmap.Guard(func() (err error) {
			a := printable()
			if k := a.DType.Kind(); verb == 'v' || verb == 's' && k != dtype.KindBytes && k != dtype.KindUnicode {
				text, err = a.Text()
				return err
			}
			f := elementFormat{fmt.FormatString(s, verb), verb}
			text, err = a.TextOf(f.value)
			return err
		})
	}
	if err != nil {
		text = fmt.Sprintf("%%!%c(%v)", verb, err)
	}
	io.WriteString(s, text)
}

// An elementFormat formats elements as fmt formats Go values.
type elementFormat struct {
	directive string // "%.2f"
	verb      rune   // verb of the directive
}

// value formats the bytes b, a value of dtype d, which is not a structure.
func (f elementFormat) value(d dtype.DType, b []byte) string {
	var x any = b
	switch k := d.Kind(); {
	case d.IsLongDouble():
	case k == dtype.KindBool:
		x = b[0] != 0
	case k == dtype.KindInt || k == dtype.KindDatetime || k == dtype.KindTimedelta:
		x = render.Int(d, b)
	case k == dtype.KindUint:
		x = render.Uint(d, b)
	case k == dtype.KindFloat && len(b) == 8:
		x = render.Real(d, b)
	case elem.IsFloat(d): // the shortest digits depend on the size
		x = float32(render.Real(d, b))
	case k == dtype.KindComplex:
		re, im := render.Complex(d, b)
		if x = complex(re, im); len(b) == 8 {
			x = complex(float32(re), float32(im))
		}
	case k == dtype.KindUnicode || k == dtype.KindBytes && f.verb != 'x' && f.verb != 'X':
		var t strings.Builder
		for c := range render.Points(d, b) {
			t.WriteRune(rune(min(c, 0x110000))) // U+FFFD for a number that is no code point
		}
		x = t.String()
	}
	return fmt.Sprintf(f.directive, x)
}

// A TextView is a view of text, of dtype S (bytes) or U (unicode), that reads and writes elements as strings.
type TextView struct{ view nd.View }

// Text returns a view of a as text, in the same memory. The bytes of S are Latin-1, and NULs at the end of an element
// are padding. If the dtype of a is not S or U, the error is a *[DTypeError].
func Text(a Array) (TextView, error) {
	a.view.MustBeSet()
	if k := a.DType().Kind(); k != dtype.KindBytes && k != dtype.KindUnicode {
		return TextView{}, &DTypeError{Path: a.view.Store.Mem.Path, Have: a.DType(), Want: dtype.Bytes(a.ItemSize()),
			Msg: "Text requires dtype S or U"}
	}
	return TextView(a), nil
}

// Array returns the elements of t as an Array, in the same memory.
func (t TextView) Array() Array { return Array(t) }

// At returns a copy of the element at idx, without the NULs at its end. If a code point is not a character, At returns
// an error, and a string with U+FFFD instead of it. It panics if an index is out of range.
func (t TextView) At(idx ...int) (string, error) {
	s, err := elem.Text(t.view.DType(), t.view.ElementBytes(t.Array().Layout().Offset(idx...)))
	if err != nil {
		err = fmt.Errorf("%s%w", nd.Prefix(t.view.Store.Mem.Path), err)
	}
	return s, err
}

// Values iterates over the elements in C order, with the errors that At returns.
func (t TextView) Values() iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		t.view.MustBeSet()
		var indices [index.MaxDims]int
		idx := indices[:t.view.NDim()]
		for range t.view.Size() {
			if !yield(t.At(idx...)) {
				return
			}
			nd.Increment(t.view.Layout, idx, index.C)
		}
	}
}

// SetAt sets the element at idx to s, and fills the rest of the element with NULs. It panics as [View.SetAt] does. If s
// is too long, is not valid UTF-8, ends with a NUL, or has a character above U+00FF where the dtype is S, SetAt returns
// an error, and does not change the element.
func (t TextView) SetAt(s string, idx ...int) error {
	off := t.Array().Layout().Offset(idx...)
	t.view.MustBeWritable()
	if err := elem.CheckText(t.view.Store.DType, s); err != nil {
		return fmt.Errorf("%s%w", nd.Prefix(t.view.Store.Mem.Path), err)
	}
	elem.PutText(t.view.Store.DType, t.view.ElementBytes(off), s)
	return nil
}

package array

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// As is a as a View[T], with the same elements in the same memory. T must be the
// Go type of the dtype of a; byte order and alignment may be any. What does not
// agree is a *[DTypeError] that says where and what to do.
//
//	bool                       bool
//	int8, int16, int32, int64  i1, i2, i4, i8; int64 also M8 and m8
//	uint8 … uint64             u1, u2, u4, u8
//	int, uint                  those of their size
//	dtype.Float16              f2
//	float32, float64           f4, f8
//	complex64, complex128      c8, c16
//	[n]byte                    Sn, Vn, and the long doubles: the raw bytes
//	[n]uint32                  Un: the code points
//	struct                     structured: names, types and offsets agree
//
// The fields of a struct are named by the tag `npy:"name"`, or as in Go; those
// that are unexported, are called _ or have the tag `npy:"-"` are padding. See
// [dtype.Of].
//
// For numbers As allocates nothing.
func As[T any](a Array) (View[T], error) {
	a.some()
	want, err := dtype.Of[T]()
	if err != nil {
		return View[T]{}, err
	}
	c, err := a.each(func(c core) (core, error) { return c.typed(want, alignof[T]()) })
	return View[T]{c}, err
}

// typed is c with the access to its elements as the Go type with the dtype want,
// which has that alignment.
func (c core) typed(want dtype.DType, align uintptr) (core, error) {
	o := c.o
	have := o.dtype
	foreign := have.Order() != want.Order() && have.Order() != dtype.NotApplicable
	var load access
	switch {
	case want.Kind() == have.Kind() && want.IsNumber() && want.ItemSize() == have.ItemSize(),
		want.Kind() == dtype.KindInt && want.ItemSize() == 8 && isTime(have):
		switch {
		case want.Kind() == dtype.KindBool:
			load = boolByte
		case foreign && want.Kind() == dtype.KindComplex:
			load = swappedPair
		case foreign:
			load = swapped
		}
	default:
		var runs codec
		if err := runs.match(have, want, 0, ""); err != nil {
			return core{}, &DTypeError{Path: o.path, Have: have, Want: want, Msg: err.Error()}
		}
		if !runs.plain() {
			load = coded
			with := *o
			with.codec = runs
			c.o = &with
		}
	}
	if load == noAccess {
		load = direct
		if !c.aligned(align) {
			load = unaligned
		}
	}
	c.load = load
	if c.save != denied {
		c.save = load
		if load == boolByte {
			c.save = direct // a Go bool is a byte of 0 or 1
		}
	}
	return c, nil
}

func isTime(d dtype.DType) bool {
	return d.Kind() == dtype.KindDatetime || d.Kind() == dtype.KindTimedelta
}

// match appends the runs that take an element of dtype have at off to the Go value
// of dtype want. The error names the first part that does not agree.
func (c *codec) match(have, want dtype.DType, off int, path string) error {
	n := want.ItemSize()
	switch {
	case want.Kind() == dtype.KindStructured && have.Kind() == dtype.KindStructured:
		return c.matchFields(have, want, off, path)
	case isArrayOf(want, dtype.Uint8) && (have.IsVariable() && have.Kind() != dtype.KindUnicode || have.IsLongDouble()) && have.ItemSize() == n:
		c.add(run{off: off, size: 1, count: n})
		return nil
	case isArrayOf(want, dtype.Uint32) && have.Kind() == dtype.KindUnicode && have.ItemSize() == n:
		c.add(run{off: off, size: 4, count: n / 4, swap: have.Order() != dtype.Native})
		return nil
	case want.Kind() == dtype.KindSubarray && have.Kind() == dtype.KindSubarray && slices.Equal(have.SubShape(), want.SubShape()):
		size := want.Base().ItemSize()
		if size == 0 {
			return c.match(have.Base(), want.Base(), off, path)
		}
		if want.Base().IsNumber() {
			return c.matchNumbers(have.Base(), want.Base(), off, n/size, path)
		}
		var each codec
		if err := each.match(have.Base(), want.Base(), 0, path); err != nil {
			return err
		}
		c.addEach(off, size, n/size, each)
		return nil
	case want.IsNumber():
		return c.matchNumbers(have, want, off, 1, path)
	}
	return disagree(have, want, path)
}

func (c *codec) matchNumbers(have, want dtype.DType, off, count int, path string) error {
	time := want.Kind() == dtype.KindInt && want.ItemSize() == 8 && isTime(have)
	if !time && (have.Kind() != want.Kind() || have.ItemSize() != want.ItemSize()) {
		return disagree(have, want, path)
	}
	u := unit(want)
	if want.ItemSize() == 0 {
		return nil
	}
	c.add(run{off: off, size: u, count: count * want.ItemSize() / u, bool: want.Kind() == dtype.KindBool,
		swap: have.Order() != want.Order()})
	return nil
}

func (c *codec) matchFields(have, want dtype.DType, off int, path string) error {
	for i := range max(have.NumField(), want.NumField()) {
		if i >= have.NumField() {
			return fmt.Errorf("the Go field %q is not in the file; give it the tag `npy:\"-\"`", path+want.FieldAt(i).Name)
		}
		f := have.FieldAt(i)
		if i >= want.NumField() {
			return fmt.Errorf("field %q of the file, at offset %d, is not in the Go struct; add it, or take fields with Field", path+f.Name, f.Offset)
		}
		g := want.FieldAt(i)
		switch {
		case f.Name != g.Name:
			return fmt.Errorf("field %d is %q in the file and %q in Go; give the Go field the tag `npy:%q`", i, path+f.Name, path+g.Name, f.Name)
		case f.Offset != g.Offset:
			fix := "the file is packed as Go cannot: take fields with Field, or save from NumPy with align=True"
			if f.Offset > g.Offset {
				fix = fmt.Sprintf("put _ [%d]byte before it in Go", f.Offset-g.Offset)
			}
			return fmt.Errorf("field %q is at offset %d in the file and %d in Go; %s", path+f.Name, f.Offset, g.Offset, fix)
		}
		if err := c.match(f.Type, g.Type, off+f.Offset, path+f.Name+"."); err != nil {
			return err
		}
	}
	if h, w := have.ItemSize(), want.ItemSize(); h != w {
		fix := "the file is packed as Go cannot: take fields with Field, or save from NumPy with align=True"
		if h > w {
			fix = fmt.Sprintf("put _ [%d]byte last in Go", h-w)
		}
		what := "an element"
		if path != "" {
			what = fmt.Sprintf("field %q", path[:len(path)-1])
		}
		return fmt.Errorf("%s has %d bytes in the file and %d in Go; %s", what, h, w, fix)
	}
	return nil
}

// disagree says that the types of a part differ. The types of the whole are in
// the DTypeError.
func disagree(have, want dtype.DType, path string) error {
	if path == "" {
		return errNoMore
	}
	return fmt.Errorf("field %q is %v in the file and %v in Go", path[:len(path)-1], have, want)
}

// errNoMore is the cause of a DTypeError whose types say it all.
var errNoMore = errors.New("")

// isArrayOf reports whether d is that of a Go array [n]T, or T itself, with T of
// type base.
func isArrayOf(d, base dtype.DType) bool {
	return d.Base().Equal(base)
}

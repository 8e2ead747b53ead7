package elem

import (
	"errors"
	"fmt"
	"slices"

	"github.com/ndmap/ndmap/dtype"
)

// GoValue returns the Codecs that take elements of dtype have to Go values whose
// dtype is want, and back. Both are the same elements, in the same bytes but for their
// order. The error says where the two do not agree and what to do; [ErrTypes] is the
// error where the types say it all.
func GoValue(want, have dtype.DType) (load, save Codec, err error) {
	if err := agree(want, have, ""); err != nil {
		return Codec{}, Codec{}, err
	}
	return between(want, have, true), between(have, want, false), nil // a bool of Go is 0 or 1
}

// Numbers returns the Codecs that convert numbers of dtype have to numbers of dtype
// want, and back.
func Numbers(want, have dtype.DType) (load, save Codec, err error) {
	load, err = New(want, have)
	if err != nil {
		return load, save, err
	}
	save, err = New(have, want)
	return load, save, err
}

// ErrTypes is the error if the two dtypes alone explain the mismatch. It has no text.
var ErrTypes = errors.New("")

// agree is nil if elements of dtype have are the Go values of dtype want. The path
// names the field that they are, and ends with a dot if it is not empty.
func agree(want, have dtype.DType, path string) error {
	n := want.ItemSize()
	switch {
	case want.Kind() == dtype.KindStructured && have.Kind() == dtype.KindStructured:
		return agreeFields(want, have, path)
	case want.Base().Equal(dtype.Uint8) && (have.IsVariable() && have.Kind() != dtype.KindUnicode || have.IsLongDouble()) && have.ItemSize() == n:
		return nil
	case want.Base().Equal(dtype.Uint32) && have.Kind() == dtype.KindUnicode && have.ItemSize() == n:
		return nil
	case want.Kind() == dtype.KindSubarray && have.Kind() == dtype.KindSubarray && slices.Equal(have.SubShape(), want.SubShape()):
		return agree(want.Base(), have.Base(), path)
	case want.IsNumber() && have.Kind() == want.Kind() && have.ItemSize() == n:
		return nil
	case want.Kind() == dtype.KindInt && n == 8 && isTime(have):
		return nil
	case path == "":
		return ErrTypes
	}
	return fmt.Errorf("field %q is %v in the file and %v in Go", path[:len(path)-1], have, want)
}

func agreeFields(want, have dtype.DType, path string) error {
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
		if err := agree(g.Type, f.Type, path+f.Name+"."); err != nil {
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

package elem

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nearest"
)

// GoValue returns the Codecs that take elements of dtype have to Go values whose
// dtype is want, and back. Both are the same elements, in the same bytes but for their
// order. The error says where the two do not agree and what to do; [ErrTypes] is the
// error where the types say it all.
func GoValue(want, have dtype.DType) (load, save Codec, err error) {
	if err := agree(want, have, ""); err != nil {
		return Codec{}, Codec{}, err
	}
	return goValueCodec(want, have, true), goValueCodec(have, want, false), nil // a bool of Go is 0 or 1
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
	case want.Base().Equal(dtype.Uint8) && (have.IsVariable() && have.Kind() != dtype.KindUnicode ||
		have.IsLongDouble()) && have.ItemSize() == n:
		return nil
	case want.Base().Equal(dtype.Uint32) && have.Kind() == dtype.KindUnicode && have.ItemSize() == n:
		return nil
	case isBlockOf(want, have):
		w, h := unblocked(want, have)
		return agree(w, h, path)
	case want.Kind() != dtype.KindSubarray && want.WithOrder(dtype.Native).Equal(have.WithOrder(dtype.Native)):
		return nil
	case want.Kind() == dtype.KindInt && n == 8 && IsTime(have):
		return nil
	case path == "":
		return ErrTypes
	case want.Equal(dtype.Uint8) && have.Kind() == dtype.KindBool:
		return nil
	}
	return fmt.Errorf("field %q is %v in the file and %v in Go%s", path[:len(path)-1], have, want, remedy(want, have))
}

// isBlockOf reports whether both are sub-arrays, and the elements of the second are in the
// first, which may have more axes: [2][4]byte is a block of two S4.
func isBlockOf(a, b dtype.DType) bool {
	x, y := a.SubShape(), b.SubShape()
	return len(y) > 0 && len(x) >= len(y) && slices.Equal(x[:len(y)], y)
}

// unblocked returns the elements of two sub-arrays of which one is a block of the other's.
func unblocked(a, b dtype.DType) (dtype.DType, dtype.DType) {
	x, y := a.SubShape(), b.SubShape()
	n := min(len(x), len(y))
	a, _ = dtype.SubarrayOf(a.Base(), x[n:]...) // less than was there
	b, _ = dtype.SubarrayOf(b.Base(), y[n:]...)
	return a, b
}

// agreeFields matches the fields of a Go struct by name with those that a file has, wherever
// they are there.
func agreeFields(want, have dtype.DType, path string) error {
	for k := range want.NumField() {
		g := want.FieldAt(k)
		f, ok := matching(have, g, k)
		if !ok {
			return fmt.Errorf("the file has no field %q; %s `npy:\"-\"` to leave it out", path+g.Name, meant(g.Name, have))
		}
		if err := agree(g.Type, f.Type, path+g.Name+"."); err != nil {
			return err
		}
	}
	return nil
}

// meant says which field of have a Go field of that name may be, or which there are.
func meant(name string, have dtype.DType) string {
	var names []string
	for f := range have.Fields() {
		names = append(names, f.Name)
	}
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("give the Go field the tag `npy:%q`, or", near)
	}
	const most = 8
	var list strings.Builder
	for k, n := range names {
		if k == most {
			fmt.Fprintf(&list, " and %d more", len(names)-most)
			break
		}
		if k > 0 {
			list.WriteString(", ")
		}
		fmt.Fprintf(&list, "%q", n)
	}
	if len(names) == 0 {
		return "it has none: give the Go field the tag"
	}
	return fmt.Sprintf("it has %s; give the Go field one of these as its tag, or", list.String())
}

// remedy says what to change in Go where elements of dtype have are not those of dtype want.
func remedy(want, have dtype.DType) string {
	if want.IsVariable() || IsTime(want) { // there is a dtype in the tag
		code := strings.TrimLeft(have.String(), "<>|")
		switch {
		case have.Kind() != want.Kind() && !have.IsVariable() && !IsTime(have):
			return "; drop the dtype from the tag"
		case IsTime(have) && IsTime(want):
			return fmt.Sprintf("; let the tag end in %q", ","+code)
		}
		return fmt.Sprintf("; make it %s, with %q in the tag", goType(have), ","+code)
	}
	return "; make it " + goType(have)
}

// goType returns the Go type for elements of d, "" where there is none.
func goType(d dtype.DType) string {
	n := d.ItemSize()
	switch d.Kind() {
	case dtype.KindBool:
		return "bool"
	case dtype.KindInt:
		return fmt.Sprint("int", 8*n)
	case dtype.KindUint:
		return fmt.Sprint("uint", 8*n)
	case dtype.KindDatetime, dtype.KindTimedelta:
		return "int64"
	case dtype.KindBytes, dtype.KindVoid:
		return fmt.Sprintf("[%d]byte", n)
	case dtype.KindUnicode:
		return fmt.Sprintf("[%d]uint32", n/4)
	case dtype.KindStructured:
		return "a struct"
	case dtype.KindSubarray:
		var t strings.Builder
		for _, n := range d.SubShape() {
			fmt.Fprintf(&t, "[%d]", n)
		}
		base := goType(d.Base())
		if base == "a struct" {
			base = "struct"
		}
		return t.String() + base
	}
	switch {
	case d.IsLongDouble():
		return fmt.Sprintf("[%d]byte", n)
	case d.Kind() == dtype.KindComplex:
		return fmt.Sprint("complex", 8*n)
	case d.Equal(dtype.Float16.WithOrder(d.Order())):
		return "dtype.Half"
	case d.Kind() == dtype.KindBFloat16:
		return "dtype.BF16"
	case d.Kind() == dtype.KindFloat8E4M3FN:
		return "dtype.F8E4M3FN"
	case d.Kind() == dtype.KindFloat8E5M2:
		return "dtype.F8E5M2"
	}
	return fmt.Sprint("float", 8*n)
}

// Obstacle says why Go values of dtype want cannot be used where elements of dtype have are:
// the first difference between their bytes. It is "" if there is none.
func Obstacle(want, have dtype.DType) string { return obstacle(want, have, "", 0, 0) }

// obstacle is that of the field whose name the path is, "" for an element. In it, the Go
// value and the element start at these offsets.
func obstacle(want, have dtype.DType, path string, wantAt, haveAt int) string {
	switch {
	case want.Kind() == dtype.KindStructured && have.Kind() == dtype.KindStructured:
		return fieldsObstacle(want, have, path, wantAt, haveAt)
	case isBlockOf(want, have):
		w, h := unblocked(want, have)
		return obstacle(w, h, path, wantAt, haveAt)
	case want.Kind() == dtype.KindBool && path == "":
		return "a byte of a bool array may be neither 0 nor 1"
	case want.Kind() == dtype.KindBool:
		return fmt.Sprintf("field %q is a bool, whose byte may be neither 0 nor 1; a uint8 in Go reads it in place", path)
	case have.Base().IsNative():
		return ""
	case path == "":
		return fmt.Sprintf("dtype %v is not as Go has it in memory: its byte order is foreign", have)
	}
	return fmt.Sprintf("field %q has a foreign byte order: %v", path, have)
}

func fieldsObstacle(want, have dtype.DType, path string, wantAt, haveAt int) string {
	dot := path
	if dot != "" {
		dot += "."
	}
	for k := range want.NumField() {
		g := want.FieldAt(k)
		f, _ := matching(have, g, k)
		if d, s := wantAt+g.Offset, haveAt+f.Offset; d != s {
			return fmt.Sprintf("field %q is at offset %d in the file and %d in Go", dot+g.Name, s, d)
		}
		if why := obstacle(g.Type, f.Type, dot+g.Name, wantAt+g.Offset, haveAt+f.Offset); why != "" {
			return why
		}
	}
	for k := range have.NumField() {
		if f := have.FieldAt(k); !has(want, f, k) {
			return fmt.Sprintf("field %q of the file is not in the Go struct", dot+f.Name)
		}
	}
	if h, w := have.ItemSize(), want.ItemSize(); h != w {
		what := "an element"
		if path != "" {
			what = fmt.Sprintf("field %q", path)
		}
		return fmt.Sprintf("%s has %d bytes in the file and %d in Go", what, h, w)
	}
	return ""
}

func has(d dtype.DType, f dtype.Field, k int) bool {
	_, ok := matching(d, f, k)
	return ok
}

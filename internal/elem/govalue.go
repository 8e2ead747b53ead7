package elem

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/nearest"
)

// GoValue returns the Codecs that decode elements of dtype have to Go values of dtype want, and encode the Go values
// back. An element and its Go value have the same bytes, except for the byte order. The error explains where the two
// dtypes differ and what to do. It is [ErrTypes] if the names of the dtypes explain the mismatch.
func GoValue(want, have dtype.DType) (decode, encode Codec, err error) {
	if err := checkGoType(want, have, ""); err != nil {
		return Codec{}, Codec{}, err
	}
	return goValueCodec(want, have, true), goValueCodec(have, want, false), nil // a Go bool is always 0 or 1
}

// Numbers returns the Codecs that convert numbers of dtype have to numbers of dtype want, and back.
func Numbers(want, have dtype.DType) (decode, encode Codec, err error) {
	decode, err = New(want, have)
	if err != nil {
		return decode, encode, err
	}
	encode, err = New(have, want)
	return decode, encode, err
}

// ErrTypes is returned if the names of the two dtypes explain a mismatch. It has no text.
var ErrTypes = errors.New("")

// checkGoType returns an error unless Go values of dtype want can represent elements of dtype have. path is empty for a
// whole element. For a field it is the name of the field followed by a dot.
func checkGoType(want, have dtype.DType, path string) error {
	n := want.ItemSize()
	switch {
	case want.Kind() == dtype.KindStructured && have.Kind() == dtype.KindStructured:
		return checkGoFields(want, have, path)
	case want.Base().Equal(dtype.Uint8) && (have.IsVariable() && have.Kind() != dtype.KindUnicode ||
		have.IsLongDouble()) && have.ItemSize() == n:
		return nil
	case want.Base().Equal(dtype.Uint32) && have.Kind() == dtype.KindUnicode && have.ItemSize() == n:
		return nil
	case isBlockOf(want, have):
		w, h := withoutCommonAxes(want, have)
		return checkGoType(w, h, path)
	case want.Kind() != dtype.KindSubarray && want.WithByteOrder(dtype.Native).Equal(have.WithByteOrder(dtype.Native)):
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

// isBlockOf reports whether a and b are sub-arrays and the shape of a starts with the shape of b. a may have more axes:
// [2][4]byte is a block of two S4.
func isBlockOf(a, b dtype.DType) bool {
	x, y := a.SubShape(), b.SubShape()
	return len(y) > 0 && len(x) >= len(y) && slices.Equal(x[:len(y)], y)
}

// withoutCommonAxes removes the leading axes that the sub-arrays a and b have in common.
func withoutCommonAxes(a, b dtype.DType) (dtype.DType, dtype.DType) {
	x, y := a.SubShape(), b.SubShape()
	n := min(len(x), len(y))
	a, _ = dtype.SubarrayOf(a.Base(), x[n:]...) // no errors: the results are smaller than a and b
	b, _ = dtype.SubarrayOf(b.Base(), y[n:]...)
	return a, b
}

// checkGoFields does the work of checkGoType for structures. It matches fields of the Go struct with fields of the file
// by name. Their offsets may differ.
func checkGoFields(want, have dtype.DType, path string) error {
	for k := range want.NumField() {
		g := want.FieldAt(k)
		f, ok := matchingField(have, g, k)
		if !ok {
			return fmt.Errorf("the file has no field %q; %s `npy:\"-\"` to leave it out", path+g.Name, suggestTag(g.Name, have))
		}
		if err := checkGoType(g.Type, f.Type, path+g.Name+"."); err != nil {
			return err
		}
	}
	return nil
}

// suggestTag suggests a tag for a Go field whose name is not in have. It names a field of have with a similar name, or
// else lists the names in have.
func suggestTag(name string, have dtype.DType) string {
	var names []string
	for f := range have.Fields() {
		names = append(names, f.Name)
	}
	if near := nearest.Word(name, names); near != "" {
		return fmt.Sprintf("give the Go field the tag `npy:%q`, or", near)
	}
	if len(names) == 0 {
		return "it has none: give the Go field the tag"
	}
	const limit = 8
	more := ""
	if len(names) > limit {
		more = fmt.Sprintf(" and %d more", len(names)-limit)
		names = names[:limit]
	}
	for k, n := range names {
		names[k] = strconv.Quote(n)
	}
	return fmt.Sprintf("it has %s%s; give the Go field one of these as its tag, or", strings.Join(names, ", "), more)
}

// remedy returns advice on how to change the Go type of a field. Elements of dtype have are not Go values of dtype
// want.
func remedy(want, have dtype.DType) string {
	if want.IsVariable() || IsTime(want) { // the tag of the Go field contains a dtype
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

// goType returns the Go type of elements of dtype d, for error messages.
func goType(d dtype.DType) string {
	n := d.ItemSize()
	if d.IsLongDouble() {
		return fmt.Sprintf("[%d]byte", n)
	}
	switch d.Kind() {
	case dtype.KindBool:
		return "bool"
	case dtype.KindInt:
		return fmt.Sprint("int", 8*n)
	case dtype.KindUint:
		return fmt.Sprint("uint", 8*n)
	case dtype.KindComplex:
		return fmt.Sprint("complex", 8*n)
	case dtype.KindDatetime, dtype.KindTimedelta:
		return "int64"
	case dtype.KindBytes, dtype.KindVoid:
		return fmt.Sprintf("[%d]byte", n)
	case dtype.KindUnicode:
		return fmt.Sprintf("[%d]uint32", n/4)
	case dtype.KindBFloat16:
		return "dtype.BF16"
	case dtype.KindFloat8E4M3FN:
		return "dtype.F8E4M3FN"
	case dtype.KindFloat8E5M2:
		return "dtype.F8E5M2"
	case dtype.KindStructured:
		return "a struct"
	case dtype.KindSubarray:
		var t strings.Builder
		for _, n := range d.SubShape() {
			fmt.Fprintf(&t, "[%d]", n)
		}
		return t.String() + strings.TrimPrefix(goType(d.Base()), "a ")
	}
	if n == 2 {
		return "dtype.Half"
	}
	return fmt.Sprint("float", 8*n)
}

// Obstacle explains why elements of dtype have cannot be used in place as Go values of dtype want. It describes the
// first difference between their bytes, or returns "" if their bytes are the same.
func Obstacle(want, have dtype.DType) string { return obstacle(want, have, "", 0, 0) }

// obstacle does the work of Obstacle for the field with the given path, or for a whole element if path is empty. The
// field starts at offset wantAt in the Go value and at offset haveAt in the element.
func obstacle(want, have dtype.DType, path string, wantAt, haveAt int) string {
	switch {
	case want.Kind() == dtype.KindStructured && have.Kind() == dtype.KindStructured:
		return fieldsObstacle(want, have, path, wantAt, haveAt)
	case isBlockOf(want, have):
		w, h := withoutCommonAxes(want, have)
		return obstacle(w, h, path, wantAt, haveAt)
	case want.Kind() == dtype.KindBool && path == "":
		return "a byte of a bool array may be neither 0 nor 1"
	case want.Kind() == dtype.KindBool:
		return fmt.Sprintf("field %q is a bool, whose byte may be neither 0 nor 1; a uint8 in Go reads it in place", path)
	case have.Base().IsNative():
		return ""
	case path == "":
		return fmt.Sprintf("dtype %v is not in native byte order", have)
	}
	return fmt.Sprintf("field %q is not in native byte order: %v", path, have)
}

// fieldsObstacle does the work of obstacle for structures.
func fieldsObstacle(want, have dtype.DType, path string, wantAt, haveAt int) string {
	dot := path
	if dot != "" {
		dot += "."
	}
	for k := range want.NumField() {
		g := want.FieldAt(k)
		f, _ := matchingField(have, g, k)
		if d, s := wantAt+g.Offset, haveAt+f.Offset; d != s {
			return fmt.Sprintf("field %q is at offset %d in the file and %d in Go", dot+g.Name, s, d)
		}
		if why := obstacle(g.Type, f.Type, dot+g.Name, wantAt+g.Offset, haveAt+f.Offset); why != "" {
			return why
		}
	}
	for k := range have.NumField() {
		if f := have.FieldAt(k); !hasMatch(want, f, k) {
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

// hasMatch reports whether d has a field that matches f, field k of another structure.
func hasMatch(d dtype.DType, f dtype.Field, k int) bool {
	_, ok := matchingField(d, f, k)
	return ok
}

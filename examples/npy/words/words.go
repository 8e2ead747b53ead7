// Package words describes headers in words.
package words

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

// Count formats a number with its digits in groups: 1,048,576.
func Count[T int | int64](n T) string {
	s := strconv.FormatInt(int64(n), 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// Bytes formats a number of bytes, with a larger unit: "1,048,576 bytes (1.0 MiB)".
func Bytes(n int) string {
	if n == 1 {
		return "1 byte"
	}
	s := Count(n) + " bytes"
	for i, unit := range []string{"EiB", "PiB", "TiB", "GiB", "MiB", "KiB"} {
		if size := 1 << (60 - 10*i); n >= size && size > 0 {
			return fmt.Sprintf("%s (%.1f %s)", s, float64(n)/float64(size), unit)
		}
	}
	return s
}

// DType describes a dtype: "floating point number of 64 bits, little-endian".
func DType(d dtype.DType) string {
	order := ""
	switch d.ByteOrder() {
	case dtype.LittleEndian:
		order = ", little-endian"
	case dtype.BigEndian:
		order = ", big-endian"
	}
	bits := 8 * d.ItemSize()
	switch d.Kind() {
	case dtype.KindBool:
		return "boolean"
	case dtype.KindInt:
		return fmt.Sprintf("signed integer of %d bits%s", bits, order)
	case dtype.KindUint:
		return fmt.Sprintf("unsigned integer of %d bits%s", bits, order)
	case dtype.KindFloat, dtype.KindComplex:
		name := "floating point number"
		if d.Kind() == dtype.KindComplex {
			name = "complex number"
		}
		if d.IsLongDouble() {
			return fmt.Sprintf("long double %s of %d bits%s", name, bits, order)
		}
		return fmt.Sprintf("%s of %d bits%s", name, bits, order)
	case dtype.KindBFloat16:
		return "floating point number of 16 bits, 8 of them of exponent" + order
	case dtype.KindFloat8E4M3FN:
		return "floating point number of 8 bits, 4 of them of exponent, without infinities"
	case dtype.KindFloat8E5M2:
		return "floating point number of 8 bits, 5 of them of exponent"
	case dtype.KindBytes:
		return fmt.Sprintf("text of up to %s", Bytes(d.ItemSize()))
	case dtype.KindUnicode:
		return fmt.Sprintf("text of up to %d code points%s", d.ItemSize()/4, order)
	case dtype.KindVoid:
		return "bytes without meaning"
	case dtype.KindDatetime:
		return "time since 1970 in " + render.Ticks(d) + order
	case dtype.KindTimedelta:
		return "duration in " + render.Ticks(d) + order
	case dtype.KindObject:
		return "Python object"
	}
	return fmt.Sprintf("structure of %d fields", d.NumField())
}

// HasLongDouble reports whether d contains a long double.
func HasLongDouble(d dtype.DType) bool {
	for f := range d.Fields() {
		if HasLongDouble(f.Type) {
			return true
		}
	}
	return d.Base().IsLongDouble() || d.Kind() == dtype.KindSubarray && HasLongDouble(d.Base())
}

// Shape formats a shape or the indices of an element as a Python tuple: (), (3,), (2, 3).
func Shape(s []int) string {
	text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s)), ", "), "[]")
	if len(s) == 1 {
		text += ","
	}
	return "(" + text + ")"
}

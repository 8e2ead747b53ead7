// Package jsontext writes elements, and what there is to say of them, as JSON.
package jsontext

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"iter"
	"math"
	"strconv"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/render"
)

// Append appends one element of dtype d, whose bytes are b.
func Append(dst []byte, d dtype.DType, b []byte) ([]byte, error) {
	if d.IsLongDouble() {
		return appendHex(dst, b), nil
	}
	switch d.Kind() {
	case dtype.KindBool:
		return strconv.AppendBool(dst, b[0] != 0), nil
	case dtype.KindInt, dtype.KindDatetime, dtype.KindTimedelta:
		return strconv.AppendInt(dst, render.Int(d, b), 10), nil
	case dtype.KindUint:
		return strconv.AppendUint(dst, render.Uint(d, b), 10), nil
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		size, _ := render.FloatSize(d)
		return AppendFloat(dst, render.Real(d, b), size), nil
	case dtype.KindComplex:
		re, im := render.Complex(d, b)
		dst = AppendFloat(append(dst, '['), re, len(b)/2)
		dst = AppendFloat(append(dst, ','), im, len(b)/2)
		return append(dst, ']'), nil
	case dtype.KindBytes, dtype.KindUnicode:
		return appendText(dst, render.Points(d, b))
	case dtype.KindStructured:
		return appendObject(dst, d, b)
	case dtype.KindSubarray:
		dst, _, err := appendSubarray(dst, d.SubShape(), d.Base(), b)
		return dst, err
	}
	return appendHex(dst, b), nil
}

func appendHex(dst, b []byte) []byte {
	return append(hex.AppendEncode(append(dst, '"'), b), '"')
}

func appendObject(dst []byte, d dtype.DType, b []byte) ([]byte, error) {
	dst = append(dst, '{')
	first := true
	for f := range d.Fields() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(AppendString(dst, f.Name), ':')
		var err error
		if dst, err = Append(dst, f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()]); err != nil {
			return dst, fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return append(dst, '}'), nil
}

func appendSubarray(dst []byte, shape []int, d dtype.DType, b []byte) (_, rest []byte, err error) {
	if len(shape) == 0 {
		n := d.ItemSize()
		dst, err = Append(dst, d, b[:n])
		return dst, b[n:], err
	}
	dst = append(dst, '[')
	for i := range shape[0] {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, b, err = appendSubarray(dst, shape[1:], d, b); err != nil {
			return dst, nil, err
		}
	}
	return append(dst, ']'), b, nil
}

// AppendFloat appends a float of that many bytes, or of that [render.FloatSize], as Python writes the float of 64 bits
// that equals it: 1.0, 1e-05, 1e+16. A float of 4 bytes has the shortest text that reads back to it as one.
func AppendFloat(dst []byte, x float64, size int) []byte {
	bits := 64
	if size == 4 {
		bits = 32
	}
	switch a := math.Abs(x); {
	case math.IsNaN(x):
		return append(dst, `"NaN"`...)
	case math.IsInf(x, 1):
		return append(dst, `"Infinity"`...)
	case math.IsInf(x, -1):
		return append(dst, `"-Infinity"`...)
	case a != 0 && (a < 1e-4 || a >= 1e16):
		return strconv.AppendFloat(dst, x, 'e', -1, bits)
	}
	n := len(dst)
	dst = strconv.AppendFloat(dst, x, 'f', -1, bits)
	if !bytes.ContainsRune(dst[n:], '.') {
		dst = append(dst, ".0"...)
	}
	return dst
}

func appendText(dst []byte, s iter.Seq[uint32]) ([]byte, error) {
	dst, err := AppendPoints(append(dst, '"'), s)
	return append(dst, '"'), err
}

// AppendPoints appends code points of a string, surrogates as the escapes that Python's json.dumps writes: \ud800. The
// error is for numbers above U+10FFFF.
func AppendPoints(dst []byte, s iter.Seq[uint32]) ([]byte, error) {
	for c := range s {
		switch {
		case c > unicode.MaxRune:
			return dst, render.CheckPoint(c)
		case utf16.IsSurrogate(rune(c)):
			dst = fmt.Appendf(dst, `\u%04x`, c)
		default:
			dst = appendRune(dst, rune(c))
		}
	}
	return dst, nil
}

// HasText reports whether elements of dtype d have text of which [Append] may return an error.
func HasText(d dtype.DType) bool {
	for f := range d.Fields() {
		if HasText(f.Type) {
			return true
		}
	}
	return d.Base().Kind() == dtype.KindUnicode || d.Kind() == dtype.KindSubarray && HasText(d.Base())
}

// Check returns the error of [Append] for an element, without the text.
func Check(d dtype.DType, b []byte) error {
	switch d.Kind() {
	case dtype.KindUnicode:
		for c := range render.AllPoints(d, b) {
			if c > unicode.MaxRune {
				return render.CheckPoint(c)
			}
		}
	case dtype.KindStructured:
		for f := range d.Fields() {
			if err := Check(f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()]); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
		}
	case dtype.KindSubarray:
		if base := d.Base(); HasText(base) {
			for n := base.ItemSize(); n > 0 && len(b) > 0; b = b[n:] {
				if err := Check(base, b[:n]); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	for _, c := range s {
		dst = appendRune(dst, c)
	}
	return append(dst, '"')
}

func appendRune(dst []byte, c rune) []byte {
	switch {
	case c == '"' || c == '\\':
		return append(dst, '\\', byte(c))
	case c == '\n':
		return append(dst, `\n`...)
	case c == '\t':
		return append(dst, `\t`...)
	case c == '\r':
		return append(dst, `\r`...)
	case render.IsInvisible(c) && c > 0xFFFF:
		hi, lo := utf16.EncodeRune(c)
		return fmt.Appendf(dst, `\u%04x\u%04x`, hi, lo)
	case render.IsInvisible(c):
		return fmt.Appendf(dst, `\u%04x`, c)
	}
	return utf8.AppendRune(dst, c)
}

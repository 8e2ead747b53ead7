// Package jsontext writes arrays, and descriptions of them, as JSON.
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

// appendNumber appends one number of dtype d, or one bool, time or long double, whose bytes are b.
func appendNumber(dst []byte, d dtype.DType, b []byte) []byte {
	if d.IsLongDouble() {
		return append(hex.AppendEncode(append(dst, '"'), b), '"')
	}
	switch d.Kind() {
	case dtype.KindBool:
		return strconv.AppendBool(dst, b[0] != 0)
	case dtype.KindUint:
		return strconv.AppendUint(dst, render.Uint(d, b), 10)
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		size, _ := render.FloatSize(d)
		return AppendFloat(dst, render.Real(d, b), size)
	case dtype.KindComplex:
		re, im := render.Complex(d, b)
		dst = AppendFloat(append(dst, '['), re, len(b)/2)
		dst = AppendFloat(append(dst, ','), im, len(b)/2)
		return append(dst, ']')
	}
	return strconv.AppendInt(dst, render.Int(d, b), 10)
}

// AppendFloat appends x as Python writes a float of 64 bits: 1.0, 1e-05, 1e+16. size is the [render.FloatSize] of the
// float. If it is 4, the text is the shortest one that reads back as the same float of 4 bytes.
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

// appendPoints appends the code points of a string. It escapes surrogates like Python's json.dumps: \ud800. Numbers
// above U+10FFFF are an error.
func appendPoints(dst []byte, s iter.Seq[uint32]) ([]byte, error) {
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

// hasText reports whether elements of dtype d contain text that [Write] may refuse.
func hasText(d dtype.DType) bool {
	for f := range d.Fields() {
		if hasText(f.Type) {
			return true
		}
	}
	return d.Base().Kind() == dtype.KindUnicode || d.Kind() == dtype.KindSubarray && hasText(d.Base())
}

// checkText returns an error if an element contains text that [Write] refuses.
func checkText(d dtype.DType, b []byte) error {
	switch d.Kind() {
	case dtype.KindUnicode:
		for c := range render.AllPoints(d, b) {
			if c > unicode.MaxRune {
				return render.CheckPoint(c)
			}
		}
	case dtype.KindStructured:
		for f := range d.Fields() {
			if err := checkText(f.Type, b[f.Offset:f.Offset+f.Type.ItemSize()]); err != nil {
				return fmt.Errorf("field %q: %w", f.Name, err)
			}
		}
	case dtype.KindSubarray:
		if base := d.Base(); hasText(base) {
			for n := base.ItemSize(); n > 0 && len(b) > 0; b = b[n:] {
				if err := checkText(base, b[:n]); err != nil {
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

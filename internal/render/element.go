package render

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"iter"
	"math"

	"github.com/ndmap/ndmap/dtype"
)

// The functions below take an element as bytes, and a dtype that says how to read them. So one function serves all
// dtypes, including structured ones.

func byteOrder(d dtype.DType) binary.ByteOrder {
	if d.ByteOrder() == dtype.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// Uint returns an element of 1, 2, 4 or 8 bytes as an unsigned integer.
func Uint(d dtype.DType, b []byte) uint64 {
	switch o := byteOrder(d); len(b) {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(o.Uint16(b))
	case 4:
		return uint64(o.Uint32(b))
	default:
		return o.Uint64(b)
	}
}

// Int returns an element of 1, 2, 4 or 8 bytes as a signed integer.
func Int(d dtype.DType, b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(Uint(d, b)<<shift) >> shift
}

// Real returns a float, or the real or imaginary part of a complex number.
func Real(d dtype.DType, b []byte) float64 {
	u := Uint(d, b)
	switch d.Kind() {
	case dtype.KindBFloat16:
		return dtype.BF16(u).Float64()
	case dtype.KindFloat8E4M3FN:
		return dtype.F8E4M3FN(u).Float64()
	case dtype.KindFloat8E5M2:
		return dtype.F8E5M2(u).Float64()
	}
	switch len(b) {
	case 2:
		return dtype.Half(u).Float64()
	case 4:
		return float64(math.Float32frombits(uint32(u)))
	default:
		return math.Float64frombits(u)
	}
}

// Complex returns the two parts of a complex number.
func Complex(d dtype.DType, b []byte) (re, im float64) {
	n := len(b) / 2
	return Real(d, b[:n]), Real(d, b[n:])
}

// Points returns the code points of an element of bytes or unicode, without the NULs at the end. Bytes are read as
// Latin-1.
func Points(d dtype.DType, b []byte) iter.Seq[uint32] { return AllPoints(d, TrimText(d, b)) }

// AllPoints is like Points, but includes the NULs at the end. b may be a part of an element.
func AllPoints(d dtype.DType, b []byte) iter.Seq[uint32] {
	size := pointSize(d)
	return func(yield func(uint32) bool) {
		for i := 0; i < len(b); i += size {
			if !yield(uint32(Uint(d, b[i:i+size]))) {
				return
			}
		}
	}
}

// TrimText returns b, an element of bytes or unicode, without the NULs at the end.
func TrimText(d dtype.DType, b []byte) []byte {
	n, size := len(bytes.TrimRight(b, "\x00")), pointSize(d)
	return b[:(n+size-1)/size*size]
}

// pointSize returns the size of a character in bytes.
func pointSize(d dtype.DType) int {
	if d.Kind() == dtype.KindUnicode {
		return 4
	}
	return 1
}

// CheckPoint returns an error if c is not a valid code point.
func CheckPoint(c uint32) error {
	switch {
	case c > 0x10FFFF:
		return fmt.Errorf("0x%X is not a code point; the largest one is U+10FFFF", c)
	case 0xD800 <= c && c < 0xE000:
		return fmt.Errorf("code point U+%04X is a surrogate, which is not valid in text", c)
	}
	return nil
}

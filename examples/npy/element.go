package main

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Here elements are bytes: a dtype says how to read them. That way one function
// serves all dtypes, structures included. A program that knows what its files
// hold uses array.As and gets Go values.

// gather is the elements of a one after the other, in C order, as they are in
// memory.
func gather(a array.Array, buf []byte) ([]byte, error) {
	n := a.NBytes()
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	dst, err := array.FromBytes(buf[:n], a.DType(), index.C, a.Shape()...)
	if err != nil {
		return nil, err
	}
	return buf[:n], array.Copy(dst, a)
}

func byteOrder(d dtype.DType) binary.ByteOrder {
	if d.Order() == dtype.BigEndian {
		return binary.BigEndian
	}
	return binary.LittleEndian
}

// uintOf is an element of 1, 2, 4 or 8 bytes as an unsigned integer.
func uintOf(d dtype.DType, b []byte) uint64 {
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

// intOf is an element of 1, 2, 4 or 8 bytes as a signed integer.
func intOf(d dtype.DType, b []byte) int64 {
	shift := 64 - 8*len(b)
	return int64(uintOf(d, b)<<shift) >> shift
}

// floatOf is a float of 2, 4 or 8 bytes.
func floatOf(d dtype.DType, b []byte) float64 {
	switch u := uintOf(d, b); len(b) {
	case 2:
		return dtype.Half(u).Float64()
	case 4:
		return float64(math.Float32frombits(uint32(u)))
	default:
		return math.Float64frombits(u)
	}
}

// parts are the two floats of a complex number.
func parts(d dtype.DType, b []byte) (re, im float64) {
	n := len(b) / 2
	return floatOf(d, b[:n]), floatOf(d, b[n:])
}

// textOf is the code points of an element of bytes or unicode, without the NULs at
// the end. Bytes are Latin-1.
func textOf(d dtype.DType, b []byte) []uint32 {
	size := 1
	if d.Kind() == dtype.KindUnicode {
		size = 4
	}
	s := make([]uint32, 0, len(b)/size)
	for i := 0; i < len(b); i += size {
		s = append(s, uint32(uintOf(d, b[i:i+size])))
	}
	for len(s) > 0 && s[len(s)-1] == 0 {
		s = s[:len(s)-1]
	}
	return s
}

// badText is what is wrong with a code point, or nil.
func badText(c uint32) error {
	switch {
	case c > 0x10FFFF:
		return fmt.Errorf("0x%X is no code point; the largest one is U+10FFFF", c)
	case 0xD800 <= c && c < 0xE000:
		return fmt.Errorf("code point U+%04X is a surrogate, which text has none of", c)
	}
	return nil
}

package sorting

import (
	"encoding/binary"
	"math/bits"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

// Elements are the elements of an array of one dimension, with the rule that makes keys of them. A key is an unsigned
// integer. An element has one or several keys: elements are ordered by their first keys, those with equal first keys by
// their second keys, and so on. NaN and NaT have the greatest key, and 0 and -0 have the same key.
type Elements struct {
	strided.Piece
	rule      rule
	count     int  // number of keys of an element
	wordBytes int  // bytes of a number in an element; of a code point, for text
	swap      bool // the bytes of a word are reversed in memory
	// For integers and times, key = (word ^ flip) - less. For floats, infinity has the bits of infinity, or of the
	// greatest number if the type has no infinity.
	flip, less, infinity uint64
}

// A rule says how the words of an element become keys.
type rule uint8

const (
	integers rule = iota // also bools and times
	bools                // any word except 0 is true
	floats
	complexes // three keys: which of the two numbers are NaN, the real number, the imaginary number
	text      // a key contains the next code points of the text, or the next bytes
)

// infinities maps dtypes of floats to the bits of infinity, or of the greatest number if the type has no infinity.
var infinities = map[dtype.DType]uint64{
	dtype.Float8E4M3FN: 0x7e,
	dtype.Float8E5M2:   0x7c,
	dtype.BFloat16:     0x7f80,
	dtype.Float16:      0x7c00,
	dtype.Float32:      0x7f800000,
	dtype.Float64:      0x7ff << 52,
}

// HasOrder reports whether elements of dtype d have an order.
func HasOrder(d dtype.DType) bool {
	switch kind := d.Kind(); kind {
	case dtype.KindBytes, dtype.KindUnicode, dtype.KindDatetime, dtype.KindTimedelta:
		return true
	default:
		return d.IsNumber()
	}
}

// NewElements returns the elements of p, which have dtype d. The dtype must have an order.
func NewElements(p strided.Piece, d dtype.DType) *Elements {
	e := &Elements{Piece: p, count: 1, wordBytes: d.ItemSize(), swap: !d.IsNative()}
	sign := uint64(1) << 63 >> (64 - 8*min(8, max(1, e.wordBytes)))
	switch kind := d.Kind(); {
	case kind == dtype.KindBytes:
		e.rule, e.wordBytes = text, 1
		e.count = (d.ItemSize() + 7) / 8
	case kind == dtype.KindUnicode:
		e.rule, e.wordBytes = text, 4
		e.count = (d.ItemSize() + 7) / 8
	case kind == dtype.KindDatetime || kind == dtype.KindTimedelta:
		e.flip, e.less = sign, 1 // the key of NaT, the least number, wraps around to the greatest key
	case kind == dtype.KindBool:
		e.rule = bools
	case kind == dtype.KindComplex:
		e.rule, e.count, e.wordBytes = complexes, 3, e.wordBytes/2
		e.infinity = infinities[map[int]dtype.DType{4: dtype.Float32, 8: dtype.Float64}[e.wordBytes]]
	case kind == dtype.KindInt:
		e.flip = sign
	case kind != dtype.KindUint:
		e.rule, e.infinity = floats, infinities[d.WithByteOrder(dtype.Native)]
	}
	return e
}

// Len returns the number of elements.
func (e *Elements) Len() int { return e.Layout.Len(0) }

// keys sets dst to keys of consecutive elements: key number column of the elements from position first on.
func (e *Elements) keys(dst []uint64, first, column int) {
	stride := e.Layout.Stride(0)
	e.keysAt(dst, nil, strided.Add(e.P, first*stride), column)
}

// keysOf sets dst to key number column of the elements at the positions in items.
func (e *Elements) keysOf(dst, items []uint64, column int) {
	e.keysAt(dst, items[:len(dst)], e.P, column)
}

// keysAt does the work of keys and keysOf. p is the address of the element at position 0. items is nil for consecutive
// elements.
func (e *Elements) keysAt(dst, items []uint64, p pointer, column int) {
	switch {
	case e.rule == text:
		e.textKeys(dst, items, strided.Add(p, 8*column), min(8, e.ItemSize-8*column))
	case e.rule == complexes && column == 0:
		e.countNaN(dst, items, p)
	case e.rule == complexes:
		e.floatKeys(dst, items, strided.Add(p, (column-1)*e.wordBytes))
	case e.rule == floats:
		e.floatKeys(dst, items, p)
	case e.rule == bools:
		e.words(dst, items, p, e.wordBytes)
		for k, w := range dst {
			dst[k] = min(w, 1)
		}
	default:
		e.words(dst, items, p, e.wordBytes)
		flip, less := e.flip, e.less
		for k, w := range dst {
			dst[k] = w ^ flip - less
		}
	}
}

// nanKey returns the key of NaN.
func (e *Elements) nanKey() uint64 { return uint64(1)<<(8*e.wordBytes-1) + e.infinity + 1 }

// floatKeys sets dst to the keys of the floats at p.
func (e *Elements) floatKeys(dst, items []uint64, p pointer) {
	e.words(dst, items, p, e.wordBytes)
	sign, infinity, nan := uint64(1)<<(8*e.wordBytes-1), e.infinity, e.nanKey()
	for k, w := range dst {
		size := w &^ sign
		key := sign + size
		if w >= sign {
			key = sign - size
		}
		if size > infinity {
			key = nan
		}
		dst[k] = key
	}
}

// countNaN sets dst to the first keys of the complex numbers at p: 2 if the real number is NaN, plus 1 if the imaginary
// number is NaN.
func (e *Elements) countNaN(dst, items []uint64, p pointer) {
	var imaginary [256]uint64
	nan := e.nanKey()
	is := func(key uint64) uint64 {
		if key == nan {
			return 1
		}
		return 0
	}
	for len(dst) > 0 {
		n := min(len(dst), len(imaginary))
		e.floatKeys(dst[:n], items, p)
		e.floatKeys(imaginary[:n], items, strided.Add(p, e.wordBytes))
		for k, key := range dst[:n] {
			dst[k] = 2*is(key) + is(imaginary[k])
		}
		dst = dst[n:]
		if items != nil {
			items = items[n:]
		} else if len(dst) > 0 {
			p = strided.Add(p, n*e.stride())
		}
	}
}

// stride returns the distance in bytes between elements.
func (e *Elements) stride() int { return e.Layout.Stride(0) }

// words sets dst to the words of size bytes at p.
func (e *Elements) words(dst, items []uint64, p pointer, size int) {
	stride := e.stride()
	switch size {
	case 1:
		for k := range dst {
			dst[k] = uint64(strided.Load[uint8](p, offset(k, items, stride)))
		}
		return
	case 2:
		for k := range dst {
			dst[k] = uint64(binary.NativeEndian.Uint16(strided.Slice[byte](strided.Add(p, offset(k, items, stride)), 2)))
		}
	case 4:
		for k := range dst {
			dst[k] = uint64(binary.NativeEndian.Uint32(strided.Slice[byte](strided.Add(p, offset(k, items, stride)), 4)))
		}
	case 8:
		for k := range dst {
			dst[k] = binary.NativeEndian.Uint64(strided.Slice[byte](strided.Add(p, offset(k, items, stride)), 8))
		}
	}
	if e.swap {
		for k, w := range dst {
			dst[k] = bits.ReverseBytes64(w) >> (64 - 8*size)
		}
	}
}

// offset returns the offset of the element of number k: the element at the position in items[k], or element k if items
// is nil.
func offset(k int, items []uint64, stride int) int {
	if items != nil {
		k = position(items[k])
	}
	return k * stride
}

// textKeys sets dst to the keys that size bytes at p, up to 8, make: the first byte, or code point, decides.
func (e *Elements) textKeys(dst, items []uint64, p pointer, size int) {
	stride := e.stride()
	for k := range dst {
		text := strided.Slice[byte](strided.Add(p, offset(k, items, stride)), size)
		key := uint64(0)
		if e.wordBytes == 1 {
			for i, b := range text {
				key |= uint64(b) << (56 - 8*i)
			}
		} else {
			for i := 0; i < size; i += 4 {
				point := binary.NativeEndian.Uint32(text[i:])
				if e.swap {
					point = bits.ReverseBytes32(point)
				}
				key |= uint64(point) << (32 - 8*i)
			}
		}
		dst[k] = key
	}
}

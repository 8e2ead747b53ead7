package sorting

import (
	"encoding/binary"
	"math/bits"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/strided"
)

type pointer = strided.Pointer

// Keys make keys of the elements of a dtype. A key is an unsigned integer. An element has one or several keys: elements
// are ordered by their first keys, those with equal first keys by their second keys, and so on. NaN and NaT have the
// greatest key, and 0 and -0 have the same key.
type Keys struct {
	rule      rule
	itemSize  int
	count     int  // number of keys of an element
	wordBytes int  // bytes of a number in an element; of a code point, for text
	swap      bool // the bytes of a word are reversed in memory
	// For integers and times, key = (word ^ flip) - less. For floats, infinity has the bits of infinity, or of the
	// greatest number if the type has no infinity.
	flip, less, infinity uint64

	// descending makes keys of the descending order, in which NaN and NaT come last, too. greatest is the greatest key
	// of an element except NaN and NaT.
	descending bool
	greatest   uint64
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

// KeysOf returns the keys of elements of dtype d, which must have an order. The order is descending if descending is
// true.
func KeysOf(d dtype.DType, descending bool) *Keys {
	e := &Keys{itemSize: d.ItemSize(), count: 1, wordBytes: d.ItemSize(), swap: !d.IsNative(), descending: descending,
		greatest: ^uint64(0)}
	switch kind := d.Kind(); kind {
	case dtype.KindBytes:
		e.rule, e.wordBytes, e.count = text, 1, (d.ItemSize()+7)/8
	case dtype.KindUnicode:
		e.rule, e.wordBytes, e.count = text, 4, (d.ItemSize()+7)/8
	case dtype.KindDatetime, dtype.KindTimedelta:
		e.flip, e.less = e.sign(), 1 // the key of NaT, the least number, wraps around to the greatest key
		e.greatest--
	case dtype.KindBool:
		e.rule = bools
	case dtype.KindInt:
		e.flip = e.sign()
	case dtype.KindUint:
	case dtype.KindComplex:
		e.rule, e.count, e.wordBytes = complexes, 3, d.ItemSize()/2
		e.infinity = infinities[map[int]dtype.DType{4: dtype.Float32, 8: dtype.Float64}[e.wordBytes]]
		e.greatest = e.nan() - 1
	default:
		e.rule, e.infinity = floats, infinities[d.WithByteOrder(dtype.Native)]
		e.greatest = e.nan() - 1
	}
	return e
}

// elements says where elements are.
type elements struct {
	items  []uint64 // their positions, in the bits of mask; nil for consecutive elements
	p      pointer  // the address of the element at position 0, or of the first of consecutive elements
	stride int      // the distance in bytes between consecutive elements
	mask   uint64
}

// field returns the numbers that start off bytes after the start of each element.
func (at elements) field(off int) elements {
	at.p = strided.Add(at.p, off)
	return at
}

// offset returns the offset of element k.
func (at *elements) offset(k int) int {
	if at.items != nil {
		k = int(at.items[k] & at.mask)
	}
	return k * at.stride
}

// bytes returns the first n bytes of element k.
func (at *elements) bytes(k, n int) []byte {
	return strided.Slice[byte](strided.Add(at.p, at.offset(k)), n)
}

// keys sets dst to key number column of elements.
func (e *Keys) keys(dst []uint64, at elements, column int) {
	switch {
	case e.rule == text:
		e.textKeys(dst, at.field(8*column), min(8, e.itemSize-8*column))
	case e.rule == complexes && column == 0:
		e.countNaN(dst, at)
		return // no NaN comes first in descending order, too
	case e.rule == complexes:
		e.floatKeys(dst, at.field((column-1)*e.wordBytes))
	case e.rule == floats:
		e.floatKeys(dst, at)
	case e.rule == bools:
		e.words(dst, at)
		for k, w := range dst {
			dst[k] = min(w, 1)
		}
	default:
		e.words(dst, at)
		flip, less := e.flip, e.less
		for k, w := range dst {
			dst[k] = w ^ flip - less
		}
	}
	if e.descending { // the greatest becomes 0, and the key of NaN wraps around
		for k, key := range dst {
			dst[k] = e.greatest - key
		}
	}
}

// sign returns the sign bit of a word.
func (e *Keys) sign() uint64 { return 1 << (8*e.wordBytes - 1) }

// nan returns the key of NaN.
func (e *Keys) nan() uint64 { return e.sign() + e.infinity + 1 }

// floatKeys sets dst to the keys of floats.
func (e *Keys) floatKeys(dst []uint64, at elements) {
	e.words(dst, at)
	sign, infinity, nan := e.sign(), e.infinity, e.nan()
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

// countNaN sets dst to the first keys of complex numbers: 2 if the real number is NaN, plus 1 if the imaginary number
// is NaN.
func (e *Keys) countNaN(dst []uint64, at elements) {
	var imaginary [1]uint64
	nan := e.nan()
	e.floatKeys(dst, at)
	for k, key := range dst {
		one := elements{p: strided.Add(at.p, at.offset(k)+e.wordBytes)}
		e.floatKeys(imaginary[:], one)
		dst[k] = 0
		if key == nan {
			dst[k] = 2
		}
		if imaginary[0] == nan {
			dst[k]++
		}
	}
}

// words sets dst to the words at the start of elements.
func (e *Keys) words(dst []uint64, at elements) {
	ne := binary.NativeEndian
	switch e.wordBytes {
	case 1:
		for k := range dst {
			dst[k] = uint64(at.bytes(k, 1)[0])
		}
		return
	case 2:
		for k := range dst {
			dst[k] = uint64(ne.Uint16(at.bytes(k, 2)))
		}
	case 4:
		for k := range dst {
			dst[k] = uint64(ne.Uint32(at.bytes(k, 4)))
		}
	case 8:
		for k := range dst {
			dst[k] = ne.Uint64(at.bytes(k, 8))
		}
	}
	if e.swap {
		for k, w := range dst {
			dst[k] = bits.ReverseBytes64(w) >> (64 - 8*e.wordBytes)
		}
	}
}

// textKeys sets dst to keys that contain size bytes, up to 8, of texts: the first byte, or code point, in the highest
// bits.
func (e *Keys) textKeys(dst []uint64, at elements, size int) {
	for k := range dst {
		text, key := at.bytes(k, size), uint64(0)
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

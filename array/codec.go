package array

import (
	"encoding/binary"
	"math/bits"

	"github.com/ndmap/ndmap/dtype"
)

// A codec moves an element that is not one number between memory and the Go
// value: runs of bytes, numbers and booleans, each at the same offset on both
// sides.
type codec []run

// run is count items of size bytes at off. Items of a swapped run are reversed.
type run struct {
	off, size, count int
	swap, bool       bool
}

func (c codec) move(dst, src []byte) {
	ne := binary.NativeEndian
	for _, r := range c {
		d, s := dst[r.off:r.off+r.size*r.count], src[r.off:r.off+r.size*r.count]
		switch {
		case r.bool:
			for i, b := range s {
				d[i] = min(b, 1)
			}
		case !r.swap:
			copy(d, s)
		case r.size == 2:
			for i := 0; i < len(s); i += 2 {
				ne.PutUint16(d[i:], bits.ReverseBytes16(ne.Uint16(s[i:])))
			}
		case r.size == 4:
			for i := 0; i < len(s); i += 4 {
				ne.PutUint32(d[i:], bits.ReverseBytes32(ne.Uint32(s[i:])))
			}
		case r.size == 8:
			for i := 0; i < len(s); i += 8 {
				ne.PutUint64(d[i:], bits.ReverseBytes64(ne.Uint64(s[i:])))
			}
		}
	}
}

// between is the codec from elements of s to those of d, which are the same but
// for the byte order of numbers.
func between(d, s dtype.DType) codec { return appendRuns(nil, d, s, 0, 1) }

func appendRuns(c codec, d, s dtype.DType, off, count int) codec {
	switch d.Kind() {
	case dtype.KindStructured:
		for i := range count {
			for k := range d.NumField() {
				f := d.FieldAt(k)
				c = appendRuns(c, f.Type, s.FieldAt(k).Type, off+i*d.ItemSize()+f.Offset, 1)
			}
		}
		return c
	case dtype.KindSubarray:
		if n := d.Base().ItemSize(); n > 0 {
			count *= d.ItemSize() / n
		}
		return appendRuns(c, d.Base(), s.Base(), off, count)
	}
	r := run{off: off, size: d.ItemSize(), count: count, bool: d.Kind() == dtype.KindBool, swap: d.Order() != s.Order()}
	if r.swap {
		u := unit(d)
		r.size, r.count = u, count*d.ItemSize()/u
	}
	return append(c, r)
}

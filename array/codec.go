package array

import (
	"encoding/binary"
	"math/bits"
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

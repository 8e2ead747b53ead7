package elem

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// TestLong tests the conversion of long doubles in blocks of any strides, and of fields of structures.
func TestLong(t *testing.T) {
	// The elements are 0.5, 1.5, …, with other bytes in the padding.
	long := make([]byte, 16*12)
	for i := range 12 {
		binary.LittleEndian.PutUint64(long[16*i:], uint64(2*i+1)<<(63-lengthOf(2*i+1)))
		binary.LittleEndian.PutUint16(long[16*i+8:], uint16(0x3FFE+lengthOf(2*i+1)))
		copy(long[16*i+10:], "\xff\x7f\xff\x80\x01\xff")
	}
	for _, order := range orders {
		c := must(New(dtype.Float64.WithByteOrder(order), dtype.MustParse("<f16")))
		for _, turned := range []bool{false, true} {
			out := make([]byte, 8*12)
			d := Side{P: kernel.Hide(Pointer(&out[0])), Row: 32, Item: 8}
			s := Side{P: kernel.Hide(Pointer(&long[0])), Row: 64, Item: 16}
			m, n := 3, 4
			if turned {
				m, n, d, s = n, m, d.Turned(), s.Turned()
			}
			c.Move(m, n, d, s)
			for i := range 12 {
				var x float64
				if _, err := binary.Decode(out[8*i:], byteOrder(dtype.Float64.WithByteOrder(order)), &x); err != nil ||
					x != float64(i)+0.5 {
					t.Errorf("%v, turned %t: element %d is %v, want %v", order, turned, i, x, float64(i)+0.5)
				}
			}
		}
	}
	c := must(New(dtype.MustParse("[('a', '|u1'), ('x', '<c16', (2,))]"),
		dtype.MustParse("[('b', '<i2'), ('y', '<c32', (2,))]")))
	record := append([]byte{7, 0}, long[:4*16]...)
	out := make([]byte, 1+4*8)
	c.One(kernel.Hide(Pointer(&out[0])), kernel.Hide(Pointer(&record[0])))
	var x [4]float64
	if _, err := binary.Decode(out[1:], binary.LittleEndian, &x); err != nil || fmt.Sprint(out[0],
		x) != "7 [0.5 1.5 2.5 3.5]" {
		t.Error(out[0], x)
	}
}

// lengthOf returns the position of the highest bit of n.
func lengthOf(n int) (k int) {
	for ; n > 1; n /= 2 {
		k++
	}
	return k
}

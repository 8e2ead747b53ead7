package where

import (
	"bytes"
	"encoding/binary"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/index"
)

// gather returns the bytes of the elements of a in C order, in buf if it is large enough.
func gather(buf []byte, a array.Array) ([]byte, error) {
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

// itemTest returns the test for elements whose bytes satisfy f.
func itemTest(f func(item []byte) bool) test {
	var buf []byte
	return func(mask []bool, column array.Array) (err error) {
		if buf, err = gather(buf, column); err != nil {
			return err
		}
		size := column.ItemSize()
		for i := range mask {
			mask[i] = mask[i] && f(buf[i*size:(i+1)*size])
		}
		return nil
	}
}

// bytesTest returns the test for equality with the bytes v, as op says.
func bytesTest(op string, v []byte) test {
	return itemTest(func(item []byte) bool { return bytes.Equal(item, v) == (op == "=") })
}

// textTest returns the test of c for text of dtype d. Text is compared by its code points, and bytes as Latin-1. NULs
// at the end do not count.
func (c *Condition) textTest(d dtype.DType) test {
	var v []uint32
	if b, ok := value.BytesLiteral(c.value); ok && !c.quoted && d.Kind() == dtype.KindBytes {
		for _, c := range b {
			v = append(v, uint32(c))
		}
	} else {
		for _, c := range c.value {
			v = append(v, uint32(c))
		}
	}
	accepts := map[string]func(int) bool{
		"=":  func(order int) bool { return order == 0 },
		"!=": func(order int) bool { return order != 0 },
		"<":  func(order int) bool { return order < 0 },
		"<=": func(order int) bool { return order <= 0 },
		">":  func(order int) bool { return order > 0 },
		">=": func(order int) bool { return order >= 0 },
	}[c.op]
	size, order := 1, binary.ByteOrder(binary.LittleEndian)
	if d.Kind() == dtype.KindUnicode {
		size = 4
	}
	if d.ByteOrder() == dtype.BigEndian {
		order = binary.BigEndian
	}
	return itemTest(func(item []byte) bool { return accepts(compareText(item, size, order, v)) })
}

// compareText compares the code points in item, each of size bytes, with v. The shorter text continues with NULs.
func compareText(item []byte, size int, order binary.ByteOrder, v []uint32) int {
	for k := range max(len(item)/size, len(v)) {
		var x, y uint32
		if k < len(item)/size {
			if x = uint32(item[k*size]); size == 4 {
				x = order.Uint32(item[4*k:])
			}
		}
		if k < len(v) {
			y = v[k]
		}
		if x != y {
			if x < y {
				return -1
			}
			return 1
		}
	}
	return 0
}

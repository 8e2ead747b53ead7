package array

import (
	"bytes"
	"encoding/binary"

	"github.com/ndmap/ndmap/dtype"
)

// encode returns the bytes of x in the byte order of d. It uses encoding/binary instead of this package.
func encode(d dtype.DType, x any) []byte {
	order := binary.ByteOrder(binary.LittleEndian)
	if d.ByteOrder() == dtype.BigEndian {
		order = binary.BigEndian
	}
	var b bytes.Buffer
	if err := binary.Write(&b, order, x); err != nil {
		panic(err)
	}
	return b.Bytes()
}

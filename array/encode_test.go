package array

import (
	"bytes"
	"encoding/binary"

	"github.com/ndmap/ndmap/dtype"
)

// encode is x as bytes, by encoding/binary and not by this package.
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

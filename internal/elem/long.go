package elem

import (
	"encoding/binary"
	"errors"
	"math"
	"math/bits"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/kernel"
)

// longCodec returns the Codec that converts long doubles of dtype src to float64, or complex ones to complex128. A
// dtype does not record the format of its long doubles. Little-endian ones are assumed to have the format of x86.
func longCodec(dst, src dtype.DType) (Codec, error) {
	c := Codec{op: opLong, dsize: dst.ItemSize(), ssize: src.ItemSize()}
	switch {
	case dst.Kind() != src.Kind() || 2*c.dsize != c.ssize:
		return c, errors.New("long doubles convert only to float64, and complex ones to complex128")
	case src.ByteOrder() == dtype.BigEndian:
		return c, errors.New("big-endian long doubles have several formats, and a dtype does not say which")
	case dst.ByteOrder() != dtype.Native:
		c.swap = 8
	}
	return c, nil
}

// moveLong does the work of Move for long doubles.
func (c *Codec) moveLong(m, n int, dst, src Side) {
	for k := range m * n {
		d, s := dst.At(k/n, k%n).P, src.At(k/n, k%n).P
		for at := 0; at < c.dsize; at += 8 {
			x := math.Float64bits(dtype.LongDouble(kernel.Bytes(kernel.Add(s, 2*at), 16)).Float64())
			if c.swap > 1 {
				x = bits.ReverseBytes64(x)
			}
			binary.NativeEndian.PutUint64(kernel.Bytes(kernel.Add(d, at), 8), x)
		}
	}
}

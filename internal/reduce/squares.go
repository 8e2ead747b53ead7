package reduce

import (
	"math/bits"

	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/strided"
)

// squares are sums of short integers and of their squares, both exact: for the variance of no
// more than mostSquares of them.
type squares[T int8 | int16 | uint8 | uint16] struct {
	sum     []int64
	squares []uint64
}

// mostSquares is how many squares of 32 bits and their number multiply to what 128 bits have room for,
// and add up to what 64 have.
const mostSquares = 1 << 31

func (s *squares[T]) rows(at int, b *block) {
	for i := range b.m {
		sum, square := kernel.SumAndSquares(row[T](b, i))
		s.sum[at+i] += sum
		s.squares[at+i] += square
	}
}

func (s *squares[T]) columns(at int, b *block) {
	kernel.AddSquares[T](s.sum[at:at+b.n], s.squares[at:at+b.n], b.p, b.stride, b.m)
}

func (s *squares[T]) merge(at int, o states) {
	from := o.(*squares[T])
	for i, x := range from.sum {
		s.sum[at+i] += x
		s.squares[at+i] += from.squares[i]
	}
}

func (s *squares[T]) results(e *engine) ([]byte, error) {
	v := floatsFor(nil, s.sum)
	for i := range v {
		v[i] = s.variance(i, e)
	}
	return strided.Bytes(v), nil
}

// variance returns the variance of state i, or its square root, from n Σx² - (Σx)², which is n times the sum of the
// squares of what numbers differ from the mean.
func (s *squares[T]) variance(i int, e *engine) float64 {
	x := uint64(max(s.sum[i], -s.sum[i]))
	high, low := bits.Mul64(uint64(e.count), s.squares[i])
	high2, low2 := bits.Mul64(x, x)
	low, borrow := bits.Sub64(low, low2, 0)
	high, _ = bits.Sub64(high, high2, borrow)
	n := float64(e.count)
	return e.variance(n, (float64(high)*0x1p64+float64(low))/n, 0)
}

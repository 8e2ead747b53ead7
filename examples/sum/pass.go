package main

import (
	"math"
	"math/big"

	"github.com/ndmap/ndmap/array"
)

// integers adds up integers. Booleans count as 0 and 1.
func integers[T int64 | uint64](a array.Array) (*big.Int, error) {
	v, err := array.Cast[T](a) // from any dtype, in either byte order
	if err != nil || v.Size() == 0 {
		return new(big.Int), err
	}
	return array.Reduce(v, func(block []T) (*big.Int, error) {
		var high, low int64 // cannot overflow: a block has at most 64 KiB
		for _, x := range block {
			high, low = high+int64(x>>32), low+int64(x&0xffff_ffff)
		}
		s := big.NewInt(high)
		return s.Add(s.Lsh(s, 32), big.NewInt(low)), nil
	}, func(a, b *big.Int) *big.Int { return a.Add(a, b) })
}

func sumFloats(a array.Array) (float64, error) {
	v, err := array.Cast[float64](a)
	if err != nil {
		return 0, err
	}
	t, err := array.Reduce(v, func(block []float64) (t total, err error) {
		for _, x := range block {
			t.add(x)
		}
		return t, nil
	}, total.merge)
	return t.value(), err
}

func sumComplexes(a array.Array) (complex128, error) {
	v, err := array.Cast[complex128](a)
	if err != nil {
		return 0, err
	}
	type pair struct{ re, im total }
	t, err := array.Reduce(v, func(block []complex128) (t pair, err error) {
		for _, x := range block {
			t.re.add(real(x))
			t.im.add(imag(x))
		}
		return t, nil
	}, func(a, b pair) pair { return pair{a.re.merge(b.re), a.im.merge(b.im)} })
	return complex(t.re.value(), t.im.value()), err
}

// A total is a sum and its accumulated rounding error: Neumaier's variant of Kahan's summation.
type total struct{ sum, lost float64 }

func (t *total) add(x float64) {
	sum := t.sum + x
	if math.Abs(t.sum) >= math.Abs(x) {
		t.lost += t.sum - sum + x
	} else {
		t.lost += x - sum + t.sum
	}
	t.sum = sum
}

func (t total) merge(u total) total {
	t.add(u.sum)
	t.lost += u.lost
	return t
}

func (t total) value() float64 {
	if math.IsInf(t.sum, 0) {
		return t.sum
	}
	return t.sum + t.lost
}

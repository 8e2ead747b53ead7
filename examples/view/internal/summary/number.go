package summary

import (
	"encoding/json"
	"math"
	"math/big"
	"math/bits"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// A Number is a float64 that JSON encodes as a number if it is finite, or else as a string such as "nan" or "-inf".
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	switch x := float64(n); {
	case math.IsNaN(x):
		return []byte(`"nan"`), nil
	case math.IsInf(x, 1):
		return []byte(`"inf"`), nil
	case math.IsInf(x, -1):
		return []byte(`"-inf"`), nil
	default:
		return json.Marshal(x)
	}
}

// numberPtr returns a pointer to x as a Number.
func numberPtr(x float64) *Number { return (*Number)(&x) }

// A wideStats computes exact statistics of 64-bit integers, which float64 cannot represent exactly.
type wideStats struct {
	read            func(array.Array) error
	least, greatest func() *big.Int
	sum             func() *big.Int
	integer         func(base uint64) *big.Int
}

// wideStatsOf returns a wide for the elements of a, or nil if a is a difference or its dtype is not a 64-bit integer.
func wideStatsOf(a pick.Array) *wideStats {
	d := a.DType()
	switch {
	case a.Minus != nil || d.ItemSize() != 8:
	case d.Kind() == dtype.KindInt:
		return wideSpan(big.NewInt)
	case d.Kind() == dtype.KindUint:
		return wideSpan(func(x uint64) *big.Int { return new(big.Int).SetUint64(x) })
	}
	return nil
}

func wideSpan[T int64 | uint64](number func(T) *big.Int) *wideStats {
	var lo, hi T
	var all sum128
	none := true
	return &wideStats{
		read: func(a array.Array) error {
			v, err := array.Cast[T](a)
			if err != nil || v.Size() == 0 {
				return err
			}
			x, y := array.MinMax(v)
			if none {
				lo, hi, none = x, y, false
			}
			lo, hi = min(lo, x), max(hi, y)
			part, err := array.Reduce(v, func(block []T) (s sum128, err error) {
				for _, x := range block {
					y := sum128{0, uint64(x)}
					if x < 0 {
						y.hi = -1
					}
					s = s.plus(y)
				}
				return s, nil
			}, sum128.plus)
			all = all.plus(part)
			return err
		},
		least:    func() *big.Int { return number(lo) },
		greatest: func() *big.Int { return number(hi) },
		sum:      func() *big.Int { return all.big() },
		integer:  func(base uint64) *big.Int { return number(T(base)) },
	}
}

// A sum128 is a signed integer of 128 bits.
type sum128 struct {
	hi int64
	lo uint64
}

func (x sum128) plus(y sum128) sum128 {
	lo, carry := bits.Add64(x.lo, y.lo, 0)
	return sum128{x.hi + y.hi + int64(carry), lo}
}

func (x sum128) big() *big.Int {
	n := big.NewInt(x.hi)
	return n.Lsh(n, 64).Add(n, new(big.Int).SetUint64(x.lo))
}

// nearestBase returns the integer base+x as a Base, limited to the range of the elements.
func (w *wideStats) nearestBase(base uint64, x float64) uint64 {
	n, _ := big.NewFloat(x).Int(nil)
	n.Add(n, w.integer(base))
	if lo := w.least(); n.Cmp(lo) < 0 {
		n = lo
	}
	if hi := w.greatest(); n.Cmp(hi) > 0 {
		n = hi
	}
	return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

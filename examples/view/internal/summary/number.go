package summary

import (
	"encoding/json"
	"math"
	"math/big"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// A Number is a float64 in JSON, which has no infinities and no NaN: those are texts, as NumPy writes them.
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

// written returns x as a Number.
func written(x float64) *Number { return (*Number)(&x) }

// A wide is what is said of integers of 64 bits, of which float64 has only some.
type wide struct {
	read            func(array.Array) error
	least, greatest func() *big.Int
	of              func(base uint64) *big.Int
}

// wideOf returns what reads the elements of a, or nil if float64 has them.
func wideOf(a pick.Array) *wide {
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

func wideSpan[T int64 | uint64](number func(T) *big.Int) *wide {
	var lo, hi T
	none := true
	return &wide{
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
			return nil
		},
		least:    func() *big.Int { return number(lo) },
		greatest: func() *big.Int { return number(hi) },
		of:       func(base uint64) *big.Int { return number(T(base)) },
	}
}

// near returns the Base of a Reading at x more than base, or at the nearest element.
func (w *wide) near(base uint64, x float64) uint64 {
	n, _ := big.NewFloat(x).Int(nil)
	n.Add(n, w.of(base))
	if lo := w.least(); n.Cmp(lo) < 0 {
		n = lo
	}
	if hi := w.greatest(); n.Cmp(hi) > 0 {
		n = hi
	}
	return new(big.Int).And(n, new(big.Int).SetUint64(math.MaxUint64)).Uint64()
}

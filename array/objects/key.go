package objects

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// keyBytes is the number of bytes that a key counts in addition to its own, for its entry in a map and for the work.
const keyBytes = 32

// keyBase is the base of the digits of an integer. In a power of 2, the digits of a long integer take linear time.
const keyBase = 16

// key returns a text that equal keys of Python have in common: 1, True and 1.0 have the same one. It ends the decoder
// if x cannot be a key of a dict, or an item of a set.
func (d *decoder) key(x any) string { return string(d.appendKey(nil, x, 1)) }

// appendKey appends the key of x, which is nested depth levels deep.
func (d *decoder) appendKey(b []byte, x any, depth int) []byte {
	if depth > maxDepth {
		d.failf("a key is nested more than %d deep", maxDepth)
	}
	start := len(b)
	switch x := x.(type) {
	case nil:
		b = append(b, 'n')
	case bool:
		if x {
			return d.appendKey(b, int64(1), depth)
		}
		return d.appendKey(b, int64(0), depth)
	case int64:
		b = append(strconv.AppendInt(append(b, 'i'), x, keyBase), ' ')
	case *big.Int:
		b = append(x.Append(append(b, 'i'), keyBase), ' ')
	case float64:
		b = d.appendFloatKey(b, x)
	case complex128:
		if imag(x) == 0 {
			return d.appendFloatKey(b, real(x))
		}
		b = append(b, 'c')
		b = d.appendFloatKey(b, real(x))
		b = d.appendFloatKey(b, imag(x))
	case string:
		b = appendSized(b, 's', x)
	case *blob:
		if x.mutable {
			d.failf("a bytearray cannot be the key of a dict or an item of a set")
		}
		b = appendSized(b, 'b', string(x.data))
	case time.Time:
		kind := byte('t')
		if loc := x.Location(); loc == Naive || loc == Date {
			kind = loc.String()[0]
			kind -= 'a' - 'A'
		}
		b = appendSized(b, kind, x.UTC().Format(time.RFC3339Nano))
	case time.Duration:
		b = append(strconv.AppendInt(append(b, 'd'), int64(x), 10), ' ')
	case array.Array: // a scalar of NumPy
		if k := x.DType().Kind(); k != dtype.KindDatetime && k != dtype.KindTimedelta {
			d.failf("a scalar of dtype %v cannot be the key of a dict or an item of a set", x.DType())
		}
		b = appendSized(b, 'a', fmt.Sprint(x.DType(), x))
	case *tuple:
		b = binary.AppendUvarint(append(b, '('), uint64(len(x.items)))
		for _, item := range x.items {
			b = d.appendKey(b, item, depth+1)
		}
		start = len(b) - 2 // the items have been counted
	case *set:
		if !x.frozen {
			d.failf("a set cannot be the key of a dict or an item of a set")
		}
		keys := make([]string, 0, len(x.items))
		for _, item := range x.items {
			keys = append(keys, string(d.appendKey(nil, item, depth+1)))
		}
		slices.Sort(keys)
		b = appendSized(b, 'f', strings.Join(keys, ""))
	default:
		d.failf("a list, a dict, an array or a class cannot be the key of a dict or an item of a set")
	}
	d.spendBytes(uint64(len(b)-start) + keyBytes)
	return b
}

// appendFloatKey appends the key of a float, which is the key of an integer if the float equals one. Each NaN is
// different from all others.
func (d *decoder) appendFloatKey(b []byte, x float64) []byte {
	switch {
	case math.IsNaN(x):
		d.nans++
		return append(strconv.AppendInt(append(b, 'x'), d.nans, 10), ' ')
	case x == math.Trunc(x) && !math.IsInf(x, 0):
		n, _ := big.NewFloat(x).Int(nil)
		return append(n.Append(append(b, 'i'), keyBase), ' ')
	}
	return binary.BigEndian.AppendUint64(append(b, 'r'), math.Float64bits(x))
}

// appendSized appends the kind of a key, the length of s, and s.
func appendSized(b []byte, kind byte, s string) []byte {
	b = binary.AppendUvarint(append(b, kind), uint64(len(s)))
	return append(b, s...)
}

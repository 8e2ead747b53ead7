package pick

import (
	"math"
	"math/big"
	"runtime"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// Long reports whether d is a real long double of 16 bytes.
func Long(d dtype.DType) bool {
	return d.IsLongDouble() && d.Kind() == dtype.KindFloat && d.ItemSize() == 16
}

// IsNumber reports whether elements of d are numbers that can be drawn.
func IsNumber(d dtype.DType) bool { return d.IsNumber() || Long(d) }

// halves returns the lower and upper 64 bits of each long double of a.
func halves(a array.Array) (lo, hi []uint64, err error) {
	d := dtype.Uint64.WithByteOrder(a.DType().ByteOrder())
	first, second := "lo", "hi"
	if d.ByteOrder() == dtype.BigEndian {
		first, second = second, first
	}
	pair, err := dtype.Struct(16, dtype.Field{Name: first, Type: d}, dtype.Field{Name: second, Type: d, Offset: 8})
	if err != nil {
		return nil, nil, err
	}
	if a, err = a.Reinterpret(pair); err != nil {
		return nil, nil, err
	}
	for _, x := range []struct {
		name string
		to   *[]uint64
	}{{"lo", &lo}, {"hi", &hi}} {
		f, err := a.Field(x.name)
		if err != nil {
			return nil, nil, err
		}
		v, err := array.Cast[uint64](f)
		if err != nil {
			return nil, nil, err
		}
		*x.to = v.Collect()
	}
	return lo, hi, nil
}

// extended reports whether long doubles have the 80-bit format of x86: a significand of 64 bits, 16 bits for exponent
// and sign, and 48 unused bits. Otherwise they are 128-bit IEEE floats. Files do not record the format, so the format
// of this machine is assumed, as in NumPy.
var extended = runtime.GOARCH == "amd64" || runtime.GOARCH == "386"

// parts splits a long double into sign, significand, exponent and the number of significand bits. special is set for
// infinity, with a zero significand, and for NaN, with a nonzero one.
func parts(lo, hi uint64, extended bool) (negative bool, significand *big.Int, exponent int, bits uint, special bool) {
	m := new(big.Int)
	if extended {
		e := int(hi & 0x7fff)
		m.SetUint64(lo)
		if e == 0x7fff {
			m.SetUint64(lo << 1)
			return hi>>15&1 == 1, m, e, 64, true
		}
		return hi>>15&1 == 1, m, max(e, 1) - 16383 - 63, 64, false
	}
	e := int(hi >> 48 & 0x7fff)
	m.SetUint64(hi & (1<<48 - 1))
	m.Lsh(m, 64).Or(m, new(big.Int).SetUint64(lo))
	if e == 0x7fff {
		return hi>>63 == 1, m, e, 113, true
	}
	if e > 0 {
		m.SetBit(m, 112, 1)
	}
	return hi>>63 == 1, m, max(e, 1) - 16383 - 112, 113, false
}

// value returns the float64 nearest to a long double.
func value(lo, hi uint64, extended bool) float64 {
	negative, m, e, bits, special := parts(lo, hi, extended)
	var x float64
	switch {
	case special && m.Sign() == 0:
		x = math.Inf(1)
	case special:
		return math.NaN()
	default:
		f := new(big.Float).SetPrec(bits).SetInt(m)
		x, _ = f.SetMantExp(f, e).Float64()
	}
	if negative {
		x = -x
	}
	return x
}

// LongText formats a long double as NumPy's str does, with the fewest digits that identify it. a has no dimensions.
func LongText(a array.Array) (string, error) {
	lo, hi, err := halves(a)
	if err != nil {
		return "", err
	}
	return text(lo[0], hi[0], extended), nil
}

func text(lo, hi uint64, extended bool) string {
	negative, m, e, bits, special := parts(lo, hi, extended)
	sign := ""
	if negative {
		sign = "-"
	}
	switch {
	case special && m.Sign() == 0:
		return sign + "inf"
	case special:
		return "nan"
	case m.Sign() == 0:
		return sign + "0.0"
	}
	f := new(big.Float).SetPrec(bits).SetInt(m)
	f.SetMantExp(f, e)
	text := f.Text('e', -1)
	digits, power, _ := strings.Cut(text, "e")
	if n, err := strconv.Atoi(power); err == nil && n >= -4 && n < 16 {
		if text = f.Text('f', -1); !strings.Contains(text, ".") {
			text += ".0"
		}
		return sign + text
	}
	return sign + digits + "e" + power
}

// longDoublesToFloat64 returns the long doubles of a, rounded to float64, in an array of the same shape.
func longDoublesToFloat64(a array.Array) (array.View[float64], error) {
	lo, hi, err := halves(a)
	if err != nil {
		return array.View[float64]{}, err
	}
	f := make([]float64, len(lo))
	for i := range f {
		f[i] = value(lo[i], hi[i], extended)
	}
	return withShape(f, a.Shape())
}

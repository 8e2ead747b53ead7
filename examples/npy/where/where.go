package where

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
)

// A Filter finds the rows that satisfy all of several conditions. It keeps buffers for blocks of rows; only one
// goroutine at a time may use it.
type Filter struct {
	columns []Column
	tests   []test
}

// A test sets the elements of mask to false whose values in a column do not satisfy a condition.
type test func(mask []bool, column array.Array) error

// A ValueError is the error for a condition whose value or operator does not suit the dtype of its column.
type ValueError struct{ error }

func (e ValueError) Unwrap() error { return e.error }

// New returns the Filter of conditions on the rows of a. It is an error if a column does not exist. If a value does not
// suit the dtype of its column, the error is a [ValueError].
func New(a array.Array, conditions ...Condition) (*Filter, error) {
	f := &Filter{}
	for _, c := range conditions {
		column, err := c.column.Of(a)
		if err != nil {
			return nil, err
		}
		t, err := c.compile(column.DType())
		if err != nil {
			hint := ""
			if strings.ContainsAny(c.value, "=<>&|") {
				hint = "; each -where has one condition"
			}
			return nil, ValueError{fmt.Errorf("%v %s %s: %w%s", c.column, c.op, c.value, err, hint)}
		}
		f.columns, f.tests = append(f.columns, c.column), append(f.tests, t)
	}
	return f, nil
}

// Match sets each mask[i] to whether row i of rows satisfies the conditions. The rows have the dtype and the shape of
// the rows of the array that was passed to New.
func (f *Filter) Match(mask []bool, rows array.Array) error {
	for i := range mask {
		mask[i] = true
	}
	for k, t := range f.tests {
		column, err := f.columns[k].Of(rows)
		if err == nil {
			err = t(mask, column)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compile returns the test of c for a column of dtype d. The error says which values and
// operators d has.
func (c *Condition) compile(d dtype.DType) (test, error) {
	switch d.Kind() {
	case dtype.KindBool:
		v, err := parseBool(c.value)
		return integerTest(array.Cast[uint8], c.op, v, 0, 1), err
	case dtype.KindInt:
		v, err := parseNumber(c.value)
		return integerTest(array.Cast[int64], c.op, v, math.MinInt64, math.MaxInt64), err
	case dtype.KindUint:
		v, err := parseNumber(c.value)
		return integerTest(array.Cast[uint64], c.op, v, 0, math.MaxUint64), err
	case dtype.KindDatetime, dtype.KindTimedelta:
		v, err := value.Ticks(d, c.value)
		if v == nil && isEquality(c.op) {
			return intervalTest(array.As[int64], dtype.NaT, dtype.NaT, c.op == "="), err
		}
		return integerTest(array.As[int64], c.op, v, dtype.NaT+1, math.MaxInt64), err
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		v, err := parseFloat(d, c.value)
		return floatTest(c.op, v), err
	case dtype.KindBytes, dtype.KindUnicode:
		return c.textTest(d), nil
	}
	if !isEquality(c.op) {
		return nil, fmt.Errorf("dtype %v has no order; want = or !=", d)
	}
	if d.Kind() == dtype.KindComplex {
		v, err := parseComplex(d, c.value)
		return complexTest(c.op, v), err
	}
	v, err := value.Parse(d, c.value)
	if err != nil {
		return nil, err
	}
	b, err := gather(nil, v)
	return bytesTest(c.op, b), err
}

func isEquality(op string) bool { return op == "=" || op == "!=" }

// intervalTest returns the test for values from lo to hi, or, unless inside is set, for all other values. view returns
// the values of a column.
func intervalTest[T int64 | uint64 | uint8 | float64](view func(array.Array) (array.View[T], error), lo, hi T,
	inside bool) test {
	var values []T
	return func(mask []bool, column array.Array) error {
		v, err := view(column)
		if err != nil {
			return err
		}
		values = v.AppendTo(values[:0])
		for i, x := range values {
			mask[i] = mask[i] && (lo <= x && x <= hi) == inside
		}
		return nil
	}
}

// integerTest returns the test for integers that compare with v as op says. Of all integers, only those from least to
// most do. A nil v is NaN.
func integerTest[T int64 | uint64 | uint8](view func(array.Array) (array.View[T], error), op string, v *big.Rat, least,
	most T) test {
	lo, hi := bigInt(least), bigInt(most)
	switch one := big.NewInt(1); {
	case v == nil:
		lo, hi = one, new(big.Int) // no integers
	case isEquality(op):
		lo, hi = ceil(v), floor(v)
	case op == "<":
		hi = one.Sub(ceil(v), one)
	case op == "<=":
		hi = floor(v)
	case op == ">":
		lo = one.Add(floor(v), one)
	default:
		lo = ceil(v)
	}
	if lo.Cmp(bigInt(most)) > 0 || hi.Cmp(bigInt(least)) < 0 || lo.Cmp(hi) > 0 {
		return intervalTest(view, 1, 0, op != "!=")
	}
	if lo.Cmp(bigInt(least)) > 0 {
		least = fromBig[T](lo)
	}
	if hi.Cmp(bigInt(most)) < 0 {
		most = fromBig[T](hi)
	}
	return intervalTest(view, least, most, op != "!=")
}

func bigInt[T int64 | uint64 | uint8](x T) *big.Int {
	if x < 0 {
		return big.NewInt(int64(x))
	}
	return new(big.Int).SetUint64(uint64(x))
}

// fromBig returns x, which is a value of T.
func fromBig[T int64 | uint64 | uint8](x *big.Int) T {
	if x.Sign() < 0 {
		return T(x.Int64())
	}
	return T(x.Uint64())
}

// floor returns the largest integer that is at most v.
func floor(v *big.Rat) *big.Int {
	return new(big.Int).Div(v.Num(), v.Denom()) // rounds down, as the denominator is positive
}

// ceil returns the smallest integer that is at least v.
func ceil(v *big.Rat) *big.Int {
	x := floor(new(big.Rat).Neg(v))
	return x.Neg(x)
}

// floatTest returns the test for floats that compare with v as op says. Equal to NaN are all NaN.
func floatTest(op string, v float64) test {
	lo, hi := math.Inf(-1), math.Inf(1)
	inside := op != "!="
	switch {
	case v != v && isEquality(op):
		inside = !inside // the interval contains all but NaN
	case v != v || op == "<" && v == lo || op == ">" && v == hi:
		lo, hi = hi, lo // no numbers
	case isEquality(op):
		lo, hi = v, v
	case op == "<":
		hi = math.Nextafter(v, lo)
	case op == "<=":
		hi = v
	case op == ">":
		lo = math.Nextafter(v, hi)
	default:
		lo = v
	}
	return intervalTest(array.Cast[float64], lo, hi, inside)
}

// complexTest returns the test for equality with v, as op says. Equal to NaN are all complex numbers with a NaN.
func complexTest(op string, v complex128) test {
	var values []complex128
	return func(mask []bool, column array.Array) error {
		view, err := array.Cast[complex128](column)
		if err != nil {
			return err
		}
		values = view.AppendTo(values[:0])
		for i, x := range values {
			mask[i] = mask[i] && (x == v || hasNaN(v) && hasNaN(x)) == (op == "=")
		}
		return nil
	}
}

// hasNaN reports whether a part of x is NaN.
func hasNaN(x complex128) bool { return math.IsNaN(real(x)) || math.IsNaN(imag(x)) }

// parseBool returns 0 for false and 1 for true.
func parseBool(s string) (*big.Rat, error) {
	switch strings.ToLower(s) {
	case "true", "1":
		return big.NewRat(1, 1), nil
	case "false", "0":
		return new(big.Rat), nil
	}
	return nil, errors.New("want true or false")
}

// mostDigits is the maximum number of bytes in the text of a number. The time to parse it grows with the square.
const mostDigits = 4096

// parseNumber returns the exact value of a number for comparisons with integers of 64 bits, or nil for NaN. A number of
// at least 1e30 may be replaced by 1e30.
func parseNumber(s string) (*big.Rat, error) {
	x, _ := strconv.ParseFloat(s, 64) // 0 for 0xff
	switch {
	case math.IsNaN(x):
		return nil, nil
	case math.Abs(x) >= 1e30: // or infinite
		return new(big.Rat).SetFloat64(math.Copysign(1e30, x)), nil
	case len(s) <= mostDigits && !strings.Contains(s, "/"): // Rat accepts 1/3
		if v, ok := new(big.Rat).SetString(s); ok { // reads 0xff, too
			return v, nil
		}
	}
	return nil, errors.New("want a number")
}

// parseFloat returns the value of a number, rounded to dtype d if it is not too large for d.
func parseFloat(d dtype.DType, s string) (float64, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return 0, errors.New("want a number, nan or inf")
	}
	if d.IsLongDouble() {
		return x, nil
	}
	rounded, err := value.Parse(d, s)
	if err != nil { // too large for d
		return x, nil
	}
	v, err := array.Cast[float64](rounded)
	if err != nil {
		return 0, err
	}
	return v.At(), nil
}

// parseComplex returns a complex number, rounded to dtype d.
func parseComplex(d dtype.DType, s string) (complex128, error) {
	if d.IsLongDouble() {
		d = dtype.Complex128
	}
	x, err := value.Parse(d, s)
	if err != nil {
		return 0, errors.New("want a complex number, such as 1+2j")
	}
	v, err := array.Cast[complex128](x)
	if err != nil {
		return 0, err
	}
	return v.At(), nil
}

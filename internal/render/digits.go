package render

import (
	"math"
	"math/big"
)

// A decimal is a positive decimal number.
type decimal struct {
	digits []byte // '0' to '9'
	exp    int    // exponent of the first digit: 3 for 1234
}

// A precision limits the number of digits after the decimal point: least and most. In scientific notation the point
// follows the first digit. A negative value means no limit.
type precision struct {
	most, least int
	scientific  bool
}

// shortest returns the digits of x > 0, a float of the given size, like NumPy's Dragon4 in unique mode: the fewest
// digits that distinguish x from other floats of that size, within the limits of p. If there are fewer than p.least,
// the exact digits of x follow. The last digit is rounded.
//
// See "How to Print Floating-Point Numbers Accurately", Steele and White, 1990.
func shortest(x float64, size int, p precision) decimal {
	// x is m × 2^e, where m has the number of bits of a float of that size.
	bits, lowest := 53, -1074
	switch size {
	case 2:
		bits, lowest = 11, -24
	case 4:
		bits, lowest = 24, -149
	case sizeBF16:
		bits, lowest = 8, -133
	case sizeE4M3FN:
		bits, lowest = 4, -9
	case sizeE5M2:
		bits, lowest = 3, -16
	}
	_, e := math.Frexp(x)
	e = max(e-bits, lowest)
	m := int64(math.Ldexp(x, -e))

	// x is value/scale. The midpoints between x and its neighbors are low below x and high above x. All four are
	// multiplied by 4.
	value, scale := big.NewInt(4*m), big.NewInt(4)
	low, high := big.NewInt(2), big.NewInt(2)
	if m == 1<<(bits-1) && e > lowest {
		low.SetInt64(1) // the lower neighbor is nearer, because its exponent is less
	}
	if e > 0 {
		for _, z := range []*big.Int{value, low, high} {
			z.Lsh(z, uint(e))
		}
	} else {
		scale.Lsh(scale, uint(-e))
	}
	exp := int(math.Floor(math.Log10(x))) // may be off by one or two
	if exp > 0 {
		scale.Mul(scale, power10(exp))
	} else {
		for _, z := range []*big.Int{value, low, high} {
			z.Mul(z, power10(-exp))
		}
	}
	ten := big.NewInt(10)
	for value.Cmp(scale) < 0 {
		exp--
		for _, z := range []*big.Int{value, low, high} {
			z.Mul(z, ten)
		}
	}
	for next := new(big.Int); next.Mul(scale, ten).Cmp(value) <= 0; exp++ {
		scale.Set(next)
	}

	// Produce digits until the remainder cannot change which float is nearest.
	unit := 0 // the exponent of the digit before the point
	if p.scientific {
		unit = exp
	}
	least, most := exp, math.MinInt
	if p.least >= 0 {
		least = unit - p.least
	}
	if p.most >= 0 {
		most = unit - p.most
	}
	d := decimal{exp: exp}
	even := m%2 == 0 // then the midpoints round to x
	digit, sum := new(big.Int), new(big.Int)
	for at := exp; ; at-- {
		digit.QuoRem(value, scale, value)
		d.digits = append(d.digits, '0'+byte(digit.Int64()))
		under, over := value.Cmp(low), sum.Add(value, high).Cmp(scale)
		isLow, isHigh := under < 0 || even && under == 0, over > 0 || even && over == 0
		if !((isLow || isHigh) && at <= least) && at != most {
			for _, z := range []*big.Int{value, low, high} {
				z.Mul(z, ten)
			}
			continue
		}
		down := isLow
		if isLow == isHigh {
			half := sum.Lsh(value, 1).Cmp(scale)
			down = half < 0 || half == 0 && d.digits[len(d.digits)-1]%2 == 0
		}
		if !down {
			d.increment()
		}
		return d
	}
}

// increment adds 1 to the last digit.
func (d *decimal) increment() {
	for i := len(d.digits) - 1; i >= 0; i-- {
		if d.digits[i] < '9' {
			d.digits[i]++
			return
		}
		d.digits[i] = '0'
	}
	d.digits = append([]byte{'1'}, d.digits[:len(d.digits)-1]...)
	d.exp++
}

func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}

package render

import (
	"math"
	"math/big"
)

// A decimal is a positive number.
type decimal struct {
	digits []byte // '0' to '9'
	exp    int    // of the first digit: 3 for 1234
}

// A precision bounds how many digits follow the decimal point: after the first
// digit in scientific notation, else after the one of 10^0. Negative: no bound.
type precision struct {
	most, least int
	scientific  bool
}

// shortest returns the digits of x > 0, a float of some size, as NumPy's Dragon4
// makes them in its unique mode: as many as tell x from other floats of its size,
// within the bounds of p. If they are fewer than p.least, the digits of x itself go
// on. The last digit is rounded.
//
// See "How to Print Floating-Point Numbers Accurately", Steele and White, 1990.
func shortest(x float64, size int, p precision) decimal {
	// x is m × 2^e, with as many bits in m as a float of its size has.
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

	// x is value/scale, and the floats half way to its neighbours are low below
	// and high above it. All four get a factor of 4.
	value, scale := big.NewInt(4*m), big.NewInt(4)
	low, high := big.NewInt(2), big.NewInt(2)
	if m == 1<<(bits-1) && e > lowest {
		low.SetInt64(1) // the neighbour below is nearer: its e is less
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

	// One digit after the other, until the next float is out of reach.
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
	even := m%2 == 0 // then the bounds themselves are rounded to x
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
			d.up()
		}
		return d
	}
}

// up adds one to the last digit.
func (d *decimal) up() {
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

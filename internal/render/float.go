package render

import (
	"fmt"
	"math"
	"strings"

	"github.com/ndmap/ndmap/dtype"
)

// A floatFormat formats floats as NumPy does in an array: all of them in fixed-point notation or all of them in
// scientific notation, with at most 8 digits after the point, padded so that the points are aligned. It implements
// FloatingFormat of numpy/core/arrayprint.py with the default print options.
type floatFormat struct {
	size       int // size of a float: see FloatSize
	scientific bool
	precision  precision
	left       int // characters before the point, including the sign
	right      int // characters after the point
	exponent   int // digits of the exponent
	plus       bool
}

const maxPrecision = 8

// Float sizes of the floats of machine learning models, which are not their numbers of bytes.
const (
	sizeBF16 = 0x100 + iota
	sizeE4M3FN
	sizeE5M2
)

// FloatSize returns the float size of dtype d, an argument of other functions of this package: the number of bytes, or
// one of the values above for the floats of machine learning models. ok is false if d is not a float of up to 64 bits.
func FloatSize(d dtype.DType) (size int, ok bool) {
	switch d.Kind() {
	case dtype.KindFloat:
		return d.ItemSize(), !d.IsLongDouble()
	case dtype.KindBFloat16:
		return sizeBF16, true
	case dtype.KindFloat8E4M3FN:
		return sizeE4M3FN, true
	case dtype.KindFloat8E5M2:
		return sizeE5M2, true
	}
	return 0, false
}

// Floats returns a function that formats the values s, floats of the given [FloatSize], as elements of one array.
func Floats(s []float64, size int) func(float64) string {
	return newFloatFormat(s, size, false).format
}

// newFloatFormat returns the format for the values s, floats of the given FloatSize. If plus is true, positive values
// have a sign.
func newFloatFormat(s []float64, size int, plus bool) *floatFormat {
	f := &floatFormat{size: size, plus: plus, precision: precision{maxPrecision, -1, false}}
	finite := make([]float64, 0, len(s))
	lo, hi := math.Inf(1), 0.0
	infinite := false
	for _, x := range s {
		if math.IsInf(x, 0) || math.IsNaN(x) {
			infinite = infinite || x < 0 || plus && math.IsInf(x, 0)
			continue
		}
		finite = append(finite, x)
		if a := math.Abs(x); a != 0 {
			lo, hi = min(lo, a), max(hi, a)
		}
	}
	if hi > 0 {
		f.scientific = hi >= 1e8 || lo < 0.0001 || quotient(hi, lo, size) > 1000
		f.precision.scientific = f.scientific
	}
	fraction := 0
	for _, x := range finite {
		text := f.digits(x)
		mantissa, exp, _ := strings.Cut(text, "e")
		whole, frac, _ := strings.Cut(mantissa, ".")
		f.left = max(f.left, len(whole))
		fraction = max(fraction, len(frac))
		f.exponent = max(f.exponent, len(exp)-1)
	}
	f.right = fraction
	f.precision.least = 0
	if f.scientific {
		f.precision = precision{fraction, fraction, true}
		f.right = fraction + f.exponent + 2
	}
	if len(finite) < len(s) {
		inf := 3
		if infinite || plus {
			inf = 4
		}
		f.left = max(f.left, 3-f.right-1, inf-f.right-1)
	}
	return f
}

// quotient returns x/y rounded to a float of the given FloatSize.
func quotient(x, y float64, size int) float64 {
	switch size {
	case 2:
		return dtype.HalfFrom64(float64(float32(x) / float32(y))).Float64()
	case 8:
		return x / y
	}
	return float64(float32(x) / float32(y))
}

func (f *floatFormat) format(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Sprintf("%*s", f.left+1+f.right, nonFinite(x, f.plus))
	}
	s := f.digits(x)
	mantissa, exp, _ := strings.Cut(s, "e")
	whole, frac, _ := strings.Cut(mantissa, ".")
	s = strings.Repeat(" ", max(0, f.left-len(whole))) + whole + "." + frac
	if !f.scientific {
		return s + strings.Repeat(" ", max(0, f.right-len(frac)))
	}
	s += strings.Repeat("0", max(0, f.precision.most-len(frac)))
	return s + "e" + exp[:1] + strings.Repeat("0", max(0, f.exponent-len(exp)+1)) + exp[1:]
}

func nonFinite(x float64, plus bool) string {
	switch {
	case math.IsNaN(x) && plus:
		return "+nan"
	case math.IsNaN(x):
		return "nan"
	case x < 0:
		return "-inf"
	case plus:
		return "+inf"
	}
	return "inf"
}

// digits returns x without padding: "-12.5", "1.e+16", "0.".
func (f *floatFormat) digits(x float64) string { return digits(x, f.size, f.precision, f.plus) }

func digits(x float64, size int, p precision, plus bool) string {
	sign := ""
	switch {
	case math.Signbit(x):
		sign = "-"
	case plus:
		sign = "+"
	}
	d := decimal{digits: []byte{'0'}}
	if x != 0 {
		d = shortest(math.Abs(x), size, p)
	}
	whole, frac := string(d.digits[:1]), string(d.digits[1:])
	if !p.scientific {
		switch n := d.exp + 1; {
		case n <= 0:
			whole, frac = "0", strings.Repeat("0", -n)+string(d.digits)
		case n >= len(d.digits):
			whole, frac = string(d.digits)+strings.Repeat("0", n-len(d.digits)), ""
		default:
			whole, frac = string(d.digits[:n]), string(d.digits[n:])
		}
	}
	if !p.scientific || p.least < 0 {
		frac = strings.TrimRight(frac, "0")
	}
	s := sign + whole + "." + frac
	if p.scientific {
		s += fmt.Sprintf("e%+03d", d.exp)
	}
	return s
}

// Float returns x, a float of the given FloatSize, as NumPy's str of a scalar: 1.0, 1e-05, nan.
func Float(x float64, size int) string {
	s := scalarPart(x, size, false)
	if !strings.ContainsAny(s, ".en") { // contains neither a point nor an exponent, and is not inf or nan
		s += ".0"
	}
	return s
}

// scalarPart is like Float without ".0", for the parts of a complex number.
func scalarPart(x float64, size int, plus bool) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nonFinite(x, plus)
	}
	a := math.Abs(x)
	s := digits(x, size, precision{-1, -1, a != 0 && (a >= 1e16 || a < 1e-4)}, plus)
	return strings.TrimSuffix(strings.Replace(s, ".e", "e", 1), ".")
}

// complexScalar returns NumPy's str of a complex scalar.
func complexScalar(re, im float64, size int) string {
	if re == 0 && !math.Signbit(re) {
		return scalarPart(im, size, false) + "j"
	}
	return "(" + scalarPart(re, size, false) + scalarPart(im, size, true) + "j)"
}

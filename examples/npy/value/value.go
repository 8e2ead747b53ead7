// Package value parses array elements typed by users.
package value

import (
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Parse returns an array without dimensions, of dtype d, that holds the value of the text s. It is an error if s does
// not fit d. Only digits of floats may be rounded.
func Parse(d dtype.DType, s string) (array.Array, error) {
	b, err := encode(d, s)
	if err != nil {
		return array.Array{}, fmt.Errorf("value %q does not fit dtype %v: %w", s, d, err)
	}
	return array.FromBytes(b, d, index.C)
}

// mostDigits is the maximum number of bytes in the text of a number or a time. The exact digits of any float64 take
// less than 1,100 bytes. Parsing a long integer takes time proportional to the square of its length.
const mostDigits = 4096

// AppendField appends an element of dtype d with the value of the CSV field s. Text is taken verbatim. Other values are
// parsed like the text in Parse, after surrounding blanks are removed. The error says which values are accepted.
func AppendField(dst []byte, d dtype.DType, s string) ([]byte, error) {
	size := d.ItemSize()
	switch {
	case d.Kind() == dtype.KindBytes || d.Kind() == dtype.KindUnicode:
		b, err := encodeText(d, s)
		return append(dst, b...), err
	case len(s) > mostDigits: // possibly blanks only
	case d.Kind() == dtype.KindFloat && !d.IsLongDouble(): // the most common case does not allocate
		if x, err := strconv.ParseFloat(s, max(32, 8*size)); err == nil {
			if b, ok := appendReal(dst, d, x, size); ok {
				return b, nil
			}
		}
	case d.Kind() == dtype.KindInt:
		if x, err := strconv.ParseInt(s, 10, 8*size); err == nil {
			return appendUint(dst, d, uint64(x), size), nil
		}
	}
	b, err := encode(d, strings.TrimSpace(s))
	return append(dst, b...), err
}

// encode returns the bytes of an element with the value s. The error says which values are accepted.
func encode(d dtype.DType, s string) ([]byte, error) {
	size := d.ItemSize()
	if d.IsLongDouble() {
		return encodeHex(size, s)
	}
	if len(s) > mostDigits && !d.IsVariable() {
		return nil, fmt.Errorf("%d bytes, but the text of a number or a time has at most %d", len(s), mostDigits)
	}
	switch d.Kind() {
	case dtype.KindBool:
		switch strings.ToLower(s) {
		case "true", "1":
			return []byte{1}, nil
		case "false", "0":
			return []byte{0}, nil
		}
		return nil, errors.New("want true or false")
	case dtype.KindInt:
		lo, hi := int64(math.MinInt64)>>(64-8*size), int64(math.MaxInt64)>>(64-8*size)
		x := parseInteger(s)
		if x == nil || !x.IsInt64() || x.Int64() < lo || x.Int64() > hi {
			return nil, fmt.Errorf("want an integer from %d to %d", lo, hi)
		}
		return appendUint(nil, d, uint64(x.Int64()), size), nil
	case dtype.KindUint:
		hi := uint64(math.MaxUint64) >> (64 - 8*size)
		x := parseInteger(s)
		if x == nil || !x.IsUint64() || x.Uint64() > hi {
			return nil, fmt.Errorf("want an integer from 0 to %d", hi)
		}
		return appendUint(nil, d, x.Uint64(), size), nil
	case dtype.KindFloat:
		return encodeFloat(d, s, size)
	case dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		return encodeModel(d, s)
	case dtype.KindComplex:
		return encodeComplex(d, s)
	case dtype.KindBytes, dtype.KindUnicode:
		if b, ok := BytesLiteral(s); ok && d.Kind() == dtype.KindBytes {
			if len(b) > size {
				return nil, fmt.Errorf("want at most %d bytes", size)
			}
			return append(b, make([]byte, size-len(b))...), nil
		}
		return encodeText(d, s)
	case dtype.KindVoid:
		return encodeHex(size, s)
	case dtype.KindDatetime:
		return encodeTime(d, s)
	case dtype.KindTimedelta:
		return encodeDuration(d, s)
	}
	var names []string
	for f := range d.Fields() {
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("it is a structure; choose a field with -field: %s", strings.Join(names, ", "))
}

// parseInteger returns the integer s, or nil. s may be written as a float (1e3) or with a prefix (0xff).
func parseInteger(s string) *big.Int {
	if x, ok := new(big.Int).SetString(s, 10); ok {
		return x
	}
	digits := strings.TrimLeft(s, "+-")
	if len(digits) > 2 && digits[0] == '0' && strings.ContainsRune("xXoObB", rune(digits[1])) {
		if x, ok := new(big.Int).SetString(s, 0); ok {
			return x
		}
		return nil
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f != math.Trunc(f) || math.Abs(f) >= 1<<53 {
		return nil
	}
	return big.NewInt(int64(f))
}

// appendUint appends the low size bytes of x in the byte order of d.
func appendUint(b []byte, d dtype.DType, x uint64, size int) []byte {
	for i := range size {
		shift := 8 * i
		if d.ByteOrder() == dtype.BigEndian {
			shift = 8 * (size - 1 - i)
		}
		b = append(b, byte(x>>shift))
	}
	return b
}

// appendReal appends x as a float of size bytes. ok is false if x is too large.
func appendReal(b []byte, d dtype.DType, x float64, size int) (_ []byte, ok bool) {
	y, bits := x, uint64(0)
	if math.IsNaN(x) {
		x = math.Float64frombits(0x7FF8 << 48) // NumPy's NaN; math.NaN has another bit set
	}
	switch size {
	case 2:
		h := dtype.HalfFrom64(x)
		y, bits = h.Float64(), uint64(h)
	case 4:
		y, bits = float64(float32(x)), uint64(math.Float32bits(float32(x)))
	case 8:
		bits = math.Float64bits(x)
	}
	return appendUint(b, d, bits, size), math.IsInf(x, 0) || !math.IsInf(y, 0)
}

func encodeFloat(d dtype.DType, s string, size int) ([]byte, error) {
	x, err := strconv.ParseFloat(s, max(32, 8*size)) // rounds once, except for half precision
	b, ok := appendReal(nil, d, x, size)
	if err != nil || !ok {
		return nil, fmt.Errorf("want a number of at most %s, nan or inf", largestFloat(size))
	}
	return b, nil
}

func largestFloat(size int) string {
	switch size {
	case 2:
		return "65504"
	case 4:
		return "3.4028235e+38"
	}
	return "1.7976931348623157e+308"
}

// encodeModel encodes the number s as a bfloat16 or an 8-bit float.
func encodeModel(d dtype.DType, s string) ([]byte, error) {
	x, err := strconv.ParseFloat(s, 64)
	if math.IsNaN(x) {
		x = math.Float64frombits(0x7FF8 << 48)
	}
	var y float64
	var bits uint64
	most, others := "3.3895314e+38", ", nan or inf"
	switch d.Kind() {
	case dtype.KindBFloat16:
		f := dtype.BF16From64(x)
		y, bits = f.Float64(), uint64(f)
	case dtype.KindFloat8E4M3FN:
		f := dtype.F8E4M3FNFrom64(x)
		y, bits = f.Float64(), uint64(f)
		most, others = "448", ", or nan" // this format has no infinity
	default:
		f := dtype.F8E5M2From64(x)
		y, bits = f.Float64(), uint64(f)
		most = "57344"
	}
	tooLarge := math.IsInf(y, 0) && !math.IsInf(x, 0) || math.IsNaN(y) && !math.IsNaN(x)
	if err != nil || tooLarge {
		return nil, fmt.Errorf("want a number of at most %s%s", most, others)
	}
	return appendUint(nil, d, bits, d.ItemSize()), nil
}

// encodeComplex encodes a complex number, written like 1+2j, (1+2j), 2j, 1 or [1, 2].
func encodeComplex(d dtype.DType, s string) ([]byte, error) {
	size := d.ItemSize() / 2
	want := fmt.Errorf("want a complex number like 1+2j or [1,2], each part at most %s, nan or inf", largestFloat(size))
	var c complex128
	if list, ok := strings.CutPrefix(s, "["); ok {
		first, second, ok := strings.Cut(strings.TrimSuffix(list, "]"), ",")
		re, err1 := strconv.ParseFloat(strings.Trim(first, ` "`), 64)
		im, err2 := strconv.ParseFloat(strings.Trim(second, ` "`), 64)
		if !ok || s[len(s)-1] != ']' || err1 != nil || err2 != nil {
			return nil, want
		}
		c = complex(re, im)
	} else {
		t := s
		for _, end := range []string{"j", "j)"} {
			if u, ok := strings.CutSuffix(t, end); ok {
				t = u + "i" + end[1:]
				break
			}
		}
		var err error
		if c, err = strconv.ParseComplex(t, 128); err != nil {
			return nil, want
		}
	}
	b, ok1 := appendReal(nil, d, real(c), size)
	b, ok2 := appendReal(b, d, imag(c), size)
	if !ok1 || !ok2 {
		return nil, want
	}
	return b, nil
}

// encodeText encodes s as text of dtype d, padded with NULs.
func encodeText(d dtype.DType, s string) ([]byte, error) {
	size, want := 1, "characters up to U+00FF"
	if d.Kind() == dtype.KindUnicode {
		size, want = 4, "code points"
	}
	n := d.ItemSize() / size
	if !utf8.ValidString(s) {
		return nil, errors.New("want text in UTF-8")
	}
	if utf8.RuneCountInString(s) > n || size == 1 && strings.ContainsFunc(s, func(c rune) bool { return c > 0xFF }) {
		return nil, fmt.Errorf("want at most %d %s", n, want)
	}
	var b []byte
	for _, c := range s {
		b = appendUint(b, d, uint64(c), size)
	}
	return append(b, make([]byte, d.ItemSize()-len(b))...), nil
}

// BytesLiteral parses a Python bytes literal as print shows it: b'a\x00'. ok is false if s is not one.
func BytesLiteral(s string) (b []byte, ok bool) {
	if len(s) < 3 || s[0] != 'b' || s[1] != '\'' && s[1] != '"' || s[len(s)-1] != s[1] {
		return nil, false
	}
	quote := s[1]
	for s = s[2 : len(s)-1]; len(s) > 0; {
		// UnquoteChar decodes the escapes of Python's bytes literals, except escaped quotes.
		if s[0] == quote || s[0] == '\\' && len(s) > 1 && s[1] == 'u' {
			return nil, false
		}
		if len(s) > 1 && s[0] == '\\' && (s[1] == '\'' || s[1] == '"') {
			b, s = append(b, s[1]), s[2:]
			continue
		}
		c, _, rest, err := strconv.UnquoteChar(s, 0)
		if err != nil || c > 0xFF {
			return nil, false
		}
		b, s = append(b, byte(c)), rest
	}
	return b, true
}

func encodeHex(size int, s string) ([]byte, error) {
	b, ok := BytesLiteral(s)
	var err error
	if !ok {
		b, err = hex.DecodeString(s)
	}
	if err != nil || len(b) != size {
		return nil, fmt.Errorf("want %d bytes, in hexadecimal or as b'\\x00…'", size)
	}
	return b, nil
}

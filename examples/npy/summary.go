package main

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/internal/render"
)

// A summary holds the results of stats for an array. Values are *big.Int for integers and times, bool for the minimum
// and maximum of booleans, float64 for values that may have a fraction, and nil if undefined.
type summary struct {
	nan, posInf, negInf, zeros int
	min, max, mean, std, sum   any
	edges                      []any // one more than counts, or none
	counts                     []int
}

// write writes s as text.
func (s *summary) write(out *bufio.Writer, path string, a array.Array, bars bars) error {
	d := a.DType()
	writeLine(out, "file", "%s", path)
	writeLine(out, "dtype", "%s: %s", d, words.DType(d))
	writeLine(out, "shape", "%s", words.Shape(a.Shape()))
	writeLine(out, "elements", "%s", words.Count(a.Size()))
	switch d.Kind() {
	case dtype.KindDatetime, dtype.KindTimedelta:
		writeLine(out, "NaT", "%s", words.Count(s.nan))
	case dtype.KindFloat, dtype.KindComplex, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		writeLine(out, "nan", "%s", words.Count(s.nan))
		writeLine(out, "inf", "%s", words.Count(s.posInf))
		writeLine(out, "-inf", "%s", words.Count(s.negInf))
	}
	value := func(name string, x any, size int) { writeLine(out, name, "%s", valueText(d, x, size)) }
	switch d.Kind() {
	case dtype.KindBool:
		writeLine(out, "false", "%s", words.Count(s.zeros))
		writeLine(out, "true", "%s", words.Count(a.Size()-s.zeros))
	case dtype.KindDatetime: // zero is just the start of 1970
	default:
		writeLine(out, "zeros", "%s", words.Count(s.zeros))
	}
	value("min", s.min, floatSize(d))
	value("max", s.max, floatSize(d))
	if d.Kind() != dtype.KindDatetime {
		mean, std, size := s.significantDigits(a)
		value("mean", mean, size)
		value("std", std, 8)
	}
	if d.Kind() != dtype.KindDatetime && d.Kind() != dtype.KindBool {
		value("sum", s.sum, 8)
	}
	if sum, ok := s.sum.(float64); ok && math.IsInf(sum, 0) && s.posInf+s.negInf == 0 {
		writeLine(out, "note", "the sum overflows; the other values do not")
	}
	if d.Kind() == dtype.KindComplex {
		writeLine(out, "note", "min, max and the values below describe magnitudes")
	}
	if bars.log && len(s.counts) > 0 {
		writeLine(out, "note", "the length of a bar is the logarithm of its count")
	}
	if len(s.counts) > 0 {
		out.WriteByte('\n')
		bars.draw(out, edgeTexts(d, s.edges), s.counts)
	}
	return nil
}

// significantDigits returns the mean and the standard deviation with their significant digits: two digits of the
// standard error of the mean, and at least four digits of the deviation. size is the size in bytes of the mean as a
// float. If all elements are equal, the mean keeps all their digits.
func (s *summary) significantDigits(a array.Array) (mean, std any, size int) {
	m, ok1 := s.mean.(float64)
	dev, ok2 := s.std.(float64)
	switch {
	case !ok1 || !ok2 || !finite(m) || !finite(dev):
		return s.mean, s.std, 8
	case dev == 0 && s.min == s.max && s.min == s.mean:
		return s.mean, s.std, floatSize(a.DType())
	case dev == 0:
		return s.mean, s.std, 8
	}
	step := min(dev/math.Sqrt(float64(a.Size()-s.nan)), dev/100)
	return roundTo(m, step), roundTo(dev, step), 8
}

// floatSize returns the size in bytes of a float that represents the minimum and maximum of dtype d.
func floatSize(d dtype.DType) int {
	if size, ok := render.FloatSize(d); ok {
		return size
	}
	return 8
}

// valueText formats a value of a summary as NumPy does. size is the size in bytes of a float.
func valueText(d dtype.DType, x any, size int) string {
	switch x := x.(type) {
	case float64:
		s := render.Float(x, size)
		if isTime(d) {
			s += " " + render.Ticks(d)
		}
		return s
	case bool:
		if x {
			return "True"
		}
		return "False"
	case *big.Int:
		switch {
		case d.Kind() == dtype.KindDatetime:
			return render.Time(d, x.Int64())
		case d.Kind() == dtype.KindTimedelta:
			return render.Amount(d, x)
		}
		return x.String()
	}
	return "none"
}

// writeJSON writes s as one line of JSON.
func (s *summary) writeJSON(out *bufio.Writer, path string, a array.Array) error {
	d := a.DType()
	b := append([]byte(nil), `{"path":`...)
	b = jsontext.AppendString(b, path)
	b = append(b, `,"descr":`...)
	b = jsontext.AppendDescr(b, d)
	b = append(b, `,"shape":`...)
	b = jsontext.AppendInts(b, a.Shape())
	b = fmt.Appendf(b, `,"size":%d,"nan":%d,"posinf":%d,"neginf":%d,"zeros":%d`, a.Size(), s.nan, s.posInf, s.negInf,
		s.zeros)
	if d.Kind() == dtype.KindComplex {
		b = append(b, `,"of":"magnitudes"`...)
	}
	for _, v := range []struct {
		name string
		x    any
		size int
	}{{"min", s.min, floatSize(d)}, {"max", s.max, floatSize(d)}, {"mean", s.mean, 8}, {"std", s.std, 8}, {"sum", s.sum,
		8}} {
		b = fmt.Appendf(b, `,"%s":`, v.name)
		b = appendValue(b, v.x, v.size)
	}
	b = append(b, `,"histogram":{"edges":[`...)
	for k, x := range s.edges {
		if k > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, x, 8)
	}
	b = append(b, `],"counts":`...)
	b = append(jsontext.AppendInts(b, s.counts), "}}\n"...)
	_, err := out.Write(b)
	return err
}

// appendValue appends a value of a summary as JSON.
func appendValue(b []byte, x any, size int) []byte {
	switch x := x.(type) {
	case float64:
		return jsontext.AppendFloat(b, x, size)
	case bool:
		return strconv.AppendBool(b, x)
	case *big.Int:
		return x.Append(b, 10)
	}
	return append(b, "null"...)
}

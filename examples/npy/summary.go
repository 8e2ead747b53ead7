package main

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"strconv"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/internal/render"
)

// A summary holds the results of stats for an array. Values are *big.Int for integers and times, bool for the minimum
// and maximum of booleans, float64 for values that may have a fraction, float32 for quantiles that are elements of this
// type, and nil if undefined.
type summary struct {
	nan, posInf, negInf, zeros int
	min, max, mean, std, sum   any
	edges                      []any // one more than counts, or none
	counts                     []int
	quantiles                  []any // for the numbers of the flag -q
}

// write writes the summary of an array or a field as text. qs are the quantiles of the summary.
func (sub *subject) write(out *bufio.Writer, qs []float64, bars bars) {
	s, d := sub.all, sub.dtype
	writeLine(out, "file", "%s", sub.path)
	if sub.field != "" {
		writeLine(out, "field", "%s", sub.field)
	}
	writeLine(out, "dtype", "%s: %s", d, words.DType(d))
	writeLine(out, "shape", "%s", words.Shape(sub.shape))
	writeLine(out, "elements", "%s", words.Count(sub.size))
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
		writeLine(out, "true", "%s", words.Count(sub.size-s.zeros))
	case dtype.KindDatetime: // zero is just the start of 1970
	default:
		writeLine(out, "zeros", "%s", words.Count(s.zeros))
	}
	value("min", s.min, floatSize(d))
	value("max", s.max, floatSize(d))
	if d.Kind() != dtype.KindDatetime {
		mean, std, size := s.significantDigits(d, sub.size)
		value("mean", mean, size)
		value("std", std, 8)
	}
	if d.Kind() != dtype.KindDatetime && d.Kind() != dtype.KindBool {
		value("sum", s.sum, 8)
	}
	for k, q := range qs {
		value(quantileName(q), s.quantiles[k], 8)
	}
	if sum, ok := s.sum.(float64); ok && math.IsInf(sum, 0) && s.posInf+s.negInf == 0 {
		writeLine(out, "note", "the sum overflows; the other values do not")
	}
	if d.Kind() == dtype.KindComplex {
		writeLine(out, "note", "min, max and the values below describe magnitudes")
		if len(qs) > 0 {
			writeLine(out, "note", "complex numbers have no order, and so no quantiles")
		}
	}
	if bars.log && len(s.counts) > 0 {
		writeLine(out, "note", "the length of a bar is the logarithm of its count")
	}
	if len(s.counts) > 0 {
		out.WriteByte('\n')
		bars.draw(out, edgeTexts(d, s.edges), s.counts)
	}
}

// quantileName returns the name of a quantile in text.
func quantileName(q float64) string { return "q " + strconv.FormatFloat(q, 'g', -1, 64) }

// significantDigits returns the mean and the standard deviation with their significant digits: two digits of the
// standard error of the mean, and at least four digits of the deviation. size is the size in bytes of the mean as a
// float. If all elements are equal, the mean keeps all their digits. d is the dtype of the elements, and n their
// number.
func (s *summary) significantDigits(d dtype.DType, n int) (mean, std any, size int) {
	m, ok1 := s.mean.(float64)
	dev, ok2 := s.std.(float64)
	switch {
	case !ok1 || !ok2 || !finite(m) || !finite(dev):
		return s.mean, s.std, 8
	case dev == 0 && s.min == s.max && s.min == s.mean:
		return s.mean, s.std, floatSize(d)
	case dev == 0:
		return s.mean, s.std, 8
	}
	step := min(dev/math.Sqrt(float64(n-s.nan)), dev/100)
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
	case float32:
		return render.Float(float64(x), 4)
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

// writeJSON writes the summary of an array or a field as one line of JSON. qs are the quantiles of the summary.
func (sub *subject) writeJSON(out *bufio.Writer, qs []float64) {
	s, d := sub.all, sub.dtype
	b := append([]byte(nil), `{"path":`...)
	b = jsontext.AppendString(b, sub.path)
	if sub.field != "" {
		b = append(b, `,"field":`...)
		b = jsontext.AppendString(b, sub.field)
	}
	b = append(b, `,"descr":`...)
	b = jsontext.AppendDescr(b, d)
	b = append(b, `,"shape":`...)
	b = jsontext.AppendInts(b, sub.shape)
	b = fmt.Appendf(b, `,"size":%d,"nan":%d,"posinf":%d,"neginf":%d,"zeros":%d`, sub.size, s.nan, s.posInf, s.negInf,
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
	if qs != nil {
		b = append(b, `,"quantiles":{"q":`...)
		b = appendValues(b, anySlice(qs), 8)
		b = append(b, `,"values":`...)
		b = append(appendValues(b, s.quantiles, 8), '}')
	}
	b = append(b, `,"histogram":{"edges":`...)
	b = appendValues(b, s.edges, 8)
	b = append(b, `,"counts":`...)
	out.Write(append(jsontext.AppendInts(b, s.counts), "}}\n"...))
}

// anySlice returns the elements of s as a slice of any.
func anySlice[T any](s []T) []any {
	all := make([]any, len(s))
	for k, x := range s {
		all[k] = x
	}
	return all
}

// appendValues appends values of a summary as a JSON list.
func appendValues(b []byte, values []any, size int) []byte {
	b = append(b, '[')
	for k, x := range values {
		if k > 0 {
			b = append(b, ',')
		}
		b = appendValue(b, x, size)
	}
	return append(b, ']')
}

// appendValue appends a value of a summary as JSON.
func appendValue(b []byte, x any, size int) []byte {
	switch x := x.(type) {
	case float64:
		return jsontext.AppendFloat(b, x, size)
	case float32:
		return jsontext.AppendFloat(b, float64(x), 4)
	case bool:
		return strconv.AppendBool(b, x)
	case *big.Int:
		return x.Append(b, 10)
	}
	return append(b, "null"...)
}

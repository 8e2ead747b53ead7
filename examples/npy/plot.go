package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
)

var plotCommand = command{
	name: "plot", args: "[-select S] [-field F] [-as D] FILE", min: 1, max: 1,
	description: `Plot draws the selected elements as a line, with the least and the greatest element to
the left, and the first and the last index below. The elements must be numbers, times
or booleans along one dimension. NaN, NaT and infinite elements leave gaps, and are
counted below the plot.

If a column of the plot represents several elements, the line covers all of them from
the least to the greatest, so that no extreme is lost. FILE may be larger than memory,
and is read once. Plot draws with braille characters if the locale has UTF-8, and
otherwise with ASCII.`,
	examples: `npy plot -select ':, 12' temperature.npy
npy plot -select ':3, 0' data.npz:temperature
npy plot -field price trades.npy
npy plot -field price - < trades.npy`,
	flags: func(set *flag.FlagSet) runner {
		part, in := partFlags(set), rawFlags(set)
		return func(e *env, files []string) error {
			f, err := e.openPart(files[0], in, part)
			if err != nil {
				return err
			}
			defer f.close()
			return e.plot(f.Array)
		}
	},
}

// plotRows is the height of a plot in characters.
const plotRows = 16

// plot draws a.
func (e *env) plot(a array.Array) error {
	d := a.DType()
	switch {
	case d.Kind() == dtype.KindStructured:
		return chooseFieldError(d)
	case a.Size() == 0:
		return errors.New("no elements to plot")
	case longAxes(a.Shape()) > 1:
		return fmt.Errorf("shape %s has more than one dimension; select one, such as -select '%s'", words.Shape(a.Shape()),
			oneAxis(a.Shape()))
	}
	a, err := a.Ravel()
	if err != nil {
		return err
	}
	switch d.Kind() {
	case dtype.KindBool, dtype.KindUint:
		return plotOf(e, a, func(x uint64) any {
			if d.Kind() == dtype.KindBool {
				return x != 0
			}
			return new(big.Int).SetUint64(x)
		})
	case dtype.KindInt, dtype.KindDatetime, dtype.KindTimedelta:
		return plotOf(e, a, func(x int64) any { return big.NewInt(x) })
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		return plotOf(e, a, func(x float64) any { return x })
	case dtype.KindComplex:
		part := fmt.Sprintf("%cf%d", d.String()[0], d.ItemSize()/2) // <c16 has parts of dtype <f8
		return fmt.Errorf("the elements are complex; -as '%s' -select '::2' draws the real parts, and '1::2' the imaginary parts",
			part)
	}
	return fmt.Errorf("dtype %v is not numeric; npy print shows the elements", d)
}

// oneAxis returns a selection of the first axis longer than 1 of an array with the given shape.
func oneAxis(shape []int) string {
	sel := make([]string, len(shape))
	chosen := false
	for k, length := range shape {
		sel[k] = "0"
		if length > 1 && !chosen {
			sel[k], chosen = ":", true
		}
	}
	return strings.Join(sel, ", ")
}

type plottable interface{ int64 | uint64 | float64 }

// A bucket describes consecutive elements, which a plot shows in one column of dots.
type bucket[T plottable] struct {
	n        int // number of elements that are drawn
	lo, hi   T   // extremes, if n > 0
	nan, inf int
	first    element[T]
	last     element[T]
}

// An element is the first or the last one of a bucket. isDrawn is false for NaN, NaT and infinite elements.
type element[T plottable] struct {
	x       T
	isDrawn bool
}

// isDrawn reports whether x is finite, and not NaT if times is set.
func isDrawn[T plottable](x T, times bool) bool {
	f := float64(x)
	return f-f == 0 && !(times && f == math.MinInt64 && uint64(x) == 1<<63)
}

// bucketOf describes the elements of a block. NaT is counted as NaN.
func bucketOf[T plottable](block []T, times bool) (b bucket[T]) {
	for len(block) > 0 && !isDrawn(block[0], times) {
		b.skip(block[0])
		block = block[1:]
	}
	if len(block) == 0 {
		return b
	}
	lo, hi := block[0], block[0]
	for _, x := range block {
		if !isDrawn(x, times) {
			b.skip(x)
			continue
		}
		if x < lo {
			lo = x
		}
		if x > hi {
			hi = x
		}
		b.n++
	}
	b.lo, b.hi = lo, hi
	return b
}

// skip counts an element that is not drawn.
func (b *bucket[T]) skip(x T) {
	if math.IsInf(float64(x), 0) {
		b.inf++
	} else {
		b.nan++
	}
}

// merge describes the elements of a and b.
func (a bucket[T]) merge(b bucket[T]) bucket[T] {
	switch {
	case a.n == 0:
		a.lo, a.hi = b.lo, b.hi
	case b.n > 0:
		a.lo, a.hi = min(a.lo, b.lo), max(a.hi, b.hi)
	}
	a.n, a.nan, a.inf = a.n+b.n, a.nan+b.nan, a.inf+b.inf
	return a
}

// plotOf draws a, which has one dimension and at least one element, as elements of type T. valueOf converts an element
// to a value for valueText.
func plotOf[T plottable](e *env, a array.Array, valueOf func(T) any) error {
	g := asciiGlyphs
	if term.ShowsBraille() {
		g = brailleGlyphs
	}
	d, n := a.DType(), a.Len(0)
	// The number of columns depends on the length of the labels, which are known only after the elements have been read.
	// So there are buckets for labels of one character, and several of them share a column if the labels are longer.
	buckets, err := bucketsOf[T](e, a, min(n, max(8, e.columns)*g.columns))
	if err != nil {
		return err
	}
	var all bucket[T]
	for _, b := range buckets {
		all = all.merge(b)
	}
	if all.n == 0 {
		return fmt.Errorf("no elements to plot: %s", strings.Join(notDrawn(d, all.nan, all.inf), ", "))
	}
	lo, hi := labelTexts(d, valueOf(all.lo), valueOf(all.hi))
	left := max(utf8.RuneCountInString(lo), utf8.RuneCountInString(hi))
	c := newCanvas(g, max(8, e.columns-left-len(" |")-1), plotRows) // leave the last column empty, as bars do
	draw(c, buckets, all.lo, all.hi)
	e.bar.End()
	p := plotFrame{canvas: c, left: left, lo: lo, hi: hi, last: words.Count(n - 1), colours: e.colours}
	p.write(e.out, all.lo == all.hi)
	for _, note := range notDrawn(d, all.nan, all.inf) {
		fmt.Fprintf(e.out, "%*s  %s\n", left, "", note)
	}
	return nil
}

// labelTexts formats the extremes of a plot. Floats are rounded to about a thousandth of their distance.
func labelTexts(d dtype.DType, lo, hi any) (loText, hiText string) {
	x, isFloat := lo.(float64)
	y, _ := hi.(float64)
	size := floatSize(d)
	if step := (y - x) / 1000; isFloat && step > 0 && finite(step) {
		lo, hi, size = roundTo(x, step), roundTo(y, step), 8
	}
	return valueText(d, lo, size), valueText(d, hi, size)
}

// notDrawn describes the elements that are not drawn.
func notDrawn(d dtype.DType, nan, inf int) (notes []string) {
	name := "NaN"
	if isTime(d) {
		name = "NaT"
	}
	if nan > 0 {
		notes = append(notes, words.Count(nan)+" "+name)
	}
	if inf > 0 {
		notes = append(notes, words.Count(inf)+" infinite")
	}
	return notes
}

// bucketsOf divides the elements of a, which has one dimension, among n buckets of nearly the same length.
func bucketsOf[T plottable](e *env, a array.Array, n int) ([]bucket[T], error) {
	v, err := array.Cast[T](a)
	if err != nil {
		return nil, err
	}
	times, length := isTime(a.DType()), a.Len(0)
	buckets := make([]bucket[T], n)
	for k := range buckets {
		lo, hi := start(k, n, length), start(k+1, n, length)
		part, err := v.Select(index.Range(lo, hi))
		if err != nil {
			return nil, err
		}
		b, err := array.Reduce(part, func(block []T) (bucket[T], error) { return bucketOf(block, times), nil },
			bucket[T].merge)
		if err != nil {
			return nil, err
		}
		first, last := v.At(lo), v.At(hi-1)
		b.first, b.last = element[T]{first, isDrawn(first, times)}, element[T]{last, isDrawn(last, times)}
		buckets[k] = b
		if err := e.progress(int64(hi)*int64(a.ItemSize()), int64(a.NBytes())); err != nil {
			return nil, err
		}
	}
	return buckets, nil
}

// start returns the index of the first of length elements in part k of n parts: k*length/n, without overflow.
func start(k, n, length int) int { return length/n*k + length%n*k/n }

// draw draws the buckets from the left to the right edge of c. Their elements are from lo to hi.
func draw[T plottable](c *canvas, buckets []bucket[T], lo, hi T) {
	top := float64(c.height*c.rows - 1)
	row := func(x T) int {
		if lo == hi {
			return int(top / 2)
		}
		return int(math.Round(fraction(x, lo, hi) * top))
	}
	right := c.width*c.columns - 1
	for k, b := range buckets {
		x := position(k, len(buckets), right)
		if b.n > 0 {
			c.column(x, row(b.lo), row(b.hi))
		}
		if k == 0 || !b.first.isDrawn || !buckets[k-1].last.isDrawn {
			continue
		}
		before, from, to := position(k-1, len(buckets), right), row(buckets[k-1].last.x), row(b.first.x)
		if before < x {
			c.line(before, from, x, to)
		} else {
			c.column(x, min(from, to), max(from, to))
		}
	}
}

// position returns the column of bucket k of n, from 0 to right.
func position(k, n, right int) int {
	if n == 1 {
		return right / 2
	}
	return k * right / (n - 1)
}

// fraction returns the position of x between lo and hi, from 0 to 1.
func fraction[T plottable](x, lo, hi T) float64 {
	if _, ok := any(x).(float64); ok { // halves, because hi-lo may overflow
		return (float64(x)/2 - float64(lo)/2) / (float64(hi)/2 - float64(lo)/2)
	}
	return float64(uint64(x)-uint64(lo)) / float64(uint64(hi)-uint64(lo))
}

// A plotFrame is a canvas between axes.
type plotFrame struct {
	*canvas
	left    int    // width of the labels to the left
	lo, hi  string // labels of the lowest and the highest row
	last    string // label of the right edge
	colours term.Colours
}

// write writes p. If the plot is a horizontal line in the middle, only the middle row has a label.
func (p *plotFrame) write(out *bufio.Writer, flat bool) {
	for k := range p.height {
		label := ""
		switch {
		case flat && k == p.height/2, !flat && k == p.height-1:
			label = p.lo
		case !flat && k == 0:
			label = p.hi
		}
		axis := p.y
		if label != "" {
			axis = p.tick
		}
		fmt.Fprintf(out, "%*s %s%s\n", p.left, label, axis, p.colours.Chart(p.row(k)))
	}
	fmt.Fprintf(out, "%*s %s%s\n", p.left, "", p.corner, strings.Repeat(p.x, p.width))
	below := "0"
	if p.last != "0" {
		below += strings.Repeat(" ", max(1, p.width-len("0")-len(p.last))) + p.last
	}
	fmt.Fprintf(out, "%*s  %s\n", p.left, "", below)
}

package main

import (
	"bufio"
	"fmt"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/render"
)

// edgeTexts formats the lower edges of bins, with enough digits to distinguish them.
func edgeTexts(d dtype.DType, edges []any) []string {
	texts := make([]string, len(edges)-1)
	if first, ok := edges[0].(*big.Int); ok {
		for k := range texts {
			texts[k] = valueText(d, edges[k], 8)
			if d.Kind() == dtype.KindBool {
				texts[k] = valueText(d, k == 1 || first.Sign() > 0, 8)
			}
		}
		return texts
	}
	if len(texts) == 1 {
		return []string{valueText(d, edges[0], floatSize(d))}
	}
	step := edges[1].(float64) - edges[0].(float64)
	short := make([]float64, len(texts))
	for k := range short {
		short[k] = roundTo(edges[k].(float64), step)
	}
	f := render.Floats(short, 8)
	for k, x := range short {
		texts[k] = f(x)
	}
	if len(slices.Compact(slices.Clone(texts))) < len(texts) {
		for k := range texts {
			texts[k] = render.Float(edges[k].(float64), 8)
		}
	}
	return texts
}

// roundTo rounds x to two significant digits of step.
func roundTo(x, step float64) float64 {
	if x == 0 {
		return 0
	}
	exp := func(x float64) int { return int(math.Floor(math.Log10(math.Abs(x)))) }
	digits := exp(x) - exp(step) + 1
	if digits < 0 {
		return 0
	}
	y, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', digits, 64), 64)
	return y
}

// bars holds the settings for drawing the bars of a histogram.
type bars struct {
	columns int // width of a line
	log     bool
	colours term.Colours
}

// draw writes one line for each bin: its name, a bar, and its count.
func (b bars) draw(out *bufio.Writer, names []string, counts []int) {
	left, right := 0, 0
	for k, name := range names {
		left = max(left, utf8.RuneCountInString(name))
		right = max(right, len(words.Count(counts[k])))
	}
	width := max(8, b.columns-left-right-len("  ")-1) // leave the last column empty, because some terminals wrap there
	most := b.length(slices.Max(counts))
	for k, name := range names {
		bar := barText(b.length(counts[k]), most, width)
		rest := strings.Repeat(" ", width-utf8.RuneCountInString(bar))
		fmt.Fprintf(out, "%*s %s%s %*s\n", left, name, b.colours.Chart(bar), rest, right, words.Count(counts[k]))
	}
}

// length returns the length of the bar of n elements, in an arbitrary unit.
func (b bars) length(n int) float64 {
	if b.log {
		return math.Log1p(float64(n))
	}
	return float64(n)
}

// barText returns a bar of at most width characters, with a resolution of one eighth of a character. A count above zero
// is always visible.
func barText(n, most float64, width int) string {
	if n == 0 {
		return ""
	}
	eighths := max(1, int(math.Round(n/most*float64(8*width))))
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

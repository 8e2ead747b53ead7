package main

import (
	"fmt"
	"math"
	"os"
	"strings"
)

// The plot is a square with margins for labels, in units of the SVG file.
const (
	pictureSize   = 480.0
	pictureLeft   = 64.0
	pictureTop    = 44.0
	pictureBottom = 48.0
)

// writePicture writes an SVG file with a dot for each result. The horizontal axis shows the time in NumPy, and the
// vertical axis the time in ndmap, both with the same logarithmic scale. A line marks equal times.
func writePicture(path, title string, series [len(kinds)][]result) error {
	low, high := math.Inf(1), 0.0
	for _, results := range series {
		for _, r := range results {
			low, high = min(low, r.numpy, r.ndmap), max(high, r.numpy, r.ndmap)
		}
	}
	if high == 0 {
		return fmt.Errorf("bench: %s: no results to draw", path)
	}
	first, last := math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	x := func(seconds float64) float64 {
		return pictureLeft + (math.Log10(seconds)-first)/(last-first)*pictureSize
	}
	y := func(seconds float64) float64 { return pictureTop + pictureSize - (x(seconds) - pictureLeft) }
	var b strings.Builder
	right, bottom := pictureLeft+pictureSize, pictureTop+pictureSize
	fmt.Fprintf(&b,
		`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %g %g" font-family="sans-serif" font-size="12">`+"\n",
		right+32, bottom+pictureBottom)
	b.WriteString(`<rect width="100%" height="100%" fill="#fff"/>` + "\n")
	fmt.Fprintf(&b, `<text x="%g" y="18">%s</text>`+"\n", pictureLeft, escaped.Replace(title))
	for d := first; d <= last; d++ {
		s := math.Pow(10, d)
		fmt.Fprintf(&b, `<path d="M%.1f %gV%gM%g %.1fH%g" stroke="#ddd" fill="none"/>`+"\n", x(s), pictureTop, bottom,
			pictureLeft, y(s), right)
		fmt.Fprintf(&b, `<text x="%.1f" y="%g" text-anchor="middle">%s</text>`, x(s), bottom+18, tick(s))
		fmt.Fprintf(&b, `<text x="%g" y="%.1f" text-anchor="end">%s</text>`+"\n", pictureLeft-6, y(s)+4, tick(s))
	}
	fmt.Fprintf(&b, `<path d="M%g %gL%g %g" stroke="#444"/>`+"\n", pictureLeft, bottom, right, pictureTop)
	fmt.Fprintf(&b, `<text x="%g" y="%g" text-anchor="end">NumPy</text><text x="%g" y="%g">ndmap</text>`+"\n", right,
		bottom+38, pictureLeft-44, pictureTop-10)
	colors := [len(kinds)]string{"#1f6fb4", "#d95f02"}
	for k, name := range kinds {
		fmt.Fprintf(&b, `<circle cx="%g" cy="%g" r="3" fill="%s"/><text x="%g" y="%g">%s</text>`+"\n", pictureLeft+14,
			pictureTop+16+18*float64(k), colors[k], pictureLeft+24, pictureTop+20+18*float64(k), name)
		for _, r := range series[k] {
			fmt.Fprintf(&b, `<circle cx="%.1f" cy="%.1f" r="2" fill="%s" fill-opacity="0.6"><title>%s</title></circle>`+"\n",
				x(r.numpy), y(r.ndmap), colors[k], escaped.Replace(r.text))
		}
	}
	b.WriteString("</svg>\n")
	return os.WriteFile(path, []byte(b.String()), 0o666)
}

var escaped = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// tick returns the label of a time that is a power of ten.
func tick(seconds float64) string {
	for _, unit := range []struct {
		name string
		of   float64
	}{{"s", 1}, {"ms", 1e-3}, {"µs", 1e-6}, {"ns", 1e-9}} {
		if seconds > unit.of*0.99 {
			return fmt.Sprintf("%.0f %s", seconds/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.0g s", seconds)
}

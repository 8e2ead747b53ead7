package main

import "strings"

// A glyphs is a set of characters to draw with. A character is a cell of dots.
type glyphs struct {
	columns, rows int    // dots of a cell
	text          []rune // the character for each set of dots; see bit
	corner        string // where the axes meet
	x, y, tick    string // parts of the axes
}

// bit returns the bit that represents a dot of a cell in the index of text.
func (g *glyphs) bit(column, row int) uint8 { return 1 << (column*g.rows + row) }

var asciiGlyphs = &glyphs{columns: 1, rows: 2, text: []rune(" '.:"), corner: "+", x: "-", y: "|", tick: "+"}

var brailleGlyphs = &glyphs{columns: 2, rows: 4, text: brailleText(), corner: "└", x: "─", y: "│", tick: "┤"}

// brailleText returns the braille characters. Unicode numbers the upper three dots of each column before the lowest
// ones.
func brailleText() []rune {
	bits := []rune{0x01, 0x02, 0x04, 0x40, 0x08, 0x10, 0x20, 0x80}
	text := make([]rune, 256)
	for set := range text {
		text[set] = '\u2800'
		for k, bit := range bits {
			if set>>k&1 != 0 {
				text[set] |= bit
			}
		}
	}
	text[0] = ' '
	return text
}

// A canvas is a rectangle of dots. Row 0 is the lowest one.
type canvas struct {
	*glyphs
	width, height int // in characters
	cells         []uint8
}

func newCanvas(g *glyphs, width, height int) *canvas {
	return &canvas{g, width, height, make([]uint8, width*height)}
}

// dot draws a dot.
func (c *canvas) dot(x, y int) {
	y = c.height*c.rows - 1 - y
	c.cells[y/c.rows*c.width+x/c.columns] |= c.bit(x%c.columns, y%c.rows)
}

// column draws the dots of a column from row lo to row hi.
func (c *canvas) column(x, lo, hi int) {
	for y := lo; y <= hi; y++ {
		c.dot(x, y)
	}
}

// line draws a line without gaps from (x0, y0) to (x1, y1), where x0 < x1. Each column gets the dots up to half of the
// way to the next one.
func (c *canvas) line(x0, y0, x1, y1 int) {
	from := y0
	for x := x0; x <= x1; x++ {
		to := y1
		if x < x1 {
			to = y0 + (2*(x-x0)+1)*(y1-y0)/(2*(x1-x0))
		}
		c.column(x, min(from, to), max(from, to))
		from = to
	}
}

// row returns the text of a row of characters, counted from the top, without trailing spaces.
func (c *canvas) row(k int) string {
	var b strings.Builder
	for _, set := range c.cells[k*c.width : (k+1)*c.width] {
		b.WriteRune(c.text[set])
	}
	return strings.TrimRight(b.String(), " ")
}

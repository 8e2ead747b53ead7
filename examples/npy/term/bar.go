// Package term shows how far work is on terminals, and knows what signals end a program
// there.
package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Bar shows how far long work is, on a terminal and only there. The zero Bar
// shows nothing.
type Bar struct {
	w     io.Writer
	wide  int // columns of the terminal
	since time.Time
	last  time.Time
	shown bool
}

// After is how long work lasts before it has a bar. Tests set it.
var After = time.Second

// NewBar returns a bar on w, or the zero Bar where w is no terminal.
func NewBar(w io.Writer) Bar {
	wide, ok := Columns(w)
	if !ok {
		return Bar{}
	}
	return Bar{w: w, wide: wide, since: time.Now()}
}

// Show says that part of the whole is done. It does so after a second, and then at
// most ten times a second.
func (b *Bar) Show(part, whole int64) {
	if b.w == nil || whole <= 0 {
		return
	}
	now := time.Now()
	if now.Sub(b.since) < After || now.Sub(b.last) < time.Second/10 {
		return
	}
	b.last, b.shown = now, true
	width := max(1, min(40, b.wide-len("[] 100% ")))
	done := min(1, float64(part)/float64(whole))
	n := int(done * float64(width))
	fmt.Fprintf(b.w, "\r[%s%s] %3.0f%%", strings.Repeat("#", n), strings.Repeat(".", width-n), 100*done)
}

// End takes the bar from the terminal.
func (b *Bar) End() {
	if b.shown {
		fmt.Fprintf(b.w, "\r%*s\r", min(60, b.wide-1), "")
		b.shown = false
	}
}

package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A bar shows how far long work is, on a terminal and only there. The zero bar
// shows nothing.
type bar struct {
	w     io.Writer
	wide  int // columns of the terminal
	since time.Time
	last  time.Time
	shown bool
}

// barAfter is how long work lasts before it has a bar.
var barAfter = time.Second

// newBar is a bar on standard error, if that is a terminal.
func newBar(stderr io.Writer) bar {
	wide, ok := terminal(stderr)
	if !ok {
		return bar{}
	}
	return bar{w: stderr, wide: wide, since: time.Now()}
}

// show says that part of the whole is done. It does so after a second, and then at
// most ten times a second.
func (b *bar) show(part, whole int64) {
	if b.w == nil || whole <= 0 {
		return
	}
	now := time.Now()
	if now.Sub(b.since) < barAfter || now.Sub(b.last) < time.Second/10 {
		return
	}
	b.last, b.shown = now, true
	width := max(1, min(40, b.wide-len("[] 100% ")))
	done := min(1, float64(part)/float64(whole))
	n := int(done * float64(width))
	fmt.Fprintf(b.w, "\r[%s%s] %3.0f%%", strings.Repeat("#", n), strings.Repeat(".", width-n), 100*done)
}

// end takes the bar from the terminal.
func (b *bar) end() {
	if b.shown {
		fmt.Fprintf(b.w, "\r%*s\r", min(60, b.wide-1), "")
		b.shown = false
	}
}

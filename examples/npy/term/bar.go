// Package term shows the progress of work on terminals, writes coloured text, and knows the signals that end a program
// there.
package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Bar shows the progress of long work on a terminal: the fraction done, bytes per second, and the estimated time
// left. If the total is unknown, it shows bytes. The zero Bar shows nothing.
type Bar struct {
	w     io.Writer
	wide  int // width of the terminal
	since time.Time
	last  time.Time
	begun time.Time // when the first part of this work was done
	from  int64     // the value of part at that time
	part  int64     // the part that the bar shows
	shown bool
}

// After is the time that work must take before the bar appears. Tests change it.
var After = time.Second

// NewBar returns a bar on w, or the zero Bar if w is not a terminal.
func NewBar(w io.Writer) Bar {
	wide, ok := Columns(w)
	if !ok {
		return Bar{}
	}
	return Bar{w: w, wide: wide, since: time.Now()}
}

// Show reports that part of the whole, in bytes, is done. The bar appears after a second and is updated at most ten
// times per second. A whole of 0 means that the total is unknown.
func (b *Bar) Show(part, whole int64) {
	if b.w == nil || part <= 0 && whole <= 0 {
		return
	}
	now := time.Now()
	if part < b.part || b.begun.IsZero() { // new work, such as the next member of an archive
		b.begun, b.from = now, part
	}
	b.part = part
	if now.Sub(b.since) < After || now.Sub(b.last) < time.Second/10 {
		return
	}
	b.last, b.shown = now, true
	if wide, ok := Columns(b.w); ok { // the width may have changed
		b.wide = wide
	}
	b.write(part, whole, now.Sub(b.begun))
}

// write draws the bar.
func (b *Bar) write(part, whole int64, elapsed time.Duration) {
	if whole <= 0 {
		text := sizeText(float64(part)) + "  " + sizeText(float64(part-b.from)/max(elapsed.Seconds(), 1e-9)) + "/s"
		fmt.Fprintf(b.w, "\r%-*.*s", b.wide-1, b.wide-1, text)
		return
	}
	const least = 10 // minimum width of the bar next to the full text
	done := min(1, float64(part)/float64(whole))
	text := fmt.Sprintf("%3.0f%%", 100*done)
	width := b.wide - 1 - len("[] ") // leave the last column empty, because some terminals wrap there
	if long := text + "  " + speedText(part-b.from, whole-part, elapsed); width-len(long) >= least {
		text = long
	}
	width = max(1, width-len(text))
	n := int(done * float64(width))
	fmt.Fprintf(b.w, "\r[%s%s] %s", strings.Repeat("#", n), strings.Repeat(".", width-n), text)
}

// speedText formats the bytes per second and the time left, always with the same width.
func speedText(done, rest int64, elapsed time.Duration) string {
	const columns = len("1023.9 MiB/s  00:00:00 left")
	if done <= 0 || elapsed <= 0 {
		return strings.Repeat(" ", columns)
	}
	rate := float64(done) / elapsed.Seconds()
	left := "       long"
	if seconds := int64(min(float64(rest)/rate+0.5, 1e9)); seconds < 100*60*60 {
		left = fmt.Sprintf("%d:%02d", seconds/60, seconds%60)
		if seconds >= 60*60 {
			left = fmt.Sprintf("%d:%02d:%02d", seconds/3600, seconds/60%60, seconds%60)
		}
		left += " left"
	}
	return fmt.Sprintf("%*s", columns, fmt.Sprintf("%s/s  %13s", sizeText(rate), left))
}

// sizeText formats a number of bytes.
func sizeText(x float64) string {
	unit := "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 1024 {
			break
		}
		x, unit = x/1024, next
	}
	return fmt.Sprintf("%.1f %s", x, unit)
}

// End removes the bar from the terminal.
func (b *Bar) End() {
	if b.shown {
		fmt.Fprintf(b.w, "\r%*s\r", b.wide-1, "")
		b.shown = false
	}
}

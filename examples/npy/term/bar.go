// Package term shows how far work is on terminals, writes colours there, and knows what signals end a program
// there.
package term

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// A Bar shows how far long work is, on a terminal and only there: how much is done, bytes a second, and
// the time that is left at that speed. Where the whole is not known, it shows bytes. The zero Bar shows nothing.
type Bar struct {
	w     io.Writer
	wide  int // columns of the terminal
	since time.Time
	last  time.Time
	begun time.Time // the first part of this whole was done, and
	from  int64     // how much that was
	part  int64     // the last one
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

// Show says that part of the whole, in bytes, is done. It does so after a second, and then at
// most ten times a second. A whole of 0 is not known.
func (b *Bar) Show(part, whole int64) {
	if b.w == nil || part <= 0 && whole <= 0 {
		return
	}
	now := time.Now()
	if part < b.part || b.begun.IsZero() { // other work, as the next member of an archive
		b.begun, b.from = now, part
	}
	b.part = part
	if now.Sub(b.since) < After || now.Sub(b.last) < time.Second/10 {
		return
	}
	b.last, b.shown = now, true
	if wide, ok := Columns(b.w); ok { // it may have changed
		b.wide = wide
	}
	b.write(part, whole, now.Sub(b.begun))
}

// write writes the bar, when part of the whole is done after some time.
func (b *Bar) write(part, whole int64, elapsed time.Duration) {
	if whole <= 0 {
		text := size(float64(part)) + "  " + size(float64(part-b.from)/max(elapsed.Seconds(), 1e-9)) + "/s"
		fmt.Fprintf(b.w, "\r%-*.*s", b.wide-1, b.wide-1, text)
		return
	}
	const least = 10 // columns of a bar beside which there is more than the share
	done := min(1, float64(part)/float64(whole))
	text := fmt.Sprintf("%3.0f%%", 100*done)
	width := b.wide - 1 - len("[] ") // the last column stays empty: some terminals wrap there
	if long := text + "  " + speed(part-b.from, whole-part, elapsed); width-len(long) >= least {
		text = long
	}
	width = max(1, width-len(text))
	n := int(done * float64(width))
	fmt.Fprintf(b.w, "\r[%s%s] %s", strings.Repeat("#", n), strings.Repeat(".", width-n), text)
}

// speed says how many bytes a second there were, and how long the rest of them takes, always in as many characters.
func speed(done, rest int64, elapsed time.Duration) string {
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
	return fmt.Sprintf("%*s", columns, fmt.Sprintf("%s/s  %13s", size(rate), left))
}

// size formats a number of bytes.
func size(x float64) string {
	unit := "B"
	for _, next := range []string{"KiB", "MiB", "GiB", "TiB"} {
		if x < 1024 {
			break
		}
		x, unit = x/1024, next
	}
	return fmt.Sprintf("%.1f %s", x, unit)
}

// End takes the bar from the terminal.
func (b *Bar) End() {
	if b.shown {
		fmt.Fprintf(b.w, "\r%*s\r", b.wide-1, "")
		b.shown = false
	}
}

package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A bar shows how far long work is, on a terminal and only there. The zero bar
// shows nothing.
type bar struct {
	w     io.Writer
	since time.Time
	last  time.Time
	shown bool
}

// newBar is a bar on standard error, if that is a terminal, unless standard output,
// which would get in its way, goes there too.
func newBar(stdout, stderr io.Writer) bar {
	fi := device(stderr)
	if fi == nil || fi.Mode()&os.ModeCharDevice == 0 || os.SameFile(fi, device(stdout)) {
		return bar{}
	}
	return bar{w: stderr, since: time.Now()}
}

// device is what w writes to, if it is a file.
func device(w io.Writer) os.FileInfo {
	f, ok := w.(*os.File)
	if !ok {
		return nil
	}
	fi, err := f.Stat()
	if err != nil {
		return nil
	}
	return fi
}

// show says that part of the whole is done. It does so after a second, and then at
// most ten times a second.
func (b *bar) show(part, whole int) {
	if b.w == nil || whole <= 0 {
		return
	}
	now := time.Now()
	if now.Sub(b.since) < time.Second || now.Sub(b.last) < time.Second/10 {
		return
	}
	b.last, b.shown = now, true
	const width = 40
	done := float64(part) / float64(whole)
	n := int(done * width)
	fmt.Fprintf(b.w, "\r[%s%s] %3.0f%%", strings.Repeat("#", n), strings.Repeat(".", width-n), 100*done)
}

// end takes the bar from the terminal.
func (b *bar) end() {
	if b.shown {
		fmt.Fprintf(b.w, "\r%60s\r", "")
		b.shown = false
	}
}

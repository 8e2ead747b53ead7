package main

import (
	"strings"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	var out strings.Builder
	b := newBar(&out) // no terminal
	b.show(1, 2)
	b.end()
	if out.Len() > 0 {
		t.Errorf("a bar on no terminal: %q", &out)
	}

	b = bar{w: &out, wide: 80, since: time.Now()}
	b.show(1, 2) // too early
	b.since = b.since.Add(-time.Minute)
	b.show(1, 4)
	b.show(2, 4) // too soon after the other
	b.last = b.last.Add(-time.Minute)
	b.show(4, 4)
	b.end()
	want := "\r[##########..............................]  25%" +
		"\r[########################################] 100%\r" + strings.Repeat(" ", 60) + "\r"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

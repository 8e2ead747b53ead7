package term

import (
	"strings"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	var out strings.Builder
	b := NewBar(&out) // no terminal
	b.Show(1, 2)
	b.End()
	if out.Len() > 0 {
		t.Errorf("a bar on no terminal: %q", &out)
	}

	b = Bar{w: &out, wide: 80, since: time.Now()}
	b.Show(1, 2) // too early
	b.since = b.since.Add(-time.Minute)
	b.Show(1, 4)
	b.Show(2, 4) // too soon after the other
	b.last = b.last.Add(-time.Minute)
	b.Show(4, 4)
	b.End()
	want := "\r[##########..............................]  25%" +
		"\r[########################################] 100%\r" + strings.Repeat(" ", 60) + "\r"
	if got := out.String(); got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

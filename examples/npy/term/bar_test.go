package term

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

func TestBar(t *testing.T) {
	var out strings.Builder
	b := NewBar(&out) // not a terminal
	b.Show(1, 2)
	b.End()
	if out.Len() > 0 {
		t.Errorf("a bar on no terminal: %q", &out)
	}

	b = Bar{w: &out, wide: 50, since: time.Now()}
	b.Show(1, 2) // too early
	b.since = b.since.Add(-time.Minute)
	b.begun, b.from = b.begun.Add(-10*time.Second), 0
	b.Show(250<<20, 1000<<20)
	b.Show(500<<20, 1000<<20) // too soon after the previous update
	b.last = b.last.Add(-time.Minute)
	b.Show(1000<<20, 1000<<20)
	b.End()
	want := regexp.MustCompile(`^\r\[###\.{10}\]  25% +[0-9.]+ [KMG]?i?B/s +[0-9:]+ left` +
		`\r\[#{13}\] 100% +[0-9.]+ [KMG]?i?B/s +[0-9:]+ left\r {49}\r$`)
	if got := out.String(); !want.MatchString(got) {
		t.Errorf("got %q, want %q", got, want)
	}
	out.Reset()
	b.write(250<<20, 1000<<20, 10*time.Second)
	if want := "\r[###..........]  25%    25.0 MiB/s      0:30 left"; out.String() != want {
		t.Errorf("got %q, want %q", &out, want)
	}
}

// TestBarWidth tests that a bar always fills the terminal except for its last column.
func TestBarWidth(t *testing.T) {
	for _, wide := range []int{1, 8, 12, 40, 47, 48, 80, 200} {
		for _, elapsed := range []time.Duration{0, 1, time.Millisecond, time.Second, time.Hour, 1000 * time.Hour} {
			for _, whole := range []int64{1, 100, 1 << 20, 1 << 40, 1 << 62} {
				for _, part := range []int64{0, 1, whole / 3, whole} {
					var out strings.Builder
					b := Bar{w: &out, wide: wide}
					b.write(part, whole, elapsed)
					if got, want := out.Len()-1, max(wide-1, len("[.] 100%")); got != want {
						t.Fatalf("%d of %d after %v: %q has %d columns, want %d", part, whole, elapsed, &out, got, want)
					}
				}
			}
		}
	}
}

func TestSpeed(t *testing.T) {
	for _, tt := range []struct {
		done, rest int64
		elapsed    time.Duration
		want       string
	}{
		{0, 1, time.Second, ""},
		{1000, 500, time.Second, "1000.0 B/s      0:01 left"},
		{1 << 20, 90 << 20, time.Second, "1.0 MiB/s      1:30 left"},
		{3 << 30, 3 << 40, time.Second, "3.0 GiB/s     17:04 left"},
		{1 << 30, 4 << 40, time.Second, "1.0 GiB/s   1:08:16 left"},
		{1 << 10, 1 << 40, time.Second, "1.0 KiB/s           long"},
	} {
		got := speedText(tt.done, tt.rest, tt.elapsed)
		if strings.TrimSpace(got) != tt.want || len(got) != 27 {
			t.Errorf("%d done, %d to do, after %v: got %q, want %q", tt.done, tt.rest, tt.elapsed, got, tt.want)
		}
	}
}

// TestColoursOfFile tests that outputs other than terminals have no colours.
func TestColoursOfFile(t *testing.T) {
	if c := ColoursOf(new(strings.Builder)); c || c.Wrong("x") != "x" {
		t.Error("colours in a file")
	}
	if got := Colours(true).Wrong("x"); got != "\x1b[31mx\x1b[0m" {
		t.Errorf("%q", got)
	}
}

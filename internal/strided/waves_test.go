package strided

import (
	"errors"
	"testing"
	"time"
)

func TestWaves(t *testing.T) {
	var got [][2]int
	do := func(first, last int) error {
		got = append(got, [2]int{first, last})
		return nil
	}
	if err := Waves(100, 2, 16, do); err != nil {
		t.Fatal(err)
	}
	at := 0
	for k, w := range got {
		if w[0] != at || w[1] <= at || w[1]-at > 16 || w[1]-at < 2 && w[1] != 100 || k == 0 && w[1] != 2 {
			t.Fatalf("waves %v", got)
		}
		at = w[1]
	}
	if at != 100 {
		t.Errorf("waves %v", got)
	}
	stop, calls := errors.New("stop"), 0
	if err := Waves(100, 2, 16, func(int, int) error { calls++; return stop }); err != stop || calls != 1 {
		t.Errorf("%v after %d calls", err, calls)
	}
	if err := Waves(0, 2, 16, func(int, int) error { return stop }); err != nil {
		t.Errorf("no parts: %v", err)
	}
	for _, tt := range []struct {
		step, want int
		took       time.Duration
	}{{4, 8, time.Millisecond}, {4, 4, 50 * time.Millisecond}, {4, 2, time.Second}, {16, 16, 0}, {2, 2, time.Second}} {
		if got := pacedStep(tt.step, 2, 16, tt.took); got != tt.want {
			t.Errorf("after %d in %v: %d, want %d", tt.step, tt.took, got, tt.want)
		}
	}
}

package stable

import (
	"errors"
	"testing"
	"time"
)

type closeCounter struct{ closed *int }

func (o closeCounter) Close() error { *o.closed++; return nil }

func TestSettled(t *testing.T) {
	broken := errors.New("broken")
	for _, tt := range []struct {
		young  int // the number of calls of changed that return true
		broken int // the number of the call of open that fails
		opens  int
		err    error
	}{{0, 0, 1, nil}, {2, 0, 3, nil}, {5, 2, 2, broken}} {
		opens, closed := 0, 0
		start := time.Now()
		_, err := Settled(func() (closeCounter, error) {
			if opens++; opens == tt.broken {
				return closeCounter{}, broken
			}
			return closeCounter{&closed}, nil
		}, func(closeCounter) bool { return opens <= tt.young })
		if err != tt.err || opens != tt.opens || closed != opens-1 {
			t.Errorf("%+v: %v, opened %d times, closed %d", tt, err, opens, closed)
		}
		if d := time.Since(start); d < time.Duration(closed)*20*time.Millisecond {
			t.Errorf("%+v: Settled took %v", tt, d)
		}
	}
}

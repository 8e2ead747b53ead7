package stable

import (
	"errors"
	"testing"
	"time"
)

type opened struct{ closed *int }

func (o opened) Close() error { *o.closed++; return nil }

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
		_, err := Settled(func() (opened, error) {
			if opens++; opens == tt.broken {
				return opened{}, broken
			}
			return opened{&closed}, nil
		}, func(opened) bool { return opens <= tt.young })
		if err != tt.err || opens != tt.opens || closed != opens-1 {
			t.Errorf("%+v: %v, opened %d times, closed %d", tt, err, opens, closed)
		}
		if d := time.Since(start); d < time.Duration(closed)*20*time.Millisecond {
			t.Errorf("%+v: Settled took %v", tt, d)
		}
	}
}

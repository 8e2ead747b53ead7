package index

import (
	"errors"
	"testing"
)

// TestUnknownOrder holds what becomes of an Order that is none: it is refused where
// there is an error to return, and nothing is contiguous in it.
func TestUnknownOrder(t *testing.T) {
	for _, order := range []Order{3, 255} {
		want := "unknown order " + order.String() + ", want C, F or K"
		l, _ := NewLayout([]int{2, 3}, 8, C)
		_, newErr := NewLayout([]int{2, 3}, 8, order)
		_, scalarErr := NewLayout(nil, 8, order)
		_, compactErr := l.Compact(8, order)
		for name, err := range map[string]error{"NewLayout": newErr, "NewLayout of no dimensions": scalarErr, "Compact": compactErr} {
			if err == nil || err.Error() != want || !errors.Is(err, ErrShape) {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
		}
		empty, _ := NewLayout([]int{0, 3}, 8, C)
		for _, l := range []Layout{l, empty, {}} {
			if l.Contiguous(order, 8) {
				t.Errorf("%v is contiguous in %v", l, order)
			}
		}
	}
}

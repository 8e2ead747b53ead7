package index

import (
	"errors"
	"fmt"
	"testing"
)

// TestUnknownOrder tests that functions refuse an invalid Order, and that no layout is contiguous in it.
func TestUnknownOrder(t *testing.T) {
	l, _ := NewLayout([]int{2, 3}, 8, C)
	empty, _ := NewLayout([]int{0, 3}, 8, C)
	for _, order := range []Order{3, 255} {
		_, err := l.Compact(8, order)
		if want := "unknown order " + order.String() + ", want C, F or K"; err == nil || err.Error() != want ||
			!errors.Is(err, ErrShape) {
			t.Errorf("Compact: %v, want %s", err, want)
		}
		for _, l := range []Layout{l, empty, {}} {
			if l.Contiguous(order, 8) {
				t.Errorf("%v is contiguous in %v", l, order)
			}
		}
	}
}

// TestOrderNeedsLayout tests that functions without a layout refuse K, as NumPy's zeros and
// ravel_multi_index do, and values other than the three orders.
func TestOrderNeedsLayout(t *testing.T) {
	shape := []int{2, 3}
	for _, order := range []Order{K, 3, 255} {
		want := "order " + order.String() + " requires strides; want C or F"
		for name, f := range map[string]func() error{
			"NewLayout":                  func() error { _, err := NewLayout(shape, 8, order); return err },
			"NewLayout of no dimensions": func() error { _, err := NewLayout(nil, 8, order); return err },
			"Next":                       func() error { Next([]int{0, 0}, shape, order); return nil },
			"Next at the last":           func() error { Next([]int{1, 2}, shape, order); return nil },
			"All":                        func() error { return firstIndex(shape, order) },
			"All of no elements":         func() error { return firstIndex([]int{0}, order) },
			"All of no dimensions":       func() error { return firstIndex(nil, order) },
			"Ravel":                      func() error { Ravel([]int{1, 1}, shape, order); return nil },
			"Unravel":                    func() error { Unravel(1, shape, []int{0, 0}, order); return nil },
		} {
			t.Run(name, func(t *testing.T) {
				err := errorOrPanic(f)
				if err == nil || err.Error() != want || !errors.Is(err, ErrShape) {
					t.Errorf("%s: %v, want %s", name, err, want)
				}
			})
		}
	}
}

// firstIndex begins a loop over All.
func firstIndex(shape []int, order Order) error {
	for range All(shape, order) {
		return errors.New("there is a first index")
	}
	return errors.New("there is no index")
}

// errorOrPanic returns the error of f, or its panic value.
func errorOrPanic(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			e, ok := v.(error)
			if !ok {
				e = fmt.Errorf("panic with %v, which is not an error", v)
			}
			err = e
		}
	}()
	return f()
}

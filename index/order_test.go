package index

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOrderString(t *testing.T) {
	var zero Order
	for _, tt := range []struct {
		order Order
		want  string
	}{{zero, "C"}, {C, "C"}, {F, "F"}, {K, "K"}, {3, "Order(3)"}} {
		if got := tt.order.String(); got != tt.want {
			t.Errorf("Order(%d).String() = %q, want %q", uint8(tt.order), got, tt.want)
		}
	}
}

var walkShapes = [][]int{
	{}, {0}, {1}, {3}, {2, 3}, {3, 2}, {2, 0, 3}, {0, 3}, {3, 0}, {0, 0}, {1, 1}, {1, 4, 1},
	{2, 3, 5}, {2, 1, 3, 2}, {2, 3, 1, 2, 2}, {1, 2, 1, 3, 2}, {2, 2, 2, 2, 2, 2},
}

func TestNextAndAll(t *testing.T) {
	for _, shape := range walkShapes {
		for _, order := range []Order{C, F} {
			want := slowIndices(shape)
			if order == F {
				want = slowIndicesF(shape)
			}
			all := [][]int{}
			for idx := range All(shape, order) {
				all = append(all, slices.Clone(idx))
			}
			if diff := cmp.Diff(append([][]int{}, want...), all); diff != "" {
				t.Errorf("All(%v, %v) (-want +got):\n%s", shape, order, diff)
			}

			idx := make([]int, len(shape))
			for i := range want {
				if !slices.Equal(idx, want[i]) {
					t.Fatalf("shape %v order %v: step %d is %v, want %v", shape, order, i, idx, want[i])
				}
				if got := Ravel(idx, shape, order); got != i {
					t.Errorf("Ravel(%v, %v, %v) = %d, want %d", idx, shape, order, got, i)
				}
				back := make([]int, len(shape))
				if Unravel(i, shape, back, order); !slices.Equal(back, idx) {
					t.Errorf("Unravel(%d, %v, %v) = %v, want %v", i, shape, order, back, idx)
				}
				last := i == len(want)-1
				if got := Next(idx, shape, order); got == last {
					t.Errorf("Next(%v, %v, %v) = %v", idx, shape, order, got)
				}
				if last && !slices.Equal(idx, want[i]) {
					t.Errorf("shape %v order %v: Next changes the last index to %v", shape, order, idx)
				}
			}
			if len(want) > 0 {
				clear(idx)
			}
			if zero := make([]int, len(shape)); !slices.Equal(idx, zero) {
				t.Errorf("the first index is %v", idx)
			}
			if len(want) == 0 && (Next(idx, shape, order) || slices.Max(idx) > 0) {
				t.Errorf("Next finds %v in a shape %v of no elements", idx, shape)
			}
		}
	}
}

func TestAllStops(t *testing.T) {
	for _, order := range []Order{C, F} {
		n := 0
		for range All([]int{3, 4}, order) {
			if n++; n == 5 {
				break
			}
		}
		if n != 5 {
			t.Errorf("%v: %d steps, want 5", order, n)
		}
	}
}

// TestAllEndsWhateverTheBodyDoes checks that a loop over All takes the right number of steps even if its body writes to
// the index, which the documentation forbids.
func TestAllEndsWhateverTheBodyDoes(t *testing.T) {
	n := 0
	for idx := range All([]int{5}, C) {
		idx[0] = 0
		n++
	}
	if n != 5 {
		t.Errorf("%d steps, want 5", n)
	}
}

func TestWalkPanics(t *testing.T) {
	for _, tt := range []struct {
		name string
		call func()
		want string
	}{
		{"Next", func() { Next([]int{0}, []int{2, 3}, C) }, "got 1 index for 2 dimensions"},
		{"Next F", func() { Next([]int{0, 0}, []int{2}, F) }, "got 2 indices for 1 dimension"},
		{"Ravel count", func() { Ravel(nil, []int{2, 3}, C) }, "got 0 indices for 2 dimensions"},
		{"Ravel high", func() { Ravel([]int{1, 3}, []int{2, 3}, C) }, "index 3 out of range for axis 1 with length 3"},
		{"Ravel low", func() { Ravel([]int{1, -1}, []int{2, 3}, F) }, "index -1 out of range for axis 1 with length 3"},
		{"Ravel empty", func() { Ravel([]int{0, 0}, []int{2, 0}, C) }, "index 0 out of range for axis 1 with length 0"},
		{"Unravel count", func() { Unravel(0, []int{2, 3}, []int{0}, C) }, "got 1 index for 2 dimensions"},
		{"Unravel high", func() { Unravel(6, []int{2, 3}, []int{0, 0}, C) }, "position 6 out of range for 6 elements"},
		{"Unravel low", func() { Unravel(-1, []int{2, 3}, []int{0, 0}, F) }, "position -1 out of range for 6 elements"},
		{"Unravel empty", func() { Unravel(0, []int{2, 0}, []int{0, 0}, C) }, "position 0 out of range for 0 elements"},
		{"Unravel 0-d", func() { Unravel(1, nil, nil, C) }, "position 1 out of range for 1 element"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantBoundsPanic(t, tt.name, tt.call, tt.want)
		})
	}
}

func TestOrderText(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want Order
		err  string
	}{
		{"C", C, ""}, {"F", F, ""}, {"K", K, ""}, {"c", C, ""}, {"f", F, ""}, {"k", K, ""},
		{"", 0, `index: unknown order ""; want C, F or K`},
		{"A", 0, `index: unknown order "A"; want C, F or K`},
		{"CF", 0, `index: unknown order "CF"; want C, F or K`},
		{"C ", 0, `index: unknown order "C "; want C, F or K`},
		{strings.Repeat("é", 1000), 0, `index: unknown order "` + strings.Repeat("é", 50) + `"...; want C, F or K`},
	} {
		before := Order(7)
		got, err := ParseOrder(tt.in)
		un := before.UnmarshalText([]byte(tt.in))
		if tt.err != "" {
			wantError(t, "ParseOrder", err, tt.err, nil)
			wantError(t, "UnmarshalText", un, tt.err, nil)
			if got != 0 || before != 7 {
				t.Errorf("%.10q: %v and %v after an error", tt.in, got, before)
			}
			continue
		}
		text, noText := got.MarshalText()
		if got != tt.want || before != tt.want || err != nil || un != nil || noText != nil ||
			string(text) != tt.want.String() {
			t.Errorf("%q: %v, %v, %q; %v, %v, %v", tt.in, got, before, text, err, un, noText)
		}
	}
	_, err := Order(3).MarshalText()
	wantError(t, "MarshalText", err, "index: Order(3) is no order; want C, F or K", ErrShape)
}

func BenchmarkNext(b *testing.B) {
	for _, order := range []Order{C, F} {
		b.Run(order.String(), func(b *testing.B) {
			shape := []int{100, 100, 100}
			for b.Loop() {
				var idx [3]int
				for Next(idx[:], shape, order) {
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/step")
		})
	}
}

func BenchmarkAll(b *testing.B) {
	for _, order := range []Order{C, F} {
		b.Run(order.String(), func(b *testing.B) {
			shape := []int{100, 100, 100}
			for b.Loop() {
				sumAll(shape, order)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1e6, "ns/step")
		})
	}
}

//go:noinline
func sumAll(shape []int, order Order) (sum int) {
	for idx := range All(shape, order) {
		sum += idx[len(idx)-1]
	}
	return sum
}

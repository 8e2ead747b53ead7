package summary

import (
	"slices"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// TestDistinct tests the values and counts of the maximum number of distinct values, and of one value more.
func TestDistinct(t *testing.T) {
	for _, n := range []int{0, 1, MaxDistinct, MaxDistinct + 1} {
		var elements []int16
		var values []float64
		var counts []int64
		for i := range n {
			values, counts = append(values, float64(i-100)), append(counts, int64(1+i%3+200))
		}
		for i, x := range values { // a run of each value, and then each value in turn
			elements = append(elements, slices.Repeat([]int16{int16(x)}, int(counts[i])-1)...)
		}
		for _, x := range slices.Backward(values) {
			elements = append(elements, int16(x))
		}
		if n > MaxDistinct {
			values, counts = nil, nil
		}
		v, err := array.FromSlice(elements, len(elements))
		if err != nil {
			t.Fatal(err)
		}
		got, many, err := Distinct(t.Context(), pick.Array{Array: v.Array()}, pick.Reading{})
		if err != nil || !slices.Equal(got, values) || !slices.Equal(many, counts) || (got == nil) != (n > MaxDistinct) {
			t.Errorf("%d values: %v, %v (%v), want %v, %v", n, got, many, err, values, counts)
		}
	}
}

package index

import (
	"math"
	"slices"
	"strconv"
	"testing"
)

func TestSize(t *testing.T) {
	for _, tt := range []struct {
		shape           []int
		itemsize        int
		elements, bytes int
	}{
		{nil, 8, 1, 8},
		{[]int{}, 0, 1, 0},
		{[]int{0}, 8, 0, 0},
		{[]int{3}, 8, 3, 24},
		{[]int{2, 3, 5}, 2, 30, 60},
		{[]int{2, 0, 5}, 2, 0, 0},
		{[]int{2, 3}, 0, 6, 0}, // an item may be empty: S0, V0
		{[]int{math.MaxInt}, 1, math.MaxInt, math.MaxInt},
		{[]int{math.MaxInt, 0}, 1, 0, 0},
		{[]int{math.MaxInt / 8, 1, 0}, 8, 0, 0},
		{slices.Repeat([]int{1}, MaxDims), 4, 1, 4},
	} {
		elements, bytes, err := Size(tt.shape, tt.itemsize)
		if err != nil || elements != tt.elements || bytes != tt.bytes {
			t.Errorf("Size(%v, %d) = %d, %d, %v, want %d, %d", tt.shape, tt.itemsize, elements, bytes, err, tt.elements,
				tt.bytes)
		}
	}
}

func TestSizeErrors(t *testing.T) {
	half := math.MaxInt/2 + 1 // 1<<62, or 1<<30 where an int has 32 bits
	num := strconv.Itoa
	for _, tt := range []struct {
		shape    []int
		itemsize int
		want     string
	}{
		{[]int{2, -1}, 8, "negative length -1 of axis 1"},
		{[]int{0, math.MinInt}, 8, "negative length " + num(math.MinInt) + " of axis 1"},
		{[]int{2}, -8, "negative item size -8"},
		{make([]int, MaxDims+1), 8, "shape has 65 dimensions, want at most 64"},
		{[]int{half, 2}, 1, "shape (" + num(half) + ", 2) overflows int"},
		{[]int{half}, 2, "shape (" + num(half) + ",) with item size 2 overflows int"},
		// A product that overflows may wrap around to a small number.
		{[]int{half, 4, 3}, 1, "shape (" + num(half) + ", 4, 3) overflows int"},
		{[]int{math.MaxInt, math.MaxInt}, 1, "shape (" + num(math.MaxInt) + ", " + num(math.MaxInt) + ") overflows int"},
		// NumPy refuses these shapes too, although they have no elements.
		{[]int{half, 0, half}, 1, "shape (" + num(half) + ", 0, " + num(half) + ") overflows int"},
		{[]int{0, half}, 8, "shape (0, " + num(half) + ") with item size 8 overflows int"},
		// NumPy accepts this shape, but cannot count its elements.
		{[]int{half, half}, 0, "shape (" + num(half) + ", " + num(half) + ") overflows int"},
	} {
		_, _, err := Size(tt.shape, tt.itemsize)
		wantError(t, "Size", err, tt.want, ErrShape)
		if tt.itemsize < 0 {
			continue
		}
		if _, err := NewLayout(tt.shape, tt.itemsize, F); err == nil || err.Error() != tt.want {
			t.Errorf("NewLayout: error %v, want %s", err, tt.want)
		}
	}
}

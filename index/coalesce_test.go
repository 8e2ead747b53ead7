package index

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestCoalesce(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		shape, strides         []int
		wantShape, wantStrides []int
	}{
		{"contiguous", []int{2, 3, 4}, []int{96, 32, 8}, []int{24}, []int{8}},
		{"one element", []int{1, 1}, []int{5, 7}, []int{}, []int{}},
		{"ones between", []int{1, 2, 1, 3, 1}, []int{9, 24, 9, 8, 9}, []int{6}, []int{8}},
		{"gap outside", []int{2, 3, 4}, []int{100, 32, 8}, []int{2, 12}, []int{100, 8}},
		{"gap inside", []int{2, 3, 4}, []int{120, 40, 8}, []int{6, 4}, []int{40, 8}},
		{"F order", []int{2, 3}, []int{8, 16}, []int{2, 3}, []int{8, 16}},
		{"reversed whole", []int{2, 3}, []int{-24, -8}, []int{6}, []int{-8}},
		{"broadcast", []int{2, 3, 4}, []int{0, 0, 8}, []int{6, 4}, []int{0, 8}},
		{"no elements", []int{2, 0, 3}, []int{1, 2, 3}, []int{0}, []int{0}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := must(Strided(tt.shape, tt.strides)).Coalesce()
			if diff := cmp.Diff(must(Strided(tt.wantShape, tt.wantStrides)), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

// TestCoalesceRandom tests that the merged layout visits the same offsets, and that no axes are left to merge.
func TestCoalesceRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 2500) {
		l := randomLayout(r, 4)
		got := l.Coalesce()
		if !slices.Equal(slowOf(l, 0).offs, slowOf(got, 0).offs) {
			t.Fatalf("%v becomes %v", l, got)
		}
		for k := 1; k < got.NDim(); k++ {
			if outer, inner := got.Dim(k-1), got.Dim(k); outer.Stride == inner.Len*inner.Stride {
				t.Fatalf("%v becomes %v: axes %d and %d are one run", l, got, k-1, k)
			}
		}
		if slices.Contains(got.Shape(), 1) || l.Size() == 0 && got.NDim() != 1 {
			t.Fatalf("%v becomes %v", l, got)
		}
	}
}

func TestCompact(t *testing.T) {
	l := must(Strided([]int{2, 3, 4}, []int{-10, 500, 50}))
	for _, tt := range []struct {
		order Order
		want  []int
	}{{C, []int{96, 32, 8}}, {F, []int{8, 16, 48}}, {K, []int{8, 64, 16}}} {
		if got := must(l.Compact(8, tt.order)); !slices.Equal(got.Strides(), tt.want) || !got.SameShape(l) {
			t.Errorf("%v: %v, want strides %v", tt.order, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name                 string
		shape, strides, want []int
	}{
		{"equal strides keep their order", []int{3, 2, 5}, []int{-7, 40, 7}, []int{40, 120, 8}},
		{"the stride MinInt is the largest", []int{2, 1, 1, 2}, []int{3, math.MinInt, math.MaxInt, -4}, []int{8, 32, 32, 16}},
		{"a length of 0 counts as 1", []int{2, 0, 3}, []int{1, 2, 3}, []int{8, 16, 16}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := must(must(Strided(tt.shape, tt.strides)).Compact(8, K)); !slices.Equal(got.Strides(), tt.want) ||
				!slices.Equal(got.Shape(), tt.shape) {
				t.Errorf("%s: %v, want strides %v", tt.name, got, tt.want)
			}
		})
	}
	_, err := l.Compact(-1, K)
	wantError(t, "Compact", err, "negative item size -1", ErrShape)
}

// TestCompactRandom tests that the result of Compact is packed, and that Compact does not change a
// packed layout except for the item size and for strides that are never used.
func TestCompactRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 2500) {
		l := randomLayout(r, 4)
		k := must(l.Compact(8, K))
		if !k.SameShape(l) || !k.Contiguous(K, 8) {
			t.Fatalf("%v compacts to %v", l, k)
		}
		for axis := range l.NDim() {
			if l.Contiguous(K, 4) && l.Size() > 1 && l.Len(axis) > 1 && l.Stride(axis)*2 != k.Stride(axis) {
				t.Fatalf("%v compacts to %v", l, k)
			}
		}
	}
}

package index

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestReshape compares strides with NumPy's, for items of 8 bytes.
func TestReshape(t *testing.T) {
	for _, tt := range []struct {
		name                   string
		shape, strides         []int
		ask                    []int
		wantShape, wantStrides []int
	}{
		{"split", []int{6}, []int{8}, []int{2, 3}, []int{2, 3}, []int{24, 8}},
		{"merge", []int{2, 3}, []int{24, 8}, []int{6}, []int{6}, []int{8}},
		{"infer", []int{2, 3, 4}, []int{96, 32, 8}, []int{4, -1}, []int{4, 6}, []int{48, 8}},
		{"infer one", []int{2, 3}, []int{24, 8}, []int{2, -1, 3}, []int{2, 1, 3}, []int{24, 24, 8}},
		{"infer of one element", []int{}, []int{}, []int{-1}, []int{1}, []int{8}},
		{"to no dimensions", []int{1, 1}, []int{3, 5}, []int{}, []int{}, []int{}},
		{"reversed", []int{6}, []int{-8}, []int{2, 3}, []int{2, 3}, []int{-24, -8}},
		{"every second", []int{6}, []int{16}, []int{3, 2}, []int{3, 2}, []int{32, 16}},
		{"broadcast", []int{2, 6}, []int{0, 8}, []int{2, 3, 2}, []int{2, 3, 2}, []int{0, 16, 8}},
		{"outer axis untouched", []int{3, 4}, []int{8, 24}, []int{3, 2, 2}, []int{3, 2, 2}, []int{8, 48, 24}},
		{"trailing ones", []int{4}, []int{16}, []int{4, 1, 1}, []int{4, 1, 1}, []int{16, 16, 16}},
		{"leading ones", []int{4}, []int{16}, []int{1, 1, 4}, []int{1, 1, 4}, []int{64, 64, 16}},
		{"same shape keeps strides", []int{1, 3}, []int{77, 16}, []int{1, 3}, []int{1, 3}, []int{77, 16}},
		{"-1 does not", []int{1, 3}, []int{77, 16}, []int{-1, 3}, []int{1, 3}, []int{48, 16}},
		{"no elements", []int{2, 0, 3}, []int{1, 2, 3}, []int{3, 0, 5}, []int{3, 0, 5}, []int{40, 40, 8}},
		{"no elements, infer", []int{0, 3}, []int{24, 8}, []int{5, -1}, []int{5, 0}, []int{8, 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := must(Strided(tt.shape, tt.strides))
			got, err := l.Reshape(tt.ask, 8)
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			} else if diff := cmp.Diff(must(Strided(tt.wantShape, tt.wantStrides)), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

func TestReshapeKeepsItsArgument(t *testing.T) {
	ask := []int{-1, 2}
	must(must(NewLayout([]int{6}, 8, C)).Reshape(ask, 8))
	if diff := cmp.Diff([]int{-1, 2}, ask); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

package index

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAxes(t *testing.T) {
	l := must(Strided([]int{2, 3, 1, 4}, []int{96, 32, 5, 8}))
	for _, tt := range []struct {
		name           string
		got            func() (Layout, error)
		shape, strides []int
	}{
		{"T", func() (Layout, error) { return l.Transpose() }, []int{4, 1, 3, 2}, []int{8, 5, 32, 96}},
		{"transpose", func() (Layout, error) { return l.Transpose(1, -1, 0, -2) }, []int{3, 4, 2, 1}, []int{32, 8, 96, 5}},
		{"move to the end", func() (Layout, error) { return l.MoveAxis(0, -1) }, []int{3, 1, 4, 2}, []int{32, 5, 8, 96}},
		{"move to the front", func() (Layout, error) { return l.MoveAxis(-1, 0) }, []int{4, 2, 3, 1}, []int{8, 96, 32, 5}},
		{"move nowhere", func() (Layout, error) { return l.MoveAxis(1, 1) }, []int{2, 3, 1, 4}, []int{96, 32, 5, 8}},
		{"squeeze", func() (Layout, error) { return l.Squeeze() }, []int{2, 3, 4}, []int{96, 32, 8}},
		{"squeeze one", func() (Layout, error) { return l.Squeeze(-2) }, []int{2, 3, 4}, []int{96, 32, 8}},
		{"expand front", func() (Layout, error) { return l.ExpandDims(0) }, []int{1, 2, 3, 1, 4}, []int{0, 96, 32, 5, 8}},
		{"expand back", func() (Layout, error) { return l.ExpandDims(-1) }, []int{2, 3, 1, 4, 1}, []int{96, 32, 5, 8, 0}},
		{"expand inside", func() (Layout, error) { return l.ExpandDims(2) }, []int{2, 3, 1, 1, 4}, []int{96, 32, 0, 5, 8}},
		{"broadcast", func() (Layout, error) { return l.Broadcast(5, 2, 3, 7, 4) }, []int{5, 2, 3, 7, 4}, []int{0, 96, 32, 0,
			8}},
		{"broadcast to itself", func() (Layout, error) { return l.Broadcast(2, 3, 1, 4) }, []int{2, 3, 1, 4}, []int{96, 32, 0,
			8}},
		{"broadcast to nothing", func() (Layout, error) { return l.Broadcast(2, 3, 0, 4) }, []int{2, 3, 0, 4}, []int{96, 32,
			0, 8}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := tt.got()
			if err != nil {
				t.Errorf("%s: %v", tt.name, err)
			} else if diff := cmp.Diff(must(Strided(tt.shape, tt.strides)), got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", tt.name, diff)
			}
		})
	}
}

// TestDiagonal compares lengths and offsets with NumPy's.
func TestDiagonal(t *testing.T) {
	l := must(NewLayout([]int{3, 2, 4}, 8, C)) // strides 64, 32, 8
	for _, tt := range []struct {
		offset, axis1, axis2 int
		shape, strides       []int
		off                  int
	}{
		{0, 0, 1, []int{4, 2}, []int{8, 96}, 0},
		{0, 1, 0, []int{4, 2}, []int{8, 96}, 0},
		{1, 0, 2, []int{2, 3}, []int{32, 72}, 8},
		{3, 0, -1, []int{2, 1}, []int{32, 72}, 24},
		{4, 0, 2, []int{2, 0}, []int{32, 72}, 32}, // just past the end it still moves
		{5, 0, 2, []int{2, 0}, []int{32, 72}, 0},
		{-1, 0, 2, []int{2, 2}, []int{32, 72}, 64},
		{-3, 0, 2, []int{2, 0}, []int{32, 72}, 192},
		{-4, 0, 2, []int{2, 0}, []int{32, 72}, 0},
		{math.MaxInt, 0, 2, []int{2, 0}, []int{32, 72}, 0},
		{math.MinInt, 0, 2, []int{2, 0}, []int{32, 72}, 0},
	} {
		got, off, err := l.Diagonal(tt.offset, tt.axis1, tt.axis2)
		if err != nil || off != tt.off {
			t.Errorf("Diagonal(%d, %d, %d): offset %d, error %v, want %d", tt.offset, tt.axis1, tt.axis2, off, err, tt.off)
		} else if diff := cmp.Diff(must(Strided(tt.shape, tt.strides)), got); diff != "" {
			t.Errorf("Diagonal(%d, %d, %d) (-want +got):\n%s", tt.offset, tt.axis1, tt.axis2, diff)
		}
	}
}

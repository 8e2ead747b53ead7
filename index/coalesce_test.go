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
		got := must(Strided(tt.shape, tt.strides)).Coalesce()
		if diff := cmp.Diff(must(Strided(tt.wantShape, tt.wantStrides)), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestCoalesceAll(t *testing.T) {
	c := must(NewLayout([]int{2, 3, 4}, 8, C))
	gap := must(Strided([]int{2, 3, 4}, []int{200, 32, 8}))
	f := must(NewLayout([]int{2, 3, 4}, 8, F))
	in := []Layout{c, gap}
	got := must(CoalesceAll(in...))
	want := []Layout{must(Strided([]int{2, 12}, []int{96, 8})), must(Strided([]int{2, 12}, []int{200, 8}))}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !in[0].Equal(c) || !in[1].Equal(gap) {
		t.Error("CoalesceAll changed its arguments")
	}
	if got := must(CoalesceAll(c, f)); !got[0].Equal(c) || !got[1].Equal(f) {
		t.Errorf("C and F merge to %v", got)
	}
	if got := must(CoalesceAll()); len(got) != 0 {
		t.Errorf("nothing merges to %v", got)
	}
	_, err := CoalesceAll(c, c, must(NewLayout([]int{2, 4, 3}, 8, C)))
	wantError(t, "CoalesceAll", err, "shapes (2, 3, 4) and (2, 4, 3) differ", ErrShape)
	_, err = SortByStride(c, must(NewLayout([]int{2, 12}, 8, C)))
	wantError(t, "SortByStride", err, "shapes (2, 3, 4) and (2, 12) differ", ErrShape)
}

func TestSortByStride(t *testing.T) {
	a := must(Strided([]int{2, 3, 4, 5}, []int{8, -100, 8, 40}))
	b := must(Strided([]int{2, 3, 4, 5}, []int{1, 2, -3, 4}))
	got := must(SortByStride(a, b))
	want := []Layout{
		must(Strided([]int{3, 5, 4, 2}, []int{-100, 40, 8, 8})), // b puts 4 before 2
		must(Strided([]int{3, 5, 4, 2}, []int{2, 4, -3, 1})),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := must(SortByStride(b, a))[0]; !got.Equal(must(Strided([]int{5, 4, 3, 2}, []int{4, -3, 2, 1}))) {
		t.Errorf("got %v", got)
	}
	// Ties keep their order, and the distance of MinInt is the largest.
	l := must(Strided([]int{1, 2, 2, 1}, []int{math.MaxInt, 3, 3, math.MinInt}))
	if got := must(SortByStride(l))[0].Shape(); !slices.Equal(got, []int{1, 1, 2, 2}) {
		t.Errorf("got %v", got)
	}
	if got := must(SortByStride()); len(got) != 0 {
		t.Errorf("nothing sorts to %v", got)
	}
}

// TestCoalesceAllRandom: the merged layouts visit the same offsets in step, and
// nothing is left to merge.
func TestCoalesceAllRandom(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 5000) {
		a := randomLayout(r, 4)
		strides := a.Strides()
		for k := range strides {
			if r.IntN(4) == 0 {
				strides[k] = r.IntN(30) - 15
			}
		}
		b := must(Strided(a.Shape(), strides))
		got := must(CoalesceAll(a, b))
		for i, l := range []Layout{a, b} {
			if !slices.Equal(slowOf(l, 0).offs, slowOf(got[i], 0).offs) {
				t.Fatalf("%v becomes %v", l, got[i])
			}
		}
		if again := must(CoalesceAll(got...)); again[0].NDim() != got[0].NDim() || !got[0].SameShape(got[1]) {
			t.Fatalf("%v and %v become %v, then %v", a, b, got, again)
		}

		sorted := must(SortByStride(a, b))
		x, y := slowOf(a, 0).offs, slowOf(sorted[0], 0).offs
		slices.Sort(x)
		slices.Sort(y)
		if !slices.Equal(x, y) || !slices.IsSortedFunc(sorted[0].dims, func(d, e Dim) int { return int(abs(e.Stride)) - int(abs(d.Stride)) }) {
			t.Fatalf("%v sorts to %v", a, sorted[0])
		}

		k := must(a.Compact(8, K))
		if !k.SameShape(a) || !k.Contiguous(K, 8) {
			t.Fatalf("%v compacts to %v", a, k)
		}
		if a.Contiguous(K, 4) && a.Size() > 1 {
			// What is packed stays as it is, but for the size of the items and
			// for strides that are never used.
			for axis := range a.NDim() {
				if a.Len(axis) > 1 && a.Stride(axis)*2 != k.Stride(axis) {
					t.Fatalf("%v compacts to %v", a, k)
				}
			}
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
	_, err := l.Compact(-1, K)
	wantError(t, "Compact", err, "negative item size -1", ErrShape)
}

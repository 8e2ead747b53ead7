package strided

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestPair(t *testing.T) {
	c := must(index.NewLayout([]int{2, 3, 4}, 8, index.C))
	f := must(index.NewLayout([]int{2, 3, 4}, 8, index.F))
	for _, tt := range []struct {
		name       string
		dst, src   index.Layout
		want       []axis
		doff, soff int
	}{
		{"one run", c, c, []axis{{N: 24, DS: 8, SS: 8}}, 0, 0},
		{"F and F", f, f, []axis{{N: 24, DS: 8, SS: 8}}, 0, 0},
		{"a gap in the source", c, newLayout([]int{2, 3, 4}, []int{200, 32, 8}), []axis{{N: 2, DS: 96, SS: 200}, {N: 12,
			DS: 8,
			SS: 8}}, 0, 0},
		{"a gap in the destination", newLayout([]int{2, 3, 4}, []int{200, 32, 8}), c, []axis{{N: 2, DS: 200, SS: 96}, {N: 12,
			DS: 8, SS: 8}}, 0, 0},
		{"F to C", c, f, []axis{{N: 2, DS: 96, SS: 8}, {N: 3, DS: 32, SS: 16}, {N: 4, DS: 8, SS: 48}}, 0, 0},
		{"C to F", f, c, []axis{{N: 4, DS: 48, SS: 8}, {N: 3, DS: 16, SS: 32}, {N: 2, DS: 8, SS: 96}}, 0, 0},
		{"one element", newLayout([]int{1, 1}, []int{-5, 7}), newLayout([]int{1, 1}, []int{3, -9}), []axis{{N: 1, DS: 0,
			SS: 0}},
			0, 0},
		{"no axes", index.Layout{}, index.Layout{}, []axis{{N: 1, DS: 0, SS: 0}}, 0, 0},
		{"no elements", newLayout([]int{2, 0, 3}, []int{-1, 2, 3}), newLayout([]int{2, 0, 3}, []int{1, 2, -3}), []axis{{N: 0,
			DS: 0, SS: 0}}, 0, 0},
		{"ones between", newLayout([]int{1, 2, 1, 3, 1}, []int{-9, 24, math.MinInt, 8, 9}), newLayout([]int{1, 2, 1, 3, 1},
			[]int{9, 6, 9, 2, math.MaxInt}),
			[]axis{{N: 6, DS: 8, SS: 2}}, 0, 0},
		{"both reversed", newLayout([]int{2, 3}, []int{-24, -8}), newLayout([]int{2, 3}, []int{-6, -2}), []axis{{N: 6, DS: 8,
			SS: 2}}, -40, -10},
		{"the destination reversed", newLayout([]int{2, 3}, []int{24, -8}), newLayout([]int{2, 3}, []int{6, 2}), []axis{{N: 2,
			DS: 24, SS: 6}, {N: 3, DS: 8, SS: -2}}, -16, 4},
		{"the source reversed", newLayout([]int{2, 3}, []int{24, 8}), newLayout([]int{2, 3}, []int{-6, -2}), []axis{{N: 6,
			DS: 8,
			SS: -2}}, 0, 0},
		{"a source that is broadcast", c, newLayout([]int{2, 3, 4}, []int{0, 0, 8}), []axis{{N: 6, DS: 32, SS: 0}, {N: 4,
			DS: 8,
			SS: 8}}, 0, 0},
		// Axes with equal strides in the destination are sorted by the absolute values of their strides in the source. If
		// these are equal, too, the axes keep their order.
		{"ties", newLayout([]int{2, 3, 4, 5, 6}, []int{8, -100, 8, 40, 8}), newLayout([]int{2, 3, 4, 5, 6}, []int{1, 2, -5, 4,
			-1}),
			[]axis{{N: 3, DS: 100, SS: -2}, {N: 5, DS: 40, SS: 4}, {N: 4, DS: 8, SS: -5}, {N: 2, DS: 8, SS: 1}, {N: 6, DS: 8,
				SS: -1}}, -200, 4},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, doff, soff := pairAxes(nil, tt.dst, tt.src)
			if !slices.Equal(got, tt.want) || doff != tt.doff || soff != tt.soff {
				t.Errorf("%s: %v at %d and %d, want %v at %d and %d", tt.name, got, doff, soff, tt.want, tt.doff, tt.soff)
			}
		})
	}
}

func TestSingle(t *testing.T) {
	l := newLayout([]int{2, 1, 3, 4}, []int{-8, 5, 64, 16})
	for _, tt := range []struct {
		l     index.Layout
		order index.Order
		want  []axis
		off   int
	}{
		{l, index.C, []axis{{N: 2, DS: -8, SS: 0}, {N: 12, DS: 16, SS: 0}}, 0},
		{l, index.F, []axis{{N: 4, DS: 16, SS: 0}, {N: 3, DS: 64, SS: 0}, {N: 2, DS: -8, SS: 0}}, 0},
		{l, index.K, []axis{{N: 24, DS: 8, SS: 0}}, -8},
		{index.Layout{}, index.C, []axis{{N: 1, DS: 0, SS: 0}}, 0},
		{index.Layout{}, index.K, []axis{{N: 1, DS: 0, SS: 0}}, 0},
		{newLayout([]int{3, 0}, []int{-8, 8}), index.K, []axis{{N: 0, DS: 0, SS: 0}}, 0},
		{newLayout([]int{0}, []int{8}), index.F, []axis{{N: 0, DS: 0, SS: 0}}, 0},
		{newLayout([]int{2, 2}, []int{0, 0}), index.C, []axis{{N: 4, DS: 0, SS: 0}}, 0},
	} {
		if got, off := layoutAxes(nil, tt.l, tt.order); !slices.Equal(got, tt.want) || off != tt.off {
			t.Errorf("%v in order %v: %v at %d, want %v at %d", tt.l, tt.order, got, off, tt.want, tt.off)
		}
	}
}

// TestPairRandom checks that the prepared axes visit each pair of elements once, in the memory order of the
// destination, and that no further axes can be merged.
func TestPairRandom(t *testing.T) {
	r := oracle.Rand(t, 1)
	maxAxes := 0
	for range caseCount(t, 2500) {
		shape := randomShape(r, 12, 500)
		dst, src := randomSource(r, shape, 4), randomSource(r, shape, 4)
		if r.IntN(3) == 0 {
			src = randomLike(r, dst)
		}
		axes, doff, soff := pairAxes(nil, dst, src)
		maxAxes = max(maxAxes, len(axes))
		got, want := walkAxes(axes, doff, soff), slowPairs(dst, src)
		slices.SortFunc(got, comparePairs)
		slices.SortFunc(want, comparePairs)
		if !slices.Equal(got, want) {
			t.Fatalf("%v and %v: axes %v at %d and %d visit %v, want %v", dst, src, axes, doff, soff, got, want)
		}
		checkAxes(t, axes, true)
		if t.Failed() {
			t.Fatalf("%v and %v", dst, src)
		}
	}
	if maxAxes <= smallRank {
		t.Errorf("no case has more than %d axes", maxAxes)
	}
}

// TestSingleRandom checks that the prepared axes visit each element once: in C or F order, or in order K by ascending
// address if axes do not interleave.
func TestSingleRandom(t *testing.T) {
	r := oracle.Rand(t, 2)
	for range caseCount(t, 2500) {
		shape := randomShape(r, 12, 500)
		l, apart := randomLayout(r, shape, 4), true
		if r.IntN(3) == 0 {
			l, apart = randomSource(r, shape, 4), false
		}
		for _, order := range []index.Order{index.C, index.F, index.K} {
			axes, off := layoutAxes(nil, l, order)
			var got []int
			for _, p := range walkAxes(axes, off, 0) {
				got = append(got, p[0])
			}
			want := slowOffsets(l, order == index.F)
			if order == index.K {
				slices.Sort(want)
				if !apart {
					slices.Sort(got)
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("%v in order %v: axes %v at %d visit %v, want %v", l, order, axes, off, got, want)
			}
			checkAxes(t, axes, order == index.K)
			if t.Failed() {
				t.Fatalf("%v in order %v", l, order)
			}
		}
	}
}

// checkAxes checks the properties of axes that prepare guarantees.
func checkAxes(t *testing.T, axes []axis, sorted bool) {
	if len(axes) == 0 {
		t.Error("no axis is left")
	}
	for k, a := range axes {
		if a.N <= 1 && len(axes) > 1 {
			t.Errorf("%v: axis %d has length %d", axes, k, a.N)
		}
		if sorted && a.DS < 0 {
			t.Errorf("%v: axis %d goes down", axes, k)
		}
		if k == 0 {
			continue
		}
		b := axes[k-1]
		if b.DS == a.N*a.DS && b.SS == a.N*a.SS {
			t.Errorf("%v: axes %d and %d are one run", axes, k-1, k)
		}
		if sorted && (b.DS < a.DS || b.DS == a.DS && max(b.SS, -b.SS) < max(a.SS, -a.SS)) {
			t.Errorf("%v: axis %d has a smaller stride than axis %d", axes, k-1, k)
		}
	}
}

// slowPairs returns the offsets of corresponding elements of two layouts.
func slowPairs(dst, src index.Layout) [][2]int {
	d, s := slowOffsets(dst, false), slowOffsets(src, false)
	pairs := make([][2]int, len(d))
	for i := range d {
		pairs[i] = [2]int{d[i], s[i]}
	}
	return pairs
}

// walkAxes returns the offsets that a walk along axes visits. The last axis changes fastest.
func walkAxes(axes []axis, doff, soff int) [][2]int {
	pairs := [][2]int{{doff, soff}}
	for _, a := range axes {
		var longer [][2]int
		for _, p := range pairs {
			for i := range a.N {
				longer = append(longer, [2]int{p[0] + i*a.DS, p[1] + i*a.SS})
			}
		}
		pairs = longer
	}
	return pairs
}

func comparePairs(p, q [2]int) int { return cmp.Or(cmp.Compare(p[0], q[0]), cmp.Compare(p[1], q[1])) }

// randomLike returns a random layout that differs from l in few strides, so that axes can be merged.
func randomLike(r *rand.Rand, l index.Layout) index.Layout {
	strides := l.Strides()
	for k := range strides {
		if r.IntN(6) == 0 {
			strides[k] = r.IntN(30) - 15
		}
	}
	return newLayout(l.Shape(), strides)
}

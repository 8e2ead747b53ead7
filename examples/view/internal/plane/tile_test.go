package plane

import (
	"context"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestTile compares tiles of random arrays with a loop over the elements that their plan reads.
func TestTile(t *testing.T) {
	r := oracle.Rand(t, 1)
	var kinds [4]int // number of tiles by plan.coarse: none, 1, more than 1; and of exact tiles
	for range oracle.Cases(t, 200) {
		p := draw(t, r, 100_000)
		if p.empty() {
			continue
		}
		pl, err := New(pick.Array{Array: p.a}, pick.Reading{Part: p.part}, p.at, p.y, p.x, p.channels)
		if err != nil {
			t.Fatalf("New of %#v: %v", p.a, err)
		}
		want := Want{LevelY: r.IntN(12), LevelX: r.IntN(12), How: How(r.IntN(4)), Refine: r.IntN(2) == 0}
		if r.IntN(2) == 0 {
			want.LevelY = want.LevelX
		}
		want.Row = r.IntN(max(0, p.h-1)>>want.LevelY/Side + 1)
		want.Col = r.IntN(max(0, p.w-1)>>want.LevelX/Side + 1)
		first, better := pl.budget(want.Refine), pl.budget(true)
		if r.IntN(3) == 0 {
			first = budget{1 << r.IntN(12), 1 << r.IntN(18), pages.Bytes}
		}
		got, err := pl.tile(context.Background(), want, first, better)
		if err != nil {
			t.Fatalf("%#v: %+v: %v", p.a, want, err)
		}
		all := got.plan.coarse == 1 && got.plan.y.n == min(p.h, 1<<want.LevelY) && got.plan.x.n == min(p.w, 1<<want.LevelX)
		if len(got.Values) > 0 && (got.Flags&Exact != 0) != all || (got.Flags&Exact != 0) == (got.Flags&Sampled != 0) {
			t.Fatalf("%#v: %+v: flags %d for %+v", p.a, want, got.Flags, got.plan)
		}
		kinds[min(got.plan.coarse, 2)]++
		if all {
			kinds[3]++
		}
		py, px := 1<<want.LevelY, 1<<want.LevelX
		y0, x0 := want.Row*Side*py, want.Col*Side*px
		rows, cols := min(Side, (p.h-y0+py-1)/py), min(Side, (p.w-x0+px-1)/px)
		if got.Rows != rows || got.Cols != cols || got.Channels != p.c || len(got.Values) != rows*cols*p.c {
			t.Fatalf("%#v: %+v: got %d × %d × %d and %d numbers, want %d × %d × %d", p.a, want, got.Rows, got.Cols, got.Channels,
				len(got.Values), rows, cols, p.c)
		}
		how := want.How
		if p.c > 1 && how != Sample {
			how = Mean
		}
		tolerance := 1e-6
		if d := p.a.DType(); d.Kind() == dtype.KindFloat && d.ItemSize() == 2 {
			tolerance = 1e-3 // as in NumPy, the mean of float16 is a float16
		}
		lo, hi := math.Inf(1), math.Inf(-1)
		for i, x := range got.Values {
			row, col, c := i/p.c/cols, i/p.c%cols, i%p.c
			var elements []float64
			for _, y := range slowTake(row, py, p.h-y0, got.plan.y, got.plan.coarse) {
				for _, x := range slowTake(col, px, p.w-x0, got.plan.x, got.plan.coarse) {
					elements = append(elements, p.byElements(y0+y, x0+x, c))
				}
			}
			w := slowPixel(how, elements)
			if how == Mean && len(elements) > 1 && p.part == pick.Angle {
				var zs []complex128
				for _, y := range slowTake(row, py, p.h-y0, got.plan.y, got.plan.coarse) {
					for _, x := range slowTake(col, px, p.w-x0, got.plan.x, got.plan.coarse) {
						zs = append(zs, p.byComplex(y0+y, x0+x, c))
					}
				}
				w = slowAngle(zs)
				if slices.ContainsFunc(zs, cmplx.IsInf) {
					w = x
				}
			}
			if !isClose(x, w, tolerance) {
				t.Fatalf("%#v: at %v, y=%d, x=%d, %q, %+v, %+v: pixel %d, %d, %d is %v, want %v", p.a, p.at, p.y, p.x, p.part, want,
					got.plan, row, col, c, x, w)
			}
			if !math.IsInf(x, 0) && x == x {
				lo, hi = min(lo, x), max(hi, x)
			}
		}
		if lo > hi {
			lo, hi = math.NaN(), math.NaN()
		}
		if !isClose(got.Min, lo, 0) || !isClose(got.Max, hi, 0) {
			t.Fatalf("%#v: %+v: got numbers from %v to %v, want %v to %v", p.a, want, got.Min, got.Max, lo, hi)
		}
	}
	if kinds[1] < 2 || kinds[2] < 2 || kinds[3] < 2 || kinds[3] == kinds[1] {
		t.Errorf("%d tiles of plan.coarse 1, %d exact and %d coarse tiles: want more of each", kinds[1], kinds[3],
			kinds[2])
	}
}

// slowTake returns the indices of the elements read for a pixel along an axis of n elements.
func slowTake(pixel, size, n int, t sampling, coarse int) []int {
	if coarse > 1 {
		return []int{(pixel - pixel%coarse) * size}
	}
	var s []int
	for k := range t.n {
		if at := k * t.step; at < size && pixel*size+at < n {
			s = append(s, pixel*size+at)
		}
	}
	return s
}

// isClose reports whether x equals y within the tolerance. NaN equals NaN.
func isClose(x, y, tolerance float64) bool {
	return x == y || math.IsNaN(x) && math.IsNaN(y) || math.Abs(x-y) <= tolerance*math.Max(math.Abs(y), 1)
}

package array

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// movingMeans returns the means of the windows of up to 2n+1 rows around each row of v. Sums of elements must be exact.
func movingMeans(v View[float64], n int) []float64 {
	sums := make([]float64, v.Len(0)+1) // sums[i] is the sum of the first i rows
	for i, row := range v.Axis(0) {
		sums[i+1] = sums[i]
		for x := range row.Values() {
			sums[i+1] += x
		}
	}
	means := make([]float64, v.Len(0))
	for i := range means {
		lo, hi := max(0, i-n), i+1+min(n, len(means)-1-i)
		means[i] = (sums[hi] - sums[lo]) / float64((hi-lo)*(v.Size()/v.Len(0)))
	}
	return means
}

// checkRowsHalo tests that RowsHalo passes each row of v once, with a halo of n rows, and that the moving means of the
// blocks are the moving means of v. It returns the number of calls.
func checkRowsHalo(t *testing.T, v View[float64], n int) (calls int) {
	t.Helper()
	want := movingMeans(v, n)
	all, per := collect(v), v.Size()/v.Len(0)
	var count atomic.Int64
	passed, means := make([]atomic.Int32, v.Len(0)), make([]float64, v.Len(0))
	err := RowsHalo(v, n, func(first int, rows, halo View[float64]) error {
		count.Add(1)
		end := first + rows.Len(0)
		before, after := min(first, n), min(v.Len(0)-end, n)
		if !slices.Equal(rows.Collect(), all[first*per:end*per]) ||
			!slices.Equal(halo.Collect(), all[(first-before)*per:(end+after)*per]) || halo.Len(0) != before+rows.Len(0)+after {
			return fmt.Errorf("rows %d to %d have a halo of shape %v, or other elements", first, end, halo.Shape())
		}
		for i, mean := range movingMeans(halo, n)[before : before+rows.Len(0)] {
			passed[first+i].Add(1)
			means[first+i] = mean
		}
		return nil
	})
	if err == nil && !slices.Equal(means, want) {
		err = errors.New("wrong means")
	}
	for i := range passed {
		if k := passed[i].Load(); k != 1 {
			err = fmt.Errorf("row %d was passed %d times", i, k)
		}
	}
	if err != nil {
		t.Fatalf("%v %v, halo %d: %v", v.DType(), v.Layout(), n, err)
	}
	return int(count.Load())
}

// TestRowsHalo tests moving means of views of any kind, with halos that may be longer than the view.
func TestRowsHalo(t *testing.T) {
	r := oracle.Rand(t, 75)
	for range oracle.Cases(t, 60) {
		v := randomView(r, among(r, 4, 30, 60))
		if oneIn(r, 7) {
			v = must(v.MoveAxis(0, -1))
		}
		if v.Size() == 0 {
			continue
		}
		n := among(r, 0, 1, 2, 7, 100, math.MaxInt)
		eachGOMAXPROCS(func(int) { checkRowsHalo(t, v, n) })
	}
}

// TestRowsHaloParts tests moving means of views that are divided into several parts.
func TestRowsHaloParts(t *testing.T) {
	long, wide := must(countingVector(1<<17).Reshape(1<<13, 1<<4)), must(countingVector(1<<17).Reshape(1<<6, 1<<11))
	for _, tt := range []struct {
		name string
		v    View[float64]
		n    int
	}{
		{"short windows", long, 3},
		{"windows longer than blocks", long, 1 << 12},
		{"downwards", pick(long, "::-1"), 1 << 7},
		{"long rows", wide, 2},
		{"long rows and long windows", wide, 40},
		{"columns", wide.T(), 5},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachGOMAXPROCS(func(int) { checkRowsHalo(t, tt.v, tt.n) })
		})
	}
}

// TestRowsHaloBlocks tests the number of calls. Blocks have at least four rows for each row of the halo on one side,
// but there are at least 16 parts for goroutines.
func TestRowsHaloBlocks(t *testing.T) {
	v := must(FromSlice(make([]float64, 1<<21), 1<<8, 1<<13)) // rows of 64 KiB: 17 parts, and 4 rows in a block
	for _, tt := range []struct{ n, calls, most int }{
		{0, 17 * 4, 4}, {1, 17 * 4, 4}, {2, 16 * 2, 8}, {3, 16 * 2, 12}, {4, 16, 16}, {100, 16, 16}, {math.MaxInt, 16, 16},
	} {
		var calls atomic.Int64
		lengths := make([]int, v.Len(0)) // of the block that starts at each row
		must(0, RowsHalo(v, tt.n, func(first int, rows, _ View[float64]) error {
			calls.Add(1)
			lengths[first] = rows.Len(0)
			return nil
		}))
		if calls.Load() != int64(tt.calls) || slices.Max(lengths) != tt.most {
			t.Errorf("halo %d: %d calls of up to %d rows, want %d of %d", tt.n, calls.Load(), slices.Max(lengths), tt.calls,
				tt.most)
		}
	}
}

func TestRowsHaloErrors(t *testing.T) {
	v := countingVector(5)
	stop := errors.New("stop")
	if err := RowsHalo(v, 1, func(int, View[float64], View[float64]) error { return stop }); err != stop {
		t.Error(err)
	}
	if err := RowsHalo(v.Index(0), 1, func(int, View[float64], View[float64]) error { return nil }); !errors.Is(err,
		ErrShape) {
		t.Error(err)
	}
	defer func() {
		if err, ok := recover().(error); !errors.Is(err, ErrShape) || !ok || !strings.Contains(err.Error(), "-1 rows") {
			t.Errorf("panic %v", err)
		}
	}()
	RowsHalo(v, -1, func(int, View[float64], View[float64]) error { return nil })
	t.Error("a negative number of rows is no panic")
}

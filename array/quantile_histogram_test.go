package array

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// slowHistogram defines the result of Histogram: it compares every element with every bin.
func slowHistogram(all, edges []float64) []int64 {
	counts := make([]int64, len(edges)-1)
	last := len(counts) - 1
	for _, x := range all {
		for i := range counts {
			if edges[i] <= x && x < edges[i+1] || i == last && x == edges[last+1] {
				counts[i]++
			}
		}
	}
	return counts
}

// randomEdges returns edges in ascending order, evenly spaced or not, some of them equal or infinite.
func randomEdges(r *rand.Rand) []float64 {
	edges := make([]float64, among(r, 2, 2, 3, 5, 20, 300))
	for i := range edges {
		switch edges[i] = 50 + 30*r.NormFloat64(); r.IntN(8) {
		case 0, 1, 2:
			edges[i] = math.Floor(edges[i])
		case 3:
			edges[i] = edges[i/2]
		case 4:
			edges[i] *= math.Pow(10, float64(r.IntN(617)-308))
		case 5:
			if r.IntN(10) == 0 {
				edges[i] = math.Inf(r.IntN(2)*2 - 1)
			}
		}
	}
	slices.Sort(edges)
	return edges
}

func TestHistogram(t *testing.T) {
	r := oracle.Rand(t, 41)
	for range oracle.Cases(t, 150) {
		v, edges := randomView(r, 20), randomEdges(r)
		got, err := Histogram(v, edges)
		if want := slowHistogram(collect(v), edges); err != nil || !slices.Equal(got, want) {
			t.Fatalf("%v %v: %v, %v; want %v", v.DType(), edges, got, err, want)
		}
	}
	inf, nan := math.Inf(1), math.NaN()
	special := []float64{nan, -inf, -math.MaxFloat64, -1, math.Copysign(0, -1), 0, 5e-324, 1, math.MaxFloat64, inf}
	for _, tt := range []struct{ edges []float64 }{
		{[]float64{-inf, inf}}, {[]float64{inf, inf}}, {[]float64{-inf, -inf, 0}}, {[]float64{0, 0}}, {[]float64{1, 1, 1}},
		{[]float64{-math.MaxFloat64, 0, math.MaxFloat64}}, {[]float64{0, 5e-324}}, {[]float64{-1, 0, 1, inf}},
		{[]float64{-inf, 0, math.Copysign(0, -1), inf}}, {[]float64{0, math.Copysign(0, -1)}},
		{[]float64{math.Copysign(0, -1), 0, inf}}, {[]float64{-inf, 0, math.Copysign(0, -1), 0, 1}},
	} {
		got, err := Histogram(must(FromSlice(special)), tt.edges)
		if want := slowHistogram(special, tt.edges); err != nil || !slices.Equal(got, want) {
			t.Errorf("%v: %v, %v; want %v", tt.edges, got, err, want)
		}
	}
}

func TestHistogramErrors(t *testing.T) {
	path := tempPath(t)
	f := must(Create(path, dtype.Int16, index.C, 3))
	defer f.Close()
	v := must(As[int16](f.Array))
	for _, tt := range []struct {
		edges []float64
		want  string
	}{
		{nil, ": 0 histogram edges; want at least 2"},
		{[]float64{1}, ": 1 histogram edges; want at least 2"},
		{[]float64{1, 2, 1.5}, ": edge 2 of the histogram is 1.5, less than the edge before it; sort the edges"},
		{[]float64{1, math.NaN()}, ": edge 1 of the histogram is NaN"},
	} {
		if got, err := Histogram(v, tt.edges); got != nil || err == nil || err.Error() != path+tt.want {
			t.Errorf("%v: %v, %v; want %q", tt.edges, got, err, tt.want)
		}
	}
	if got, err := Histogram(must(FromSlice([]int8{})), []float64{0, 1, 2}); !slices.Equal(got, []int64{0, 0}) ||
		err != nil {
		t.Errorf("no elements: %v, %v", got, err)
	}
}

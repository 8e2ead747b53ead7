package array

import (
	"math"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// slowMoments defines the moments of s: it computes them in two passes.
func slowMoments(s []float64) (m Moments) {
	m.Min, m.Max = math.Inf(1), math.Inf(-1)
	for _, x := range s {
		if math.IsNaN(x) {
			m.NaN++
			continue
		}
		m.Count++
		m.Min, m.Max, m.Mean = min(m.Min, x), max(m.Max, x), m.Mean+x
	}
	if m.Count == 0 {
		return Moments{NaN: m.NaN}
	}
	m.Mean /= float64(m.Count)
	for _, x := range s {
		if !math.IsNaN(x) {
			m.M2 += (x - m.Mean) * (x - m.Mean)
		}
	}
	return m
}

// TestMomentsShared tests the moments of large arrays along each choice of axes. Depending on the shape, goroutines
// divide the reduced axes and merge their results, goroutines divide the kept axes, or one goroutine does all the work.
func TestMomentsShared(t *testing.T) {
	oracle.AnyProcessor(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	r := oracle.Rand(t, 97)
	const n = 1 << 17 // elements; 1 MiB
	s := make([]float64, n)
	for i := range s {
		if s[i] = 100 + r.NormFloat64(); r.IntN(20) == 0 {
			s[i] = math.NaN()
		}
	}
	for _, shape := range [][]int{{n}, {n / 4, 4}, {4, n / 4}, {n / 2048, 2048}, {n / 512, 2, 256}} {
		a := must(FromSlice(s, shape...)).Array()
		for mask := 1; mask < 1<<len(shape); mask++ {
			var axes []int
			for axis := range shape {
				if mask>>axis&1 == 1 {
					axes = append(axes, axis)
				}
			}
			red := Reduction{Op: OpMoments, Axes: axes}
			dst := must(New(must(dtype.Of[Moments]()), index.C, must(red.Shape(a))...))
			if err := red.Into(dst.Array, a); err != nil {
				t.Fatal(err)
			}
			parts := make([][]float64, dst.Size())
			for i, x := range s {
				at, size := 0, 1 // index of the result that x belongs to, and stride of the axis
				for axis := len(shape) - 1; axis >= 0; axis-- {
					if mask>>axis&1 == 0 {
						at += i % shape[axis] * size
						size *= shape[axis]
					}
					i /= shape[axis]
				}
				parts[at] = append(parts[at], x)
			}
			for i, m := range must(must(As[Moments](dst.Array)).Data()) {
				w := slowMoments(parts[i])
				if m.Count != w.Count || m.NaN != w.NaN || m.Min != w.Min || m.Max != w.Max || math.Abs(m.Mean-w.Mean) > 1e-9 ||
					math.Abs(m.M2-w.M2) > 1e-7*w.M2 {
					t.Fatalf("%v along %v, result %d: %+v, want %+v", shape, axes, i, m, w)
				}
			}
			dst.Close()
		}
	}
}

package array

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/reduce"
	"github.com/ndmap/ndmap/mmap"
)

// TestNumPyDistribution compares Histogram and Quantile with NumPy, on files that NumPy wrote.
func TestNumPyDistribution(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(`
rng = np.random.default_rng(x)
def draw(d, n):
    d = np.dtype(d)
    if d.kind == 'f':
        a = rng.standard_normal(n) * 10.0 ** rng.integers(-3, 4, n)
        if rng.integers(3) == 0: a = np.round(a)
        if rng.integers(6) == 0 and n: a[rng.integers(n)] = np.nan
    else:
        lo, hi = np.iinfo(d).min // 2, np.iinfo(d).max // 2    # where differences do not overflow
        a = rng.integers(lo, hi, n, endpoint=True) if rng.integers(2) else rng.integers(0, 100, n)
    return a.astype(d)
`, oracle.Seed(t), nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 42)
	cases := oracle.Cases(t, 60)
	for k := range cases {
		d := among(r, "f8", "f4", "i8", "i4", "i2", "i1", "u8", "u4", "u2", "u1")
		n := among(r, 1, 2, 3, 10, 1000, 20000)
		if k%40 == 0 {
			n = 3*reduce.MaxSortedKeys/2 + k // counted before they are sorted
		}
		path, err := p.Save(fmt.Sprintf("draw('%s%s', %d)", among(r, "<", ">"), d, n), nil)
		if err != nil {
			t.Fatal(err)
		}
		qs := []float64{0, 1, 0.5}
		for range r.IntN(10) {
			qs = append(qs, among(r, r.Float64(), float64(r.IntN(101))/100))
		}
		edges := randomEdges(r)
		qsFile, edgesFile := filepath.Join(t.TempDir(), "q.npy"), filepath.Join(t.TempDir(), "e.npy")
		for name, s := range map[string][]float64{qsFile: qs, edgesFile: edges} {
			t.Run(name, func(t *testing.T) {
				if err := Save(name, must(FromSlice(s)).Array()); err != nil {
					t.Fatal(err)
				}
			})
		}
		var want struct {
			Counts    []int64
			Quantiles []byte
		}
		err = p.Run(`
a, q, e = (np.load(f) for f in x)
with np.errstate(all='ignore'):
    out = {"Counts": np.histogram(a, bins=e)[0].tolist(), "Quantiles": np.quantile(a, q).astype('<f8').tobytes()}
`, []string{path, qsFile, edgesFile}, &want)
		if err != nil {
			t.Fatal(err)
		}
		quantiles := collect(must(As[float64](must(FromBytes(want.Quantiles,
			dtype.Float64.WithByteOrder(dtype.LittleEndian),
			index.C, len(qs))))))
		f := must(Open(path, mmap.ReadOnly))
		counts, got := histogramAndQuantiles(t, f.Array, edges, qs)
		f.Close()
		if !slices.Equal(counts, want.Counts) {
			t.Fatalf("%d numbers of %s: the histogram for edges %v is %v, want %v", n, d, edges, counts, want.Counts)
		}
		for i, x := range got {
			if y := quantiles[i]; x != y && (x == x || y == y) {
				t.Fatalf("%d numbers of %s: quantile %v is %v, want %v", n, d, qs[i], x, y)
			}
		}
	}
}

// histogramAndQuantiles calls Histogram and Quantile with the Go type of the elements of a.
func histogramAndQuantiles(t *testing.T, a Array, edges, qs []float64) ([]int64, []float64) {
	switch a.DType().WithByteOrder(dtype.LittleEndian).String() {
	case "<f8":
		return both[float64](t, a, edges, qs)
	case "<f4":
		return both[float32](t, a, edges, qs)
	case "<i8":
		return both[int64](t, a, edges, qs)
	case "<i4":
		return both[int32](t, a, edges, qs)
	case "<i2":
		return both[int16](t, a, edges, qs)
	case "|i1":
		return both[int8](t, a, edges, qs)
	case "<u8":
		return both[uint64](t, a, edges, qs)
	case "<u4":
		return both[uint32](t, a, edges, qs)
	case "<u2":
		return both[uint16](t, a, edges, qs)
	}
	return both[uint8](t, a, edges, qs)
}

func both[T Real](t *testing.T, a Array, edges, qs []float64) ([]int64, []float64) {
	v := must(As[T](a))
	counts, err := Histogram(v, edges)
	if err != nil {
		t.Fatal(err)
	}
	quantiles, err := Quantile(v, qs...)
	if err != nil {
		t.Fatal(err)
	}
	return counts, quantiles
}

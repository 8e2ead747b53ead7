package array

import (
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// BenchmarkPerformance measures the table in README.md, Performance: 8 MB of float64, 1000 rows of 1000, whose elements
// are added up.
//
//	go test ./array -run '^$' -bench Performance -benchtime 20x -count 5
//	go test ./array -run '^$' -bench 'Performance/(Index|Select)' -count 5
func BenchmarkPerformance(b *testing.B) {
	const n = 1000
	f := must(New(dtype.Float64, index.C, n, n))
	b.Cleanup(func() { f.Close() })
	v := must(As[float64](f.Array))
	v.Fill(1.5)
	swapped := must(As[float64](must(FromBytes(make([]byte, 8*n*n), dtype.Float64.WithByteOrder(nonNativeOrder()), index.C,
		n,
		n))))
	cast := must(Cast[float64](must(FromBytes(make([]byte, 2*n*n), dtype.Int16, index.C, n, n))))
	m := must(v.Matrix())
	data := must(v.Data())
	rows := make([]int, 256)
	for k := range rows {
		rows[k] = k * 389 % n
	}
	buf := make([]float64, 0, len(rows)*n)
	selectors := []index.Selector{index.Range(1, 5), index.Range(0, 100).Every(2)}
	part := v // outside of the functions, so that the compiler keeps every result
	defer func() { runtime.KeepAlive(part) }()
	for _, bb := range []struct {
		name     string
		elements int // 0 reports the time of a call
		run      func()
	}{
		{"Data", n * n, func() { sink = sumSlice(data) }},
		{"Blocks", n * n, func() { sink = sumBlocks(v) }},
		{"Blocks swapped", n * n, func() { sink = sumBlocks(swapped) }},
		{"Blocks of a Cast", n * n, func() { sink = sumBlocks(cast) }},
		{"Values", n * n, func() { sink = sumValues(v) }},
		{"Values swapped", n * n, func() { sink = sumValues(swapped) }},
		{"Values of a Cast", n * n, func() { sink = sumValues(cast) }},
		{"All", n * n, func() { sink = sumAll(v) }},
		{"Matrix.At", n * n, func() { sink = sumMatrixAt(&m) }},
		{"At", n * n, func() { sink = sumAt2D(v) }},
		{"At swapped", n * n, func() { sink = sumAt2D(swapped) }},
		{"At of a Cast", n * n, func() { sink = sumAt2D(cast) }},
		{"AppendRows", len(rows) * n, func() { buf = must(v.AppendRows(buf[:0], rows)) }},
		{"Index", 0, func() { part = v.Index(7) }},
		{"Select", 0, func() { part = must(v.Select(selectors...)) }},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				bb.run()
			}
			if bb.elements > 0 {
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(bb.elements), "ns/element")
			}
		})
	}
}

func sumMatrixAt(m *Matrix[float64]) (sum float64) {
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			sum += m.At(i, j)
		}
	}
	return sum
}

func sumAt2D(v View[float64]) (sum float64) {
	for i := range v.Len(0) {
		for j := range v.Len(1) {
			sum += v.At(i, j)
		}
	}
	return sum
}

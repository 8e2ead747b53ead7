package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// Ratios within one run are what counts here: each way of going through the
// elements against the plain slice loop over the same memory.
//
//	go test ./array -run '^$' -bench Sum -count 5

const benchLen = 1e7

func benchView(b *testing.B) View[float64] {
	f := must(New(dtype.Float64, index.C, 100, 100, benchLen/10000))
	b.Cleanup(func() { f.Close() })
	v := must(As[float64](f.Array))
	v.Fill(1.5)
	b.SetBytes(benchLen * 8)
	b.ResetTimer()
	return v
}

func sumSlice(s []float64) (sum float64) {
	for _, x := range s {
		sum += x
	}
	return sum
}

func BenchmarkSumSlice(b *testing.B) {
	s := must(benchView(b).Data())
	for range b.N {
		sink = sumSlice(s)
	}
}

func sumValues(v View[float64]) (sum float64) {
	for x := range v.Values() {
		sum += x
	}
	return sum
}

func BenchmarkSumValues(b *testing.B) {
	v := benchView(b)
	for range b.N {
		sink = sumValues(v)
	}
}

func BenchmarkSumValuesSwapped(b *testing.B) {
	order := dtype.BigEndian
	if dtype.Native == dtype.BigEndian {
		order = dtype.LittleEndian
	}
	f := must(New(dtype.Float64.WithOrder(order), index.C, benchLen))
	defer f.Close()
	v := must(As[float64](f.Array))
	b.SetBytes(benchLen * 8)
	b.ResetTimer()
	for range b.N {
		sink = sumValues(v)
	}
}

func sumAll(v View[float64]) (sum float64) {
	for _, x := range v.All(index.C) {
		sum += x
	}
	return sum
}

func BenchmarkSumAll(b *testing.B) {
	v := benchView(b)
	for range b.N {
		sink = sumAll(v)
	}
}

func sumAt(v View[float64]) (sum float64) {
	for i := range v.Dim(0) {
		for j := range v.Dim(1) {
			for k := range v.Dim(2) {
				sum += v.At(i, j, k)
			}
		}
	}
	return sum
}

func BenchmarkSumAt(b *testing.B) {
	v := benchView(b)
	for range b.N {
		sink = sumAt(v)
	}
}

func sumCube(c Cube[float64]) (sum float64) {
	n0, n1, n2 := c.Dims()
	for i := range n0 {
		for j := range n1 {
			for k := range n2 {
				sum += c.At(i, j, k)
			}
		}
	}
	return sum
}

func BenchmarkSumCube(b *testing.B) {
	c := must(benchView(b).Cube())
	for range b.N {
		sink = sumCube(c)
	}
}

func sumMatrix(m Matrix[float64]) (sum float64) {
	rows, cols := m.Dims()
	for i := range rows {
		for j := range cols {
			sum += m.At(i, j)
		}
	}
	return sum
}

func BenchmarkSumMatrix(b *testing.B) {
	m := must(must(benchView(b).Reshape(1000, -1)).Matrix())
	for range b.N {
		sink = sumMatrix(m)
	}
}

func BenchmarkRecords(b *testing.B) {
	f := must(New(must(dtype.Of[particle]()), index.C, 1e6))
	defer f.Close()
	v := must(As[particle](f.Array))
	data := must(v.Data())
	vec := must(v.Vector())
	b.Run("slice", func(b *testing.B) {
		for range b.N {
			sum := 0.0
			for i := range data {
				p := data[i]
				sum += p.Mass + float64(p.Pos.X)
			}
			sink = sum
		}
	})
	b.Run("View.At", func(b *testing.B) {
		for range b.N {
			sum := 0.0
			for i := range v.Dim(0) {
				p := v.At(i)
				sum += p.Mass + float64(p.Pos.X)
			}
			sink = sum
		}
	})
	b.Run("Vector.At", func(b *testing.B) {
		for range b.N {
			sum := 0.0
			for i := range vec.Len() {
				p := vec.At(i)
				sum += p.Mass + float64(p.Pos.X)
			}
			sink = sum
		}
	})
	b.Run("Values", func(b *testing.B) {
		for range b.N {
			sum := 0.0
			for p := range v.Values() {
				sum += p.Mass + float64(p.Pos.X)
			}
			sink = sum
		}
	})
}

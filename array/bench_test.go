package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// These benchmarks compare every way of visiting the elements with a plain loop over a slice of the same memory. Only
// the ratios within one run are meaningful.
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

// nonNativeOrder returns the byte order that the machine does not use.
func nonNativeOrder() dtype.ByteOrder {
	if dtype.Native == dtype.BigEndian {
		return dtype.LittleEndian
	}
	return dtype.BigEndian
}

// decodedViews returns views whose elements are decoded when they are read, and a native view for comparison.
func decodedViews(b *testing.B) map[string]View[float64] {
	anonymous := func(d dtype.DType) Array {
		f := must(New(d, index.C, benchLen))
		b.Cleanup(func() { f.Close() })
		return f.Array
	}
	unaligned := must(New(dtype.Uint8, index.C, 8*benchLen+1))
	b.Cleanup(func() { unaligned.Close() })
	views := map[string]View[float64]{
		"native":    must(As[float64](anonymous(dtype.Float64))),
		"swapped":   must(As[float64](anonymous(dtype.Float64.WithByteOrder(nonNativeOrder())))),
		"unaligned": must(As[float64](must(FromBytes(unaligned.Map().Bytes()[1:], dtype.Float64, index.C, benchLen)))),
		"cast":      must(Cast[float64](anonymous(dtype.Int32))),
	}
	for _, v := range views {
		v.Fill(1.5)
	}
	return views
}

func benchDecoded(b *testing.B, f func(View[float64]) float64) {
	for name, v := range decodedViews(b) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(benchLen * 8)
			for range b.N {
				sink = f(v)
			}
		})
	}
}

func BenchmarkDecodedValues(b *testing.B) { benchDecoded(b, sumValues) }
func BenchmarkDecodedAll(b *testing.B)    { benchDecoded(b, sumAll) }
func BenchmarkDecodedBlocks(b *testing.B) { benchDecoded(b, sumBlocks) }
func BenchmarkDecodedUpdate(b *testing.B) { benchDecoded(b, addUpdate) }

func sumBlocks(v View[float64]) (sum float64) {
	for block := range v.Blocks(index.C) {
		for _, x := range block {
			sum += x
		}
	}
	return sum
}

func addUpdate(v View[float64]) float64 {
	for block := range v.Update(index.C) {
		for i := range block {
			block[i]++
		}
	}
	return 0
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
	for i := range v.Len(0) {
		for j := range v.Len(1) {
			for k := range v.Len(2) {
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
			for i := range v.Len(0) {
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

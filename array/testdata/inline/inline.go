// Package inline contains one loop of each kind over elements. TestInlining checks what the compiler makes of them in a
// package that imports array.
package inline

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

func SumValues(v array.View[float64]) (sum float64) {
	for x := range v.Values() {
		sum += x
	}
	return sum
}

func SumAll(v array.View[float64]) (sum float64) {
	for _, x := range v.All(index.C) {
		sum += x
	}
	return sum
}

func SumBlocks(v array.View[float64]) (sum float64) {
	for block := range v.Blocks(index.C) {
		for _, x := range block {
			sum += x
		}
	}
	return sum
}

func AddUpdate(v array.View[float64]) {
	for block := range v.Update(index.C) {
		for i := range block {
			block[i]++
		}
	}
}

// Double calls the accessors of single elements.
func Double(v array.View[float64], x *array.Vector[float64], m *array.Matrix[float64], c *array.Cube[float64]) {
	v.SetAt(2*v.At(1, 2), 1, 2)
	x.SetAt(2*x.At(1), 1)
	m.SetAt(2*m.At(1, 2), 1, 2)
	c.SetAt(2*c.At(1, 2, 3), 1, 2, 3)
}

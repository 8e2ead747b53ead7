package main

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// file searches a .npy file, or a tensor of a .safetensors file, for what is near to one of its rows.
func file(name []string, row int) ([]hit, error) {
	var a array.Array
	if len(name) == 1 {
		f, err := array.Open(name[0], mmap.ReadOnly)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		a = f.Array
	} else {
		f, err := safetensors.Open(name[0], mmap.ReadOnly)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if a, err = f.Array(name[1]); err != nil {
			return nil, err
		}
	}
	if a.NDim() != 2 || row < 0 || row >= a.Shape()[0] {
		return nil, fmt.Errorf("%s: shape %v has no row %d of numbers", name[0], a.Shape(), row)
	}
	one, err := a.Select(index.At(row))
	if err != nil {
		return nil, err
	}
	query := make([]float32, a.Shape()[1])
	to, err := array.FromSlice(query)
	if err == nil {
		err = mmap.Guard(func() error { return array.Copy(to.Array(), one) })
	}
	if err != nil {
		return nil, err
	}
	return search(a, query, 10)
}

// cosine returns that of the angle between two vectors, 0 if one of them has no direction.
func cosine(a, b []float32) float64 {
	var dot, aa, bb [4]float32 // sums that do not wait for one another
	i := 0
	for ; i+4 <= len(a); i += 4 {
		x, y := (*[4]float32)(a[i:]), (*[4]float32)(b[i:])
		for k := range 4 {
			dot[k] += x[k] * y[k]
			aa[k] += x[k] * x[k]
			bb[k] += y[k] * y[k]
		}
	}
	var d, na, nb float64
	for k := range 4 {
		d, na, nb = d+float64(dot[k]), na+float64(aa[k]), nb+float64(bb[k])
	}
	for ; i < len(a); i++ {
		x, y := float64(a[i]), float64(b[i])
		d, na, nb = d+x*y, na+x*x, nb+y*y
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return d / math.Sqrt(na*nb)
}

// insert returns best, which is in order, with h in its place, and without what is past the top ones.
func insert(best []hit, h hit, top int) []hit {
	before := func(a, b hit) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.row, b.row)) }
	if len(best) == top && before(best[top-1], h) < 0 {
		return best
	}
	i, _ := slices.BinarySearchFunc(best, h, before)
	best = slices.Insert(best, i, h)
	return best[:min(len(best), top)]
}

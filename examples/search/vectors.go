package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// A mappedFile is an open .npy or .safetensors file.
type mappedFile interface {
	Map() *mmap.Map
	Close() error
}

// open opens a .npy file, or a tensor of a .safetensors file.
func open(name []string) (a array.Array, f mappedFile, err error) {
	if len(name) == 1 {
		f, err := array.Open(name[0], array.ReadOnly)
		if err != nil {
			return a, nil, err
		}
		return f.Array, f, nil
	}
	tensors, err := safetensors.Open(name[0], array.ReadOnly)
	if err != nil {
		return a, nil, err
	}
	if a, err = tensors.Array(name[1]); err != nil {
		tensors.Close()
	}
	return a, tensors, err
}

// openSettled opens a file once its last change is at least 20 ms old, or 2 s if its modification time is a whole
// second. Only then does Map.Unchanged detect every later change.
func openSettled(name []string) (a array.Array, f mappedFile, err error) {
	for try := 0; ; try++ {
		a, f, err = open(name)
		if err != nil || try == 100 || !errors.Is(f.Map().Unchanged(), mmap.ErrChanged) {
			return a, f, err
		}
		f.Close()
		time.Sleep(25 * time.Millisecond)
	}
}

// A hit is a row and its similarity.
type hit struct {
	row    int
	cosine float64
}

// searchFile searches a file for the rows closest to one of its rows.
func searchFile(name []string, row int) ([]hit, error) {
	a, f, err := openSettled(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if a.NDim() != 2 || row < 0 || row >= a.Shape()[0] {
		return nil, fmt.Errorf("%s: shape %v: want a matrix with a row %d", name[0], a.Shape(), row)
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
	best, err := search(a, query, 10)
	return best, cmp.Or(err, f.Map().Unchanged()) // bytes cut off within a page would read as zeros
}

// cosine returns the cosine of the angle between two vectors, or 0 if one of them is zero.
func cosine(a, b []float32) float64 {
	var dot, aa, bb [4]float32 // independent sums run in parallel on the processor
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
	if min(na, nb) < 1e-30 || max(na, nb) > math.MaxFloat32 { // the squares overflow or underflow float32
		d, na, nb = 0, 0, 0
		for i := range a {
			x, y := float64(a[i]), float64(b[i])
			d, na, nb = d+x*y, na+x*x, nb+y*y
		}
	}
	if na == 0 || nb == 0 {
		return 0
	}
	return d / math.Sqrt(na*nb)
}

// insert inserts h into the sorted hits best and returns at most top of them.
func insert(best []hit, h hit, top int) []hit {
	before := func(a, b hit) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.row, b.row)) }
	if len(best) == top && before(best[top-1], h) < 0 {
		return best
	}
	i, _ := slices.BinarySearchFunc(best, h, before)
	best = slices.Insert(best, i, h)
	return best[:min(len(best), top)]
}

package main

import (
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// ops maps the values of the flag -op to operations.
var ops = map[string]array.Op{
	"sum": array.OpSum, "mean": array.OpMean, "var": array.OpVar, "min": array.OpMin, "max": array.OpMax,
	"count": array.OpCount,
}

// A reduction is an operation along axes in three steps: reducePart reduces parts of the elements, merge combines the
// results of parts, and result computes the final result.
type reduction struct {
	Op    string
	Axes  []int  // a single axis, or nil for all
	DType string // dtype of the result
}

// resolve sets DType to the dtype of the result for files with the dtype of a, and replaces a negative axis by the
// equivalent positive one.
func (r *reduction) resolve(a array.Array) error {
	for _, op := range []array.Op{ops[r.Op], r.partOp()} {
		whole := array.Reduction{Op: op, Axes: r.Axes}
		if _, err := whole.Shape(a); err != nil {
			return err
		}
		d, err := whole.DType(a)
		if err != nil {
			return err
		}
		if op == ops[r.Op] {
			r.DType = d.String()
		}
	}
	if r.Axes != nil && r.Axes[0] < 0 {
		r.Axes[0] += a.NDim()
	}
	return nil
}

// reducesFirst reports whether the first axis, along which files are joined, is reduced.
func (r reduction) reducesFirst() bool { return r.Axes == nil || r.Axes[0] == 0 }

// partOp returns the operation that reducePart applies to each part. Unlike means and variances, its results can be
// merged.
func (r reduction) partOp() array.Op {
	if op := ops[r.Op]; op != array.OpMean && op != array.OpVar {
		return op
	}
	return array.OpMoments
}

// reducePart reduces the elements of a, a part of a file. Sums of floats are not yet rounded to the dtype of the
// result.
func (r reduction) reducePart(a array.Array) (array.Array, error) {
	return reduce(array.Reduction{Op: r.partOp(), Axes: r.Axes}, a)
}

// merge combines the results of two parts.
func (r reduction) merge(a, b array.Array) (array.Array, error) {
	if r.partOp() == array.OpMoments {
		return a, mergeMoments(a, b)
	}
	both, err := array.Stack(a, b)
	if err != nil {
		return both, err
	}
	op := ops[r.Op]
	if op == array.OpCount {
		op = array.OpSum
	}
	return reduce(array.Reduction{Op: op, Axes: []int{0}}, both)
}

// mergeMoments merges the moments of b into a.
func mergeMoments(a, b array.Array) error {
	to, err := array.As[array.Moments](a)
	if err != nil {
		return err
	}
	from, err := array.As[array.Moments](b)
	if err != nil {
		return err
	}
	for idx, m := range from.All(index.C) {
		n := to.At(idx...)
		n.Merge(m)
		to.SetAt(n, idx...)
	}
	return nil
}

// result computes the final result from a and stores it in dst, which has the dtype r.DType.
func (r reduction) result(dst, a array.Array) error {
	if r.partOp() != array.OpMoments {
		return array.Copy(dst, a)
	}
	moments, err := array.As[array.Moments](a)
	if err != nil {
		return err
	}
	values, err := array.Cast[float64](dst)
	if err != nil {
		return err
	}
	for idx, m := range moments.All(index.C) {
		values.SetAt(value(r.Op, m), idx...)
	}
	return nil
}

// value returns the mean or the variance. It is NaN if m counts no numbers, or a NaN.
func value(op string, m array.Moments) float64 {
	switch {
	case m.NaN > 0 || m.Count == 0:
		return math.NaN()
	case op == "mean":
		return m.Mean
	}
	return m.Var(0)
}

// reduce returns the result of r in new memory. Floats have 64 bits.
func reduce(r array.Reduction, a array.Array) (array.Array, error) {
	shape, err := r.Shape(a)
	if err != nil {
		return array.Array{}, err
	}
	d, err := r.DType(a)
	if err != nil {
		return array.Array{}, err
	}
	if r.Op == array.OpSum {
		d = widest(d)
	}
	dst, err := newArray(d, shape)
	if err != nil {
		return dst, err
	}
	return dst, r.Into(dst, a)
}

// widest returns d or, if d is a float or complex dtype, the dtype of the same kind with 64-bit floats.
func widest(d dtype.DType) dtype.DType {
	switch d.Kind() {
	case dtype.KindFloat:
		return dtype.Float64
	case dtype.KindComplex:
		return dtype.Complex128
	}
	return d
}

// newArray returns an array of zeros in memory of the Go heap.
func newArray(d dtype.DType, shape []int) (array.Array, error) {
	_, bytes, err := index.Size(shape, d.ItemSize())
	if err != nil {
		return array.Array{}, err
	}
	return array.FromBytes(make([]byte, bytes), d, index.C, shape...)
}

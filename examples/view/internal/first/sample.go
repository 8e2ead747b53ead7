package first

import (
	"context"
	"math"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
	"github.com/ndmap/ndmap/index"
)

// ValuesOf returns the Values of a, an array of integers. Neighbours are next to each other along the axes of the first
// image.
func ValuesOf(ctx context.Context, a pick.Array, base uint64) (Values, error) {
	read := pick.Reading{Base: base}
	few, err := sample(ctx, a, read)
	if err != nil {
		return Values{}, err
	}
	v := describe(few, nil)
	if v.Distinct < 2 || v.Distinct > maxLabels || a.IsFar() {
		return v, nil // the neighbours make no difference, or must be fetched
	}
	var pairs [][2]float64
	y, x := plane(a.Shape())
	for _, k := range []int{y, x} {
		if k == -1 || a.Len(k) < 2 {
			continue
		}
		var side [2][]float64
		for i := range side {
			sel := make([]index.Selector, a.NDim())
			sel[k] = index.Range(i, a.Len(k)-1+i)
			part, err := a.Select(sel...)
			if err != nil {
				return v, err
			}
			part.Offset += i * a.Strides()[k]
			if side[i], err = sample(ctx, part, read); err != nil {
				return v, err
			}
		}
		for i, x := range side[0] {
			pairs = append(pairs, [2]float64{x, side[1][i]})
		}
	}
	return describe(few, pairs), nil
}

// sample returns evenly spaced elements of a, in C order.
func sample(ctx context.Context, a pick.Array, read pick.Reading) ([]float64, error) {
	few, _, err := summary.Sample(ctx, a)
	if err == nil {
		err = few.Fetch(ctx)
	}
	if err != nil {
		return nil, err
	}
	v, err := few.Floats(read)
	if err != nil {
		return nil, err
	}
	return v.Collect(), nil
}

// Axis returns the name of the first field of a, if a has one dimension and the values of the field rise, so that they
// can be the x axis of lines. Otherwise it returns "". Values may be equal to the previous one.
func Axis(ctx context.Context, a pick.Array) (string, error) {
	if a.NDim() != 1 || a.Len(0) < 2 {
		return "", nil
	}
	for f := range a.DType().Fields() {
		switch f.Type.Kind() {
		case dtype.KindInt, dtype.KindUint, dtype.KindFloat, dtype.KindDatetime, dtype.KindTimedelta:
		default:
			return "", nil
		}
		field, err := a.Field([]string{f.Name})
		if err != nil {
			return "", err
		}
		if yes, err := rises(ctx, field); !yes || err != nil {
			return "", err
		}
		return f.Name, nil
	}
	return "", nil
}

// rises reports whether no element in a sample of a is less than the previous one, and the first and the last one
// differ. a has at least two elements. NaN, NaT and infinite elements do not rise.
func rises(ctx context.Context, a pick.Array) (bool, error) {
	ticks, err := a.Ticks()
	if err != nil {
		return false, err
	}
	base, err := pick.FindBase(ctx, ticks)
	if err != nil {
		return false, err
	}
	v, err := sample(ctx, ticks, pick.Reading{Base: base})
	if err != nil {
		return false, err
	}
	for i, x := range v {
		if x-x != 0 || i > 0 && x < v[i-1] {
			return false, nil
		}
	}
	if k := a.DType().Kind(); k == dtype.KindDatetime || k == dtype.KindTimedelta {
		first, err := array.Cast[int64](ticks.Index(0))
		if err != nil || first.At() == math.MinInt64 { // NaT is the least integer
			return false, err
		}
	}
	return len(v) > 1 && v[0] < v[len(v)-1], nil
}

// FieldAgainst returns the name of the first field of d that can be drawn, other than the field axis. It returns "" if
// there is none.
func FieldAgainst(d dtype.DType, axis string) string {
	for f := range d.Fields() {
		if f.Name != axis && pick.IsNumber(f.Type) {
			return f.Name
		}
	}
	return ""
}

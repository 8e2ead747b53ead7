package index

import (
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestAllocs tests that each function allocates no more often than its documentation says.
func TestAllocs(t *testing.T) {
	oracle.CountsAllocations(t)
	shape := []int{2, 3, 4}
	idx := []int{1, 2, 3}
	split := []int{2, 1, 3, 2, -1}
	dst := make([]int, 0, 3)
	l := must(NewLayout(shape, 8, C))
	f := must(NewLayout(shape, 8, F))
	gap := must(Strided(shape, []int{500, 100, 16}))
	one := must(NewLayout([]int{2, 1, 4}, 8, C))
	sel := MustParse("::-1, None, 1, 2:")
	var layout Layout
	var off int
	var ok bool
	for _, tt := range []struct {
		name string
		want float64
		call func()
	}{
		{"Next C", 0, func() { Next(idx, shape, C) }},
		{"Next F", 0, func() { Next(idx, shape, F) }},
		{"Ravel", 0, func() { off = Ravel(idx, shape, C) }},
		{"Unravel", 0, func() { Unravel(5, shape, idx, F) }},
		{"All", 1, func() { off = sumAll(shape, C) }},
		{"All F", 1, func() { off = sumAll(shape, F) }},
		{"Size", 0, func() { off, _, _ = Size(shape, 8) }},
		{"NewLayout", 1, func() { layout, _ = NewLayout(shape, 8, C) }},
		{"Strided", 1, func() { layout, _ = Strided(shape, shape) }},
		{"Offset", 0, func() { off = l.Offset(1, 2, 3) }},
		{"Offset idx", 0, func() { off = l.Offset(idx...) }},
		{"Index", 0, func() { layout, off = l.Index(1) }},
		{"AppendShape", 0, func() { dst = l.AppendShape(dst[:0]) }},
		{"Bounds", 0, func() { _, off = l.Bounds(8) }},
		{"Size of a layout", 0, func() { off = l.Size() }},
		{"Equal", 0, func() { ok = l.Equal(f) }},
		{"SameShape", 0, func() { ok = l.SameShape(f) }},
		{"Contiguous", 0, func() { ok = l.Contiguous(C, 8) && f.Contiguous(F, 8) && gap.Contiguous(K, 8) }},
		{"Select", 1, func() { layout, off, _ = l.Select(sel...) }},
		{"Select literal", 1, func() { layout, off, _ = l.Select(Ellipsis, Range(1, 2)) }},
		{"Select leading", 0, func() { layout, off, _ = l.Select(At(1), At(-1)) }},
		{"Select all", 0, func() { layout, off, _ = l.Select(At(1), Ellipsis, Colon) }},
		{"Transpose", 1, func() { layout, _ = l.Transpose() }},
		{"Transpose axes", 1, func() { layout, _ = l.Transpose(2, 0, 1) }},
		{"MoveAxis", 1, func() { layout, _ = l.MoveAxis(0, 2) }},
		{"Squeeze", 1, func() { layout, _ = one.Squeeze() }},
		{"ExpandDims", 1, func() { layout, _ = l.ExpandDims(1) }},
		{"Diagonal", 1, func() { layout, off, _ = l.Diagonal(0, 0, 1) }},
		{"Broadcast", 1, func() { layout, _ = l.Broadcast(5, 2, 3, 4) }},
		{"Reshape contiguous", 1, func() { layout, _ = l.Reshape(split, 8) }},
		{"Reshape strided", 1, func() { layout, _ = gap.Reshape(split, 8) }},
		{"Reshape same", 0, func() { layout, _ = gap.Reshape(shape, 8) }},
		{"Coalesce", 1, func() { layout = l.Coalesce() }},
		{"Compact", 1, func() { layout, _ = gap.Compact(8, K) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := testing.AllocsPerRun(100, tt.call); got > tt.want {
				t.Errorf("%s: %v allocations, want at most %v", tt.name, got, tt.want)
			}
		})
	}
	_, _, _ = layout, off, ok
}

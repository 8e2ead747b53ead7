package plane

import (
	"context"
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
)

// A Line holds the elements along an axis, starting at index From. Each entry covers Step elements: Min and Max hold
// their minima and maxima, ignoring NaN. If Flags contains Points, Min holds the elements themselves.
type Line struct {
	Flags      Flags
	From, Step int
	Min, Max   []float64
}

// MaxLine is the maximum number of entries in a line.
const MaxLine = 8192

// NewLine returns the line of the elements of a with indices from ≤ i < to along axis x, at the position at along the
// remaining axes, in at most n entries. Indices past the end of the axis are ignored. step is the number of elements
// per entry; 0 chooses the smallest number that results in at most n entries.
func NewLine(ctx context.Context, a pick.Array, read pick.Reading, at []int, x, from, to, n, step int,
	refine bool) (*Line, error) {
	p, err := New(a, read, at, -1, x, -1)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > MaxLine {
		return nil, fmt.Errorf("n=%d: want 1 to %d", n, MaxLine)
	}
	_, w := p.Size()
	if from < 0 || from > to || from > w {
		return nil, fmt.Errorf("from=%d, to=%d: want 0 <= from <= to and from <= %d", from, to, w)
	}
	to = min(to, w)
	src, err := p.window(0, 1, from, to)
	if err != nil {
		return nil, err
	}
	if step == 0 {
		step = max(1, (to-from-1)/n+1)
	}
	if step < 0 {
		return nil, fmt.Errorf("step=%d: want 0 or more", step)
	}
	if (to-from-1)/step >= n {
		return nil, fmt.Errorf("step=%d: the range from=%d, to=%d would need more than n=%d entries", step, from, to, n)
	}
	l := &Line{From: from, Step: step}
	count := 0
	if to > from {
		count = (to-from-1)/l.Step + 1
	}
	l.Min = make([]float64, count)
	if count == 0 {
		l.Flags = Exact | Points
		return l, nil
	}
	g := grid{1, 1, count, min(l.Step, to-from), 1, src.Strides(), src.ItemSize()}
	plan := g.plan(Min, p.budget(refine))
	l.Flags = g.flags(plan, g.plan(Min, p.budget(true)))
	if err := p.fillLine(ctx, l.Min, src, g, plan, Min); err != nil {
		return nil, err
	}
	if l.Step == 1 {
		l.Flags |= Points
		return l, nil
	}
	l.Max = make([]float64, count)
	return l, p.fillLine(ctx, l.Max, src, g, plan, Max)
}

func (p *Plane) fillLine(ctx context.Context, dst []float64, src pick.Array, g grid, plan plan, how How) error {
	v, err := array.FromSlice(dst, 1, len(dst), 1)
	if err != nil {
		return err
	}
	return p.fill(ctx, v.Array(), src, g, plan, how)
}

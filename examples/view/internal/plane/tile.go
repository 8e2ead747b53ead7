package plane

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// How says what a pixel is of the elements that it covers. NaN is left out of the mean, the least
// and the greatest, unless there is nothing else. The mean of angles is the angle of the mean.
type How uint8

const (
	Mean How = iota
	Min
	Max
	Sample // the first one
)

// ParseHow returns the How of that name.
func ParseHow(s string) (How, error) {
	for k, name := range []string{"mean", "min", "max", "sample"} {
		if s == name {
			return How(k), nil
		}
	}
	return 0, fmt.Errorf("how %.20q: want mean, min, max or sample", s)
}

func (h How) op() array.Op { return [...]array.Op{array.OpMean, array.OpMin, array.OpMax}[h] }

// Flags say what the numbers of an answer are.
type Flags uint32

const (
	Exact   Flags = 1 << iota // of all elements
	Sampled                   // of some of them
	Partial                   // more are read where the request says that it may take longer
	Points                    // of a line: elements, not the least and greatest of several
)

// A Want is what is asked for: the tile in that row and column of tiles, whose pixels cover
// 1<<LevelY rows and 1<<LevelX columns of elements.
type Want struct {
	LevelY, LevelX int
	Row, Col       int
	How            How
	Refine         bool // take longer, and read more
}

// A Tile is a part of a plane: rows, columns and channels of pixels, in C order.
type Tile struct {
	Rows, Cols, Channels int
	Flags                Flags
	Bytes                bool    // the numbers are 0 to 255
	Min, Max             float64 // of what is finite; NaN if nothing is
	Values               []float64

	plan plan // what was read for it
}

// Tile returns a tile. The error is for a tile that is outside of the plane, and that of ctx; page faults are panics
// for mmap.Guard.
func (p *Plane) Tile(ctx context.Context, want Want) (*Tile, error) {
	return p.tile(ctx, want, budgetOf(want.Refine), budgetOf(true))
}

// tile is Tile within a budget, where there is a better one.
func (p *Plane) tile(ctx context.Context, want Want, first, better budget) (*Tile, error) {
	h, w := p.Size()
	rows, err := extent("row", h, want.LevelY, want.Row)
	if err != nil {
		return nil, err
	}
	cols, err := extent("col", w, want.LevelX, want.Col)
	if err != nil {
		return nil, err
	}
	if p.a.Len(2) > 1 && want.How != Sample {
		want.How = Mean // the least of colours is none
	}
	t := &Tile{Rows: rows.pixels(), Cols: cols.pixels(), Channels: p.a.Len(2), Flags: Exact,
		Bytes: p.a.DType().Kind() == dtype.KindUint && p.a.ItemSize() == 1}
	values := make([]float64, t.Rows*t.Cols*t.Channels)
	dst, err := array.FromSlice(values, t.Rows, t.Cols, t.Channels)
	if err != nil {
		return nil, err
	}
	if len(values) > 0 {
		src, err := p.window(rows.start, rows.end, cols.start, cols.end)
		if err != nil {
			return nil, err
		}
		g := grid{t.Rows, min(rows.pixel, h), t.Cols, min(cols.pixel, w), t.Channels, src.Strides(), src.ItemSize()}
		t.plan = g.plan(want.How, first)
		t.Flags = g.flags(t.plan, g.plan(want.How, better))
		if err := p.fill(ctx, dst.Array(), src, g, t.plan, want.How); err != nil {
			return nil, err
		}
	}
	t.Values = values
	t.Min, t.Max = extremes(values)
	return t, nil
}

// An axisExtent is the elements of a plane that a tile covers along one axis.
type axisExtent struct{ start, end, pixel int }

func (e axisExtent) pixels() int { return (e.end - e.start + e.pixel - 1) / e.pixel }

// MaxLevel is the last level of detail: pixels of 1<<MaxLevel elements, 256 of which an int can count.
const MaxLevel = min(40, bits.UintSize-10)

// extent returns what tile k covers of n elements.
func extent(name string, n, level, k int) (axisExtent, error) {
	if level < 0 || level > MaxLevel {
		return axisExtent{}, fmt.Errorf("level=%d: want 0 to %d", level, MaxLevel)
	}
	pixel := 1 << level
	last := max(n-1, 0) / pixel / Side
	if k < 0 || k > last {
		return axisExtent{}, fmt.Errorf("%s=%d: there are tiles 0 to %d at this level", name, k, last)
	}
	start := k * Side * pixel
	return axisExtent{start, start + min(Side*pixel, n-start), pixel}, nil
}

// extremes returns the least and greatest of the values that are finite, NaN if there are none.
func extremes(values []float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, x := range values {
		if x-x == 0 {
			lo, hi = min(lo, x), max(hi, x)
		}
	}
	if lo > hi {
		return math.NaN(), math.NaN()
	}
	return lo, hi
}

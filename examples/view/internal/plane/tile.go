package plane

import (
	"context"
	"fmt"
	"math"
	"math/bits"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
)

// How selects the value of a pixel that covers several elements. Mean, Min and Max ignore NaN unless all elements are
// NaN. The mean of angles is the angle of the mean.
type How uint8

const (
	Mean How = iota
	Min
	Max
	Sample // the first element of the pixel
)

// ParseHow returns the How with the name s: mean, min, max or sample.
func ParseHow(s string) (How, error) {
	for k, name := range []string{"mean", "min", "max", "sample"} {
		if s == name {
			return How(k), nil
		}
	}
	return 0, fmt.Errorf("how %.20q: want mean, min, max or sample", s)
}

func (h How) op() array.Op { return [...]array.Op{array.OpMean, array.OpMin, array.OpMax}[h] }

// Flags describe the numbers of a response.
type Flags uint32

const (
	Exact   Flags = 1 << iota // computed from all elements
	Sampled                   // computed from some elements
	Partial                   // a request with Refine set would read more elements
	Points                    // set for a Line whose Min holds elements instead of extremes
)

// A Want identifies a tile: its row and column among the tiles of a level, whose pixels cover 1<<LevelY rows and
// 1<<LevelX columns of elements.
type Want struct {
	LevelY, LevelX int
	Row, Col       int
	How            How
	Refine         bool // read more elements, which takes longer
}

// A Tile is a part of a plane: rows, columns and channels of pixels, in C order.
type Tile struct {
	Rows, Cols, Channels int
	Flags                Flags
	Bytes                bool    // the numbers are in the range 0 to 255
	Min, Max             float64 // extremes of the finite values; NaN if there are none
	Values               []float64

	plan plan // the elements that were read
}

// Tile returns the tile that want identifies. It returns an error if the tile is outside the plane, and the error from
// ctx if ctx is done. Page faults panic; callers use mmap.Guard.
func (p *Plane) Tile(ctx context.Context, want Want) (*Tile, error) {
	return p.tile(ctx, want, p.budget(want.Refine), p.budget(true))
}

// tile implements Tile with the budget first. It sets Partial if the budget better permits reading more.
func (p *Plane) tile(ctx context.Context, want Want, first, better budget) (*Tile, error) {
	h, w := p.Size()
	rows, err := tileRange("row", h, want.LevelY, want.Row)
	if err != nil {
		return nil, err
	}
	cols, err := tileRange("col", w, want.LevelX, want.Col)
	if err != nil {
		return nil, err
	}
	if p.a.Len(2) > 1 && want.How != Sample {
		want.How = Mean // colours have no order, so no Min or Max
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

// An axisRange is the range of elements that a tile covers along one axis, and the number of elements per pixel.
type axisRange struct{ start, end, pixel int }

func (e axisRange) pixels() int { return (e.end - e.start + e.pixel - 1) / e.pixel }

// MaxLevel is the coarsest level of detail. An int can count Side pixels of 1<<MaxLevel elements each.
const MaxLevel = min(40, bits.UintSize-10)

// tileRange returns the extent of tile k of a level along an axis of n elements. Errors use name as the name of the
// axis.
func tileRange(name string, n, level, k int) (axisRange, error) {
	if level < 0 || level > MaxLevel {
		return axisRange{}, fmt.Errorf("level=%d: want 0 to %d", level, MaxLevel)
	}
	pixel := 1 << level
	last := max(n-1, 0) / pixel / Side
	if k < 0 || k > last {
		return axisRange{}, fmt.Errorf("%s=%d: want 0 to %d at level %d", name, k, last, level)
	}
	start := k * Side * pixel
	return axisRange{start, start + min(Side*pixel, n-start), pixel}, nil
}

// extremes returns the least and greatest finite value, or NaN if there are none.
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

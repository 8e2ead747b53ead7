package serve

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/plane"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
	"github.com/ndmap/ndmap/index"
)

// The number formats of a tile.
const (
	formatFloat32 = 0
	formatUint8   = 1
	formatFloat64 = 2
)

// plane returns the plane of p that the request shows.
func (r *request) plane(p *pickedField) (*plane.Plane, error) {
	x, err := r.integer("x", 0, index.MaxDims-1)
	if err != nil {
		return nil, err
	}
	y, err := r.integer("y", -1, index.MaxDims-1)
	if err != nil {
		return nil, err
	}
	channels, err := r.axis("channels", -1)
	if err != nil {
		return nil, err
	}
	return plane.New(p.field, p.read, p.at, y, x, channels)
}

func (r *request) tile() (answer, error) {
	var want plane.Want
	var err error
	for _, x := range []struct {
		to      *int
		name    string
		most    int
		missing int
	}{
		{&want.LevelX, "level", plane.MaxLevel, -1}, {&want.LevelY, "ylevel", plane.MaxLevel, -1},
		{&want.Row, "row", math.MaxInt, -1}, {&want.Col, "col", math.MaxInt, -1},
	} {
		if x.name == "ylevel" && !r.q.Has(x.name) {
			*x.to = want.LevelX
		} else if *x.to, err = r.integer(x.name, 0, x.most); err != nil {
			return nil, err
		}
	}
	if r.q.Has("how") {
		if want.How, err = plane.ParseHow(r.q.Get("how")); err != nil {
			return nil, err
		}
	}
	if want.Refine, err = r.flag("refine"); err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	key := fmt.Sprintf("%q %d %v", r.PathValue("id"), p.Version, want)
	for _, name := range []string{"field", "at", "y", "x", "channels", "part", "base", "minus", "minusAt"} {
		key += fmt.Sprintf(" %q", r.q[name])
	}
	if p.minus != nil {
		key += decimal(p.minus.Version)
	}
	if b := r.s.cache.get(key); b != nil {
		return b, nil
	}
	pl, err := r.plane(p)
	if err != nil {
		return nil, err
	}
	t, err := pl.Tile(r.Context(), want)
	if err != nil {
		return nil, err
	}
	b := &binaryAnswer{tileBytes(t), p.Version}
	r.s.cache.put(key, b)
	return b, nil
}

// tileBytes encodes a tile for the page: a header of 40 bytes, then the numbers, as float32 if that represents all of
// them exactly.
func tileBytes(t *plane.Tile) []byte {
	le, format, size := binary.LittleEndian, uint32(formatFloat32), 4
	if t.Channels > 1 && t.Bytes {
		format, size = formatUint8, 1
	} else if !fitFloat32(t.Values) {
		format, size = formatFloat64, 8
	}
	b := make([]byte, 0, 40+size*len(t.Values))
	b = append(b, "NDT2"...)
	for _, x := range []uint32{uint32(t.Rows), uint32(t.Cols), uint32(t.Channels), uint32(t.Flags), format} {
		b = le.AppendUint32(b, x)
	}
	b = le.AppendUint64(b, math.Float64bits(t.Min))
	b = le.AppendUint64(b, math.Float64bits(t.Max))
	for _, x := range t.Values {
		switch format {
		case formatUint8:
			b = append(b, uint8(x+0.5))
		case formatFloat32:
			b = le.AppendUint32(b, math.Float32bits(float32(x)))
		default:
			b = le.AppendUint64(b, math.Float64bits(x))
		}
	}
	return b
}

// fitFloat32 reports whether float32 represents all values exactly.
func fitFloat32(values []float64) bool {
	for _, x := range values {
		if float64(float32(x)) != x && x == x {
			return false
		}
	}
	return true
}

func (r *request) line() (answer, error) {
	x, err := r.integer("x", 0, index.MaxDims-1)
	if err != nil {
		return nil, err
	}
	from, err := r.integer("from", 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	to, err := r.integer("to", 0, math.MaxInt)
	if err != nil {
		return nil, err
	}
	n, err := r.integer("n", 1, plane.MaxLine)
	if err != nil {
		return nil, err
	}
	step, err := r.optionalInteger("step", 1, math.MaxInt, 0)
	if err != nil {
		return nil, err
	}
	refine, err := r.flag("refine")
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	l, err := plane.NewLine(r.Context(), p.field, p.read, p.at, x, from, to, n, step, refine)
	if err != nil {
		return nil, err
	}
	return lineBytes(l, p.Version), nil
}

// lineBytes encodes a line for the page: a header of 32 bytes, then the numbers.
func lineBytes(l *plane.Line, version int64) *binaryAnswer {
	le := binary.LittleEndian
	b := make([]byte, 0, 32+16*len(l.Min))
	b = append(b, "NDL1"...)
	for _, x := range []uint32{uint32(len(l.Min)), uint32(l.Flags), 0} {
		b = le.AppendUint32(b, x)
	}
	for _, s := range [][]float64{{float64(l.From), float64(l.Step)}, l.Min, l.Max} {
		for _, x := range s {
			b = le.AppendUint64(b, math.Float64bits(x))
		}
	}
	return &binaryAnswer{b, version}
}

// rangeElements returns the elements whose range is requested: the plane that the request shows or, with all=1, the
// whole array.
func (r *request) rangeElements(p *pickedField) (pick.Array, error) {
	all, err := r.flag("all")
	if err != nil {
		return pick.Array{}, err
	}
	if err := pick.Numbers(p.field.Array); err != nil {
		return pick.Array{}, err
	}
	if all {
		return p.field.Part(p.read.Part)
	}
	x, err := r.integer("x", 0, index.MaxDims-1)
	if err != nil {
		return pick.Array{}, err
	}
	y, err := r.integer("y", -1, index.MaxDims-1)
	if err != nil {
		return pick.Array{}, err
	}
	axes := []int{x}
	if y != -1 {
		axes = []int{y, x}
	}
	for i, k := range axes {
		if err := p.field.Axis([]string{"y", "x"}[i+2-len(axes)], k); err != nil {
			return pick.Array{}, err
		}
	}
	a, err := p.field.Show(p.at, axes...)
	if err != nil {
		return pick.Array{}, err
	}
	return a.Part(p.read.Part)
}

// colourRange responds with the range of a sample of the selected elements, or with exact=1 of all of them. With
// exact=1, more than summary.Exact elements are an error.
func (r *request) colourRange() (answer, error) {
	lo, err := r.float("lo", 0, 100, 1)
	if err != nil {
		return nil, err
	}
	hi, err := r.float("hi", 0, 100, 99)
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	a, all, err := r.selectedElements(p)
	if err != nil {
		return nil, err
	}
	x, err := summary.RangeOf(r.Context(), a, p.read, lo, hi, func(float64) error { return nil })
	if err != nil {
		return nil, err
	}
	x.Sampled = !all
	return x, nil
}

// countOutside responds with the number of elements of a plane that are NaN, less than lo, and greater than hi. If
// the plane has too many elements, it counts the elements of a sample.
func (r *request) countOutside() (answer, error) {
	lo, err := r.float("lo", math.Inf(-1), math.Inf(1), math.Inf(-1))
	if err != nil {
		return nil, err
	}
	hi, err := r.float("hi", math.Inf(-1), math.Inf(1), math.Inf(1))
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	a, err := r.rangeElements(p)
	if err != nil {
		return nil, err
	}
	all := true
	if !summary.MayReadAll(a) {
		if a, all, err = summary.Sample(r.Context(), a); err != nil {
			return nil, err
		}
	}
	o, err := summary.OutsideOf(r.Context(), a, p.read, lo, hi)
	if err != nil {
		return nil, err
	}
	o.Sampled = !all
	return o, nil
}

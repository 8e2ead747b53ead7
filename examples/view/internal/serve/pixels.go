package serve

import (
	"encoding/binary"
	"fmt"
	"math"

	"github.com/ndmap/ndmap/examples/view/internal/plane"
	"github.com/ndmap/ndmap/index"
)

// The formats of the numbers of a tile.
const (
	formatFloat32 = 0
	formatUint8   = 1
)

// plane returns the plane that the request shows of p.
func (r *request) plane(p *picked) (*plane.Plane, error) {
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
	return plane.New(p.field, p.part, p.at, y, x, channels)
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
	key := fmt.Sprintf("%q %d %v %q %q %q %q %q %q", r.PathValue("id"), p.Version, want, r.q["field"], r.q["at"], r.q["y"], r.q["x"], r.q["channels"], r.q["part"])
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

// tileBytes returns a tile as the page takes it: 32 bytes of header, and the numbers.
func tileBytes(t *plane.Tile) []byte {
	le, format, size := binary.LittleEndian, uint32(formatFloat32), 4
	if t.Channels > 1 {
		format, size = formatUint8, 1
	}
	b := make([]byte, 0, 32+size*len(t.Values))
	b = append(b, "NDT1"...)
	for _, x := range []uint32{uint32(t.Rows), uint32(t.Cols), uint32(t.Channels), uint32(t.Flags), format, math.Float32bits(t.Min), math.Float32bits(t.Max)} {
		b = le.AppendUint32(b, x)
	}
	for _, x := range t.Values {
		if format == formatUint8 {
			b = append(b, uint8(x+0.5))
		} else {
			b = le.AppendUint32(b, math.Float32bits(x))
		}
	}
	return b
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
	refine, err := r.flag("refine")
	if err != nil {
		return nil, err
	}
	p, err := r.pick()
	if err != nil {
		return nil, err
	}
	defer p.Close()
	l, err := plane.NewLine(r.Context(), p.field, p.part, p.at, x, from, to, n, refine)
	if err != nil {
		return nil, err
	}
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
	return &binaryAnswer{b, p.Version}, nil
}

func (r *request) percentiles() (answer, error) {
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
	pl, err := r.plane(p)
	if err != nil {
		return nil, err
	}
	x, err := pl.Range(r.Context(), lo, hi)
	if err != nil {
		return nil, err
	}
	return struct {
		Lo      *float64 `json:"lo"`
		Hi      *float64 `json:"hi"`
		Min     *float64 `json:"min"`
		Max     *float64 `json:"max"`
		Sampled bool     `json:"sampled"`
	}{finite(x.Lo), finite(x.Hi), finite(x.Min), finite(x.Max), x.Sampled}, nil
}

// finite returns x for JSON, which has no NaN: that is null.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// Package plane makes tiles, lines and percentiles of large arrays of numbers. What it reads of
// an array is bounded: a tile or a line that covers more than that is made of samples, and says
// so.
package plane

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// Side is how many pixels a tile has in either direction, where the plane does not end.
const Side = 256

// A Plane is a two-dimensional array of numbers, or of colours.
type Plane struct {
	a    pick.Array // rows, columns, channels
	read pick.Reading
}

// New returns the plane of a with these axes, at the position at along the others. A y of -1
// stands for a single row, and channels of -1 for one number a pixel; else that axis has the
// 3 or 4 channels of a colour, which are as Colours says. Complex numbers need a part.
func New(a pick.Array, read pick.Reading, at []int, y, x, channels int) (*Plane, error) {
	if err := pick.Numbers(a.Array); err != nil {
		return nil, err
	}
	a, err := a.Part(read.Part)
	if err != nil {
		return nil, err
	}
	if err := a.Axis("x", x); err != nil {
		return nil, err
	}
	axes := []int{x}
	if y != -1 {
		if err := a.Axis("y", y); err != nil {
			return nil, err
		}
		axes = []int{y, x}
	}
	if channels != -1 {
		if a.Minus != nil {
			return nil, fmt.Errorf("channels=%d: the difference of colours is none", channels)
		}
		if err := a.Axis("channels", channels); err != nil {
			return nil, err
		}
		if n := a.Len(channels); !Colours(a.DType()) || n != 3 && n != 4 {
			return nil, fmt.Errorf("channels=%d: colours are 3 or 4 of u1, u2, f2 or f4, and these are %d of %v", channels, n,
				a.DType())
		}
		axes = append(axes, channels)
	}
	if a, err = a.Show(at, axes...); err != nil {
		return nil, err
	}
	if y == -1 {
		if a, err = a.ExpandDims(0); err != nil {
			return nil, err
		}
	}
	if channels == -1 {
		if a, err = a.ExpandDims(-1); err != nil {
			return nil, err
		}
	}
	return &Plane{a, read}, nil
}

// Colours reports whether three or four of d can be a colour.
func Colours(d dtype.DType) bool {
	return d.Kind() == dtype.KindUint && d.ItemSize() <= 2 || d.Kind() == dtype.KindFloat && d.ItemSize() <= 4
}

// Size returns how many rows and columns of elements there are.
func (p *Plane) Size() (h, w int) { return p.a.Len(0), p.a.Len(1) }

// numbers returns a as real numbers, in a copy where they have to be computed.
func (p *Plane) numbers(a pick.Array) (array.Array, error) {
	if !a.Computed(p.read) {
		return a.Array, nil
	}
	v, err := a.Floats(p.read)
	if err != nil {
		return array.Array{}, err
	}
	return v.Array(), nil
}

// window returns rows y0 to y1 and columns x0 to x1.
func (p *Plane) window(y0, y1, x0, x1 int) (pick.Array, error) {
	part, err := p.a.Select(index.Range(y0, y1), index.Range(x0, x1))
	strides := p.a.Strides()
	part.Offset += y0*strides[0] + x0*strides[1]
	return part, err
}

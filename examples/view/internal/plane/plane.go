// Package plane computes tiles and lines of large arrays of numbers. It limits the number of elements and pages that it
// reads: a tile or line that covers more elements is computed from samples, and has the flag Sampled.
package plane

import (
	"fmt"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// Side is the number of rows and columns of pixels in a tile, except at the end of the plane.
const Side = 256

// A Plane is a two-dimensional array of numbers or of colours.
type Plane struct {
	a    pick.Array // rows, columns, channels
	read pick.Reading
}

// New returns the plane of a with the axes y and x, at the position at along the remaining axes. If y is -1, the plane
// has a single row. If channels is -1, a pixel is one number; otherwise the axis channels has the 3 or 4 channels of a
// colour, and Colours must accept the dtype. read.Part applies to complex numbers.
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
			return nil, fmt.Errorf("channels=%d: colours cannot be subtracted", channels)
		}
		if err := a.Axis("channels", channels); err != nil {
			return nil, err
		}
		if n := a.Len(channels); !Colours(a.DType()) || n != 3 && n != 4 {
			return nil, fmt.Errorf("channels=%d: the axis has %d elements of dtype %v; want 3 or 4 of dtype u1, u2, f2 or f4",
				channels, n, a.DType())
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

// Colours reports whether three or four elements of dtype d can form a colour.
func Colours(d dtype.DType) bool {
	return d.Kind() == dtype.KindUint && d.ItemSize() <= 2 || d.Kind() == dtype.KindFloat && d.ItemSize() <= 4
}

// Size returns the height and width of the plane in elements.
func (p *Plane) Size() (h, w int) { return p.a.Len(0), p.a.Len(1) }

// numbers returns the elements of a as real numbers. It copies them only if they must be computed.
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

// window returns rows y0 to y1-1 and columns x0 to x1-1.
func (p *Plane) window(y0, y1, x0, x1 int) (pick.Array, error) {
	part, err := p.a.Select(index.Range(y0, y1), index.Range(x0, x1))
	strides := p.a.Strides()
	part.Offset += y0*strides[0] + x0*strides[1]
	return part, err
}

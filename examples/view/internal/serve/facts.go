package serve

import (
	"context"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/first"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/examples/view/internal/summary"
	"github.com/ndmap/ndmap/mmap"
)

// factsOf returns the facts that determine the first view of part, which is the array a or a field of it with the path
// fields. base is subtracted from 64-bit integers. channels is the axis of the channels of colours, or -1. If elements
// of a sample cannot be read, facts about them are missing, and requests for elements report the error.
func factsOf(ctx context.Context, a, part pick.Array, fields []string, base uint64, channels int) first.Facts {
	d := part.DType()
	f := first.Facts{Shape: part.Shape(), Numbers: pick.IsNumber(d), Bool: d.Kind() == dtype.KindBool,
		Colours: channels >= 0, Channels: channels}
	_ = mmap.Guard(func() error {
		if summary.Whole(d) && !f.Bool && !f.Colours {
			v, err := first.ValuesOf(ctx, part, base)
			if err != nil {
				return err
			}
			f.Values = v
		}
		if d.Kind() == dtype.KindStructured {
			axis, err := first.Axis(ctx, part)
			if axis != "" {
				f.Field = first.FieldAgainst(d, axis)
			}
			return err
		}
		if len(fields) == 0 || !f.Numbers {
			return nil
		}
		parent, err := a.Field(fields[:len(fields)-1])
		if err != nil {
			return err
		}
		axis, err := first.Axis(ctx, parent)
		if axis != fields[len(fields)-1] && part.NDim() == 1 {
			f.Against = axis
		}
		return err
	})
	return f
}

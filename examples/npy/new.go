package main

import (
	"errors"
	"flag"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
)

var newCommand = command{
	name: "new", args: "-dtype D -shape 3,4 [-order C|F] [-fill X] [-sparse] [-force] FILE", min: 1, max: 1,
	description: `New creates a file of zeros, or of elements with the value of -fill.`,
	examples: `npy new -dtype float32 -shape 1000,3 -fill nan points.npy
npy new -dtype '<f8' -shape 1000,1000 -order F -sparse large.npy
npy new -dtype "[('time', 'M8[s]'), ('price', '<f8')]" -shape 0 log.npy`,
	flags: func(set *flag.FlagSet) runner {
		var n newFile
		set.Var(&n.dtype, "dtype", "the `dtype`: <f8, >i2, float32, |S10, [('x', '<f4'), ('y', '<f4')]")
		set.Var(&n.shape, "shape", "the `shape`: 3,4, or () for a single element")
		set.Var(&n.order, "order", "the order, `C|F`: the last or the first index varies fastest (default C)")
		set.Func("fill", "the `value` of all elements (default: zero)", func(s string) error {
			n.fill = &s
			return nil
		})
		set.BoolVar(&n.cfg.Sparse, "sparse", false, "take disk space only for elements that are written later")
		set.BoolVar(&n.cfg.Replace, "force", false, "replace FILE if it exists")
		return func(e *env, files []string) error {
			switch {
			case !n.dtype.given:
				return usageError{errors.New("-dtype is missing")}
			case !n.shape.given:
				return usageError{errors.New("-shape is missing")}
			case n.fill != nil && n.dtype.Kind() == dtype.KindStructured:
				return usageError{errors.New("-fill does not support structures; create the file without it, then set each field: npy set -select ... -field F")}
			}
			if err := checkIsFile(files[0], "but a new file needs a name"); err != nil {
				return err
			}
			if _, _, ok := splitMember(files[0]); ok {
				return usageError{errors.New("cannot create a member of an archive; npy pack creates archives")}
			}
			if err := checkExtension(files[0]); err != nil {
				return err
			}
			defer e.interruptible()()
			n.cfg.Progress = e.storedProgress
			return n.create(files[0])
		}
	},
}

type newFile struct {
	dtype dtypeFlag
	shape shapeFlag
	order orderFlag
	fill  *string
	cfg   array.SaveConfig
}

func (n *newFile) create(path string) error {
	if n.fill != nil {
		// Save a single element, broadcast to the shape: the file appears when it is complete.
		x, err := value.Parse(n.dtype.DType, *n.fill)
		if err != nil {
			return err
		}
		if x, err = x.Broadcast(n.shape.dims...); err != nil {
			return err
		}
		return n.cfg.Convert(path, x, n.dtype.DType, n.order.Order)
	}
	n.cfg.Progress = nil // no progress to report: creating a file of zeros is fast
	return n.cfg.Make(path, n.dtype.DType, n.order.Order, n.shape.dims, func(*array.File) error { return nil })
}

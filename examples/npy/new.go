package main

import (
	"errors"
	"flag"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/index"
)

var newCommand = command{
	name: "new", args: "-dtype D -shape 3,4 [-order C|F] [-fill X] [-sparse] [-force] FILE", min: 1, max: 1,
	description: `New creates a file of zeros, or of elements with the value of -fill. If FILE is -, it
writes the file to standard output.`,
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
		set.BoolVar(&n.sparse, "sparse", false, "take disk space only for elements that are written later")
		set.BoolVar(&n.force, "force", false, "replace FILE if it exists")
		return func(e *env, files []string) error {
			switch {
			case !n.dtype.given:
				return usageError{errors.New("-dtype is missing")}
			case !n.shape.given:
				return usageError{errors.New("-shape is missing")}
			case n.fill != nil && n.dtype.Kind() == dtype.KindStructured:
				return usageError{errors.New("-fill does not support structures; create the file without it, then set each field: npy set -select ... -field F")}
			}
			if err := checkExtension(files[0]); err != nil {
				return err
			}
			to, err := e.openOutput(files[0], n.force, false)
			if err != nil {
				return err
			}
			defer to.close()
			defer to.interruptible()()
			return n.create(to)
		}
	},
}

type newFile struct {
	dtype dtypeFlag
	shape shapeFlag
	order orderFlag
	fill  *string

	sparse, force bool
}

func (n *newFile) create(to *output) error {
	if n.fill == nil && to.stream == nil { // creating a file of zeros is fast, and has no progress to report
		cfg := array.SaveConfig{Sparse: n.sparse, Replace: n.force}
		return cfg.Make(to.path, n.dtype.DType, n.order.Order, n.shape.dims, func(*array.File) error { return nil })
	}
	// Save a single element, broadcast to the shape.
	x, err := n.element()
	if err == nil {
		x, err = x.Broadcast(n.shape.dims...)
	}
	if err != nil {
		return err
	}
	return to.save(x, n.dtype.DType, n.order.Order)
}

// element returns the element that fills the array: zero, or the value of -fill.
func (n *newFile) element() (array.Array, error) {
	if n.fill != nil {
		return value.Parse(n.dtype.DType, *n.fill)
	}
	return array.FromBytes(make([]byte, n.dtype.ItemSize()), n.dtype.DType, index.C)
}

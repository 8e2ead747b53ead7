package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

var newCommand = command{
	name: "new", args: "-dtype D -shape 3,4 [-order C|F] [-fill X] [-sparse] [-force] FILE", min: 1, max: 1,
	about: "Makes a file of zeros, or of elements of one value.",
	flags: func(set *flag.FlagSet) runner {
		var n newFile
		set.Var(&n.dtype, "dtype", "the `dtype`: <f8, >i2, float32, |S10, [('x', '<f4'), ('y', '<f4')]")
		set.Var(&n.shape, "shape", "the `shape`: 3,4, or () for a single element")
		set.Var(&n.order, "order", "`C|F`: which index is fastest, the last or the first (default C)")
		set.Func("fill", "the `value` of all elements", func(s string) error {
			n.fill = &s
			return nil
		})
		set.BoolVar(&n.cfg.Sparse, "sparse", false, "take disk space only where something is written later")
		set.BoolVar(&n.cfg.Replace, "force", false, "replace a file that is there")
		return func(e *env, files []string) error {
			switch {
			case !n.dtype.given:
				return usageError{errors.New("-dtype is missing")}
			case !n.shape.given:
				return usageError{errors.New("-shape is missing")}
			case n.fill != nil && n.dtype.Kind() == dtype.KindStructured:
				return usageError{errors.New("-fill fills no structures; make the file without it, and set the fields: npy set -select ... -field F")}
			}
			defer e.interruptible()()
			n.cfg.Progress = e.progress
			return n.create(files[0])
		}
	},
}

type newFile struct {
	dtype dtypeFlag
	shape shapeFlag
	order orderFlag
	fill  *string
	cfg   array.Config
}

func (n *newFile) create(path string) error {
	if n.fill != nil {
		// One element, stretched to the shape: the file is there when all is written.
		x, err := parseValue(n.dtype.DType, *n.fill)
		if err != nil {
			return err
		}
		if x, err = x.Broadcast(n.shape.dims...); err != nil {
			return err
		}
		return n.cfg.Convert(path, x, n.dtype.DType, n.order.Order)
	}
	n.cfg.Progress = nil // Create writes no elements
	f, err := n.cfg.Create(path, n.dtype.DType, n.order.Order, n.shape.dims...)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// The flags of the commands that make files.

type dtypeFlag struct {
	dtype.DType
	given bool
}

// dtypeNames are those that NumPy has for numbers, in the machine's byte order. How many
// bits int has is up to NumPy's version and the system, so it is none.
var dtypeNames = map[string]dtype.DType{
	"bool": dtype.Bool,
	"int8": dtype.Int8, "int16": dtype.Int16, "int32": dtype.Int32, "int64": dtype.Int64,
	"uint8": dtype.Uint8, "uint16": dtype.Uint16, "uint32": dtype.Uint32, "uint64": dtype.Uint64,
	"float16": dtype.Float16, "float32": dtype.Float32, "float64": dtype.Float64,
	"complex64": dtype.Complex64, "complex128": dtype.Complex128,
}

func (f *dtypeFlag) String() string { return "" }
func (f *dtypeFlag) Set(s string) (err error) {
	f.given = true
	if d, ok := dtypeNames[s]; ok {
		f.DType = d
		return nil
	}
	f.DType, err = dtype.Parse(s)
	if err == nil && f.Kind() == dtype.KindSubarray {
		err = errors.New("a sub-array is no dtype of a file; give its dimensions with -shape")
	}
	return err
}

type orderFlag struct{ index.Order }

func (f *orderFlag) String() string { return "" }
func (f *orderFlag) Set(s string) error {
	switch s {
	case "C":
		f.Order = index.C
	case "F":
		f.Order = index.F
	default:
		return errors.New("want C or F")
	}
	return nil
}

type shapeFlag struct {
	dims  []int
	given bool
}

func (f *shapeFlag) String() string { return "" }

// Set takes 3,4 and (3, 4), and nothing or () for no dimensions.
func (f *shapeFlag) Set(s string) error {
	f.dims, f.given = nil, true
	t := strings.TrimSpace(s)
	if inner, ok := strings.CutPrefix(t, "("); ok {
		if t, ok = strings.CutSuffix(inner, ")"); !ok {
			return errors.New("the closing parenthesis is missing")
		}
	}
	if t = strings.TrimSpace(t); t == "" {
		return nil
	}
	for dim := range strings.SplitSeq(strings.TrimSuffix(t, ","), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(dim))
		if err != nil || n < 0 {
			return fmt.Errorf("%q is no length of an axis", dim)
		}
		f.dims = append(f.dims, n)
	}
	return nil
}

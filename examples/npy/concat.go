package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

var concatCommand = command{
	name: "concat", args: "[-axis K] [-force] [-nosync] OUT FILE...", min: 2, max: -1,
	description: `Concat writes the arrays of the files to a new file, joined along an axis as by
np.concatenate. All other lengths must be equal. The result has the common dtype that
NumPy gives, in little-endian byte order and without padding. The unit of times divides
the units of all files. Numbers and text have no common dtype, and neither have S and U.

Files are read once, and may be larger than memory. OUT appears only when it is
complete. If OUT is -, it is written to standard output. To extend an existing file, use
npy append.`,
	examples: `npy concat both.npy temperature.npy data.npz:temperature
npy concat -axis -1 -force both.npy temperature.npy temperature.npy
npy concat all.npy trades.npy - < today.npy
npy concat - trades.npy today.npy | npy stats -field price -`,
	flags: func(set *flag.FlagSet) runner {
		from := rawFlags(set)
		axis := set.Int("axis", 0, "the axis `K` along which the arrays are joined; -1 is the last axis")
		force := set.Bool("force", false, "replace OUT if it exists")
		nosync := nosyncFlag(set)
		return func(e *env, files []string) error {
			out := files[0]
			if err := checkExtension(out); err != nil {
				return err
			}
			to, err := e.openOutput(out, *force, *nosync, files[1:]...)
			if err != nil {
				return err
			}
			defer to.close()
			c := &concat{env: e, axis: *axis}
			for _, path := range files[1:] {
				in, err := e.open(path, from)
				if err != nil {
					return pathError(path, err)
				}
				defer in.close()
				if err := c.add(path, in); err != nil {
					return err
				}
			}
			defer to.interruptible()()
			return to.create(c.write)
		}
	},
}

// A concat describes the concatenation of arrays along an axis.
type concat struct {
	*env
	axis        int
	first       string        // path of the first array
	dtypes      []dtype.DType // the distinct dtypes of the arrays
	dtype       dtype.DType   // common dtype of the result
	shape       []int         // shape of the result
	fortran     bool          // all arrays are in Fortran order
	mayBeC      bool          // all arrays are in C order
	arrays      []array.Array
	to          *array.Writer
	done, total int64
	buf         []byte
}

// add adds the array at path. It returns an error if the shape or dtype does not fit the arrays added before.
func (c *concat) add(path string, in *input) error {
	shape := in.Shape()
	if len(c.arrays) == 0 {
		c.first, c.dtypes, c.shape = path, []dtype.DType{in.DType()}, shape
		c.dtype, _ = promotedAll(c.dtypes) // a dtype without padding cannot become too large
		c.fortran, c.mayBeC = in.Contiguous(index.F), in.Contiguous(index.C)
		axis := c.axis
		if axis < 0 {
			axis += len(shape)
		}
		switch {
		case len(shape) == 0:
			return fileError{path, errors.New("cannot concatenate an array without dimensions")}
		case axis < 0 || axis >= len(shape):
			return fileError{path, fmt.Errorf("axis %d out of range for %d dimensions", c.axis, len(shape))}
		}
		c.axis, c.arrays = axis, append(c.arrays, in.Array)
		return nil
	}
	fits := len(shape) == len(c.shape)
	for k := 0; fits && k < len(shape); k++ {
		fits = k == c.axis || shape[k] == c.shape[k]
	}
	if !fits {
		return fileError{path, fmt.Errorf("shape %s does not match %s; only the lengths along axis %d may differ",
			words.Shape(shape), c.first, c.axis)}
	}
	var ok bool
	have := c.dtype
	if !slices.Contains(c.dtypes, in.DType()) {
		c.dtypes = append(c.dtypes, in.DType())
	}
	if c.dtype, ok = promotedAll(c.dtypes); !ok {
		fix := ""
		if have.Kind() == dtype.KindStructured && in.DType().Kind() == dtype.KindStructured {
			fix = "; convert one of them with npy convert -dtype"
		}
		return fileError{path, fmt.Errorf("dtypes %v and %v have no common dtype%s", in.DType(), have, fix)}
	}
	c.shape[c.axis] += shape[c.axis]
	c.fortran, c.mayBeC = c.fortran && in.Contiguous(index.F), c.mayBeC && in.Contiguous(index.C)
	c.arrays = append(c.arrays, in.Array)
	return nil
}

// write writes the concatenated array to w.
func (c *concat) write(w io.Writer) error {
	order := index.C
	c.fortran = c.fortran && !c.mayBeC
	if c.fortran {
		order = index.F
	}
	var err error
	if c.to, err = array.NewWriter(w, c.dtype, order, c.shape...); err != nil { // writes the header
		return err
	}
	if c.fortran { // these bytes equal the transposed arrays in C order
		for k, a := range c.arrays {
			c.arrays[k] = a.T()
		}
		slices.Reverse(c.shape)
		c.axis = len(c.shape) - 1 - c.axis
	}
	_, n, err := index.Size(c.shape, c.dtype.ItemSize())
	if err != nil {
		return err
	}
	c.total = int64(n)
	if err := c.progress(0, c.total+1); err != nil {
		return err
	}
	err = mmap.Guard(func() error { return c.writePart(w, c.axis, c.arrays) })
	if err != nil {
		return err
	}
	return c.progress(c.total+1, c.total+1)
}

// slabBytes is the approximate number of bytes assembled in memory at a time. A slab stays in the cache until it is
// written.
var slabBytes = 1 << 20

// writePart writes the concatenation of arrays along axis. If the result fits in a slab, writePart writes it at
// once. Otherwise it writes the indices of the first axis in order, one or several at a time.
func (c *concat) writePart(w io.Writer, axis int, arrays []array.Array) error {
	shape := arrays[0].Shape()
	shape[axis] = 0
	for _, a := range arrays {
		shape[axis] += a.Len(axis)
	}
	_, n, err := index.Size(shape, c.dtype.ItemSize())
	switch {
	case err != nil:
		return err
	case n == 0:
		return nil
	case n <= slabBytes || len(shape) == 1 && shape[0] == 1:
		return c.writeSlab(w, axis, shape, n, arrays)
	}
	if axis == 0 && len(arrays) > 1 {
		for _, a := range arrays {
			if err := c.writePart(w, 0, []array.Array{a}); err != nil {
				return err
			}
		}
		return nil
	}
	each := n / shape[0]
	if each > slabBytes && len(shape) > 1 {
		for i := range shape[0] {
			parts := make([]array.Array, len(arrays))
			for k, a := range arrays {
				parts[k] = a.Index(i)
			}
			if err := c.writePart(w, max(0, axis-1), parts); err != nil {
				return err
			}
		}
		return nil
	}
	step := max(1, slabBytes/each)
	for i := 0; i < shape[0]; i += step {
		parts := make([]array.Array, len(arrays))
		for k, a := range arrays {
			if parts[k], err = a.Select(index.Range(i, min(i+step, shape[0]))); err != nil {
				return err
			}
		}
		if err := c.writePart(w, axis, parts); err != nil {
			return err
		}
	}
	return nil
}

// writeSlab writes the concatenation of arrays, which has the given shape and n bytes. It writes whole entries of one
// array without assembling them in memory.
func (c *concat) writeSlab(w io.Writer, axis int, shape []int, n int, arrays []array.Array) (err error) {
	if first := arrays[0]; len(arrays) == 1 && slices.Equal(shape[1:], c.shape[1:]) && !changesUnit(c.dtype,
		first.DType()) {
		if c.fortran {
			first = first.T()
		}
		err = c.to.Write(first)
	} else {
		err = c.assemble(w, axis, shape, n, arrays)
	}
	if err == nil {
		c.done += int64(n)
		err = c.progress(c.done, c.total+1)
	}
	return err
}

// assemble is writeSlab for parts of several arrays.
func (c *concat) assemble(w io.Writer, axis int, shape []int, n int, arrays []array.Array) error {
	if len(c.buf) < n {
		c.buf = make([]byte, n)
	}
	slab, err := array.FromBytes(c.buf[:n], c.dtype, index.C, shape...)
	if err == nil {
		clear(c.buf[:n]) // padding
		err = concatenate(slab, axis, arrays)
	}
	if err == nil {
		_, err = w.Write(c.buf[:n])
	}
	return err
}

package main

import (
	"errors"
	"flag"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

var convertCommand = command{
	name: "convert",
	args: "[-select S] [-field F] [-dtype D | -aligned | -packed] [-order C|F] [-strict] [-1d] [-omit NAME] [-meta KEY=VALUE] [-force] [-nosync] IN OUT",
	min:  2, max: 2,
	about: `Writes the selected elements to a new file, perhaps with another dtype or order.
OUT is there when it is complete, and not before. Integers wrap around; floats lose
their fraction, what is out of range becomes the nearest integer, and NaN 0. Records
convert field by field, in order. How many elements are other ones then is said in a
warning; rounding to the nearest float is none. If OUT ends in .csv it becomes CSV: a
line for each row of two dimensions, or each element of one, and for records below a
header. If IN does, -dtype says what it has; records have the fields that the header
names. With -dtype, IN may also be text of any name. Blanks may separate numbers in
place of commas, and what follows # is a comment, as numpy.savetxt writes them, unless
some values are text. A line has at most 64 MiB, and the text of a number or a time
4,096 bytes. If IN is an archive or a file of tensors, and OUT is named like one, all
members convert. A file of tensors keeps its metadata; -meta adds to it, or replaces a
value. Members of Python objects, and those that are no arrays, are copied as they are.`,
	examples: `npy convert -dtype '>f4' -order F temperature.npy fortran.npy
npy convert -select '-7:' data.npz:temperature week.npy
npy convert -aligned trades.npy aligned.npy
npy convert -packed aligned.npy packed.npy
npy convert -field price trades.npy price.npy
npy convert trades.npy trades.csv
npy convert -dtype "[('time', 'M8[s]'), ('symbol', 'S4'), ('price', 'f8'), ('size', 'i4')]" trades.csv back.npy
npy convert -strict -dtype i2 data.npz whole.npz
npy convert -raw '<u2' -shape -1,48,64 -offset 512 -dtype float32 frames.raw frames.npy`,
	flags: func(set *flag.FlagSet) runner {
		c := conversion{part: partFlags(set), from: rawFlags(set), order: orderFlag{index.K}}
		set.Var(&c.dtype, "dtype", "the `dtype` (default: that of IN)")
		set.Var(&c.order, "order", "`C|F`: which index is fastest, the last or the first (default: as in IN)")
		set.BoolVar(&c.aligned, "aligned", false, "lay fields out as C and Go do, with padding between them")
		set.BoolVar(&c.packed, "packed", false, "lay fields out one after the other, without padding")
		set.BoolVar(&c.strict, "strict", false, "make no file if there are elements that do not fit the new dtype")
		set.BoolVar(&c.oneD, "1d", false, "a CSV file of a value on each line has one dimension (default: two, a column)")
		set.BoolVar(&c.force, "force", false, "replace OUT if it is there")
		nosync, meta := nosyncFlag(set), metaFlag(set)
		c.omit = map[string]bool{}
		set.Func("omit", "leave out the `member` of this name; may be given several times", func(s string) error {
			c.omit[s] = true
			return nil
		})
		return func(e *env, files []string) error {
			c.nosync, c.meta = *nosync, meta
			return e.convert(&c, files[0], files[1])
		}
	},
}

// A conversion holds the flags of convert.
type conversion struct {
	part                          *part
	from                          *rawInput
	dtype                         dtypeFlag
	order                         orderFlag
	aligned, packed, strict, oneD bool
	force, nosync                 bool
	meta                          map[string]string
	omit                          map[string]bool
}

func (e *env) convert(c *conversion, in, out string) error {
	if c.dtype.given && (c.aligned || c.packed) || c.aligned && c.packed {
		return usageError{errors.New("-dtype, -aligned and -packed exclude each other: a dtype says where its fields are")}
	}
	if err := checkMeta(c.meta, out); err != nil {
		return err
	}
	toArchive := strings.HasSuffix(out, ".npz") || strings.HasSuffix(out, tensorsSuffix)
	ofArchive := toArchive && !c.from.raw.given && isCollection(in)
	if len(c.omit) > 0 && !ofArchive {
		return usageError{errors.New("-omit is for an archive or a file of tensors that becomes another one")}
	}
	switch {
	case !c.from.raw.given && isCSV(in, c.dtype.given):
		return e.convertFromCSV(c, in, out)
	case c.oneD:
		return usageError{errors.New("-1d is for a CSV file, and IN is none")}
	case isCSVName(out):
		return e.convertToCSV(c, in, out)
	case ofArchive:
		return e.convertArchive(c, in, out)
	}
	if err := otherFormat(out); err != nil {
		return err
	}
	f, a, d, err := e.source(c, in, out)
	if err != nil {
		return err
	}
	defer f.close()
	n, err := e.fit(in, a, d, c.strict)
	if err != nil {
		return err
	}
	defer e.interruptible()()
	err = array.SaveConfig{Replace: c.force, NoSync: c.nosync, Progress: e.progressFor(c.nosync)}.Convert(out, a, d,
		c.order.Order)
	if err != nil {
		return noConversion(in, err, a.DType(), d)
	}
	e.warnOfMisfits(out, n, a, d)
	return nil
}

// source opens in, the input for the new file out. It returns the input, its selected elements, and the dtype of the
// result.
func (e *env) source(c *conversion, in, out string) (*input, array.Array, dtype.DType, error) {
	f, err := e.openFor(in, c.from, out)
	if err != nil {
		return nil, array.Array{}, dtype.DType{}, err
	}
	a, d, err := c.of(in, f)
	if err != nil {
		f.close()
	}
	return f, a, d, err
}

// of returns the selected elements of f, whose path is given, and the dtype of the result.
func (c *conversion) of(path string, f *input) (a array.Array, d dtype.DType, err error) {
	if a, err = c.part.of(f.Array); err != nil {
		return a, d, err
	}
	switch d = a.DType(); {
	case c.dtype.given:
		d = c.dtype.DType
	case c.aligned:
		d, err = d.Aligned()
	case c.packed:
		d, err = d.Packed()
	}
	if err != nil {
		err = fileError{path, err}
	}
	return a, d, err
}

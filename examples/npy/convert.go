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
	args: "[-select S] [-field F] [-as D] [-dtype D | -aligned | -packed] [-order C|F] [-strict] [-1d] [-delimiter C] [-missing TEXT] [-fill VALUE] [-omit NAME] [-meta KEY=VALUE] [-force] [-nosync] IN OUT",
	min:  2, max: 2,
	description: `Convert writes the selected elements to a new file, optionally with another dtype or
order. OUT appears only when it is complete. If OUT is -, the file is written to standard
output. If IN is a URL, only the selected elements are requested.

Integers wrap around. If floats become integers, fractions are dropped, values out of
range become the nearest integer, and NaN becomes 0. Records are converted field by
field, in order. A warning gives the number of elements whose value changed. Rounding
to the nearest float does not count.

If OUT ends in .csv or .tsv, convert writes CSV: one line for each row of two dimensions
or each element of one dimension. Records get a header line. -missing gives the text for
NaN and NaT.

If IN ends in .csv or .tsv, -dtype gives the dtype of the values. The header line of
records names their fields. With -dtype, IN may be a text file of any name, or -. Blanks
instead of commas may separate numbers, and # begins a comment unless some values are
text, as numpy.savetxt writes them. A line has at most 64 MiB, and the text of a number
or a time at most 4,096 bytes.

Empty cells, and cells with the text of -missing, become NaN or NaT, or the VALUE of
-fill. For integers and bools, missing values without -fill are an error. Text is never
missing: it is kept as it is. In records, -fill VALUE does not apply to times, but -fill
FIELD=VALUE does.

-dtype auto reads IN twice, and prints the dtype that it chooses: bool, int64, uint64,
float64, datetime64 or text. Integers are never rounded: columns that would need it
become text. A first line of text above a column that is not text is a header. Columns
without a header become an array if they are of one kind, and fields f0, f1 ... if not.

If IN is an archive or a .safetensors file and OUT is named like one, all members are
converted. The metadata of a .safetensors file is kept; -meta adds to it, or replaces
values. Members of Python objects, and members that are not arrays, are copied
unchanged. A single array of Python objects becomes an array of another dtype if its
elements are all alike, such as texts, or lists of numbers of the same length.`,
	examples: `npy convert -dtype '>f4' -order F temperature.npy fortran.npy
npy convert -select '-7:' data.npz:temperature week.npy
npy convert -aligned trades.npy aligned.npy
npy convert -packed aligned.npy packed.npy
npy convert -field price trades.npy price.npy
npy convert trades.npy trades.csv
npy convert -dtype "[('time', 'M8[s]'), ('symbol', 'S4'), ('price', 'f8'), ('size', 'i4')]" trades.csv back.npy
npy convert -missing NA -delimiter ';' temperature.npy temperature.csv
npy convert -dtype auto -missing NA -delimiter ';' temperature.csv table.npy
npy convert -strict -dtype i2 data.npz whole.npz
npy convert -dtype f4 temperature.npy - | npy print -
npy convert -raw '<u2' -shape -1,48,64 -offset 512 -dtype float32 frames.raw frames.npy`,
	flags: func(set *flag.FlagSet) runner {
		c := conversion{part: partFlags(set), from: rawFlags(set), order: orderFlag{index.K}, csv: csvFlags(set)}
		set.Var(&c.dtype, "dtype", "the `dtype` (default: as in IN), or auto: chosen by the values of CSV")
		set.Var(&c.order, "order", "the order, `C|F`: the last or the first index varies fastest (default: as in IN)")
		set.BoolVar(&c.aligned, "aligned", false, "align fields as C and Go do, with padding between them")
		set.BoolVar(&c.packed, "packed", false, "store fields without padding")
		set.BoolVar(&c.strict, "strict", false, "fail, and write no file, if some elements do not fit the new dtype")
		set.BoolVar(&c.oneD, "1d", false,
			"read a CSV file with one value per line as one dimension (default: a column of two dimensions)")
		set.BoolVar(&c.force, "force", false, "replace OUT if it exists")
		nosync, meta := nosyncFlag(set), metaFlag(set)
		c.omit = map[string]bool{}
		set.Func("omit", "omit the `member` of this name; may be repeated", func(s string) error {
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
	dtype                         csvDTypeFlag
	csv                           *csvFormat
	order                         orderFlag
	aligned, packed, strict, oneD bool
	force, nosync                 bool
	meta                          map[string]string
	omit                          map[string]bool
}

func (e *env) convert(c *conversion, in, out string) error {
	if c.dtype.given && (c.aligned || c.packed) || c.aligned && c.packed {
		return usageError{errors.New("-dtype, -aligned and -packed are mutually exclusive")}
	}
	if err := checkMeta(c.meta, out); err != nil {
		return err
	}
	toArchive := strings.HasSuffix(out, ".npz") || strings.HasSuffix(out, tensorsSuffix)
	ofArchive := toArchive && !c.from.raw.given && isCollection(in)
	if len(c.omit) > 0 && !ofArchive {
		return usageError{errors.New("-omit requires IN and OUT to be archives or .safetensors files")}
	}
	if !c.from.raw.given {
		if ok, err := e.isCSV(in, c.dtype.given); err != nil {
			return err
		} else if ok {
			return e.convertFromCSV(c, in, out)
		}
	}
	switch {
	case c.oneD:
		return usageError{errors.New("-1d requires IN to be a CSV file")}
	case c.dtype.auto:
		return usageError{errors.New("-dtype auto requires IN to be a CSV file")}
	case len(c.csv.fill) > 0:
		return usageError{errors.New("-fill requires IN to be a CSV file")}
	case c.csv.isGiven() && !isCSVName(out):
		return usageError{errors.New("-delimiter and -missing require IN or OUT to be a CSV file")}
	case len(c.csv.missing) > 1:
		return usageError{errors.New("CSV that is written has one text for missing values; give -missing once")}
	case isCSVName(out):
		return e.convertToCSV(c, in, out)
	case ofArchive:
		return e.convertArchive(c, in, out)
	}
	if err := checkExtension(out); err != nil {
		return err
	}
	to, err := e.openOutput(out, c.force, c.nosync, in)
	if err != nil {
		return err
	}
	defer to.close()
	f, a, d, err := e.source(c, in)
	if err != nil {
		return err
	}
	defer f.close()
	n, err := e.fit(in, a, d, c.strict)
	if err != nil {
		return err
	}
	defer to.interruptible()()
	if err = to.save(a, d, c.order.Order); err != nil {
		return conversionError(in, err, a.DType(), d)
	}
	e.warnOfMisfits(out, n, a, d)
	return nil
}

// source opens in. It returns the input, its selected elements, and the dtype of the result.
func (e *env) source(c *conversion, in string) (*input, array.Array, dtype.DType, error) {
	var f *input
	v, hasObjects, err := e.openObjects(in, c.from)
	if err == nil && hasObjects {
		f, err = openRegular(in, v, c.part)
	} else if err == nil {
		f, err = e.openPart(in, c.from, c.part)
	}
	if err != nil {
		return nil, array.Array{}, dtype.DType{}, err
	}
	d, err := c.resultOf(in, f.DType())
	if err != nil {
		f.close()
	}
	return f, f.Array, d, err
}

// resultOf returns the dtype of the result for elements of dtype d. Errors refer to the file path.
func (c *conversion) resultOf(path string, d dtype.DType) (dtype.DType, error) {
	var err error
	switch {
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
	return d, err
}

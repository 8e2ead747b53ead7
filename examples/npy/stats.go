package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/mmap"
)

var statsCommand = command{
	name: "stats", args: "[-select S] [-field F] [-as D] [-q Q] [-bins N] [-log] [-json] FILE...", min: 1, max: -1,
	description: `Stats prints statistics of the selected elements: minimum, maximum, mean, standard
deviation (divided by the number of elements, as NumPy does), sum, and a histogram.
The number to the left of a bar is the lower edge of its bin. With -q it also prints
quantiles, exact and interpolated as by numpy.nanquantile.

NaN, and NaT in times, are counted and otherwise ignored, as by numpy.nanmin. The
histogram covers the finite elements. Complex numbers are represented by their
magnitudes, and have no quantiles. Mean and standard deviation are printed with their
significant digits, or with -json in full.

Of several FILEs, stats prints a table with a line for each, and of records a table with
a line for each field of numbers or times. Its column missing counts NaN and NaT, and
count all other elements. With -bins or -log it prints a histogram of each instead.

For an archive, a .safetensors file or an index of such files, stats summarizes each
member. Of a URL, it requests only the selected elements. If one of several FILEs is
broken, stats says why and goes on; the exit status is then 1.`,
	examples: `npy stats temperature.npy
npy stats -select ':, 12' data.npz:temperature
npy stats -log data.npz
npy stats -q 0.05,0.5,0.95 trades.npy
npy stats -bins 50 -field price trades.npy
npy stats temperature.npy trades.npy
npy stats -json -field price trades.npy`,
	flags: func(set *flag.FlagSet) runner {
		s := statsFlags{part: partFlags(set), in: rawFlags(set)}
		set.Var(&s.qs, "q", "also print the `quantiles`, from 0 to 1, such as 0.5 or 0.05,0.5,0.95")
		set.Func("bins",
			"draw a histogram of `N` bins; integers and times may have fewer, because widths are integers (default 20)",
			s.setBins)
		set.BoolVar(&s.log, "log", false, "draw bars on a logarithmic scale, so that small counts are visible")
		set.BoolVar(&s.json, "json", false,
			"print one JSON object per array or field: undefined values are null, times are integers as in print -json,\n"+
				"and for complex numbers \"of\" is \"magnitudes\": min, max, mean, std, sum and histogram describe the magnitudes")
		return func(e *env, files []string) error { return e.stats(&s, files) }
	},
}

type statsFlags struct {
	part      *part
	in        *rawInput
	qs        qsFlag
	bins      int // 0 if -bins is not given
	log, json bool
}

func (s *statsFlags) setBins(text string) (err error) {
	if s.bins, err = strconv.Atoi(text); err != nil || s.bins < flagBins.least || s.bins > flagBins.most {
		return fmt.Errorf("want a number from %d to %d", flagBins.least, flagBins.most)
	}
	return nil
}

// draws reports whether the flags ask for histograms.
func (s *statsFlags) draws() bool { return s.bins > 0 || s.log }

// stats summarizes the arrays that files name. If one has an error, stats reports it and goes on.
func (e *env) stats(s *statsFlags, files []string) error {
	if s.qs.qs != nil && !s.qs.valid() {
		return usageError{errors.New("-q requires numbers from 0 to 1, such as -q 0.05,0.5,0.95")}
	}
	if err := s.in.check(); err != nil {
		return err
	}
	var of func(*subject) error
	var all []*subject // to print as a table at the end
	if len(files) > 1 && !s.json && !s.draws() {
		of = func(sub *subject) error {
			all = append(all, sub)
			return nil
		}
	} else {
		of = func(sub *subject) error { return e.writeSubject(s, sub) }
	}
	for _, path := range files {
		err := mmap.Guard(func() error { return e.statsOfFile(s, path, of) })
		if isUsage(err) || err != nil && len(files) == 1 {
			return err
		} else if err != nil {
			e.noteError(path, err)
		}
	}
	if len(all) > 0 {
		e.writeSummaries(s, all, true)
	}
	return nil
}

// statsOfFile summarizes the array that path names, or all arrays of an archive, and calls of for each.
func (e *env) statsOfFile(s *statsFlags, path string, of func(*subject) error) error {
	s.part.members = !s.in.raw.given && isCollection(path)
	if !s.part.members {
		f, err := e.openPart(path, s.in, s.part)
		if err != nil {
			return err
		}
		defer f.close()
		return e.statsOfArray(s, f, of)
	}
	return e.members(path, s.part, func(path string, f *input, err error) error {
		if errors.Is(err, npz.ErrNotArray) {
			return nil
		}
		if err == nil {
			err = e.statsOfArray(s, f, of)
		}
		if err != nil {
			_, msg := message(fileOf(path), err)
			e.noteError(path, errors.New(msg))
		}
		return nil
	})
}

// A subject is an array with its summary, or the summaries of its fields.
type subject struct {
	path   string
	field  string // path of the field, or "" for a whole array
	dtype  dtype.DType
	shape  []int
	size   int
	all    *summary   // nil for records
	fields []*subject // of records: the fields of numbers and times
	others []string   // the remaining fields
}

// statsOfArray summarizes the array f, and calls of.
func (e *env) statsOfArray(s *statsFlags, f *input, of func(*subject) error) error {
	defer e.bar.End()
	sub := newSubject(f.path, "", f.Array)
	if sub.dtype.Kind() != dtype.KindStructured {
		var err error
		if sub.all, err = e.summarize(s, f.Array); err != nil {
			return err
		}
		e.bar.End()
		return of(sub)
	}
	if err := e.addFields(s, sub, f.Array, ""); err != nil {
		return err
	}
	if len(sub.fields) == 0 {
		return fmt.Errorf("dtype %v has no fields of numbers or times; npy print shows the elements", sub.dtype)
	}
	e.bar.End()
	return of(sub)
}

// addFields adds the summaries of the fields of a to sub. prefix precedes the names of the fields.
func (e *env) addFields(s *statsFlags, sub *subject, a array.Array, prefix string) error {
	for f := range a.DType().Fields() {
		path := prefix + f.Name
		field, err := a.Field(f.Name)
		if err != nil {
			return err
		}
		switch d := field.DType(); {
		case d.Kind() == dtype.KindStructured:
			err = e.addFields(s, sub, field, path+".")
		case hasSummary(d):
			one := newSubject(sub.path, path, field)
			if one.all, err = e.summarize(s, field); err != nil {
				_, msg := message(sub.path, err)
				err = fmt.Errorf("field %s: %s", path, msg)
			}
			sub.fields = append(sub.fields, one)
		default:
			sub.others = append(sub.others, path)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func newSubject(path, field string, a array.Array) *subject {
	return &subject{path: path, field: field, dtype: a.DType(), shape: a.Shape(), size: a.Size()}
}

// summarize summarizes a, with the quantiles that the flags ask for.
func (e *env) summarize(s *statsFlags, a array.Array) (*summary, error) {
	limits := defaultBins
	if s.bins > 0 {
		limits = binLimits{s.bins, s.bins}
	}
	all, err := summarize(&sweepProgress{bar: &e.bar, total: 2 * int64(a.NBytes())}, a, limits)
	if err == nil {
		err = e.addQuantiles(all, a, s.qs.qs)
	}
	return all, err
}

// hasSummary reports whether elements of dtype d have statistics: booleans, numbers and times.
func hasSummary(d dtype.DType) bool { return d.IsNumber() || isTime(d) || d.IsLongDouble() }

// summarize summarizes a. It reads short integers once and other elements twice.
func summarize(w *sweepProgress, a array.Array, limits binLimits) (*summary, error) {
	d := a.DType()
	switch d.Kind() {
	case dtype.KindBool:
		s, err := summarizeShorts(w, a, limits, true)
		if err == nil && s.min != nil {
			s.min, s.max = s.min.(*big.Int).Sign() > 0, s.max.(*big.Int).Sign() > 0
		}
		return s, err
	case dtype.KindInt:
		switch d.ItemSize() {
		case 1, 2:
			return summarizeShorts(w, a, limits, true)
		case 4:
			return summarizeIntegers[int32](w, a, limits, signedZero)
		}
		return summarizeIntegers[int64](w, a, limits, signedZero)
	case dtype.KindUint:
		switch d.ItemSize() {
		case 1, 2:
			return summarizeShorts(w, a, limits, false)
		case 4:
			return summarizeIntegers[uint32](w, a, limits, 0)
		}
		return summarizeIntegers[uint64](w, a, limits, 0)
	case dtype.KindDatetime, dtype.KindTimedelta:
		s, err := summarizeIntegers[int64](w, a, limits, signedZero)
		if err == nil && d.Kind() == dtype.KindDatetime {
			s.mean, s.std, s.sum = nil, nil, nil // dates have no sum
		}
		return s, err
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		return summarizeReals(w, a, limits, func(_, s []float64) []float64 { return s })
	case dtype.KindComplex:
		if d.ItemSize() == 8 {
			return summarizeReals(w, a, limits, magnitudes[complex64])
		}
		return summarizeReals(w, a, limits, magnitudes[complex128])
	}
	hint := ""
	if d.Kind() == dtype.KindVoid && d.ItemSize() == dtype.BFloat16.ItemSize() {
		hint = ", and -as bfloat16 reads them if ml_dtypes wrote them"
	}
	return nil, fmt.Errorf("dtype %v is not numeric; npy print shows the elements%s", d, hint)
}

// chooseFieldError returns an error saying that the elements have fields, of which the command needs one.
func chooseFieldError(d dtype.DType) error {
	var names []string
	for f := range d.Fields() {
		names = append(names, f.Name)
	}
	return fmt.Errorf("the elements are structures; choose a field with -field: %s", strings.Join(names, ", "))
}

func isTime(d dtype.DType) bool {
	return d.Kind() == dtype.KindDatetime || d.Kind() == dtype.KindTimedelta
}

func magnitudes[T complex64 | complex128](buf []float64, s []T) []float64 {
	for i, x := range s {
		z := complex128(x)
		buf[i] = math.Hypot(real(z), imag(z))
	}
	return buf
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/dtype"
)

var statsCommand = command{
	name: "stats", args: "[-select S] [-field F] [-as D] [-log] [-json] FILE", min: 1, max: 1,
	description: `Stats prints statistics of the selected elements: minimum, maximum, mean, standard
deviation (divided by the number of elements, as NumPy does), sum, and a histogram.
The number to the left of a bar is the lower edge of its bin.

NaN, and NaT in times, are counted and otherwise ignored, as by numpy.nanmin. The
histogram covers the finite elements. Complex numbers are represented by their
magnitudes. Mean and standard deviation are printed with their significant digits, or
with -json in full.

For an archive, a .safetensors file or an index of such files, stats summarizes each
member. Of a URL, it requests only the selected elements.`,
	examples: `npy stats temperature.npy
npy stats -select ':, 12' data.npz:temperature
npy stats -log data.npz
npy stats -json -field price trades.npy`,
	flags: func(set *flag.FlagSet) runner {
		s := statsFlags{part: partFlags(set), in: rawFlags(set)}
		set.BoolVar(&s.log, "log", false, "draw bars on a logarithmic scale, so that small counts are visible")
		set.BoolVar(&s.json, "json", false,
			"print one JSON object per array: undefined values are null, times are integers as in print -json, and\n"+
				"for complex numbers \"of\" is \"magnitudes\": min, max, mean, std, sum and histogram describe the magnitudes")
		return func(e *env, files []string) error { return e.stats(&s, files[0]) }
	},
}

type statsFlags struct {
	part      *part
	in        *rawInput
	log, json bool
}

// stats summarizes the array that path names, or all arrays of an archive.
func (e *env) stats(s *statsFlags, path string) error {
	if err := s.in.check(); err != nil {
		return err
	}
	if s.in.raw.given || !isCollection(path) {
		f, err := e.openPart(path, s.in, s.part)
		if err != nil {
			return err
		}
		defer f.close()
		return e.statsOf(s, f)
	}
	s.part.members = true
	return e.members(path, s.part, func(path string, f *input, err error) error {
		if errors.Is(err, npz.ErrNotArray) {
			return nil
		}
		if err == nil {
			err = e.statsOf(s, f)
		}
		if err != nil {
			_, msg := message(fileOf(path), err)
			e.noteError(path, errors.New(msg))
		}
		return nil
	})
}

func (e *env) statsOf(s *statsFlags, f *input) error {
	a := f.Array
	sum, err := summarize(&sweepProgress{bar: &e.bar, total: 2 * int64(a.NBytes())}, a)
	if err != nil {
		return err
	}
	e.bar.End()
	if s.json {
		return sum.writeJSON(e.out, f.path, a)
	}
	e.newBlock()
	return sum.write(e.out, f.path, a, bars{e.columns, s.log, e.colours})
}

// summarize summarizes a. It reads short integers once and other elements twice.
func summarize(w *sweepProgress, a array.Array) (*summary, error) {
	d := a.DType()
	switch d.Kind() {
	case dtype.KindBool:
		s, err := summarizeShorts(w, a, true)
		if err == nil && s.min != nil {
			s.min, s.max = s.min.(*big.Int).Sign() > 0, s.max.(*big.Int).Sign() > 0
		}
		return s, err
	case dtype.KindInt:
		switch d.ItemSize() {
		case 1, 2:
			return summarizeShorts(w, a, true)
		case 4:
			return summarizeIntegers[int32](w, a, signedZero)
		}
		return summarizeIntegers[int64](w, a, signedZero)
	case dtype.KindUint:
		switch d.ItemSize() {
		case 1, 2:
			return summarizeShorts(w, a, false)
		case 4:
			return summarizeIntegers[uint32](w, a, 0)
		}
		return summarizeIntegers[uint64](w, a, 0)
	case dtype.KindDatetime, dtype.KindTimedelta:
		s, err := summarizeIntegers[int64](w, a, signedZero)
		if err == nil && d.Kind() == dtype.KindDatetime {
			s.mean, s.std, s.sum = nil, nil, nil // dates have no sum
		}
		return s, err
	case dtype.KindFloat, dtype.KindBFloat16, dtype.KindFloat8E4M3FN, dtype.KindFloat8E5M2:
		return summarizeReals(w, a, func(_, s []float64) []float64 { return s })
	case dtype.KindComplex:
		if d.ItemSize() == 8 {
			return summarizeReals(w, a, magnitudes[complex64])
		}
		return summarizeReals(w, a, magnitudes[complex128])
	case dtype.KindStructured:
		return nil, chooseFieldError(d)
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

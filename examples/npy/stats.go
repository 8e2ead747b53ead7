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
	name: "stats", args: "[-select S] [-field F] [-log] [-json] FILE", min: 1, max: 1,
	about: `Says how the selected elements are distributed: the least and the greatest, mean,
standard deviation (as NumPy's, divided by their number), sum, and a histogram. The
number at the left of a bar is where its bin starts. NaN, and NaT in times, are
counted and left out of all else, as in numpy.nanmin and its like; the histogram is
of what is finite. Complex numbers are taken by their magnitudes. Mean and deviation
have the digits that mean something, and with -json all. Of an archive, or a file of
tensors, it does so for each member.`,
	examples: `npy stats temperature.npy
npy stats -select ':, 12' data.npz:temperature
npy stats -log data.npz
npy stats -json -field price trades.npy`,
	flags: func(set *flag.FlagSet) runner {
		s := statsFlags{part: partFlags(set), in: rawFlags(set)}
		set.BoolVar(&s.log, "log", false, "draw bars as long as the logarithms of what they count, so that few elements show")
		set.BoolVar(&s.json, "json", false,
			"print one JSON object for each array: null is what there is not, times are integers as in print -json, and\n"+
				"of complex numbers \"of\" says \"magnitudes\": min, max, mean, std, sum and histogram are of those")
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
		f, err := e.open(path, s.in)
		if err != nil {
			return err
		}
		defer f.close()
		return e.statsOf(s, f)
	}
	return e.members(path, func(path string, f *input, err error) error {
		if errors.Is(err, npz.ErrNotArray) {
			return nil
		}
		if err == nil {
			err = e.statsOf(s, f)
		}
		if err != nil {
			_, msg := message(fileOf(path), err)
			e.note(path, errors.New(msg))
		}
		return nil
	})
}

func (e *env) statsOf(s *statsFlags, f *input) error {
	a, err := s.part.of(f.Array)
	if err != nil {
		return err
	}
	sum, err := summarize(&work{bar: &e.bar, total: 2 * int64(a.NBytes())}, a)
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
func summarize(w *work, a array.Array) (*summary, error) {
	d := a.DType()
	if d.IsLongDouble() {
		return nil, fmt.Errorf("dtype %v is a long double, which differs from machine to machine; save it from NumPy as <f8",
			d)
	}
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
		var names []string
		for f := range d.Fields() {
			names = append(names, f.Name)
		}
		return nil, fmt.Errorf("it is of structures; choose one of their fields with -field: %s", strings.Join(names, ", "))
	}
	return nil, fmt.Errorf("dtype %v is no number, so there is no distribution; npy print shows the elements", d)
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

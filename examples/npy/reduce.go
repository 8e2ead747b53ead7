package main

import (
	"errors"
	"flag"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nearest"
)

var reduceCommand = command{
	name: "reduce",
	args: "-op OP [-axis 0,2] [-skipnan] [-ddof N] [-q Q] [-select S] [-field F] [-as D] [-force] [-nosync] IN [OUT]",
	min:  1,
	max:  2,
	description: `Reduce applies an operation to the selected elements along some or all axes, as
NumPy's function of the same name does. The reduced axes are removed from the shape.
Sums of integers have 64 bits, means and deviations are floats, and positions and
counts are <i8.

IN is read once, and may be larger than memory. Median and quantile keep up to 16 MiB
of elements of a result in memory; they read IN several times if there are more. The
result is kept in memory until it is written. If IN is a URL, elements are requested as
they are reduced; for median and quantile they are stored in a temporary file.

Without OUT, reduce prints the result as npy print does. OUT appears only when it is
complete. If OUT is -, the result is written to standard output as a .npy file.`,
	examples: `npy reduce -op mean -axis 0 temperature.npy mean.npy
npy reduce -op std -ddof 1 -skipnan -select '-7:' data.npz:temperature std.npy
npy reduce -op quantile -q 0.1,0.9 -axis 0 temperature.npy q.npy
npy reduce -op max -field price trades.npy top.npy
npy reduce -op mean -axis 1 temperature.npy - | npy plot -
npy reduce -op mean -axis 1 temperature.npy`,
	flags: func(set *flag.FlagSet) runner {
		part, from := partFlags(set), rawFlags(set)
		var op opFlag
		var axes axesFlag
		set.Var(&op, "op",
			"the operation: sum, mean, var, std, min, max, argmin, argmax, count (of nonzero elements), prod, any, all, median, quantile (see -q), or moments (records of count, nan, min, max, mean and m2, the sum of squared deviations)")
		set.Var(&axes, "axis",
			"the `axes` to reduce, such as 0 or 0,-1 (default: all); argmin and argmax take one axis, or all")
		skip := set.Bool("skipnan", false, "ignore NaN, as NumPy's nansum and related functions do")
		ddof := set.Int("ddof", 0, "divide the variance by the number of elements minus `N`")
		var qs qsFlag
		set.Var(&qs, "q", "the `quantiles`, from 0 to 1, such as 0.9 or 0.1,0.9; several quantiles add a first axis to OUT")
		force := set.Bool("force", false, "replace OUT if it exists")
		nosync := nosyncFlag(set)
		return func(e *env, files []string) error {
			in := files[0]
			switch {
			case !op.given:
				return usageError{errors.New("-op is missing")}
			case *ddof != 0 && op.Op != array.OpVar && op.Op != array.OpStd:
				return usageError{fmt.Errorf("-ddof applies to var and std, not to %v", op.Op)}
			case op.Op == array.OpQuantile && !qs.valid():
				return usageError{errors.New("quantile requires -q from 0 to 1, such as -q 0.9")}
			case op.Op != array.OpQuantile && qs.qs != nil:
				return usageError{fmt.Errorf("-q applies to quantile, not to %v", op.Op)}
			}
			var to *output // nil prints the result
			if len(files) > 1 {
				if err := checkExtension(files[1]); err != nil {
					return err
				}
				var err error
				if to, err = e.openOutput(files[1], *force, *nosync, in); err != nil {
					return err
				}
				defer to.close()
				defer to.interruptible()()
			}
			f, err := e.locate(in, from, part)
			if err != nil {
				return err
			}
			defer f.close()
			r := array.Reduction{Op: op.Op, Axes: axes.axes, SkipNaN: *skip, DDof: *ddof, Qs: qs.qs, Progress: e.progress}
			result, err := e.reduce(r, f)
			if err != nil {
				return err
			}
			if to == nil {
				return e.printResult(result)
			}
			return to.save(result, result.DType(), index.C)
		}
	},
}

// reduce reduces the elements of f. Elements on a server are read once and not kept, except for medians and quantiles.
func (e *env) reduce(r array.Reduction, f *input) (array.Array, error) {
	if f.remote != nil && f.rest == nil && r.Op != array.OpMedian && r.Op != array.OpQuantile {
		result, err := r.OfRemote(e.ctx, f.remote)
		if err != nil {
			err = fileError{f.path, err}
		}
		return result, err
	}
	if err := e.load(f); err != nil {
		return array.Array{}, err
	}
	return r.Of(f.Array)
}

// printResult prints a as npy print does.
func (e *env) printResult(a array.Array) error {
	e.bar.End()
	return e.printArray(a)
}

type opFlag struct {
	array.Op
	given bool
}

func (f *opFlag) String() string { return "" }
func (f *opFlag) choices() (names []string) {
	for op := array.OpSum; op <= array.OpQuantile; op++ {
		names = append(names, op.String())
	}
	return names
}
func (f *opFlag) Set(s string) error {
	if op, err := array.ParseOp(s); err == nil {
		f.Op, f.given = op, true
		return nil
	}
	names := f.choices()
	list := "want one of " + strings.Join(names, " ")
	if op, ok := strings.CutPrefix(s, "nan"); ok && slices.Contains(names, op) {
		return fmt.Errorf("for NumPy's %s use -op %s -skipnan; %s", s, op, list)
	}
	if near := nearest.Slip(s, names); near != "" {
		return fmt.Errorf("did you mean %s? %s", near, list)
	}
	return errors.New(list)
}

type axesFlag struct{ axes []int }

func (f *axesFlag) String() string { return "" }
func (f *axesFlag) Set(s string) error {
	f.axes = []int{}
	for axis := range strings.SplitSeq(s, ",") {
		k, err := strconv.Atoi(strings.TrimSpace(axis))
		if err != nil {
			return fmt.Errorf("invalid axis %q", axis)
		}
		f.axes = append(f.axes, k)
	}
	return nil
}

type qsFlag struct{ qs []float64 }

func (f *qsFlag) String() string { return "" }
func (f *qsFlag) Set(s string) error {
	f.qs = nil
	for text := range strings.SplitSeq(s, ",") {
		q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil {
			return fmt.Errorf("invalid number %q", text)
		}
		f.qs = append(f.qs, q)
	}
	return nil
}

// valid reports whether quantiles were given and all are from 0 to 1.
func (f *qsFlag) valid() bool {
	return len(f.qs) > 0 && !slices.ContainsFunc(f.qs, func(q float64) bool { return !(q >= 0 && q <= 1) })
}

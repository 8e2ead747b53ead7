package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
	"github.com/ndmap/ndmap/mmap"
)

var diffCommand = command{
	name: "diff", args: "[-rtol R] [-atol A] [-equal-nan] A B", min: 2, max: 2, trouble: 2,
	description: `Diff prints how the elements of B differ from the elements of A: how many differ, the
first of them, and the greatest distances. It prints nothing if all are equal. The exit
status is 0 if the elements are equal, 1 if they differ, and 2 if a file is bad.

Numbers are compared by value, regardless of dtype; an integer is compared with a float
as float64. Times in different units, and text with numbers, cannot be compared; such
arrays differ. With tolerances, numbers may differ by A + R*|b|. Archives are compared
member by member. A URL is downloaded to memory or to a temporary file.`,
	examples: `npy diff temperature.npy data.npz:temperature
npy diff -rtol 1e-5 -equal-nan data.npz model.npz
npy diff trades.npy - < today.npy`,
	flags: func(set *flag.FlagSet) runner {
		var c array.Comparison
		from := rawFlags(set)
		set.Var((*tolerance)(&c.RTol), "rtol", "relative tolerance: numbers may differ by `R`*|b| (default 0)")
		set.Var((*tolerance)(&c.ATol), "atol", "absolute tolerance: numbers may differ by `A` (default 0)")
		set.BoolVar(&c.EqualNaN, "equal-nan", false, "treat NaN as equal to NaN, and NaT as equal to NaT")
		return func(e *env, files []string) error {
			if strings.HasPrefix(files[0]+":", stream+":") && strings.HasPrefix(files[1]+":", stream+":") {
				return usageError{errors.New("only one of A and B can be standard input")}
			}
			c.Progress = e.progress
			defer e.interruptible()()
			d := &differ{env: e, Comparison: c, from: from}
			err := d.compareFiles(files[0], files[1])
			if d.found {
				e.status = 1
			}
			return err
		}
	},
}

// A tolerance is a flag for a non-negative number.
type tolerance float64

func (t *tolerance) String() string { return "" }
func (t *tolerance) Set(s string) error {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || !(x >= 0) {
		return errors.New("want a non-negative number")
	}
	*t = tolerance(x)
	return nil
}

// A differ compares files and remembers whether it found differences.
type differ struct {
	*env
	array.Comparison
	from  *rawInput
	found bool
	lines int // blocks of lines written so far
}

// compareFiles compares two files, archives or members.
func (d *differ) compareFiles(a, b string) error {
	x, err := d.group(a)
	if err != nil {
		return pathError(a, err)
	}
	if x != nil {
		defer func() { x.close() }()
	}
	y, err := d.group(b)
	if err != nil {
		return pathError(b, err)
	}
	if y != nil {
		defer func() { y.close() }()
	}
	switch {
	case x != nil && y != nil:
		return d.compareGroups(x, y)
	case x != nil:
		return fileError{a,
			fmt.Errorf("an archive, but %s is not; name one of its members, as %s (npy info lists them)", redacted(b),
				redacted(memberPath(a, "NAME")))}
	case y != nil:
		return fileError{b,
			fmt.Errorf("an archive, but %s is not; name one of its members, as %s (npy info lists them)", redacted(a),
				redacted(memberPath(b, "NAME")))}
	}
	f, err := d.open(a, d.from)
	if err != nil {
		return pathError(a, err)
	}
	defer f.close()
	g, err := d.open(b, d.from)
	if err != nil {
		return pathError(b, err)
	}
	defer g.close()
	return d.compareArrays(redacted(a), f.Array, redacted(b), g.Array)
}

// pathError adds path to err, unless err already names a file or is a usage error.
func pathError(path string, err error) error {
	if isUsage(err) {
		return err
	}
	if _, ok := errors.AsType[fileError](err); ok {
		return err
	}
	return fileError{path, err}
}

// compareArrays compares two arrays and prints their differences.
func (d *differ) compareArrays(a string, x array.Array, b string, y array.Array) error {
	var diff array.Difference
	err := mmap.Guard(func() (err error) {
		diff, err = d.Diff(x, y)
		return err
	})
	d.bar.End()
	var why string
	if e, ok := errors.AsType[*array.DTypeError](err); ok {
		why, err = remedies.Replace(e.Msg), nil
	} else if errors.Is(err, array.ErrShape) {
		why, err = "not compared: the shapes differ", nil
	}
	if e, ok := errors.AsType[*mmap.FaultError](err); ok {
		return fileError{e.Path, err}
	}
	if err != nil {
		return err
	}
	if why == "" && diff.Count == 0 {
		return nil
	}
	d.found = true
	d.beginBlock()
	writeLine(d.out, "a", "%s", a)
	writeLine(d.out, "b", "%s", b)
	writeBoth(d.out, "dtype", x.DType().String(), y.DType().String())
	writeBoth(d.out, "shape", words.Shape(x.Shape()), words.Shape(y.Shape()))
	if why != "" {
		writeLine(d.out, "elements", "%s", why)
		return nil
	}
	writeLine(d.out, "elements", "%d of %d differ", diff.Count, x.Size())
	for _, idx := range diff.First {
		u, err := elementText(x, idx)
		if err != nil {
			return err
		}
		v, err := elementText(y, idx)
		if err != nil {
			return err
		}
		writeLine(d.out, "  "+strings.ReplaceAll(words.Shape(idx), " ", ""), "%s, %s", u, v)
	}
	if diff.Count > len(diff.First) {
		writeLine(d.out, "  ...", "and %d more", diff.Count-len(diff.First))
	}
	if x.DType().Kind() == y.DType().Kind() && isTime(x.DType()) {
		writeLine(d.out, "max |a-b|", "%.0f %s", diff.MaxAbs, render.Ticks(x.DType()))
	} else if x.DType().IsNumber() && y.DType().IsNumber() {
		writeLine(d.out, "max |a-b|", "%s", render.Float(diff.MaxAbs, 8))
		rel := render.Float(diff.MaxRel, 8)
		if diff.MaxRel == 0 && diff.MaxAbs > 0 {
			rel = "none, as b is 0"
		}
		writeLine(d.out, "max |a-b|/|b|", "%s", rel)
	}
	return nil
}

// beginBlock starts a new block of lines.
func (d *differ) beginBlock() {
	if d.lines++; d.lines > 1 {
		d.out.WriteByte('\n')
	}
}

// writeBoth writes a line with the descriptions a and b of the two arrays. If the descriptions are equal, it writes
// one of
// them.
func writeBoth(out *bufio.Writer, name, a, b string) {
	if a == b {
		writeLine(out, name, "%s", a)
		return
	}
	writeLine(out, name, "%s, %s", a, b)
}

// elementText returns an element as NumPy prints it, truncated if it is long.
func elementText(a array.Array, idx []int) (string, error) {
	const most = 200
	sel := make([]index.Selector, len(idx))
	for k, i := range idx {
		sel[k] = index.At(i)
	}
	element, err := a.Select(sel...)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	if err := writeText(out, element); err != nil {
		return "", err
	}
	out.Flush()
	s := words.Printable(b.String())
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return s, nil
}

package main

import (
	"bufio"
	"errors"
	"flag"
	"io"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/render"
)

var printCommand = command{
	name: "print", args: "[-select S] [-field F] [-as D] [-json | -csv] FILE", min: 1, max: 1,
	description: `Print prints the elements as NumPy does: large arrays are summarized. Structures of
more than 16 KiB are truncated. With -json or -csv, it prints all elements instead.
CSV requires one or two dimensions. Records require one, and get a header line. Of a
URL, print requests only the elements that it prints. Python objects are printed as
Python does, if they are plain values and arrays.`,
	examples: `npy print temperature.npy
npy print -select '-1, ::6' data.npz:temperature
npy print -json -field price -select :3 trades.npy
npy print -csv trades.npy
npy print -as bfloat16 weights.npy
npy print -raw '<u2' -shape -1,48,64 -offset 512 -select '0, :4, :4' frames.raw`,
	flags: func(set *flag.FlagSet) runner {
		part, in, form := partFlags(set), rawFlags(set), formFlags(set)
		return func(e *env, files []string) error {
			if err := form.check(); err != nil {
				return err
			}
			if v, ok, err := e.openObjects(files[0], in); err != nil {
				return err
			} else if ok {
				return e.printObjects(v, part, form)
			}
			f, err := e.locate(files[0], in, part)
			if err != nil {
				return err
			}
			defer f.close()
			if form.isText() {
				return e.writeInput(f)
			}
			return e.writeForm(f, form)
		}
	},
}

// A form is the form in which elements are printed: JSON, CSV, or the text that NumPy prints.
type form struct{ json, csv bool }

// formFlags declares the flags that choose a form.
func formFlags(set *flag.FlagSet) *form {
	f := new(form)
	set.BoolVar(&f.json, "json", false, "print all selected elements as nested JSON lists")
	set.BoolVar(&f.csv, "csv", false, "print all selected elements as CSV")
	return f
}

// check returns a usage error if the flags choose two forms.
func (f *form) check() error {
	if f.json && f.csv {
		return usageError{errors.New("-json and -csv are mutually exclusive")}
	}
	return nil
}

func (f *form) isText() bool { return !f.json && !f.csv }

// writeForm writes all elements of f as JSON or CSV.
func (e *env) writeForm(f *input, form *form) error {
	if err := e.load(f); err != nil {
		return err
	}
	a := f.Array
	if e.terminal {
		e.bar = term.Bar{} // the bar would interfere with the output
	}
	if form.json {
		return e.writeJSON(func(w io.Writer) error { return array.WriteJSON(w, a) })
	}
	return e.writeCSV(e.out, a, a.DType(), e.terminal)
}

// writeInput writes the elements of f as NumPy prints them. Of an array on a server, it requests only the elements that
// are shown.
func (e *env) writeInput(f *input) error {
	if r := f.remote; r != nil && f.rest == nil && r.NDim() > 0 {
		_, n, sizeErr := index.Size(render.Shown(r.Shape()), r.DType().ItemSize())
		if sizeErr == nil && n <= stdinBytes {
			return e.writeRemote(r)
		}
	}
	if err := e.load(f); err != nil {
		return err
	}
	return e.printArray(f.Array)
}

// printArray prints a as NumPy does. Text that NumPy prints without quotes does not control a terminal.
func (e *env) printArray(a array.Array) error {
	if a.NDim() > 0 || !e.terminal {
		if err := writeText(e.out, a); err != nil {
			return err
		}
		return e.out.WriteByte('\n')
	}
	var text strings.Builder
	out := bufio.NewWriter(&text)
	if err := writeText(out, a); err != nil {
		return err
	}
	out.Flush()
	e.writePrintable(text.String())
	return e.out.WriteByte('\n')
}

// writePrintable writes the lines of s, with escapes for characters that control a terminal.
func (e *env) writePrintable(s string) {
	for k, line := range strings.Split(s, "\n") {
		if k > 0 {
			e.out.WriteByte('\n')
		}
		e.out.WriteString(words.Printable(line))
	}
}

// writeText writes a as NumPy prints it.
func writeText(out *bufio.Writer, a array.Array) error { return writeShown(out, a, a.Shape()) }

// writeShown writes an array of the given shape as NumPy prints it. a has only the elements that are shown; see
// render.Shown.
func writeShown(out *bufio.Writer, a array.Array, shape []int) error {
	return render.Array{DType: a.DType(), Shape: shape, Append: func(dst []byte, sel []index.Selector) ([]byte,
		error) {
		part, err := a.Select(sel...)
		if err != nil {
			return dst, err
		}
		b, err := gatherAs(part, part.DType(), nil)
		return append(dst, b...), err
	}, Element: func(idx []int) ([]byte, error) {
		sel := make([]index.Selector, len(idx))
		for k, i := range idx {
			if n := a.Len(k); n < shape[k] && i >= n/2 {
				i -= shape[k] - n
			}
			sel[k] = index.At(i)
		}
		element, err := a.Select(sel...)
		if err != nil {
			return nil, err
		}
		return elementBytes(element)
	}}.WriteText(out)
}

// writeJSON calls write to write one line of JSON. The line is terminated even after an error or a page fault.
func (e *env) writeJSON(write func(w io.Writer) error) error {
	w := jsonOutput{e: e}
	defer func() {
		if w.n > 0 {
			e.out.WriteByte('\n')
		}
	}()
	return write(&w)
}

// A jsonOutput writes to e.out, counts the bytes, and shows their number in the progress bar.
type jsonOutput struct {
	e *env
	n int64
}

func (w *jsonOutput) Write(b []byte) (int, error) {
	n, err := w.e.out.Write(b)
	w.n += int64(n)
	w.e.bar.Show(w.n, 0)
	return n, err
}

// elementBytes returns the bytes of a without copying them. a must have no dimensions.
func elementBytes(a array.Array) ([]byte, error) {
	a, err := a.Reshape(1)
	if err == nil {
		a, err = a.Reinterpret(dtype.Uint8)
	}
	if err != nil {
		return nil, err
	}
	v, err := array.As[uint8](a)
	if err != nil {
		return nil, err
	}
	return v.Data()
}

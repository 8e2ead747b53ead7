package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/value"
	"github.com/ndmap/ndmap/examples/npy/words"
)

var setCommand = command{
	name: "set", args: "-select S [-field F] [-as D] FILE VALUE|@OTHER", min: 2, max: 2, valueLast: true,
	description: `Set assigns VALUE to all selected elements, in place. VALUE is written as print shows
one element. For dates, a plain number is a year. Bytes (V) may be hexadecimal.
Records are set field by field, with -field.

@OTHER assigns the elements of another file, or of a member of an archive. They are
broadcast to the shape of the selection and converted to its dtype. If the selected
elements are text and no such file exists, VALUE is text that begins with @.

An interrupt stops set after some of the elements; the checksum in an archive is then
that of the elements set so far. If another process is editing the archive, set waits
up to 10 seconds for its turn, as append does.`,
	examples: `npy set -select '2, 0' temperature.npy -40
npy set -select '0, 6:9' data.npz:temperature nan
npy set -field price -select -1 trades.npy 101.25
npy set -select '...' temperature.npy @data.npz:temperature
npy set -raw '<u2' -shape -1,48,64 -offset 512 -select '...' frames.raw 0`,
	flags: func(set *flag.FlagSet) runner {
		part, in := partFlags(set), rawFlags(set)
		return func(e *env, args []string) error {
			if !part.selected {
				return usageError{errors.New("-select is missing; '...' selects all elements")}
			}
			if err := checkIsFile(args[0], "which cannot be edited in place"); err != nil {
				return err
			}
			return e.setElements(in, args[0], part, args[1])
		}
	},
}

func (e *env) setElements(in *rawInput, path string, part *part, text string) error {
	name, isOther := strings.CutPrefix(text, "@")
	isOwn := isOther && name != stream && sameFile(fileOf(path), fileOf(name)) // must precede opening path for writing
	f, err := in.input(path, array.ReadWrite)
	if err != nil {
		return err
	}
	defer f.close()
	a, err := part.selectFrom(f.Array)
	if err != nil {
		return err
	}
	other, ok := otherFile(text, a.DType())
	if !ok {
		x, err := value.Parse(a.DType(), text)
		if err != nil {
			return err
		}
		return e.assign(f, a, x)
	}
	src, err := e.openOther(a, other, isOwn)
	if err != nil {
		return err
	}
	defer src.close()
	return conversionError(other, e.assign(f, a, src.Array), src.DType(), a.DType())
}

// assign copies the elements of src to a, which is in f, and writes f to stable storage. A signal stops the copy after
// some elements. Closing f then updates the checksum in an archive.
func (e *env) assign(f *input, a, src array.Array) error {
	defer e.interruptible()()
	if err := array.CopyContext(e.ctx, a, src); err != nil {
		return err
	}
	return f.sync()
}

// otherFile returns the name of the file if the value s of dtype d is @OTHER. For a dtype of text, s is taken as a
// value unless such a file exists.
func otherFile(s string, d dtype.DType) (path string, ok bool) {
	path, ok = strings.CutPrefix(s, "@")
	if !ok || d.Kind() != dtype.KindBytes && d.Kind() != dtype.KindUnicode {
		return path, ok
	}
	_, err := os.Stat(fileOf(path))
	return path, err == nil || path == stream || isURL(path)
}

// openOther opens the file other for assigning its elements to a. They must broadcast to the shape of a, and fit its
// dtype. isOwn reports whether other is the file being edited, which is an error.
func (e *env) openOther(a array.Array, other string, isOwn bool) (src *input, err error) {
	if other == "" {
		return nil, usageError{errors.New("missing file name after @")}
	}
	if isOwn {
		return nil, fileError{other, errors.New("cannot read from the file being edited; copy it with npy convert first")}
	}
	if src, err = e.open(other, new(rawInput)); err != nil {
		return nil, fileError{other, err}
	}
	if err = sameShape(src.Array, a); err != nil {
		err = fileError{other, err}
	} else {
		_, err = e.fit(other, src.Array, a.DType(), true)
	}
	if err != nil {
		src.close()
		return nil, err
	}
	return src, nil
}

// sameShape returns an error if src does not broadcast to the shape of a.
func sameShape(src, a array.Array) error {
	if _, err := src.Broadcast(a.Shape()...); err != nil {
		return fmt.Errorf("shape %s does not broadcast to %s, the shape of the selection", words.Shape(src.Shape()),
			words.Shape(a.Shape()))
	}
	return nil
}

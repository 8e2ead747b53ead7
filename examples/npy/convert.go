package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
)

var convertCommand = command{
	name: "convert", args: "[-select S] [-field F] [-dtype D | -aligned | -packed] [-order C|F] [-force] [-nosync] IN OUT",
	min: 2, max: 2,
	about: "Writes the selected elements to a new file, perhaps with another dtype or order.\nOUT is there when it is complete, and not before. Integers wrap around; floats lose\ntheir fraction, what is out of range becomes the nearest integer, and NaN 0. Records\nconvert field by field, in order.",
	examples: `npy convert -dtype '>f4' -order F temperature.npy fortran.npy
npy convert -select '-7:' data.npz:temperature week.npy
npy convert -aligned trades.npy aligned.npy
npy convert -packed aligned.npy packed.npy
npy convert -field price trades.npy price.npy
npy convert -raw '<u2' -shape -1,48,64 -offset 512 -dtype float32 frames.raw frames.npy`,
	flags: func(set *flag.FlagSet) runner {
		part, from := partFlags(set), rawFlags(set)
		var d dtypeFlag
		order := orderFlag{index.K}
		set.Var(&d, "dtype", "the `dtype` (default: that of IN)")
		set.Var(&order, "order", "`C|F`: which index is fastest, the last or the first (default: as in IN)")
		aligned := set.Bool("aligned", false, "lay fields out as C and Go do, with padding between them")
		packed := set.Bool("packed", false, "lay fields out one after the other, without padding")
		force := set.Bool("force", false, "replace OUT if it is there")
		nosync := set.Bool("nosync", false, "do not wait for the disk: after a power failure parts of OUT may be missing")
		return func(e *env, files []string) error {
			if d.given && *aligned || d.given && *packed || *aligned && *packed {
				return usageError{errors.New("-dtype, -aligned and -packed exclude each other: a dtype says where its fields are")}
			}
			in, out := files[0], files[1]
			if err := otherFormat(out); err != nil {
				return err
			}
			f, err := e.openFor(in, from, out)
			if err != nil {
				return err
			}
			defer f.close()
			a, err := part.of(f.Array)
			if err != nil {
				return err
			}
			to := a.DType()
			switch {
			case d.given:
				to = d.DType
			case *aligned:
				to, err = to.Aligned()
			case *packed:
				to, err = to.Packed()
			}
			if err != nil {
				return fileError{in, err}
			}
			defer e.interruptible()()
			err = array.Config{Replace: *force, NoSync: *nosync, Progress: e.progress}.Convert(out, a, to, order.Order)
			if e, ok := errors.AsType[*array.DTypeError](err); ok {
				if to.NumField() > 0 {
					return errors.New(e.Msg)
				}
				return fmt.Errorf("dtype %v does not convert to %v", a.DType(), to)
			}
			return err
		}
	},
}

// openFor opens the file in of which out is to be made.
func (e *env) openFor(in string, from *rawInput, out string) (*input, error) {
	if err := noStream(out, "and OUT is a file"); err != nil {
		return nil, err
	}
	if _, _, ok := splitMember(out); ok {
		return nil, usageError{errors.New("OUT is a file, and not a member of an archive; npy pack makes archives")}
	}
	f, err := e.open(in, from)
	if err == nil && in != stream && same(fileOf(in), out) {
		f.close()
		return nil, fileError{out, errors.New("it is the file to read from; write to another one")}
	}
	return f, err
}

// formats are extensions of names by which people, and programs, know other formats.
var formats = strings.Fields("csv tsv txt json npz zip gz h5 hdf5 nc mat parquet feather pt safetensors tif tiff png")

// otherFormat is the error of a new file with the name of a file of another format.
func otherFormat(path string) error {
	ext := filepath.Ext(path)
	if !slices.Contains(formats, strings.ToLower(strings.TrimPrefix(ext, "."))) {
		return nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path, ext), ".npy") + ".npy"
	return fileError{path, fmt.Errorf("what is written is a .npy file, and %s is the name of another format; name it %s",
		ext, name)}
}

// same reports whether two names are of one file.
func same(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

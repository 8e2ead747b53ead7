package main

import (
	"errors"
	"flag"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/value"
)

var setCommand = command{
	name: "set", args: "-select S [-field F] FILE VALUE", min: 2, max: 2,
	about: "Makes VALUE all selected elements, in place. It is written as print shows one element;\nof dates a number alone is a year, and bytes (V) may be hexadecimal. Records are set\nfield by field, with -field.",
	examples: `npy set -select '2, 0' temperature.npy -40
npy set -select '0, 6:9' data.npz:temperature nan
npy set -field price -select -1 trades.npy 101.25
npy set -raw '<u2' -shape -1,48,64 -offset 512 -select '...' frames.raw 0`,
	flags: func(set *flag.FlagSet) runner {
		part, in := partFlags(set), rawFlags(set)
		return func(_ *env, args []string) error {
			if !part.selected {
				return usageError{errors.New("-select is missing; '...' selects all elements")}
			}
			if err := noStream(args[0], "which cannot be edited in place"); err != nil {
				return err
			}
			return setElements(in, args[0], part, args[1])
		}
	},
}

func setElements(in *rawInput, path string, part *part, text string) error {
	f, err := in.input(path, array.ReadWrite)
	if err != nil {
		return err
	}
	defer f.close()
	a, err := part.of(f.Array)
	if err != nil {
		return err
	}
	x, err := value.Parse(a.DType(), text)
	if err != nil {
		return err
	}
	if err := array.Copy(a, x); err != nil {
		return err
	}
	return f.sync()
}

package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/array"
)

var appendCommand = command{
	name: "append", args: "DST SRC...", min: 2, max: -1,
	about: "Writes the elements of each SRC after those of DST, in place, along its first axis,\nor in Fortran order its last, unless it is a column, as (5, 1). Shape and dtype of all are\nchecked first. DST has all of them or none, also after a crash. Others may append to DST at\nthe same time: each waits for its turn, up to 10 seconds.",
	examples: `npy append trades.npy today.npy
npy append temperature.npy data.npz:temperature
npy append trades.npy - < today.npy`,
	flags: func(set *flag.FlagSet) runner {
		return func(e *env, files []string) error {
			if err := noStream(files[0], "which does not grow"); err != nil {
				return err
			}
			return e.appendFiles(files[0], files[1:])
		}
	},
}

func (e *env) appendFiles(path string, sources []string) error {
	if _, _, ok := splitMember(path); ok {
		return usageError{errors.New("a member of an archive does not grow; npy convert makes a file of it")}
	}
	dst, err := array.OpenConfig{Mode: array.ReadWrite, Progress: e.stored}.Open(path)
	if err != nil {
		return err
	}
	defer dst.Close()
	arrays := make([]array.Array, len(sources))
	for i, name := range sources {
		src, err := e.open(name, new(rawInput))
		if err != nil {
			return fileError{name, err}
		}
		defer src.close()
		arrays[i] = src.Array
	}
	defer e.interruptible()()
	err = dst.Append(arrays...)
	if e, ok := errors.AsType[*array.DTypeError](err); ok {
		name := e.Path
		for i, a := range arrays { // e does not know members or standard input
			if a.DType().Equal(e.Have) {
				name = sources[i]
				break
			}
		}
		return fileError{name, fmt.Errorf("dtype %v is not that of %s; npy convert -dtype %q makes one that is", e.Have, path,
			e.Want)}
	}
	for _, name := range sources {
		if err != nil && name != path && strings.HasPrefix(err.Error(), name+": ") {
			return fileError{name, err}
		}
	}
	return err
}

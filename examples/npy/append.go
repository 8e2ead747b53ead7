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
	description: `Append appends the elements of each SRC to DST, in place, along the first axis of DST.
If DST is in Fortran order, it appends along the last axis, except to a column such as
(5, 1). Shapes and dtypes are checked first. DST gets all of the elements or none, even
after a crash. Several processes may append to DST at the same time: each waits up to
10 seconds for its turn.`,
	examples: `npy append trades.npy today.npy
npy append temperature.npy data.npz:temperature
npy append trades.npy - < today.npy`,
	flags: func(set *flag.FlagSet) runner {
		return func(e *env, files []string) error {
			if err := checkIsFile(files[0], "which cannot be appended to"); err != nil {
				return err
			}
			return e.appendFiles(files[0], files[1:])
		}
	},
}

func (e *env) appendFiles(path string, sources []string) error {
	if _, _, ok := splitMember(path); ok {
		return usageError{errors.New("cannot append to a member of an archive; npy convert extracts it to a file")}
	}
	dst, err := array.OpenConfig{Mode: array.ReadWrite, Progress: e.storedProgress}.Open(path)
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
		for i, a := range arrays { // e has no inputs for members and standard input
			if a.DType().Equal(e.Have) {
				name = sources[i]
				break
			}
		}
		return fileError{name, fmt.Errorf("dtype %v differs from %s; convert it with npy convert -dtype %q", e.Have, path,
			e.Want)}
	}
	for _, name := range sources {
		if err != nil && name != path && strings.HasPrefix(err.Error(), name+": ") {
			return fileError{name, err}
		}
	}
	return err
}

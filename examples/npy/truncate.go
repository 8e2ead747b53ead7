package main

import (
	"errors"
	"flag"
	"fmt"
	"strconv"

	"github.com/ndmap/ndmap/array"
)

var truncateCommand = command{
	name: "truncate", args: "N FILE", min: 2, max: 2,
	description: `Truncate shortens FILE to length N, in place, along the axis that npy append extends:
the first axis, or the last one if FILE is in Fortran order. FILE has the old or the new
length at every moment, even after a crash. If another process is appending to FILE,
truncate waits up to 10 seconds for its turn. Other programs that have FILE open lose the
removed elements, too.`,
	examples: `npy truncate 5 trades.npy
npy truncate 0 temperature.npy`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, args []string) error {
			n, err := strconv.Atoi(args[0])
			if err != nil || n < 0 {
				return usageError{fmt.Errorf("invalid length %q; want a number that is not negative", args[0])}
			}
			path := args[1]
			if err := checkIsFile(path, "which cannot be edited in place"); err != nil {
				return err
			}
			if _, _, ok := splitMember(path); ok {
				return usageError{errors.New("cannot shorten a member of an archive; npy convert extracts it to a file")}
			}
			f, err := array.Open(path, array.ReadWrite)
			if err == nil {
				err = errors.Join(f.Truncate(n), f.Close())
			}
			if err != nil {
				return fileError{path, err}
			}
			return nil
		}
	},
}

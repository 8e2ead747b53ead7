package main

import (
	"errors"
	"flag"
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/mmap"
)

var repairCommand = command{
	name: "repair", args: "FILE.npz", min: 1, max: 1,
	about: "Gives the members of an archive that were edited in place, by a program that ended\nbefore it could do so, the checksums of what they hold now, and lists them. Damage that\nnpy check would have shown is not seen any more: check first. Compressed members are\nleft as they are.",
	examples: `npy repair data.npz
npy repair model.npz`,
	flags: func(*flag.FlagSet) runner {
		return func(e *env, files []string) error {
			path := files[0]
			if err := noStream(path, "which cannot be edited in place"); err != nil {
				return err
			}
			if _, _, ok := splitMember(path); ok {
				return usageError{errors.New("it is an archive that is repaired, and not one member")}
			}
			if !isArchive(path) {
				f, err := e.open(path, new(rawInput))
				if err != nil {
					return err
				}
				f.close()
				return errors.New("not an archive: a .npy file has no checksums")
			}
			a, err := openArchive(path, mmap.ReadWrite)
			if err != nil {
				return err
			}
			names, err := a.Repair()
			if err := errors.Join(err, a.Close()); err != nil {
				return fileError{path, err}
			}
			for _, name := range names {
				fmt.Fprintf(e.out, "%s:%s: has the checksum of what it holds now\n", words.Printable(path),
					words.Printable(strings.TrimSuffix(name, ".npy")))
			}
			if len(names) == 0 {
				fmt.Fprintf(e.out, "%s: all checksums of stored members were right\n", words.Printable(path))
			}
			return nil
		}
	},
}

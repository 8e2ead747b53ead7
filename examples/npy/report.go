package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/ndmap/ndmap/examples/npy/words"
)

// A usageError reports wrong usage of a command.
type usageError struct{ error }

func isUsage(err error) bool {
	_, ok := errors.AsType[usageError](err)
	return ok
}

// A fileError is an error about a particular file.
type fileError struct {
	path string
	err  error
}

func (e fileError) Error() string {
	path, msg := message("", e)
	return path + ": " + msg
}
func (e fileError) Unwrap() error { return e.err }

// report prints an error as one line. The line names one file: the file that the error names, or else path.
func report(w io.Writer, path string, err error) {
	path, msg := message(path, err)
	if fi, serr := os.Stat(path); errors.Is(err, fs.ErrExist) && serr == nil {
		switch {
		case fi.Mode().IsRegular():
			msg += "; -force replaces it"
		case fi.IsDir():
			msg = "is a directory"
		}
	}
	fmt.Fprintf(w, "npy: %s: %s\n", words.Printable(path), words.Printable(strings.ReplaceAll(msg, "\n", "; ")))
}

// message splits an error into the file that it names, or path, and the message.
func message(path string, err error) (file, msg string) {
	if e, ok := errors.AsType[fileError](err); ok {
		path, err = e.path, e.err
	}
	msg = err.Error()
	if e, ok := err.(*fs.PathError); ok { // "open t.npy: no such file or directory"
		path, msg = e.Path, e.Err.Error()
	}
	path = redacted(path)
	for _, prefix := range []string{path + ".npy: ", path + ": ", fileOf(path) + ": ", "stream: ", "array: ", "npz: ",
		"safetensors: ", "objects: ", "index: ",
		"dtype: "} {
		msg = strings.TrimPrefix(msg, prefix)
	}
	return path, remedies.Replace(msg)
}

// remedies replaces advice in the library's messages, which is meant for programmers, by advice for users of npy.
var remedies = strings.NewReplacer(
	"; Repair updates the CRC", "; npy repair updates the CRC",
	"; open the archive with array.ReadOnly or array.CopyOnWrite",
	"; npy pack without -compress creates an archive that can be",
	"; Reinterpret them as int64", "; -as '<i8' reads little-endian times as integers",
	"; Reinterpret them as real and imaginary parts along a longer last axis",
	"; -raw '<f8', say, with a last axis of 2 reads their real and imaginary parts",
	"; compare their counts with Reinterpret", "; -raw '<i8' with -shape, and -offset from npy info, reads their counts",
	"as numpy.memmap writes them, OpenRaw reads them", "as numpy.memmap writes them, -raw D -shape -1 reads them",
	"; write the values one by one", "; -select prints some of them",
	" (OpenConfig.MaxValues)", " by a Go program (OpenConfig.MaxValues)",
	" (OpenConfig.MaxBytes)", " by a Go program (OpenConfig.MaxBytes)",
	"; package objects reads plain values, or save it", "; npy print and convert read plain values, or save it",
	"TopK: elements", "-sort: elements",
	"; npy convert -dtype D reads tables of numbers in CSV, or written by numpy.savetxt",
	"; npy convert -dtype auto reads CSV, and numbers written by numpy.savetxt",
	"; use array.Open", "; the name of an array ends in .npy",
	"; use npz.Open", "; the name of an archive ends in .npz, and a member is FILE.npz:NAME",
	", or Read from a gzip.Reader", "", ", or Read from a bzip2.Reader", "",
	"; AsType(dtype.Float64, index.C) converts them", "; npy convert -dtype f8 (or c16) converts them",
	"; want one axis, or nil for all", "; want one axis, or none for all",
)

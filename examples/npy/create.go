package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/internal/atomicfile"
)

// create makes the file at path of what write writes, if and when that succeeds. It waits for the disk if sync is set.
func create(path string, replace, sync bool, write func(io.Writer) error) error {
	f, err := atomicfile.New(path, replace)
	if err != nil {
		return err
	}
	defer f.Close()
	f.NoSync = !sync
	named := false
	defer func() { // also when what is read cannot be
		if !named {
			f.Remove()
		}
	}()
	if err = write(f); err == nil && sync {
		err = f.Sync()
	}
	if err != nil {
		return f.Error(err)
	}
	named, err = f.Commit()
	return err
}

// checkOut is the error of the name of a file that is to be made, if it cannot be one.
func checkOut(out string) error {
	if err := noStream(out, "and OUT is a file"); err != nil {
		return err
	}
	if _, _, ok := splitMember(out); ok {
		return usageError{errors.New("OUT is a file, and not a member of an archive; npy pack makes archives")}
	}
	return nil
}

// openFor opens the file in of which out is to be made.
func (e *env) openFor(in string, from *rawInput, out string) (*input, error) {
	if err := checkOut(out); err != nil {
		return nil, err
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

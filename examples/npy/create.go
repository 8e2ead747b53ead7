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
	"github.com/ndmap/ndmap/mmap"
)

// create creates the file at path and calls write to write its content. The file appears only if write succeeds. If
// sync is set, create returns after the file is on stable storage.
func create(path string, replace, sync bool, write func(io.Writer) error) error {
	f, err := atomicfile.New(path, replace)
	if err != nil {
		return err
	}
	defer f.Close()
	f.NoSync = !sync
	named := false
	defer func() { // also runs if a page fault ends write
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

// checkOutIsFile returns a usage error if out is standard output or a URL.
func checkOutIsFile(out string) error {
	if out == stream {
		return usageError{errors.New("- is standard output, but OUT must be a file; for a file named - use ./-")}
	}
	return checkIsFile(out, "but OUT must be a file")
}

// checkOut returns an error if out cannot be the name of a new file.
func checkOut(out string) error {
	if err := checkOutIsFile(out); err != nil {
		return err
	}
	if _, _, ok := splitMember(out); ok {
		return usageError{errors.New("a new file cannot be a member of an archive; npy pack creates archives, and npy take adds a member to an .npz archive")}
	}
	return nil
}

// formats are the file extensions of well-known other formats.
var formats = strings.Fields("csv tsv txt json npz zip gz h5 hdf5 nc mat parquet feather pt safetensors tif tiff png")

// checkExtension returns an error if path has the extension of another file format.
func checkExtension(path string) error {
	ext := filepath.Ext(path)
	if !slices.Contains(formats, strings.ToLower(strings.TrimPrefix(ext, "."))) {
		return nil
	}
	name := strings.TrimSuffix(strings.TrimSuffix(path, ext), ".npy") + ".npy"
	return fileError{path, fmt.Errorf("the result is a .npy file, but %s is the extension of another format; name it %s",
		ext, name)}
}

// isPartOf reports whether file is the file that path reads: the file itself, or the archive, the index or a shard that
// contains the array.
func (e *env) isPartOf(path, file string) bool {
	if isURL(path) {
		return false
	}
	whole := fileOf(path)
	if sameFile(whole, file) {
		return true
	}
	if !isIndexName(whole) {
		return false
	}
	c, err := e.container(whole)
	return err == nil && slices.ContainsFunc(c.maps(), func(m *mmap.Map) bool { return sameFile(m.Path(), file) })
}

// sameFile reports whether two paths name the same file.
func sameFile(a, b string) bool {
	x, err1 := os.Stat(a)
	y, err2 := os.Stat(b)
	return err1 == nil && err2 == nil && os.SameFile(x, y)
}

package array

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/npy"
)

// OpenBytes returns the array of the .npy file b, such as an embedded file. It copies nothing: the array uses the
// memory of b, perhaps unaligned, and needs no Close. With [ReadOnly], writing through a view panics, but writing to a
// slice of the elements, such as [View.Data], changes b; with [ReadWrite], both change b; CopyOnWrite is an error. If
// b does not have the .npy format, the error is a *[FormatError].
func OpenBytes(b []byte, mode Mode) (Array, error) {
	if mode != ReadOnly && mode != ReadWrite {
		return Array{}, fmt.Errorf("array: open: %w: OpenBytes does not support mode %v; use ReadOnly or ReadWrite",
			fs.ErrInvalid, mode)
	}
	h, err := npy.Parse(b, 0)
	if err == nil {
		err = h.Within(int64(len(b)))
	}
	if err != nil {
		return Array{}, formatError("", err)
	}
	f := &File{h: h, readOnly: mode == ReadOnly}
	err = f.setArray("", b[h.DataOffset:h.DataOffset+h.NBytes])
	return f.Array, err
}

// OpenFS opens the .npy file name of a file system for reading. It maps a regular *[os.File], such as one from
// [os.DirFS] or [os.Root], and reads other files into Go memory.
func OpenFS(fsys fs.FS, name string) (*File, error) {
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	mapped := false
	defer func() { // also if a method of file panics
		if !mapped { // Open closes a mapped file
			file.Close()
		}
	}()
	fi, err := file.Stat()
	if err == nil && fi.IsDir() {
		err = &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	if err != nil {
		return nil, err
	}
	if f, ok := file.(*os.File); ok && fi.Mode().IsRegular() {
		mapped = true
		return OpenConfig{File: f}.Open(name)
	}
	return readFile(file, name)
}

// readFile reads a file that cannot be mapped.
func readFile(r io.Reader, name string) (*File, error) {
	h, err := readHeader(r)
	var data []byte
	if err == nil {
		if data, err = readN(r, h.NBytes); err != nil {
			err = truncatedError("data", int64(h.DataOffset)+int64(len(data)), err)
		}
	}
	if err == nil {
		err = readEnd(r)
	}
	if err != nil {
		return nil, withPath(name, err)
	}
	f := &File{h: h, release: closeOnce(nil), readOnly: true}
	if err := f.setArray(name, data); err != nil {
		return nil, err
	}
	return f, nil
}

// readEnd reads one byte past the array, if one exists. At the end of an archive member, this makes the reader verify
// the checksum.
func readEnd(r io.Reader) error {
	var one [1]byte
	if _, err := io.ReadFull(r, one[:]); !npy.IsEOF(err) {
		return err
	}
	return nil
}

// withPath adds the name of the file to err, the error of a stream.
func withPath(name string, err error) error {
	switch e := err.(type) {
	case *FormatError:
		named := *e
		named.Path = name
		return &named
	case *fs.PathError:
		return e
	case *nd.KindError:
		return nd.OfKind(withPath(name, e.Err), e.Kind)
	case interface{ Unwrap() []error }: // from truncated
		if all := e.Unwrap(); len(all) == 2 {
			return fmt.Errorf("%w: %w", withPath(name, all[0]), all[1])
		}
	}
	return &fs.PathError{Op: "read", Path: name, Err: err}
}

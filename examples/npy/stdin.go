package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/index"
)

// stdinBytes is how many bytes of an array at standard input are kept in memory. A larger one is mapped: where it is,
// if standard input is a file, else in a temporary file.
var stdinBytes = 64 << 20

// begin returns standard input, and whether a zip archive starts there.
func (e *env) begin() (in *counter, isZip bool, err error) {
	if err := noTerminal(e.stdin); err != nil {
		return nil, false, err
	}
	var head [4]byte // shorter than any array
	n, err := io.ReadFull(e.stdin, head[:])
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, false, fileError{stream, err}
	}
	return &counter{r: io.MultiReader(bytes.NewReader(head[:n]), e.stdin)}, isZipMagic(head), nil
}

// openStdin opens the next array of standard input, and reads not a byte more: another one may follow.
func (e *env) openStdin() (*input, error) {
	c, isZip, err := e.begin()
	if err != nil {
		return nil, err
	}
	if isZip {
		a, err := e.archiveOf(c)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		return nil, oneOf(a, stream)
	}
	r, err := array.NewReader(c)
	if err != nil {
		return nil, fileError{stream, err}
	}
	in := &input{path: stream, dataOffset: c.n}
	in.major, in.minor = r.Version()
	_, nbytes, err := index.Size(r.Shape(), r.DType().ItemSize())
	if err == nil && nbytes <= stdinBytes {
		in.Array, err = array.FromBytes(make([]byte, nbytes), r.DType(), r.Order(), r.Shape()...)
		if err == nil {
			if _, err = r.Read(in.Array); err == io.EOF {
				err = nil
			}
		}
	} else if err == nil {
		err = e.mapStdin(in, c, r, int64(nbytes))
	}
	if err != nil {
		in.close()
		return nil, fileError{stream, err}
	}
	if !in.Contiguous(index.C) {
		in.order = index.F // where it makes a difference
	}
	return in, nil
}

// mapStdin makes in the array whose elements are the next n bytes of standard input.
func (e *env) mapStdin(in *input, c *counter, r *array.Reader, n int64) error {
	file, at := e.reopened()
	if file != nil {
		info, err := file.Stat()
		if err != nil || info.Size()-at < n { // the error of what is too short is that of a stream
			file.Close()
			file = nil
		} else if _, err := e.stdin.(*os.File).Seek(n, io.SeekCurrent); err != nil {
			file.Close()
			return err
		} else {
			in.env, in.origin, in.originInfo = e, e.stdin.(*os.File), info
			e.inputs = append(e.inputs, in)
		}
	}
	if file == nil {
		var err error
		if file, err = temporary(in); err != nil {
			return err
		}
		if _, err := io.CopyN(file, c, n); err != nil {
			file.Close()
			if err == io.EOF {
				err = fmt.Errorf("%w: %w", &array.FormatError{Part: "data", Offset: c.n, Msg: "the stream ends here"},
					io.ErrUnexpectedEOF)
			}
			return err
		}
		at = 0
	}
	f, err := array.Config{File: file}.OpenRaw(stream, at, r.DType(), r.Order(), r.Shape()...)
	if err != nil {
		return err
	}
	in.Array, in.file = f.Array, f
	return nil
}

// reopened returns standard input, opened another time, and where the next byte is; nil if it is no file, or the system
// has no name for it.
func (e *env) reopened() (*os.File, int64) {
	f, ok := e.stdin.(*os.File)
	if !ok {
		return nil, 0
	}
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, 0
	}
	at, err := f.Seek(0, io.SeekCurrent)
	if err != nil {
		return nil, 0
	}
	file, err := os.Open(fmt.Sprintf("/dev/fd/%d", f.Fd()))
	if err != nil {
		return nil, 0
	}
	if other, err := file.Stat(); err != nil || !os.SameFile(info, other) {
		file.Close()
		return nil, 0
	}
	return file, at
}

// temporary makes a file without a name, or, on systems where that cannot be, one that goes when in is closed.
func temporary(in *input) (*os.File, error) {
	f, err := os.CreateTemp("", "npy-stdin-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		in.temporary = f.Name()
	}
	return f, nil
}

// archiveOf opens the archive that standard input is. Members that are stored are mapped, and no memory is taken for
// the whole.
func (e *env) archiveOf(c *counter) (*npz.Archive, error) {
	const head = 4 // read already
	if file, at := e.reopened(); file != nil && at == head {
		a, err := npz.Config{File: file}.Open(stream)
		if err != nil {
			return nil, fileError{stream, err}
		}
		return a, nil
	} else if file != nil {
		file.Close()
	}
	var in input
	file, err := temporary(&in)
	if err != nil {
		return nil, fileError{stream, err}
	}
	if in.temporary != "" {
		e.temporary = append(e.temporary, in.temporary)
	}
	if _, err := io.Copy(file, c); err != nil {
		file.Close()
		return nil, fileError{stream, err}
	}
	a, err := npz.Config{File: file}.Open(stream)
	if err != nil {
		return nil, fileError{stream, err}
	}
	return a, nil
}

// stdinArchive opens the archive at standard input, of which a member is asked for.
func (e *env) stdinArchive() (*npz.Archive, error) {
	c, isZip, err := e.begin()
	if err != nil {
		return nil, err
	}
	if !isZip {
		return nil, fileError{stream, errors.New("it is no archive, and has no members")}
	}
	return e.archiveOf(c)
}

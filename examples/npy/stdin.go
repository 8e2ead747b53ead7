package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"

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

// openStdin opens the next array of standard input, and reads not a byte more: another one may follow. Where which is
// not nil, it reads no farther than the part of the array that which returns; behind that there are zeros.
func (e *env) openStdin(which partOf) (*input, error) {
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
	var head bytes.Buffer
	r, err := array.NewReader(io.TeeReader(c, &head))
	if err != nil {
		return nil, fileError{stream, err}
	}
	in := &input{path: stream, dataOffset: c.n, head: head.Bytes()}
	in.major, in.minor = r.Version()
	_, nbytes, err := index.Size(r.Shape(), r.DType().ItemSize())
	if err == nil && nbytes <= stdinBytes {
		b := make([]byte, nbytes)
		if in.Array, err = array.FromBytes(b, r.DType(), r.Order(), r.Shape()...); err == nil {
			_, err = io.ReadFull(c, b[:reached(in.Array, which)])
			err = endsHere(err, c.n)
		}
	} else if err == nil {
		err = e.mapStdin(in, c, r, int64(nbytes), which)
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

// reached returns how many bytes of a go before the end of the part that which returns: all for nil.
func reached(a array.Array, which partOf) int {
	if which == nil {
		return a.NBytes()
	}
	part, err := which(a)
	if err != nil || part.NBytes() == 0 {
		return 0
	}
	first := func(a array.Array) uintptr {
		for a.NDim() > 0 {
			a = a.Index(0)
		}
		b, err := memory(a)
		if err != nil {
			panic(err)
		}
		return reflect.ValueOf(b).Pointer()
	}
	_, hi := part.Layout().Bounds(part.ItemSize())
	return int(first(part)-first(a)) + hi
}

// endsHere returns err, or, if it says that a stream ended at a byte, the error that the elements are cut off there.
func endsHere(err error, at int64) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: %w", &array.FormatError{Part: "data", Offset: at, Msg: "the stream ends here"},
			io.ErrUnexpectedEOF)
	}
	return err
}

// mapStdin makes in the array whose elements are the next n bytes of standard input, which it reads as openStdin does.
func (e *env) mapStdin(in *input, c *counter, r *array.Reader, n int64, which partOf) error {
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
		needed := n
		if which != nil {
			var empty input
			defer empty.close()
			file, err := temporary(&empty, func(f *os.File) error { return f.Truncate(n) })
			if err == nil {
				err = empty.openRaw(file, 0, r)
			}
			if err != nil {
				return err
			}
			needed = int64(reached(empty.Array, which))
		}
		var err error
		if file, err = temporary(in, func(f *os.File) error {
			if _, err := io.CopyN(f, c, needed); err != nil {
				return endsHere(err, c.n)
			}
			return f.Truncate(n)
		}); err != nil {
			return err
		}
		at = 0
	}
	return in.openRaw(file, at, r)
}

// openRaw makes in the array of r, whose elements are in a file, which is closed with in, also after an error.
func (in *input) openRaw(file *os.File, at int64, r *array.Reader) error {
	f, err := array.OpenConfig{File: file}.OpenRaw(stream, at, r.DType(), r.Order(), r.Shape()...)
	if err != nil {
		file.Close()
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

// temporary makes a file that fill writes. It has no name, or, where the system does not let it, one that is removed
// when in is closed.
func temporary(in *input, fill func(*os.File) error) (*os.File, error) {
	f, err := os.CreateTemp("", "npy-stdin-*")
	if err != nil {
		return nil, err
	}
	if os.Remove(f.Name()) != nil {
		in.temporary = f.Name()
	}
	if err := fill(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// archiveOf opens the archive that standard input is. Members that are stored are mapped, and no memory is taken for
// the whole.
func (e *env) archiveOf(c *counter) (*npz.Archive, error) {
	const head = 4 // read already
	if file, at := e.reopened(); file != nil && at == head {
		a, err := npz.OpenConfig{File: file}.Open(stream)
		if err != nil {
			return nil, fileError{stream, err}
		}
		return a, nil
	} else if file != nil {
		file.Close()
	}
	var in input
	file, err := temporary(&in, func(f *os.File) error {
		_, err := io.Copy(f, c)
		return err
	})
	if in.temporary != "" {
		e.temporary = append(e.temporary, in.temporary)
	}
	if err != nil {
		return nil, fileError{stream, err}
	}
	a, err := npz.OpenConfig{File: file}.Open(stream)
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

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
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/npy"
)

// stdinBytes is the maximum size of an array on standard input that is kept in memory. A larger array is mapped: in
// place if standard input is a file, and otherwise from a temporary file.
var stdinBytes = 64 << 20

// peekStdin returns standard input, and whether a zip archive starts there.
func (e *env) peekStdin() (in *counter, isZip bool, err error) {
	if err := checkNotTerminal(e.stdin); err != nil {
		return nil, false, err
	}
	var head [4]byte // every array is longer than that
	n, err := io.ReadFull(e.stdin, head[:])
	if err := stdinError(n, err); err != nil {
		return nil, false, err
	}
	return &counter{r: io.MultiReader(bytes.NewReader(head[:n]), e.stdin)}, isZipMagic(head), nil
}

// stdinError returns the error of reading n bytes of standard input, which ended with err, or nil if standard input is
// only short. An empty standard input is an error: the program before a pipe may have failed.
func stdinError(n int, err error) error {
	switch {
	case n == 0 && err == io.EOF:
		return fileError{stream, errors.New("no data on standard input")}
	case err == nil || err == io.EOF || err == io.ErrUnexpectedEOF:
		return nil
	}
	return fileError{stream, err}
}

// openStdin opens the next array of standard input. It does not read past the array, because another one may follow. If
// p is not nil, it reads only as far as the part p; the elements after it are zero.
func (e *env) openStdin(p *part) (*input, error) {
	c, isZip, err := e.peekStdin()
	if err != nil {
		return nil, err
	}
	if isZip {
		a, err := e.archiveOf(c)
		if err != nil {
			return nil, err
		}
		defer a.Close()
		return nil, chooseMemberError(a, stream)
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
			_, err = io.ReadFull(c, b[:selectedEnd(in.Array, p)])
			err = truncatedError(err, c.n)
		}
	} else if err == nil {
		err = e.mapStdin(in, c, r, int64(nbytes), p)
	}
	if err != nil {
		in.close()
		return nil, fileError{stream, err}
	}
	if !in.Contiguous(index.C) {
		in.order = index.F // only if the order makes a difference
	}
	return in, nil
}

// selectedEnd returns the number of bytes from the start of a to the end of the part p. If p is nil, it returns the
// number of all bytes.
func selectedEnd(a array.Array, p *part) int {
	if p == nil {
		return a.NBytes()
	}
	part, err := p.selectFrom(a)
	if err != nil || part.NBytes() == 0 {
		return 0
	}
	first := func(a array.Array) uintptr {
		for a.NDim() > 0 {
			a = a.Index(0)
		}
		b, err := elementBytes(a)
		if err != nil {
			panic(err)
		}
		return reflect.ValueOf(b).Pointer()
	}
	_, hi := part.Layout().Bounds(part.ItemSize())
	return int(first(part)-first(a)) + hi
}

// truncatedError replaces an error about an early end of the stream by an error saying that the data is truncated at
// byte at.
func truncatedError(err error, at int64) error {
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		return fmt.Errorf("%w: %w", &array.FormatError{Part: "data", Offset: at, Msg: "the stream ends here"},
			io.ErrUnexpectedEOF)
	}
	return err
}

// mapStdin sets in to the array with the next n bytes of standard input. It reads only as far as the
// part p.
func (e *env) mapStdin(in *input, c *counter, r *array.Reader, n int64, p *part) error {
	file, at := e.reopenStdin()
	if file != nil {
		info, err := file.Stat()
		if err != nil || info.Size()-at < n { // fall back to reading the stream, which reports the missing bytes
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
		if p != nil {
			var empty input
			defer empty.close()
			file, err := makeTemp(&empty, func(f *os.File) error { return f.Truncate(n) })
			if err == nil {
				err = empty.openRaw(file, 0, r)
			}
			if err != nil {
				return err
			}
			needed = int64(selectedEnd(empty.Array, p))
		}
		var err error
		if file, err = makeTemp(in, func(f *os.File) error {
			if _, err := io.CopyN(f, c, needed); err != nil {
				return truncatedError(err, c.n)
			}
			return f.Truncate(n)
		}); err != nil {
			return err
		}
		at = 0
	}
	return in.openRaw(file, at, r)
}

// openRaw sets in to the array of r with the elements in file at offset at. Closing in closes file; so does an error.
func (in *input) openRaw(file *os.File, at int64, r *array.Reader) error {
	f, err := array.OpenConfig{File: file}.OpenRaw(stream, at, r.DType(), r.Order(), r.Shape()...)
	if err != nil {
		file.Close()
		return err
	}
	in.Array, in.file = f.Array, f
	return nil
}

// reopenStdin returns standard input, opened again, and the offset of the next byte. The file is nil if standard
// input is not a regular file or if the system has no name for it.
func (e *env) reopenStdin() (*os.File, int64) {
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

// makeTemp creates a temporary file and calls fill to write it. The file is unlinked at once or, on systems that do
// not permit that, when in is closed.
func makeTemp(in *input, fill func(*os.File) error) (*os.File, error) {
	f, err := os.CreateTemp("", "npy-stdin-*")
	if err != nil {
		return nil, fmt.Errorf("temporary file: %w; TMPDIR names its directory", err)
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

// spoolStdin copies standard input, read through r, to a temporary file.
func (e *env) spoolStdin(r io.Reader) (*os.File, error) {
	var in input
	file, err := makeTemp(&in, func(f *os.File) error {
		_, err := io.Copy(f, r)
		return err
	})
	if in.temporary != "" {
		e.temporary = append(e.temporary, in.temporary)
	}
	if err != nil {
		return nil, fileError{stream, err}
	}
	return file, nil
}

// isTextOnStdin reports whether standard input is text. The next read starts at the same byte.
func (e *env) isTextOnStdin() (bool, error) {
	if err := checkNotTerminal(e.stdin); err != nil {
		return false, err
	}
	// In a pipe, another array may follow a short one, so read only the beginning of a .npy file.
	var head [512]byte
	n, err := io.ReadFull(e.stdin, head[:len(npy.Magic)])
	if err == nil && string(head[:n]) != npy.Magic {
		var more int
		more, err = io.ReadFull(e.stdin, head[n:])
		n += more
	}
	if err := stdinError(n, err); err != nil {
		return false, err
	}
	if !e.unread(n) {
		e.stdin = io.MultiReader(bytes.NewReader(head[:n]), e.stdin)
	}
	return filekind.IsText(head[:n]), nil
}

// archiveOf opens the archive on standard input. Stored members are mapped, so that the archive takes no memory as a
// whole.
func (e *env) archiveOf(c *counter) (*npz.Archive, error) {
	const head = 4 // bytes read by begin
	if file, at := e.reopenStdin(); file != nil && at == head {
		a, err := npz.OpenConfig{File: file}.Open(stream)
		if err != nil {
			return nil, fileError{stream, err}
		}
		return a, nil
	} else if file != nil {
		file.Close()
	}
	file, err := e.spoolStdin(c)
	if err != nil {
		return nil, err
	}
	a, err := npz.OpenConfig{File: file}.Open(stream)
	if err != nil {
		return nil, fileError{stream, err}
	}
	return a, nil
}

// stdinArchive opens the archive on standard input to read one of its members.
func (e *env) stdinArchive() (*npz.Archive, error) {
	c, isZip, err := e.peekStdin()
	if err != nil {
		return nil, err
	}
	if !isZip {
		return nil, fileError{stream, errors.New("not an archive; it has no members")}
	}
	return e.archiveOf(c)
}

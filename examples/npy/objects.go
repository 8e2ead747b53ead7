package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/internal/npy"
)

// Arrays of Python objects are stored as pickles. npy shows and copies them. Package objects reads plain values from a
// pickle, and runs no code.

// hasObjects reports whether a member of an archive is an array of Python objects.
func hasObjects(a *npz.Archive, name string) bool {
	h, err := a.Header(name)
	return err == nil && h.DType.HasObject()
}

// pickleLen returns the number of bytes after the header h of an archive member, if its elements are Python objects.
func pickleLen(a *npz.Archive, m npz.Member, h npz.Header) int64 {
	switch {
	case !h.DType.HasObject():
		return 0
	case !m.Compressed:
		return m.Size - (h.DataOffset - m.Offset)
	}
	f, err := a.Open(m.Name)
	if err != nil {
		return m.Size // the name is not a file path
	}
	defer f.Close()
	b := make([]byte, npy.PrefixLen)
	n, _ := io.ReadFull(f, b)
	_, _, end, _ := npy.Span(b[:n], 0)
	return m.Size - int64(end)
}

// objectHeader returns the header of the .npy file at path if its elements are Python objects.
func objectHeader(path string) (h header, ok bool) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() { // opening a pipe would block
		return h, false
	}
	f, err := os.Open(path)
	if err != nil {
		return h, false
	}
	defer f.Close()
	h, ok = objectHeaderOf(f, info.Size(), path)
	h.objects = func() (objects.Array, error) { return objects.Open(path) }
	return h, ok
}

// objectHeader is like the function objectHeader, but path may also be the URL of a file that the command has opened.
func (e *env) objectHeader(path string) (h header, ok bool) {
	if !isURL(path) {
		return objectHeader(path)
	}
	w := e.webFiles[path]
	if w == nil { // opening it has failed
		return h, false
	}
	h, ok = objectHeaderOf(w, w.Size(), w.name)
	h.objects = func() (objects.Array, error) {
		return objects.Read(bufio.NewReaderSize(io.NewSectionReader(w, 0, w.Size()), 1<<20))
	}
	return h, ok
}

// objectHeaderOf returns the header of the .npy file of size bytes that r reads, if its elements are Python objects.
func objectHeaderOf(r io.ReaderAt, size int64, path string) (h header, ok bool) {
	b := make([]byte, npy.PrefixLen)
	n, _ := r.ReadAt(b, 0)
	_, _, end, err := npy.Span(b[:n], 0)
	if err != nil || int64(end) > size {
		return h, false
	}
	b = make([]byte, end)
	if n, _ := r.ReadAt(b, 0); n < end {
		return h, false
	}
	head, err := npy.ParseObjects(b, 0)
	if err != nil || !head.DType.HasObject() {
		return h, false
	}
	return header{path: path, major: int(head.Version[0]), minor: int(head.Version[1]), order: head.Order,
		dataOffset: int64(end), dtype: head.DType, shape: head.Shape, pickle: size - int64(end)}, true
}

// openObjects reads the array of Python objects that path names. ok is false if path does not name such an array.
func (e *env) openObjects(path string, raw *rawInput) (a objects.Array, ok bool, err error) {
	switch {
	case raw.raw.given:
		return a, false, nil
	case path == stream:
		return e.readObjects()
	}
	if file, name, isMember := splitMember(path); isMember {
		c, err := e.container(file)
		if err != nil || c.tensors != nil || !hasObjects(c.archive, name) {
			return a, false, nil
		}
		if c.web != nil {
			release, err := c.readAhead(name)
			if err != nil {
				return a, true, fileError{file, err}
			}
			defer release()
		}
		if a, err = objects.ReadMember(c.archive, name); err != nil {
			err = fileError{file, err}
		}
		return a, true, err
	}
	if isURL(path) && !isCollection(path) {
		if _, err := e.web(path); err != nil {
			return a, false, err
		}
	}
	h, ok := e.objectHeader(path)
	if ok {
		a, err = h.objects()
	}
	return a, ok, err
}

// readObjects reads the next array of standard input if it is one of Python objects. Otherwise ok is false, and the
// array can still be read.
func (e *env) readObjects() (a objects.Array, ok bool, err error) {
	if err := checkNotTerminal(e.stdin); err != nil {
		return a, false, err
	}
	var head bytes.Buffer
	h, err := npy.ReadHeader(io.TeeReader(e.stdin, &head), npy.ParseObjects)
	if err != nil || !h.DType.HasObject() {
		if !e.unread(head.Len()) {
			e.stdin = io.MultiReader(&head, e.stdin)
		}
		return a, false, nil
	}
	r := bufio.NewReader(io.MultiReader(&head, e.stdin))
	if a, err = objects.Read(r); err != nil {
		return a, true, fileError{stream, err}
	}
	e.unread(r.Buffered()) // another array may follow in the file
	return a, true, nil
}

// unread moves back by n bytes in standard input. It returns false if standard input is not a file.
func (e *env) unread(n int) bool {
	f, ok := e.stdin.(*os.File)
	if ok {
		_, err := f.Seek(-int64(n), io.SeekCurrent)
		ok = err == nil
	}
	return ok
}

// openRegular opens the part p of an array of Python objects as an array of numbers, text or times. Errors refer to it
// as path.
func openRegular(path string, v objects.Array, p *part) (*input, error) {
	a, err := v.Regular()
	if err != nil {
		return nil, fileError{path, err}
	}
	if a, err = p.selectFrom(a); err != nil {
		return nil, err
	}
	return &input{Array: a, path: path}, nil
}

// printObjects prints the part p of v.
func (e *env) printObjects(v objects.Array, p *part, form *form) error {
	if form.csv {
		return errors.New("no CSV form exists for Python objects; print them with -json")
	}
	v, err := selectObjects(v, p)
	if err != nil {
		return err
	}
	if form.json {
		return e.writeJSON(func(w io.Writer) error { return objects.WriteJSON(w, v) })
	}
	var text strings.Builder // may contain text that is not quoted
	err = objects.WriteText(&text, v)
	e.writePrintable(text.String())
	if err != nil {
		return err
	}
	return e.out.WriteByte('\n')
}

// selectObjects returns the part p of v: p selects from an array of positions, and the result says which elements to
// take.
func selectObjects(v objects.Array, p *part) (objects.Array, error) {
	positions := make([]int64, len(v.Values))
	for i := range positions {
		positions[i] = int64(i)
	}
	view, err := array.FromSlice(positions)
	if err != nil {
		return v, err
	}
	a, err := view.Array().Reshape(v.Shape...)
	if err == nil {
		a, err = p.selectFrom(a)
	}
	if err != nil {
		return v, fmt.Errorf("selecting Python objects: %w", err)
	}
	if view, err = array.As[int64](a); err != nil {
		return v, err
	}
	selected := objects.Array{DType: v.DType, Shape: a.Shape()}
	for i := range view.Values() {
		selected.Values = append(selected.Values, v.Values[i])
	}
	return selected, nil
}

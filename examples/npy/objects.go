package main

import (
	"io"
	"os"

	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/internal/npy"
)

// Arrays of Python objects are stored as pickles. npy shows their headers and copies them, but never reads the pickles.

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
	b := make([]byte, npy.PrefixLen)
	n, _ := io.ReadFull(f, b)
	_, _, end, err := npy.Span(b[:n], 0)
	if err != nil || int64(end) > info.Size() {
		return h, false
	}
	b = make([]byte, end)
	if _, err := f.ReadAt(b, 0); err != nil {
		return h, false
	}
	head, err := npy.ParseObjects(b, 0)
	if err != nil || !head.DType.HasObject() {
		return h, false
	}
	return header{path: path, major: int(head.Version[0]), minor: int(head.Version[1]), order: head.Order,
		dataOffset: int64(end), dtype: head.DType, shape: head.Shape, pickle: info.Size() - int64(end)}, true
}

package main

import (
	"bytes"
	"fmt"
	"os"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/internal/jsontext"
	"github.com/ndmap/ndmap/mmap"
)

// An entry is a line of the output of ls: an array, an archive, or a member of an archive.
type entry struct {
	name     string // in the table
	path     string // of the file
	isMember bool   // name is a member of the file
	array    *header
	what     string // instead of a dtype, if array is nil
	members  int    // of an archive
	size     int64  // in bytes
	err      error  // the reason why the file or the member cannot be read
}

// arrayEntry returns the entry of an array with the header h.
func arrayEntry(name string, h header) entry {
	_, n := h.size()
	if h.dtype.HasObject() {
		n = int(h.pickle)
	}
	return entry{name: name, path: h.path, array: &h, size: int64(n)}
}

// memberEntry returns the entry of a member of the file at path, whose header is h unless it has the error err.
func memberEntry(path, name string, h header, err error) entry {
	h.path = redacted(path)
	f := entry{name: name, path: h.path, err: err}
	if err == nil {
		f = arrayEntry(name, h)
	}
	f.isMember = true
	return f
}

// headOf returns the header of a .npy file. ok is false if the header is long or if elements are missing. headOf reads
// the file once and does not map it, because a directory may have many files.
func headOf(path string) (h header, ok bool) {
	f, err := os.Open(path)
	if err != nil {
		return h, false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return h, false
	}
	var b [1 << 10]byte
	n, _ := f.Read(b[:])
	c := &counter{r: bytes.NewReader(b[:n])}
	r, err := array.NewReader(c)
	if err != nil {
		return h, false
	}
	h = headerOf(r, path, c.n)
	_, size := h.size()
	return h, int64(size) <= info.Size()-c.n
}

// listFile returns the entry of the file at path. If regular is set, the file is known not to be a pipe, whose opening
// would block, or a link to one.
func listFile(path, name string, regular bool) (f entry) {
	if regular && strings.HasSuffix(path, ".npy") {
		if h, ok := headOf(path); ok {
			return arrayEntry(name, h)
		}
	}
	f = entry{name: name, path: path}
	f.err = mmap.Guard(func() error {
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		switch {
		case isTensors(path):
			t, err := openTensors(path, array.ReadOnly)
			if err != nil {
				return err
			}
			defer t.Close()
			f.what, f.members = "tensors", len(t.Names())
			for _, m := range t.Maps() {
				f.size += int64(m.Len())
			}
		case isArchive(path):
			a, err := openArchive(path, array.ReadOnly)
			if err != nil {
				return err
			}
			defer a.Close()
			f.what, f.members, f.size = "archive", len(a.Names()), info.Size()
		default:
			in, err := new(rawInput).input(path, array.ReadOnly)
			if err != nil {
				h, ok := objectHeader(path)
				if ok {
					f, err = arrayEntry(name, h), nil
				}
				return err
			}
			defer in.close()
			f = arrayEntry(name, in.header())
		}
		return nil
	})
	return f
}

// row returns the row of f in a table.
func (f *entry) row() row {
	name, what, shape := words.Printable(f.name), f.what, ""
	switch {
	case f.err != nil:
		_, msg := message(f.path, f.err)
		return row{text: []string{name, "broken: " + words.Printable(msg)}, wrong: true}
	case f.array != nil:
		what, shape = f.array.dtype.String(), words.Shape(f.array.shape)
		if f.array.dtype.HasObject() {
			what += " (objects)"
		}
	case f.isMember:
	case f.members == 1:
		shape = "1 member"
	default:
		shape = words.Count(f.members) + " members"
	}
	return row{text: []string{name, words.Printable(what), shape, words.Count(f.size)}}
}

// appendJSON appends the line of ls -json. For an array, it is the line of info -json.
func (f *entry) appendJSON(b []byte) []byte {
	if f.array != nil {
		return f.array.appendJSON(b)
	}
	b = append(b, `{"path":`...)
	b = jsontext.AppendString(b, f.path)
	if f.isMember {
		b = append(b, `,"member":`...)
		b = jsontext.AppendString(b, f.name)
	}
	switch {
	case f.err != nil:
		_, msg := message(f.path, f.err)
		b = append(b, `,"error":`...)
		b = jsontext.AppendString(b, msg)
	case f.isMember:
		b = fmt.Appendf(b, `,"descr":null,"nbytes":%d`, f.size)
	default:
		b = fmt.Appendf(b, `,"members":%d,"nbytes":%d`, f.members, f.size)
	}
	return append(b, "}\n"...)
}

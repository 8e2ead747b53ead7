package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/mmap"
)

// splitMember returns the archive and the member that path names, DATA.npz:NAME, or the file of tensors and
// the tensor, DATA.safetensors:NAME, if there is no file of that whole name.
func splitMember(path string) (archive, name string, ok bool) {
	if name, ok := strings.CutPrefix(path, stream+":"); ok {
		_, err := os.Lstat(path)
		return stream, name, err != nil
	}
	archive, name, ok = splitName(path)
	if _, err := os.Lstat(path); !ok || err == nil {
		return "", "", false
	}
	return archive, name, true
}

// fileOf returns the file that path names, or a member of.
func fileOf(path string) string {
	if archive, _, ok := splitMember(path); ok {
		return archive
	}
	return path
}

// isArchive reports whether the file at path is a zip archive: so named, or so begun. Standard input is no file.
func isArchive(path string) bool {
	fi, err := os.Stat(path)
	if path == stream || err != nil || !fi.Mode().IsRegular() {
		return false
	}
	if strings.HasSuffix(path, ".npz") {
		return true
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	var magic [4]byte
	io.ReadFull(f, magic[:])
	return isZipMagic(magic)
}

// isZipMagic reports whether a zip archive begins so.
func isZipMagic(b [4]byte) bool { return string(b[:]) == "PK\x03\x04" || string(b[:]) == "PK\x05\x06" }

// openArchive opens an archive; the error names it. One that is open for writing is locked until Close, so that
// npz.Append of another process, which replaces the archive, neither misses an edit nor lets it end up in the old
// file.
func openArchive(path string, mode mmap.Mode) (*npz.Archive, error) {
	for {
		a, err := npz.Open(path, mode)
		if err == nil && mode == mmap.ReadWrite {
			if err = a.Map().Lock(10 * time.Second); err == nil || errors.Is(err, errors.ErrUnsupported) {
				err = a.Map().CheckPath()
			}
			if err != nil {
				a.Close()
			}
			if errors.Is(err, mmap.ErrReplaced) {
				continue // while Lock waited
			}
		}
		if err != nil {
			return nil, fileError{path, err}
		}
		return a, nil
	}
}

// editMember opens a member of an archive, or a tensor of a file, which path names, too, to edit it.
func editMember(path, file, name string) (in *input, err error) {
	whole := &input{path: file}
	if strings.HasSuffix(file, tensorsSuffix) {
		if whole.tensors, err = openTensors(file, mmap.ReadWrite); err != nil {
			return nil, err
		}
		in, err = tensorOf(whole.tensors, path, name)
	} else {
		if whole.archive, err = openArchive(file, mmap.ReadWrite); err != nil {
			return nil, err
		}
		if err = whole.archive.Verify(name); err == nil { // or Close would write the checksum of what is damaged
			in, err = memberOf(whole.archive, path, name)
		}
	}
	if err != nil {
		whole.close()
		return nil, fileError{file, err}
	}
	in.archive, in.tensors = whole.archive, whole.tensors
	return in, nil
}

// memberOf returns a member of an archive, which path names, too. Closing it does not close the archive.
func memberOf(a *npz.Archive, path, name string) (*input, error) {
	h, err := a.Header(name)
	if err != nil {
		return nil, err
	}
	in := &input{path: path, major: h.Major, minor: h.Minor, order: h.Order, dataOffset: max(h.DataOffset, 0)}
	in.Array, err = a.Array(name)
	return in, err
}

// notOne is the error of an archive where one array is wanted.
func notOne(path string) error {
	if isTensors(path) {
		return notOneTensor(path)
	}
	a, err := openArchive(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer a.Close()
	return oneOf(a, path)
}

// oneOf is the error of an archive where an array is wanted.
func oneOf(a *npz.Archive, path string) error {
	for _, name := range a.Names() {
		if _, err := a.Header(name); !errors.Is(err, npz.ErrNotArray) {
			return fmt.Errorf("an archive; name one of its members, as %s:%s (npy info lists them)", path, name)
		}
	}
	return errors.New("an archive without arrays")
}

// memberHeader is the header of a member, which is not inflated for it.
func memberHeader(a *npz.Archive, name string) (header, error) {
	m, err := a.Member(name)
	if err != nil {
		return header{}, err
	}
	h, err := a.Header(name)
	if err != nil {
		return header{}, err
	}
	return header{path: a.Path(), member: name, isMember: true, compressed: m.Compressed, stored: m.CompressedSize,
		major: h.Major, minor: h.Minor, order: h.Order, dataOffset: h.DataOffset, dtype: h.DType, shape: h.Shape,
		pickle: pickleLen(a, m, h)}, nil
}

// infoMember says what is in the header of a member of a file.
func (e *env) infoMember(file, name string, asJSON bool) error {
	c, err := e.container(file)
	if err != nil {
		return err
	}
	var h header
	if c.tensors != nil {
		h, err = tensorHeader(c.tensors, name)
	} else {
		h, err = memberHeader(c.archive, name)
	}
	if err != nil {
		return fileError{file, err}
	}
	e.info(h, asJSON)
	return nil
}

// infoArchive lists the members of an archive. What is wrong with one is noted.
func (e *env) infoArchive(a *npz.Archive, path string, asJSON bool) error {
	defer a.Close()
	names := a.Names()
	if !asJSON {
		e.newBlock()
		writeLine(e.out, "file", "%s", path)
		s := "s"
		if len(names) == 1 {
			s = ""
		}
		writeLine(e.out, "format", "archive of %d member%s", len(names), s)
	}
	for _, name := range names {
		h, err := memberHeader(a, name)
		switch {
		case errors.Is(err, npz.ErrNotArray):
			if m, err := a.Member(name); err == nil && !asJSON {
				writeLine(e.out, "  "+words.Printable(name), "no array; %s", words.Bytes(int(m.Size)))
			}
		case err != nil:
			e.note(path, err)
		case asJSON:
			e.info(h, true)
		default:
			listMember(e.out, h)
		}
	}
	return nil
}

// listMember writes a line about a member of an archive.
func listMember(out *bufio.Writer, h header) {
	writeLine(out, "  "+words.Printable(h.member), "%s, shape %s, order %v; %s", h.dtype, words.Shape(h.shape), h.order,
		h.data())
}

// checkArchive checks all members of an archive.
func (e *env) checkArchive(path string) error {
	a, err := openArchive(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer a.Close()
	return eachMember(a, func(name string) error {
		member := path + ":" + name
		return e.checked(member, func() (string, error) { return e.checkMember(a, member, name) })
	})
}

// eachMember calls f with each name of an archive. The member's array ends with the call.
func eachMember(a *npz.Archive, f func(name string) error) error {
	for _, name := range a.Names() {
		err := f(name)
		a.Release(name)
		if err != nil {
			return err
		}
	}
	return nil
}

// isCollection reports whether the file at path is an archive, or one of tensors.
func isCollection(path string) bool { return isTensors(path) || isArchive(path) }

// members calls f with each array of the archive, or the file of tensors, at path, that is not of Python objects: its
// name as an argument, and the array, or what is wrong with it. They are closed when f returns.
func (e *env) members(path string, f func(path string, in *input, err error) error) error {
	whole := &input{path: path}
	if isTensors(path) {
		file, err := openTensors(path, array.ReadOnly)
		if err != nil {
			return err
		}
		whole.tensors = file
		defer e.watch(whole).close()
		for _, name := range file.Names() {
			in, err := tensorOf(file, path+":"+name, name)
			if err := f(path+":"+name, in, err); err != nil {
				return err
			}
		}
		return nil
	}
	a, err := openArchive(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	whole.archive = a
	defer e.watch(whole).close()
	return eachMember(a, func(name string) error {
		if hasObjects(a, name) {
			return nil
		}
		in, err := memberOf(a, path+":"+name, name)
		return f(path+":"+name, in, err)
	})
}

// checkMember is a line about a member of an archive, which path names, or what is wrong with it.
func (e *env) checkMember(a *npz.Archive, path, name string) (string, error) {
	if err := a.Verify(name); err != nil {
		return "", fileError{a.Path(), err}
	}
	if _, err := a.Header(name); errors.Is(err, npz.ErrNotArray) {
		return "no array", nil
	}
	if hasObjects(a, name) {
		h, err := memberHeader(a, name)
		if err != nil {
			return "", err
		}
		return h.checkObjects()
	}
	in, err := memberOf(a, path, name)
	if err != nil {
		return "", fileError{a.Path(), err}
	}
	if m, err := a.Member(name); err == nil {
		if content, err := a.Open(m.Name); err == nil {
			in.head = readHead(content)
			content.Close()
		}
	}
	return e.checkInput(in)
}

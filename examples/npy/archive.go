package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/examples/npy/words"
	"github.com/ndmap/ndmap/mmap"
)

// splitMember splits a path such as DATA.npz:NAME, DATA.safetensors:NAME or DATA.safetensors.index.json:NAME into the
// file and the name of a member or tensor. ok is false if path names neither, or if a file of that whole name exists.
// For URLs see splitURL.
func splitMember(path string) (archive, name string, ok bool) {
	if isURL(path) {
		return splitURL(path)
	}
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

// fileOf returns the file that path names, or the file that contains the member that path names.
func fileOf(path string) string {
	if archive, _, ok := splitMember(path); ok {
		return archive
	}
	return path
}

// isArchive reports whether the file at path is a zip archive, judged by its name or its first bytes. It returns false
// for standard input. A URL is judged by its name only.
func isArchive(path string) bool {
	if isURL(path) {
		return strings.HasSuffix(urlFile(path), ".npz")
	}
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

// isZipMagic reports whether b are the first bytes of a zip archive.
func isZipMagic(b [4]byte) bool { return string(b[:]) == "PK\x03\x04" || string(b[:]) == "PK\x05\x06" }

// openArchive opens an archive; errors name it. An archive opened for writing is locked until Close: an npz.Append of
// another process replaces the archive, and could otherwise miss an edit or leave it in the old file.
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
				continue // replaced while Lock waited
			}
		}
		if err != nil {
			return nil, fileError{path, err}
		}
		return a, nil
	}
}

// editMember opens a member or tensor of file for editing. Errors refer to it as path.
func editMember(path, file, name string) (in *input, err error) {
	parent := &input{path: file}
	if isTensorsName(file) {
		if parent.tensors, err = openTensors(file, mmap.ReadWrite); err != nil {
			return nil, err
		}
		in, err = tensorOf(parent.tensors, path, name)
	} else {
		if parent.archive, err = openArchive(file, mmap.ReadWrite); err != nil {
			return nil, err
		}
		if err = parent.archive.Verify(name); err == nil { // otherwise Close would store the checksum of damaged data
			in, err = memberOf(parent.archive, path, name)
		}
	}
	if err != nil {
		parent.close()
		return nil, fileError{file, err}
	}
	in.archive, in.tensors = parent.archive, parent.tensors
	return in, nil
}

// memberOf returns the archive member called name as an input. Errors refer to the input as path. Closing the input
// does not close the archive.
func memberOf(a *npz.Archive, path, name string) (*input, error) {
	in, err := memberInput(a, path, name)
	if err != nil {
		return nil, err
	}
	in.Array, err = a.Array(name)
	return in, err
}

// memberInput returns the archive member called name as an input without elements.
func memberInput(a *npz.Archive, path, name string) (*input, error) {
	h, err := a.Header(name)
	if err != nil {
		return nil, err
	}
	return &input{path: redacted(path), major: h.Major, minor: h.Minor, order: h.Order,
		dataOffset: max(h.DataOffset, 0)}, nil
}

// notSingleArray returns an error saying that path names an archive although the command needs a single array.
func notSingleArray(path string) error {
	if isTensors(path) {
		return notSingleTensor(path)
	}
	a, err := openArchive(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer a.Close()
	return chooseMemberError(a, path)
}

// chooseMemberError returns an error saying that path names an archive although the command needs a single array. The
// error suggests an array of a.
func chooseMemberError(a *npz.Archive, path string) error {
	for _, name := range a.Names() {
		if _, err := a.Header(name); !errors.Is(err, npz.ErrNotArray) {
			return fmt.Errorf("an archive; name one of its members, as %s (npy info lists them)",
				redacted(memberPath(path, name)))
		}
	}
	return errors.New("an archive that contains no arrays")
}

// memberHeader returns the header of a member without decompressing its elements.
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
		pickle: pickleLen(a, m, h), objects: func() (objects.Array, error) { return objects.ReadMember(a, name) }}, nil
}

// infoMember prints the header of a member of a file.
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
	h.path = redacted(file)
	e.info(h, asJSON)
	return nil
}

// infoArchive prints the headers of all members of an archive. If a member cannot be read, it reports the error and
// goes on.
func (e *env) infoArchive(a *npz.Archive, path string, asJSON bool) error {
	path = redacted(path)
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
				writeLine(e.out, "  "+words.Printable(name), "not an array; %s", words.Bytes(int(m.Size)))
			}
		case err != nil:
			e.noteError(path, err)
		case asJSON:
			h.path = path
			e.info(h, true)
		default:
			listMember(e.out, h)
		}
	}
	return nil
}

// listMember writes one line about a member of an archive.
func listMember(out *bufio.Writer, h header) {
	writeLine(out, "  "+words.Printable(h.member), "%s, shape %s, order %v; %s", h.dtype, words.Shape(h.shape), h.order,
		h.data())
}

// checkArchive checks all members of an archive.
func (e *env) checkArchive(path string) error {
	c, err := e.wholeContainer(path)
	if err != nil {
		return err
	}
	defer e.closeContainers(func(other *container) bool { return other == c && len(c.users) == 0 })
	return eachMember(c.archive, func(name string) error {
		member := memberPath(path, name)
		return e.runCheck(member, func() (string, error) { return e.checkMember(c.archive, member, name) })
	})
}

// eachMember calls f with the name of each member of an archive, and releases the member's array afterwards.
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

// isCollection reports whether the file at path is an archive, a .safetensors file or an index of such files.
func isCollection(path string) bool { return isTensors(path) || isArchive(path) }

// members calls f for the part p of each array of the archive or .safetensors file at path, except arrays of Python
// objects. The arguments of f are the path of the array in the form used on the command line, and the open array or the
// error from opening it. The array is closed when f returns.
func (e *env) members(path string, p *part, f func(path string, in *input, err error) error) error {
	c, err := e.wholeContainer(path)
	if err != nil {
		return err
	}
	each := func(name string, in *input, err error) error {
		if err == nil {
			in.Array, err = p.selectFrom(in.Array)
		}
		return f(memberPath(path, name), in, err)
	}
	if c.tensors != nil {
		for _, name := range c.tensors.Names() {
			in, err := tensorOf(c.tensors, memberPath(path, name), name)
			if err := each(name, in, err); err != nil {
				return err
			}
		}
		return nil
	}
	return eachMember(c.archive, func(name string) error {
		if hasObjects(c.archive, name) {
			return nil
		}
		in, err := memberOf(c.archive, memberPath(path, name), name)
		return each(name, in, err)
	})
}

// checkMember checks a member of an archive and returns the line to print about it. Errors refer to the member as path.
func (e *env) checkMember(a *npz.Archive, path, name string) (string, error) {
	if err := a.Verify(name); err != nil {
		return "", fileError{a.Path(), err}
	}
	if _, err := a.Header(name); errors.Is(err, npz.ErrNotArray) {
		return "not an array", nil
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

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

// archive opens an archive, or standard input, to read.
func (e *env) archive(path string) (*npz.Archive, error) {
	if path == stream {
		return e.stdinArchive()
	}
	return openArchive(path, mmap.ReadOnly)
}

// openMember opens a member of an archive, which path names, too.
func openMember(path, archive, name string, mode mmap.Mode) (*input, error) {
	if strings.HasSuffix(archive, tensorsSuffix) {
		return openTensor(path, archive, name, mode)
	}
	a, err := openArchive(archive, mode)
	if err != nil {
		return nil, err
	}
	if mode == mmap.ReadWrite { // or Close would write the checksum of what is damaged
		err = a.Verify(name)
	}
	var in *input
	if err == nil {
		in, err = memberOf(a, path, name)
	}
	if err != nil {
		a.Close()
		return nil, fileError{archive, err}
	}
	return in, nil
}

// memberOf is a member of an archive, which path names, too. To close it closes the archive.
func memberOf(a *npz.Archive, path, name string) (*input, error) {
	h, err := a.Header(name)
	if err != nil {
		return nil, err
	}
	in := &input{path: path, archive: a, major: h.Major, minor: h.Minor, order: h.Order, dataOffset: max(h.DataOffset, 0)}
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
		major: h.Major, minor: h.Minor, order: h.Order, dataOffset: h.DataOffset, dtype: h.DType, shape: h.Shape}, nil
}

// infoMember says what is in the header of a member.
func (e *env) infoMember(a *npz.Archive, archive, name string, asJSON bool) error {
	defer a.Close()
	h, err := memberHeader(a, name)
	if err != nil {
		return fileError{archive, err}
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
	return eachMember(path, func(a *npz.Archive, name string) error {
		member := path + ":" + name
		return e.checked(member, func() (string, error) { return e.checkMember(a, member, name) })
	})
}

// mostInflated is how many bytes of compressed members are in memory, besides the last one of them.
const mostInflated = 64 << 20

// eachMember calls f with each name of the archive at path.
func eachMember(path string, f func(a *npz.Archive, name string) error) error {
	a, err := openArchive(path, mmap.ReadOnly)
	if err != nil {
		return err
	}
	defer func() { a.Close() }()
	inflated := int64(0)
	for _, name := range a.Names() {
		// An archive keeps what it has inflated until it is closed.
		if inflated > mostInflated {
			a.Close()
			if a, err = openArchive(path, mmap.ReadOnly); err != nil {
				return err
			}
			inflated = 0
		}
		if m, err := a.Member(name); err == nil && m.Compressed {
			inflated += m.Size
		}
		if err := f(a, name); err != nil {
			return err
		}
	}
	return nil
}

// isCollection reports whether the file at path is an archive, or one of tensors.
func isCollection(path string) bool { return isTensors(path) || isArchive(path) }

// members calls f with each array of the archive, or the file of tensors, at path: its name as an argument, and the
// array, or what is wrong with it. They are closed when f returns.
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
	a, err := openArchive(path, mmap.ReadOnly) // only to be watched
	if err != nil {
		return err
	}
	whole.archive = a
	defer e.watch(whole).close()
	return eachMember(path, func(a *npz.Archive, name string) error {
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

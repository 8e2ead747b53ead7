package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
)

// A group is an archive or a .safetensors file.
type group struct{ *input }

// group opens the archive or .safetensors file at path. It returns nil if path names a single array.
func (d *differ) group(path string) (*group, error) {
	if _, _, ok := splitMember(path); ok || path == stream || d.from.raw.given { // - is examined when it is opened
		return nil, nil
	}
	g := &group{input: &input{path: path}}
	var err error
	switch {
	case isURL(path) && isCollection(path):
		c, err := d.wholeContainer(path)
		if err != nil {
			return nil, err
		}
		g.archive, g.tensors = c.archive, c.tensors // closed with the container
		return g, nil
	case isTensors(path):
		g.tensors, err = openTensors(path, array.ReadOnly)
	case isArchive(path):
		g.archive, err = openArchive(path, array.ReadOnly)
	default:
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	d.watch(g.input)
	return g, nil
}

// release frees the memory of a member, if it was inflated.
func (g *group) release(name string) {
	if g.archive != nil {
		g.archive.Release(name)
	}
}

func (g *group) names() []string {
	if g.tensors != nil {
		return g.tensors.Names()
	}
	return g.archive.Names()
}

// errObjects is the error for a member whose elements are Python objects. Such members are not decoded.
var errObjects = errors.New("elements are Python objects")

// array returns the array in the member called name. The error wraps npz.ErrNotArray if the member is not an array, or
// errObjects if its elements are Python objects.
func (g *group) array(name string) (array.Array, error) {
	if g.tensors != nil {
		return g.tensors.Array(name)
	}
	if h, err := g.archive.Header(name); err != nil {
		return array.Array{}, err
	} else if h.DType.HasObject() {
		return array.Array{}, errObjects
	}
	return g.archive.Array(name)
}

// compareGroups compares two archives member by member.
func (d *differ) compareGroups(x, y *group) error {
	ours, theirs := x.names(), y.names()
	has := func(names []string) map[string]bool {
		set := make(map[string]bool, len(names))
		for _, name := range names {
			set[name] = true
		}
		return set
	}
	isOurs, isTheirs := has(ours), has(theirs)
	for _, name := range ours {
		if !isTheirs[name] {
			d.reportOnly(x, name)
			continue
		}
		if err := d.member(x, y, name); err != nil {
			return err
		}
	}
	for _, name := range theirs {
		if !isOurs[name] {
			d.reportOnly(y, name)
		}
	}
	return nil
}

// reportOnly reports a member that exists in only one of the archives.
func (d *differ) reportOnly(g *group, name string) {
	d.beginBlock()
	writeLine(d.out, "only", "%s", redacted(memberPath(g.path, name)))
	d.found = true
}

// member compares the members called name of two archives.
func (d *differ) member(x, y *group, name string) error {
	a, b := redacted(memberPath(x.path, name)), redacted(memberPath(y.path, name))
	defer x.release(name)
	defer y.release(name)
	u, err := x.array(name)
	v, other := y.array(name)
	switch {
	case errors.Is(err, npz.ErrNotArray) && errors.Is(other, npz.ErrNotArray):
		return d.bytes(x, y, name, "not arrays")
	case errors.Is(err, errObjects) && errors.Is(other, errObjects):
		return d.bytes(x, y, name, "Python objects")
	case isOpaque(err) && (other == nil || isOpaque(other)), isOpaque(other) && err == nil:
		d.beginBlock()
		writeLine(d.out, "a", "%s", a)
		writeLine(d.out, "b", "%s", b)
		what := "not an array"
		if errors.Is(err, errObjects) || errors.Is(other, errObjects) {
			what = "of Python objects"
		}
		writeLine(d.out, "elements", "one of them is %s", what)
		d.found = true
		return nil
	case err != nil:
		return pathError(x.path, err)
	case other != nil:
		return pathError(y.path, other)
	}
	return d.compareArrays(a, u, b, v)
}

// isOpaque reports whether err means that a member cannot be read as an array, so that only its bytes can be compared.
func isOpaque(err error) bool { return errors.Is(err, npz.ErrNotArray) || errors.Is(err, errObjects) }

// openMember opens the content of a member of an archive. A directory has no content.
func (g *group) openMember(name string) (io.ReadCloser, error) {
	m, err := g.archive.Member(name)
	switch {
	case err != nil:
		return nil, err
	case m.Size == 0:
		return io.NopCloser(bytes.NewReader(nil)), nil
	}
	return g.archive.Open(m.Name)
}

// bytes compares the raw content of two members. what describes their content in the output.
func (d *differ) bytes(x, y *group, name, what string) error {
	f, err := x.openMember(name)
	if err != nil {
		return pathError(x.path, err)
	}
	defer f.Close()
	g, err := y.openMember(name)
	if err != nil {
		return pathError(y.path, err)
	}
	defer g.Close()
	var u, v [1 << 16]byte
	for {
		n, err := io.ReadFull(f, u[:])
		m, other := io.ReadFull(g, v[:])
		isEnd := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
		switch {
		case err != nil && !isEnd(err):
			return pathError(x.path, err)
		case other != nil && !isEnd(other):
			return pathError(y.path, other)
		case !bytes.Equal(u[:n], v[:m]):
			d.beginBlock()
			writeLine(d.out, "a", "%s", redacted(memberPath(x.path, name)))
			writeLine(d.out, "b", "%s", redacted(memberPath(y.path, name)))
			writeLine(d.out, "elements", "%s, with different bytes", what)
			d.found = true
			return nil
		case isEnd(err):
			return nil
		}
	}
}

package main

import (
	"bytes"
	"errors"
	"io"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
)

// A group is an archive, or a file of tensors.
type group struct{ *input }

// group opens the archive at path, or returns nil if there is a single array.
func (d *differ) group(path string) (*group, error) {
	if _, _, ok := splitMember(path); ok || path == stream || d.from.raw.given { // what - is shows when it is opened
		return nil, nil
	}
	g := &group{input: &input{path: path}}
	var err error
	switch {
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

// release ends the use of a member.
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

// array returns a member. The error wraps npz.ErrNotArray if it is none.
func (g *group) array(name string) (array.Array, error) {
	if g.tensors != nil {
		return g.tensors.Array(name)
	}
	if _, err := g.archive.Header(name); err != nil {
		return array.Array{}, err
	}
	return g.archive.Array(name)
}

// groups compares two archives member by member.
func (d *differ) groups(x, y *group) error {
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
			d.only(x, name)
			continue
		}
		if err := d.member(x, y, name); err != nil {
			return err
		}
	}
	for _, name := range theirs {
		if !isOurs[name] {
			d.only(y, name)
		}
	}
	return nil
}

// only says that a member is in one archive and not in the other.
func (d *differ) only(g *group, name string) {
	d.block()
	writeLine(d.out, "only", "%s:%s", g.path, name)
	d.found = true
}

// member compares two members of one name.
func (d *differ) member(x, y *group, name string) error {
	a, b := x.path+":"+name, y.path+":"+name
	defer x.release(name)
	defer y.release(name)
	u, err := x.array(name)
	v, other := y.array(name)
	switch {
	case errors.Is(err, npz.ErrNotArray) && errors.Is(other, npz.ErrNotArray):
		return d.bytes(x, y, name)
	case errors.Is(err, npz.ErrNotArray) && other == nil, errors.Is(other, npz.ErrNotArray) && err == nil:
		d.block()
		writeLine(d.out, "a", "%s", a)
		writeLine(d.out, "b", "%s", b)
		writeLine(d.out, "elements", "one of the two is no array")
		d.found = true
		return nil
	case err != nil:
		return pathError(x.path, err)
	case other != nil:
		return pathError(y.path, other)
	}
	return d.arrays(a, u, b, v)
}

// bytes compares members that are no arrays.
func (d *differ) bytes(x, y *group, name string) error {
	f, err := x.archive.Open(name)
	if err != nil {
		return pathError(x.path, err)
	}
	defer f.Close()
	g, err := y.archive.Open(name)
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
			d.block()
			writeLine(d.out, "a", "%s:%s", x.path, name)
			writeLine(d.out, "b", "%s:%s", y.path, name)
			writeLine(d.out, "elements", "no arrays, of different bytes")
			d.found = true
			return nil
		case isEnd(err):
			return nil
		}
	}
}

package main

import (
	"github.com/ndmap/ndmap/array"
)

// A container is an archive or a .safetensors file whose members a command reads. It stays open while the command reads
// several members.
type container struct {
	*input                // the file as a whole, without an array; its elements may stay on a web server
	users  map[string]int // number of open inputs per member
}

// idleContainers is the maximum number of containers that stay open while their members are not in use.
const idleContainers = 16

// container returns the archive or .safetensors file at path. It opens the file on first use.
func (e *env) container(path string) (*container, error) {
	if c := e.containers[path]; c != nil {
		return c, nil
	}
	if len(e.containers) >= idleContainers {
		e.closeContainers(func(c *container) bool { return len(c.users) == 0 && c.path != stream })
	}
	c := &container{&input{path: path}, map[string]int{}}
	var err error
	switch {
	case isURL(path):
		err = e.openWeb(c)
	case path == stream:
		c.archive, err = e.stdinArchive()
	case isTensorsName(path):
		c.tensors, err = openTensors(path, array.ReadOnly)
	default:
		c.archive, err = openArchive(path, array.ReadOnly)
	}
	if err != nil {
		return nil, err
	}
	if path != stream {
		e.watch(c.input) // does nothing for a URL, which is not mapped
	}
	e.addContainer(c)
	return c, nil
}

// addContainer adds c to e.containers.
func (e *env) addContainer(c *container) {
	if e.containers == nil {
		e.containers = map[string]*container{}
	}
	e.containers[c.path] = c
}

// closeContainers closes the containers for which match returns true, and removes them from e.containers.
func (e *env) closeContainers(match func(*container) bool) {
	for path, c := range e.containers {
		if match(c) {
			c.close()
			delete(e.containers, path)
		}
	}
}

// member opens a member or tensor of file for reading. Errors refer to it as path.
func (e *env) member(path, file, name string) (in *input, err error) {
	c, err := e.container(file)
	if err != nil {
		return nil, err
	}
	key := name // key in users: different names may stand for the same member
	if c.tensors != nil {
		in, err = tensorOf(c.tensors, path, name)
	} else {
		if c.web != nil {
			in, err = c.memberOf(path, name)
		} else {
			in, err = memberOf(c.archive, path, name)
		}
		if err == nil {
			m, _ := c.archive.Member(name)
			key = m.Name
		}
	}
	if err != nil {
		return nil, fileError{file, err}
	}
	c.users[key]++
	in.release = func() {
		if c.users[key]--; c.users[key] > 0 {
			return
		}
		delete(c.users, key)
		if c.archive != nil {
			c.archive.Release(name)
		}
	}
	return in, nil
}

// chooseError returns an error saying that a command needs a single array of c.
func (c *container) chooseError() error {
	if c.tensors != nil {
		return chooseTensorError(c.tensors, c.path)
	}
	return chooseMemberError(c.archive, c.path)
}

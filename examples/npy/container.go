package main

import (
	"github.com/ndmap/ndmap/array"
)

// A container is an archive or a .safetensors file whose members a command reads. It stays open while the command reads
// several members.
type container struct {
	*input                // the file as a whole, without an array
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
		e.watch(c.input)
	}
	if e.containers == nil {
		e.containers = map[string]*container{}
	}
	e.containers[path] = c
	return c, nil
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
	} else if in, err = memberOf(c.archive, path, name); err == nil {
		m, _ := c.archive.Member(name)
		key = m.Name
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

// Package source finds arrays in files, archives and folders, gives them ids, and follows what
// becomes of the files.
package source

import (
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/ndmap/ndmap/array/npz"
)

// Limits of a listing. What is over them is not shown, and the listing says so.
const (
	maxEntries = 10_000 // of a folder, with those below it
	maxMembers = 10_000 // of an archive
	maxDepth   = 16
)

// A Node is a line of the listing: an array, or an archive or folder of them.
type Node struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"` // array, archive or folder
	Error    string  `json:"error,omitempty"`
	Children []*Node `json:"children,omitempty"`
}

// Config says what a Set shows.
type Config struct {
	Recursive bool  // folders within folders, too
	Inflate   int64 // how many bytes of memory the inflated members of archives may take together
}

// A Set is the arrays that are shown. Its methods may be called from several goroutines.
type Set struct {
	cfg   Config
	roots []string

	mu       sync.Mutex
	arrays   map[string]*Array  // by id
	archives map[string]listing // by path
	open     []*generation      // the one used last at the end
	inflated int64              // bytes
}

// A listing is the members of an archive, as long as its file is the same.
type listing struct {
	size    int64
	changed time.Time
	names   []string
	err     error
}

// New returns the Set of these files, archives and folders.
func New(cfg Config, paths ...string) (*Set, error) {
	for _, p := range paths {
		if _, err := os.Stat(p); err != nil {
			return nil, err
		}
	}
	return &Set{cfg: cfg, roots: paths, arrays: map[string]*Array{}, archives: map[string]listing{}}, nil
}

// ErrUnknown is the error for an id that no array has.
var ErrUnknown = errors.New("no array has this id")

// Array returns the array with that id.
func (s *Set) Array(id string) (*Array, error) {
	s.mu.Lock()
	a, ok := s.arrays[id]
	s.mu.Unlock()
	if !ok {
		return nil, ErrUnknown
	}
	return a, nil
}

// Tree lists what there is now. It reads folders, and archives that have changed.
func (s *Set) Tree() []*Node {
	nodes := []*Node{}
	for _, root := range s.roots {
		left := maxEntries
		info, err := os.Stat(root)
		if err == nil && info.IsDir() {
			var dir string
			if dir, err = filepath.EvalSymlinks(root); err == nil {
				nodes = append(nodes, s.folder(root, dir, dir, 0, &left))
				continue
			}
		}
		nodes = append(nodes, s.file(root, filepath.Base(root), ""))
	}
	return nodes
}

// folder lists the folder at path, which is, or is below, the folder root without symbolic links.
func (s *Set) folder(path, dir, root string, depth int, left *int) *Node {
	node := &Node{ID: idOf(path, ""), Name: filepath.Base(path), Kind: "folder"}
	entries, err := os.ReadDir(dir)
	if err != nil {
		node.Error = text(err)
	}
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if *left--; *left < 0 {
			node.Error = fmt.Sprintf("more than %d files: the rest is not shown", maxEntries)
			break
		}
		at := filepath.Join(path, name)
		real, err := inside(filepath.Join(dir, name), root)
		if err != nil {
			if isArray(name) || isArchive(name) {
				node.Children = append(node.Children, &Node{ID: idOf(at, ""), Name: name, Kind: "array", Error: text(err)})
			}
			continue
		}
		info, err := os.Stat(real)
		switch {
		case err != nil:
		case info.IsDir() && s.cfg.Recursive && e.Type()&fs.ModeSymlink == 0 && depth < maxDepth:
			if child := s.folder(at, real, root, depth+1, left); len(child.Children) > 0 || child.Error != "" {
				node.Children = append(node.Children, child)
			}
		case info.Mode().IsRegular() && (isArray(name) || isArchive(name)):
			node.Children = append(node.Children, s.file(at, name, root))
		}
	}
	return node
}

// errOutside is the error for a symbolic link that leads out of the folder that is shown.
var errOutside = errors.New("a link that leaves the folder is not followed")

// inside returns path without symbolic links if that is in the folder root.
func inside(path, root string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(root, real)
	if err != nil || !filepath.IsLocal(rel) {
		return "", errOutside
	}
	return real, nil
}

// file lists the file at path; root is the folder that it must be in, if there is one.
func (s *Set) file(path, name, root string) *Node {
	if !isArchive(name) {
		return &Node{ID: s.add(path, "", name, root).ID, Name: name, Kind: "array"}
	}
	node := &Node{ID: idOf(path, ""), Name: name, Kind: "archive"}
	members, err := s.members(path)
	if err != nil {
		node.Error = text(err)
	}
	for i, m := range members {
		if i == maxMembers {
			node.Error = fmt.Sprintf("%d members: the first %d are shown", len(members), maxMembers)
			break
		}
		node.Children = append(node.Children, &Node{ID: s.add(path, m, m, root).ID, Name: m, Kind: "array"})
	}
	return node
}

// members returns the names of the members of the archive at path.
func (s *Set) members(path string) ([]string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	l, ok := s.archives[path]
	s.mu.Unlock()
	if ok && l.size == info.Size() && l.changed.Equal(info.ModTime()) {
		return l.names, l.err
	}
	l = listing{size: info.Size(), changed: info.ModTime()}
	a, err := npz.Config{MaxMember: s.cfg.Inflate}.Open(path)
	if l.err = err; err == nil {
		l.names = a.Names()
		a.Close()
	}
	s.mu.Lock()
	s.archives[path] = l
	s.mu.Unlock()
	return l.names, l.err
}

// add returns the array of the file at path, or of a member of it.
func (s *Set) add(path, member, name, root string) *Array {
	id := idOf(path, member)
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.arrays[id]
	if !ok {
		a = &Array{ID: id, Name: name, Path: path, Member: member, root: root, set: s}
		s.arrays[id] = a
	}
	return a
}

// idOf returns the id of a file, or a member of one: the same in each run, so that the address of a
// view stays what it is.
func idOf(path, member string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	sum := sha256.Sum256([]byte(path + "\x00" + member))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

func isArray(name string) bool   { return strings.EqualFold(filepath.Ext(name), ".npy") }
func isArchive(name string) bool { return strings.EqualFold(filepath.Ext(name), ".npz") }

// text returns what an error says without the folders of its file.
func text(err error) string {
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		return pe.Err.Error()
	}
	return err.Error()
}

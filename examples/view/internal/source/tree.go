// Package source finds arrays in files, archives and folders, gives them ids, and follows changes of the files.
package source

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
)

// tooMany is the message for a listing without the rest.
var tooMany = fmt.Sprintf("more than %d files and members: the rest is not shown", maxEntries)

// Limits of a listing. If a limit is exceeded, the rest is omitted, and the listing says so.
const (
	maxEntries = 10_000  // files and members in one folder or archive of the command line
	maxScanned = 100_000 // names read from a folder before sorting
	maxDepth   = 16
	maxArrays  = 200_000 // arrays with ids, including arrays of removed files
)

// A Node is an entry of the listing: an array, an archive or a folder.
type Node struct {
	ID       string  `json:"id"`
	Name     string  `json:"name"`
	Kind     string  `json:"kind"` // array, archive or folder
	Error    string  `json:"error,omitempty"`
	Summary  string  `json:"summary,omitempty"`  // dtype and shape of an array
	Size     int64   `json:"size,omitempty"`     // bytes of a file, or of the elements of a member
	Modified int64   `json:"modified,omitempty"` // modification time of a file, in milliseconds since 1970
	Children []*Node `json:"children,omitempty"`
}

// stamp sets the size and the time of a file. info may be nil.
func (n *Node) stamp(info fs.FileInfo) {
	if info != nil {
		n.Size, n.Modified = info.Size(), info.ModTime().UnixMilli()
	}
}

// Config configures a Set.
type Config struct {
	Recursive bool  // list folders within folders
	Inflate   int64 // maximum memory for all inflated members of archives, in bytes
	Projected int64 // maximum size of all projections in temporary files, in bytes; 0 means 1 GiB

	// Context ends requests to web servers that open files. nil means context.Background().
	Context context.Context
}

// A Set holds the arrays that can be shown. Its methods are safe for concurrent use.
type Set struct {
	cfg   Config
	roots []root

	mu       sync.Mutex
	arrays   map[string]*Array  // by id
	archives map[string]listing // by path
	headers  map[string]header  // by path
	models   map[string]model   // by path
	open     []*generation      // most recently used last
	inflated int64              // bytes of inflated members

	projected   int64 // bytes of projections, including those being computed
	projections int   // number of these projections
}

// A root is a file, folder or URL from the command line. A file or folder has no arrays and no web.
type root struct {
	path     string
	name     string // in the listing: the last element of the path, or the path if several roots have this last element
	isFolder bool

	arrays  []*Array // the array at a URL, or the members of the archive there
	web     string   // id of the archive on a web server
	message string   // why some of its members are missing
}

func (r root) isRemote() bool { return r.arrays != nil || r.web != "" }

// A listing caches the members of an archive until the file changes.
type listing struct {
	info      fs.FileInfo
	names     []string
	summaries []string
	sizes     []int64 // bytes of the elements of each member
	err       error
}

// add adds a member. d and shape are not used if err is not nil.
func (l *listing) add(name string, d dtype.DType, shape []int, err error) {
	text, size := "", int64(0)
	if err == nil {
		text, size = summarize(d, shape), int64(d.ItemSize())
		for _, n := range shape {
			size *= int64(n)
		}
	}
	l.names, l.summaries, l.sizes = append(l.names, name), append(l.summaries, text), append(l.sizes, size)
}

// A header caches the dtype and shape of a file until the file changes.
type header struct {
	info    fs.FileInfo
	summary string
	err     error
}

// summarize formats a dtype and a shape.
func summarize(d dtype.DType, shape []int) string {
	text := d.String()
	if d.Kind() == dtype.KindStructured {
		text = fmt.Sprintf("%d fields", d.NumField())
	}
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	parts := make([]string, len(shape))
	for k, n := range shape {
		parts[k] = strconv.Itoa(n)
	}
	if len(shape) == 0 {
		return text
	}
	return text + " · " + strings.Join(parts, " × ")
}

// New returns a Set of the given files, archives, folders and URLs. It opens the URLs. Repeated paths are ignored.
func New(cfg Config, paths ...string) (*Set, error) {
	s := &Set{cfg: cfg, arrays: map[string]*Array{}, archives: map[string]listing{}, headers: map[string]header{},
		models: map[string]model{}}
	if s.cfg.Projected == 0 {
		s.cfg.Projected = maxProjected
	}
	if s.cfg.Context == nil {
		s.cfg.Context = context.Background()
	}
	for _, p := range paths {
		if IsURL(p) {
			if err := s.openRoot(p); err != nil {
				s.Close()
				return nil, err
			}
			continue
		}
		info, err := os.Stat(p)
		if err != nil {
			s.Close()
			return nil, err
		}
		if slices.ContainsFunc(s.roots, func(r root) bool { return !r.isRemote() && idOf(r.path, "") == idOf(p, "") }) {
			continue
		}
		// Record IsDir now, so that a file that later becomes a folder is not listed as one.
		s.roots = append(s.roots, root{path: p, name: lastElement(p), isFolder: info.IsDir()})
	}
	count := map[string]int{}
	for _, r := range s.roots {
		count[r.name]++
	}
	for i, r := range s.roots {
		if !r.isRemote() && count[r.name] > 1 {
			s.roots[i].name = filepath.Clean(r.path)
		}
	}
	return s, nil
}

// lastElement returns the last element of the absolute path.
func lastElement(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return filepath.Base(path)
}

// Close removes the temporary files of arrays on web servers and of projections. The arrays must not be used
// afterwards; requests that still run fail.
func (s *Set) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open = slices.DeleteFunc(s.open, func(g *generation) bool {
		temporary := g.far != nil || g.projected != ""
		if temporary {
			g.close()
		}
		return temporary
	})
}

// ErrUnknown is the error for an id that no array has.
var ErrUnknown = errors.New("no array has this id")

// Array returns the array with the given id.
func (s *Set) Array(id string) (*Array, error) {
	s.mu.Lock()
	a, ok := s.arrays[id]
	s.mu.Unlock()
	if !ok {
		return nil, ErrUnknown
	}
	return a, nil
}

// Tree returns the current listing. It reads all folders, and the files that have changed.
func (s *Set) Tree() []*Node {
	l := &lister{s: s, archives: map[string]listing{}, headers: map[string]header{}, models: map[string]model{}}
	nodes := []*Node{}
	for _, root := range s.roots {
		l.left = maxEntries
		if root.isRemote() {
			nodes = append(nodes, root.remoteNode())
			continue
		}
		if root.isFolder {
			nodes = append(nodes, l.folder(place{root.path, "."}, root.name, 0))
		} else {
			nodes = append(nodes, l.file(place{"", root.path}, root.name))
		}
	}
	s.mu.Lock()
	s.archives, s.headers, s.models = l.archives, l.headers, l.models // drops entries of removed files
	s.mu.Unlock()
	return nodes
}

// A lister creates a listing.
type lister struct {
	s        *Set
	left     int // number of entries that may still be added
	archives map[string]listing
	headers  map[string]header
	models   map[string]model
}

// countEntry counts one more entry of the listing. If this exceeds the limit, it sets node.Error and returns true.
func (l *lister) countEntry(node *Node) bool {
	if l.left--; l.left >= 0 {
		return false
	}
	node.Error = tooMany
	return true
}

// folder lists the folder at a place.
func (l *lister) folder(at place, name string, depth int) *Node {
	node := &Node{ID: idOf(at.path(), ""), Name: name, Kind: "folder"}
	entries, err := at.entries()
	if err != nil {
		node.Error = Text(err)
	}
	shards := l.shards(at, entries)
	for _, e := range entries {
		name := e.Name()
		if strings.HasPrefix(name, ".") || shards[name] {
			continue
		}
		if l.countEntry(node) {
			break
		}
		at, isFile := at.join(name), isArray(name) || isArchive(name) || isIndex(name)
		info, err := at.stat()
		switch {
		case err != nil && isFile:
			child := &Node{ID: idOf(at.path(), ""), Name: name, Kind: "array", Error: Text(err)}
			node.Children = append(node.Children, child)
		case err != nil:
		case info.IsDir() && l.s.cfg.Recursive && e.Type()&fs.ModeSymlink == 0 && depth < maxDepth:
			if child := l.folder(at, name, depth+1); len(child.Children) > 0 || child.Error != "" {
				node.Children = append(node.Children, child)
			}
		case info.Mode().IsRegular() && isFile:
			node.Children = append(node.Children, l.file(at, name))
		}
	}
	return node
}

// entries returns the entries of the folder at a place, sorted by name.
func (p place) entries() ([]fs.DirEntry, error) {
	f, err := p.open()
	if err != nil {
		return nil, err
	}
	defer f.Close()
	entries, err := f.ReadDir(maxScanned)
	if errors.Is(err, io.EOF) {
		err = nil // an empty folder
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// file lists the file at a place.
func (l *lister) file(at place, name string) *Node {
	if isIndex(name) {
		return l.sharded(at, name)
	}
	if !isArchive(name) {
		node := l.array(at, "", name)
		h := l.header(at)
		node.stamp(h.info)
		if h.err != nil && node.Error == "" {
			node.Error = Of(at.path(), h.err)
		} else {
			node.Summary = h.summary
		}
		return node
	}
	node := &Node{ID: idOf(at.path(), ""), Name: name, Kind: "archive"}
	members, err := l.members(at)
	node.stamp(members.info)
	if err != nil {
		node.Error = Of(at.path(), err)
	}
	for i, m := range members.names {
		if l.countEntry(node) {
			break
		}
		child := l.array(at, m, m)
		child.Summary, child.Size = members.summaries[i], members.sizes[i]
		node.Children = append(node.Children, child)
	}
	return node
}

// header returns the cached header of the file at a place, or reads it if the file has changed.
func (l *lister) header(at place) header {
	info, err := at.stat()
	if err != nil {
		return header{err: err}
	}
	path := at.path()
	l.s.mu.Lock()
	h, ok := l.s.headers[path]
	l.s.mu.Unlock()
	if !ok || !sameVersion(h.info, info) {
		h = readHeader(at)
	}
	l.headers[path] = h
	return h
}

func readHeader(at place) (h header) {
	f, err := at.open()
	if err != nil {
		return header{err: err}
	}
	if h.info, err = f.Stat(); err != nil {
		f.Close()
		return header{err: err}
	}
	if head, ok := objectHeader(f); ok {
		h.summary = summarize(head.DType, head.Shape)
		f.Close()
		return h
	}
	var a *array.File
	if a, h.err = (array.OpenConfig{File: f}).Open(at.path()); h.err == nil {
		h.summary = summarize(a.DType(), a.Shape())
		a.Close()
	}
	return h
}

// array returns the node of an array and registers the array under its id.
func (l *lister) array(at place, member, name string) *Node {
	path := at.path()
	node := &Node{ID: idOf(path, member), Name: name, Kind: "array"}
	s := l.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.arrays[node.ID]; ok {
		return node
	}
	if len(s.arrays) == maxArrays {
		node.Error = "too many files have come and gone: start npyview again"
		return node
	}
	s.arrays[node.ID] = &Array{ID: node.ID, Name: name, Path: path, Member: member, at: at, set: s}
	return node
}

// members returns the members of the archive at a place.
func (l *lister) members(at place) (listing, error) {
	f, err := at.open()
	if err != nil {
		return listing{}, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return listing{}, err
	}
	path := at.path()
	l.s.mu.Lock()
	m, ok := l.s.archives[path]
	l.s.mu.Unlock()
	if ok && sameVersion(m.info, info) {
		f.Close()
	} else {
		m = listing{info: info}
		if IsTensors(path) {
			m.readTensors(path, f)
			l.archives[path] = m
			return m, m.err
		}
		var a *npz.Archive
		if a, m.err = (npz.OpenConfig{File: f}).Open(path); m.err == nil {
			a.MaxMember = l.s.cfg.Inflate
			for _, name := range a.Names() {
				h, err := a.Header(name)
				m.add(name, h.DType, h.Shape, err)
			}
			a.Close()
		}
	}
	l.archives[path] = m
	return m, m.err
}

// readTensors lists the tensors of a file and closes it.
func (m *listing) readTensors(path string, file *os.File) {
	var f *safetensors.File
	if f, m.err = (safetensors.OpenConfig{File: file}).Open(path); m.err != nil {
		return
	}
	defer f.Close()
	for _, name := range f.Names() {
		t, err := f.Tensor(name)
		m.add(name, t.DType, t.Shape, err)
	}
}

// idOf returns the id of a file or member. The id is the same in every run, so that page addresses remain valid.
func idOf(path, member string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	return hash(path + "\x00" + member)
}

// idOfURL returns the id of an array on a web server, or of a member of an archive there.
func idOfURL(address, member string) string {
	if member != "" {
		address += "\x00" + member
	}
	return hash("\x00" + address)
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToLower(base32.StdEncoding.EncodeToString(sum[:10]))
}

func isArray(name string) bool { return strings.EqualFold(filepath.Ext(name), ".npy") }
func isArchive(name string) bool {
	return strings.EqualFold(filepath.Ext(name), ".npz") || IsTensors(name)
}

// IsTensors reports whether name has the extension .safetensors.
func IsTensors(name string) bool { return strings.EqualFold(filepath.Ext(name), ".safetensors") }

// Of returns the text of err without the path of the file, for use in a message that names the file itself.
func Of(path string, err error) string {
	text := strings.TrimPrefix(Text(err), path+": ")
	return strings.TrimPrefix(text, filepath.Base(path)+": ")
}

// Text returns the text of err without the folder of the file.
func Text(err error) string {
	if e, ok := errors.AsType[*array.FormatError](err); ok {
		short := *e
		short.Path = filepath.Base(e.Path)
		return short.Error()
	}
	if e, ok := errors.AsType[*objects.NameError](err); ok {
		short := *e
		short.Path = filepath.Base(e.Path)
		return short.Error()
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return e.Err.Error()
	}
	return err.Error()
}

package source

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/npz"
	"github.com/ndmap/ndmap/array/objects"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/examples/view/internal/temp"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// maxOpen is the maximum number of files that stay mapped without users.
const maxOpen = 64

// A generation is the array of an opened file. It is closed when it has no users, and either has been dropped or must
// make room for other files.
type generation struct {
	set        *Set
	path       string
	info       fs.FileInfo // from before the file was read, so that later changes are detected
	file       *array.File
	archive    *npz.Archive
	tensors    *safetensors.File
	far        *far.File
	listed     bool           // the array is a member of an archive on a web server
	temp       *temp.File     // a projection
	objects    *objects.Array // not nil if the elements are Python objects
	plain      bool           // array has the elements of objects; without objects, plain is not used
	array      array.Array
	dataOffset int64
	order      index.Order
	inflated   int64 // bytes of memory for an inflated member or Python objects

	projected string // id of the projection; empty if the array is not computed
	size      int64  // bytes of the projection

	users   int  // guarded by set.mu, like the fields below
	dropped bool // the Array has switched to another generation
	closed  bool
}

// ErrBusy is wrapped by errors for arrays that cannot be opened because other arrays are in use. Retrying may succeed.
var ErrBusy = errors.New("the memory for inflated members is in use")

// load opens the file of a. The returned generation has one user, the caller.
func (s *Set) load(a *Array) (*generation, error) {
	g := &generation{set: s, path: a.Path, users: 1}
	if err := g.open(a); err != nil {
		return nil, err
	}
	s.mu.Lock()
	s.open = append(s.open, g)
	s.evict(maxOpen, s.cfg.Inflate)
	s.mu.Unlock()
	return g, nil
}

// open opens the file of a.
func (g *generation) open(a *Array) error {
	if a.of != nil {
		return ErrUnknown // the projection has been removed
	}
	if a.url != "" {
		return g.openURL(a)
	}
	f, err := a.at.open()
	if err != nil {
		return err
	}
	switch g.info, err = f.Stat(); {
	case err != nil:
		f.Close()
		return err
	case a.Member == "" && !isArchive(a.Path):
		return g.openFile(f)
	case IsTensors(a.Path):
		return g.openTensor(f, a.Member)
	}
	return g.openMember(f, a.Member)
}

// openFile maps a .npy file. Like openMember and openTensor, it closes file on errors; otherwise the mapping closes it
// later.
func (g *generation) openFile(file *os.File) error {
	if _, ok := objectHeader(file); ok {
		defer file.Close()
		return g.readFile(file)
	}
	f, err := array.OpenConfig{File: file}.Open(g.path)
	if err != nil {
		return err
	}
	g.file, g.array, g.dataOffset, g.order = f, f.Array, f.DataOffset(), f.Order()
	g.advise()
	return nil
}

func (g *generation) openMember(file *os.File, name string) error {
	a, err := npz.OpenConfig{File: file}.Open(g.path)
	if err != nil {
		return err
	}
	a.MaxMember = g.set.cfg.Inflate
	g.archive = a
	err = g.readMember(name)
	if err != nil || g.objects != nil {
		a.Close()
	}
	return err
}

func (g *generation) openTensor(file *os.File, name string) error {
	f, err := safetensors.OpenConfig{File: file}.Open(g.path)
	if err != nil {
		return err
	}
	t, err := f.Tensor(name)
	if err == nil {
		g.array, err = f.Array(name)
	}
	if err != nil {
		f.Close()
		return err
	}
	g.tensors, g.dataOffset, g.order = f, t.Offset, index.C
	g.advise()
	return nil
}

func (g *generation) readMember(name string) error {
	m, err := g.archive.Member(name)
	if err != nil {
		return err
	}
	h, err := g.archive.Header(name)
	if err != nil {
		return err
	}
	if h.DType.HasObject() {
		return g.readObjectMember(m)
	}
	g.dataOffset, g.order = h.DataOffset, h.Order
	if m.Compressed {
		if most := g.set.cfg.Inflate; m.Size > most {
			return fmt.Errorf("%s: member %q needs %d bytes of memory when inflated, and the limit for all inflated members is %d; start npyview with -inflate %d", filepath.Base(g.path), name, m.Size, most, (m.Size-1)>>20+1)
		}
		if err := g.reserve(m.Size); err != nil {
			return fmt.Errorf("%s: member %q of %d bytes: %w", filepath.Base(g.path), name, m.Size, err)
		}
	}
	if g.array, err = g.archive.Array(name); err != nil {
		g.unreserve()
		return err
	}
	g.advise()
	return nil
}

// reserve reserves n bytes of the memory for inflated members. It closes arrays without users to make room.
func (g *generation) reserve(n int64) error {
	s := g.set
	s.mu.Lock()
	defer s.mu.Unlock()
	s.evict(maxOpen, s.cfg.Inflate-n)
	if s.inflated+n > s.cfg.Inflate {
		return ErrBusy
	}
	s.inflated += n
	g.inflated = n
	return nil
}

// unreserve gives back the memory of reserve.
func (g *generation) unreserve() {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	g.set.inflated -= g.inflated
	g.inflated = 0
}

// mapping returns the mapping of the elements, or nil if they are inflated or on a web server.
func (g *generation) mapping() *mmap.Map {
	switch {
	case g.inflated > 0 || g.far != nil:
		return nil
	case g.file != nil:
		return g.file.Map()
	case g.tensors != nil:
		return g.tensors.Map()
	case g.temp != nil:
		return g.temp.Map
	}
	return g.archive.Map()
}

// advise announces random access to the system. Tiles touch scattered pages, and readahead around each of them would
// read the whole file.
func (g *generation) advise() {
	if m := g.mapping(); m != nil {
		m.Advise(0, m.Len(), mmap.Random)
	}
}

// endOffset returns the position of the end of the array in the file, or 0 if the array is inflated.
func (g *generation) endOffset() int64 {
	if g.inflated > 0 {
		return 0
	}
	return g.dataOffset + int64(g.array.NBytes())
}

// acquire adds a user. It returns false if g is closed.
func (g *generation) acquire() bool {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	if g.closed {
		return false
	}
	g.users++
	if i := slices.Index(g.set.open, g); i >= 0 {
		g.set.open = append(slices.Delete(g.set.open, i, i+1), g)
	}
	return true
}

func (g *generation) release() {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	if g.users--; g.dropped {
		g.set.evict(maxOpen, g.set.cfg.Inflate)
	}
}

// drop marks g as unused by its Array, so that it is closed when its last user releases it.
func (g *generation) drop() {
	g.set.mu.Lock()
	defer g.set.mu.Unlock()
	g.dropped = true
	g.set.evict(maxOpen, g.set.cfg.Inflate)
}

// evict closes generations without users: first, all that were dropped; then the least recently used ones, until at
// most open generations are open and inflated members use at most inflated bytes. The arrays of URLs on the command
// line stay open, because their elements would have to be fetched again, and projections, because they would have to
// be computed again.
func (s *Set) evict(open int, inflated int64) {
	kept := s.open[:0]
	n := len(s.open)
	for _, g := range s.open {
		if g.users == 0 && (g.dropped || n > open && (g.far == nil || g.listed) && g.projected == "" || g.inflated > 0 &&
			s.inflated > inflated) {
			g.close()
			n--
		} else {
			kept = append(kept, g)
		}
	}
	clear(s.open[len(kept):])
	s.open = kept
}

// close closes the file or archive. The caller holds set.mu.
func (g *generation) close() {
	g.closed = true
	g.set.inflated -= g.inflated
	switch {
	case g.projected != "":
		g.set.projected -= g.size
		g.set.projections--
		if g.temp != nil {
			g.temp.Close()
		}
	case g.objects != nil: // the file has been closed
	case g.file != nil:
		g.file.Close()
	case g.far != nil:
		g.far.Close()
	case g.tensors != nil:
		g.tensors.Close()
	default:
		g.archive.Close()
	}
}

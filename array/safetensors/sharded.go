package safetensors

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/stable"
	"github.com/ndmap/ndmap/internal/tensors"
	"github.com/ndmap/ndmap/mmap"
)

// A Sharded is a model whose tensors are divided among several .safetensors files, its shards. Its arrays are valid
// until Close. Several goroutines may call its methods at the same time, except Close.
type Sharded struct {
	path   string
	shards []*File // sorted by path
	names  []string
	of     map[string]*File // the shard of each tensor
	closed bool
}

var (
	_ array.Collection = (*File)(nil)
	_ array.Collection = (*Sharded)(nil)
)

// OpenSharded maps the shards of the model whose index is the file at path. An index is a JSON file next to the shards,
// such as model.safetensors.index.json of Hugging Face. [Open] describes the modes.
//
// OpenSharded maps each shard once and reads all headers. It does not read the data. It returns an error if
//
//   - the index is malformed or has duplicate keys: an *[array.FormatError]
//   - the name of a shard is not the name of a file in the folder of the index. That file may be a symbolic link to any
//     file, as in the cache of Hugging Face.
//   - a shard does not exist: the error wraps [fs.ErrNotExist]
//   - a shard is malformed: the error of Open
//   - a tensor is not in the shard that the index gives
//
// Tensors of a shard that the index does not list are ignored, as are unknown keys of the index.
func OpenSharded(path string, mode mmap.Mode) (*Sharded, error) {
	return OpenConfig{Mode: mode}.OpenSharded(path)
}

// OpenSharded is like the function [OpenSharded], configured by cfg. Lock locks all shards. File must be nil.
func (cfg OpenConfig) OpenSharded(path string) (*Sharded, error) {
	if cfg.File != nil {
		cfg.File.Close()
		return nil, &fs.PathError{Op: "OpenSharded", Path: path,
			Err: fmt.Errorf("%w: a model in shards is not a single File", fs.ErrInvalid)}
	}
	entries, err := readIndex(path)
	if err != nil {
		return nil, err
	}
	s := &Sharded{path: path, of: make(map[string]*File, len(entries))}
	files, err := s.open(cfg, entries)
	if err == nil {
		err = s.setTensors(entries, files)
	}
	if err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// readIndex reads the index at path.
func readIndex(path string) (entries []tensors.Entry, err error) {
	m, err := mmap.Open(path, mmap.ReadOnly)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	err = mmap.Guard(func() (err error) {
		b := m.Bytes()
		if len(b) > tensors.MaxIndex {
			return &tensors.Error{Part: "index", Msg: fmt.Sprintf("the file has %d bytes, more than the limit of %d", len(b),
				tensors.MaxIndex)}
		}
		entries, err = tensors.ParseIndex(string(b)) // a copy, because others may write the file
		return err
	})
	return entries, (&File{m: m}).formatError(err)
}

// open opens each shard of the entries once and returns the shards by name.
func (s *Sharded) open(cfg OpenConfig, entries []tensors.Entry) (map[string]*File, error) {
	first := map[string]tensors.Entry{} // the first entry of each shard
	for _, e := range entries {
		if _, ok := first[e.Shard]; !ok {
			first[e.Shard] = e
		}
	}
	files := make(map[string]*File, len(first))
	var missing []string
	var why error
	for _, shard := range slices.Sorted(maps.Keys(first)) {
		f, err := cfg.Open(filepath.Join(filepath.Dir(s.path), shard))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if missing = append(missing, shard); why == nil {
				why = err
			}
			continue
		case err != nil:
			return nil, fmt.Errorf("%s: shard %s of tensor %s: %w", s.path, tensors.Quote(shard),
				tensors.Quote(first[shard].Tensor), err)
		}
		s.shards, files[shard] = append(s.shards, f), f
	}
	if len(missing) > 0 {
		e := first[missing[0]]
		return nil, fmt.Errorf("%w: %w; copy all shards to the folder of the index",
			s.errorAt(e, "missing shard %s, of tensor %s", list(missing), tensors.Quote(e.Tensor)), why)
	}
	return files, nil
}

// setTensors sets the names and the shards of the tensors.
func (s *Sharded) setTensors(entries []tensors.Entry, files map[string]*File) error {
	var missing []string
	var first tensors.Entry
	for _, e := range entries {
		f := files[e.Shard]
		if _, ok := f.index[e.Tensor]; !ok {
			if len(missing) == 0 {
				first = e
			}
			if e.Shard == first.Shard {
				missing = append(missing, e.Tensor)
			}
			continue
		}
		s.of[e.Tensor] = f
	}
	if len(missing) > 0 {
		return s.missing(first, missing)
	}
	for _, f := range s.shards {
		for _, t := range f.header.Tensors {
			if s.of[t.Name] == f {
				s.names = append(s.names, t.Name)
			}
		}
	}
	return nil
}

// missing returns the error for the named tensors, which are not in the shard of e, the entry of the first of them.
func (s *Sharded) missing(e tensors.Entry, names []string) error {
	for _, f := range s.shards {
		if _, ok := f.index[e.Tensor]; ok {
			return s.errorAt(e, "tensor %s is in shard %s, and the index says %s", tensors.Quote(e.Tensor),
				tensors.Quote(filepath.Base(f.Path())), tensors.Quote(e.Shard))
		}
	}
	return s.errorAt(e, "shard %s has no tensor %s; the index and the shard are of different models",
		tensors.Quote(e.Shard),
		list(names))
}

// errorAt returns an error about the entry e of the index.
func (s *Sharded) errorAt(e tensors.Entry, format string, args ...any) error {
	return &array.FormatError{Path: s.path, Part: "index", Offset: e.At, Msg: fmt.Sprintf(format, args...)}
}

// list returns the first four names, quoted, and the number of the remaining names.
func list(names []string) string {
	const limit = 4
	var quoted []string
	for _, name := range names[:min(len(names), limit)] {
		quoted = append(quoted, tensors.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if more := len(names) - limit; more > 0 {
		text += " and " + strconv.Itoa(more) + " more"
	}
	return text
}

// Path returns the name of the index as passed to OpenSharded.
func (s *Sharded) Path() string { return s.path }

// Names returns the names of the tensors in a new slice: shard by shard, sorted by the names of the shards, and in each
// shard in the order of the data.
func (s *Sharded) Names() []string { return slices.Clone(s.names) }

// Shards returns the shards in a new slice, sorted by their names. They belong to s: do not close them.
func (s *Sharded) Shards() []*File { return slices.Clone(s.shards) }

// Shard returns the shard that contains the named tensor. It belongs to s: do not close it. If no such tensor exists,
// the error wraps [fs.ErrNotExist].
func (s *Sharded) Shard(name string) (*File, error) {
	f, ok := s.of[name]
	if !ok {
		return nil, fmt.Errorf("%s: no such tensor: %s: %w", s.path, tensors.Quote(name), fs.ErrNotExist)
	}
	return f, nil
}

// Tensor returns the description of a tensor, like [File.Tensor]. The offset is a position in its shard.
func (s *Sharded) Tensor(name string) (Tensor, error) {
	f, err := s.Shard(name)
	if err != nil {
		return Tensor{}, err
	}
	return f.Tensor(name)
}

// Array returns a tensor as an array that uses the memory of its shard, like [File.Array].
func (s *Sharded) Array(name string) (array.Array, error) {
	f, err := s.Shard(name)
	if err != nil {
		return array.Array{}, err
	}
	return f.Array(name)
}

// Metadata returns, in a new map, the metadata that all shards have in common, or nil if there is none.
func (s *Sharded) Metadata() map[string]string {
	var common map[string]string
	for i, f := range s.shards {
		if i == 0 {
			common = f.Metadata()
		}
		maps.DeleteFunc(common, func(key, value string) bool {
			other, ok := f.header.Metadata[key]
			return !ok || other != value
		})
	}
	return common
}

// Maps returns the mappings of the shards in a new slice, in the order of [Sharded.Shards]. They belong to s: do not
// close them.
func (s *Sharded) Maps() []*mmap.Map {
	var all []*mmap.Map
	for _, f := range s.shards {
		all = append(all, f.m)
	}
	return all
}

// Sync writes all edits made so far to the arrays to stable storage.
func (s *Sharded) Sync() error {
	var errs []error
	for _, f := range s.shards {
		errs = append(errs, f.Sync())
	}
	return errors.Join(errs...)
}

// Close closes all shards, like [File.Close]. A second Close returns an error that wraps [fs.ErrClosed].
func (s *Sharded) Close() error {
	if s.closed {
		return &fs.PathError{Op: "close", Path: s.path, Err: fs.ErrClosed}
	}
	s.closed = true
	var errs []error
	for _, f := range s.shards {
		errs = append(errs, f.Close())
	}
	return errors.Join(errs...)
}

// unchanged returns the first error of [mmap.Map.Unchanged] for a shard.
func (s *Sharded) unchanged() error {
	for _, f := range s.shards {
		if err := f.m.Unchanged(); err != nil {
			return err
		}
	}
	return nil
}

// UseSharded opens the model whose index is the file at path for reading, calls do with it, and closes it, like [Use]
// for a single file. It returns an error if do hits a page fault, or if a shard was truncated, written to or replaced
// before do returned. After an error, discard the results of do.
func UseSharded(path string, do func(s *Sharded) error) error {
	s, err := stable.Settled(func() (*Sharded, error) { return OpenSharded(path, mmap.ReadOnly) },
		func(s *Sharded) bool { return errors.Is(s.unchanged(), mmap.ErrChanged) })
	if err != nil {
		return err
	}
	defer s.Close()
	if err := mmap.Guard(func() error { return do(s) }); err != nil {
		return err
	}
	return s.unchanged()
}

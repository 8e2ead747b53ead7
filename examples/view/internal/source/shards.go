package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/tensors"
)

// A model caches the names of the tensors of a model in shards until its index changes. An index is a file such as
// model.safetensors.index.json.
type model struct {
	info   fs.FileInfo
	shards map[string]map[string]bool // names of the tensors of each shard, by the name of its file
	err    error
}

// isIndex reports whether name is the name of an index of shards.
func isIndex(name string) bool {
	return strings.HasSuffix(strings.ToLower(name), ".safetensors.index.json")
}

// sibling returns the place of the file called name in the folder of p.
func (p place) sibling(name string) place {
	return place{p.folder, filepath.Join(filepath.Dir(p.name), name)}
}

// model returns the cached model with the index at a place, or reads it if the index has changed.
func (l *lister) model(at place) model {
	info, err := at.stat()
	if err != nil {
		return model{err: err}
	}
	path := at.path()
	l.s.mu.Lock()
	m, ok := l.s.models[path]
	l.s.mu.Unlock()
	if !ok || !sameVersion(m.info, info) {
		m = readModel(at)
	}
	l.models[path] = m
	return m
}

func readModel(at place) (m model) {
	f, err := at.open()
	if err != nil {
		return model{err: err}
	}
	defer f.Close()
	if m.info, m.err = f.Stat(); m.err != nil {
		return m
	}
	if m.info.Size() > tensors.MaxIndex {
		m.err = fmt.Errorf("the index has %d bytes, more than the limit of %d", m.info.Size(), tensors.MaxIndex)
		return m
	}
	text, err := io.ReadAll(io.LimitReader(f, tensors.MaxIndex))
	if err != nil {
		m.err = err
		return m
	}
	entries, err := tensors.ParseIndex(string(text))
	if e, ok := errors.AsType[*tensors.Error](err); ok {
		err = &array.FormatError{Path: at.path(), Part: e.Part, Offset: e.Offset, Msg: e.Msg}
	}
	m.err, m.shards = err, map[string]map[string]bool{}
	for _, e := range entries {
		if m.shards[e.Shard] == nil {
			m.shards[e.Shard] = map[string]bool{}
		}
		m.shards[e.Shard][e.Tensor] = true
	}
	return m
}

// shards returns the names of all shards of the models with an index in a folder. The folder does not list them,
// because the models do.
func (l *lister) shards(folder place, entries []fs.DirEntry) map[string]bool {
	all := map[string]bool{}
	for _, e := range entries {
		if !isIndex(e.Name()) || strings.HasPrefix(e.Name(), ".") {
			continue
		}
		for shard := range l.model(folder.join(e.Name())).shards {
			all[shard] = true
		}
	}
	return all
}

// sharded lists the model with the index at a place: the tensors of all shards.
func (l *lister) sharded(at place, name string) *Node {
	node := &Node{ID: idOf(at.path(), ""), Name: name, Kind: "archive"}
	m := l.model(at)
	node.stamp(m.info)
	node.Size = 0
	if m.err != nil {
		node.Error = Of(at.path(), m.err)
		return node
	}
	for _, shard := range slices.Sorted(maps.Keys(m.shards)) {
		at, wanted := at.sibling(shard), m.shards[shard]
		members, err := l.members(at)
		if err != nil {
			if node.Error == "" {
				node.Error = fmt.Sprintf("shard %s: %s", shard, Of(at.path(), err))
			}
			continue
		}
		node.Size += members.info.Size()
		missing := len(wanted)
		for i, tensor := range members.names {
			if !wanted[tensor] {
				continue
			}
			if l.countEntry(node) {
				return node
			}
			missing--
			child := l.array(at, tensor, tensor)
			child.Summary, child.Size = members.summaries[i], members.sizes[i]
			node.Children = append(node.Children, child)
		}
		if missing > 0 && node.Error == "" {
			node.Error = fmt.Sprintf("shard %s lacks %d of the tensors that the index says it has", shard, missing)
		}
	}
	return node
}

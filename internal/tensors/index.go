package tensors

import (
	"path/filepath"
	"strings"

	"github.com/ndmap/ndmap/internal/filekind"
)

// MaxIndex is the maximum number of bytes of an index.
const MaxIndex = MaxHeader

// An Entry names the shard that contains a tensor.
type Entry struct {
	Tensor, Shard string
	At            int64 // position of the tensor's name in the file
}

// ParseIndex parses the text of an index, which lists the tensors of a model that are divided among several files, its
// shards. It is the content of a file such as model.safetensors.index.json. ParseIndex returns the entries in the order
// of the text, takes memory proportional to the length of the text, and ignores the other keys. Programs write
// total_size in different ways, so it is ignored, too.
func ParseIndex(text string) ([]Entry, error) {
	if err := otherKind(text); err != nil {
		return nil, err
	}
	p, err := newParser(text, "index", 0)
	if err != nil {
		return nil, err
	}
	var entries []Entry
	sawMap := false
	err = p.uniqueObject("weight_map and metadata", func(key string, _ int) error {
		if key != "weight_map" {
			return p.skip(1)
		}
		sawMap = true
		return p.weightMap(&entries)
	})
	if err != nil {
		return nil, err
	}
	if p.skipSpace(); p.i < len(p.s) {
		return nil, p.errorf(p.i, "%s after the JSON object; want the end", p.nextChar())
	}
	if !sawMap {
		return nil, p.errorf(0, "no weight_map, which gives the shard of each tensor")
	}
	return entries, nil
}

// otherKind returns an error if text is not a JSON object but the content of a file of another kind.
func otherKind(text string) error {
	if strings.HasPrefix(strings.TrimLeft(text, " \n\t\r"), "{") {
		return nil
	}
	head := []byte(text[:min(len(text), filekind.HeadLen)])
	msg := filekind.Describe(head, filekind.Index)
	if _, err := headerLength(head, int64(len(text))); err == nil {
		msg = "a " + filekind.Safetensors + ", not a " + filekind.Index + "; use safetensors.Open"
	}
	if msg == "" {
		return nil
	}
	return &Error{Msg: msg}
}

// weightMap reads an object whose keys are the names of tensors, and whose values are the names of shards.
func (p *parser) weightMap(entries *[]Entry) error {
	return p.uniqueObject("tensors and their shards", func(name string, at int) error {
		p.skipSpace()
		valueAt := p.i
		shard, err := p.text("the name of a shard")
		if err == nil && !isFileName(shard) {
			err = p.errorf(valueAt, "tensor %s: the shard %s is not the name of a file in the folder of the index", Quote(name),
				Quote(shard))
		}
		*entries = append(*entries, Entry{name, shard, p.start + int64(at)})
		return err
	})
}

// isFileName reports whether name, joined to the path of a folder, is the path of an entry of that folder on every
// system. On Windows, the names of devices and drives are not.
func isFileName(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, "/\\:\x00")
}

package tensors

import (
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/internal/filekind"
)

// MaxIndex is the maximum number of bytes of an index.
const MaxIndex = MaxHeader

// An Index lists the tensors of a model that are divided among several files, its shards. It is the content of a file
// such as model.safetensors.index.json.
type Index struct {
	Entries []Entry // in the order of the text

	Size   int64 // number of bytes of all tensors, or -1 if the index does not record it
	SizeAt int64 // position of Size in the file
}

// An Entry names the shard that contains a tensor.
type Entry struct {
	Tensor, Shard string
	At            int64 // position of the tensor's name in the file
}

// ParseIndex parses the text of an index. The memory that it takes is proportional to the length of the text. It
// ignores keys that it does not know.
func ParseIndex(text string) (Index, error) {
	if err := otherKind(text); err != nil {
		return Index{}, err
	}
	p, err := newParser(text, "index", 0)
	if err != nil {
		return Index{}, err
	}
	x, sawMap := Index{Size: -1}, false
	err = p.uniqueObject("weight_map and metadata", func(key string, _ int) error {
		switch key {
		case "weight_map":
			sawMap = true
			return p.weightMap(&x)
		case "metadata":
			return p.indexMetadata(&x)
		}
		return p.skip(1)
	})
	if err != nil {
		return Index{}, err
	}
	if p.skipSpace(); p.i < len(p.s) {
		return Index{}, p.errorf(p.i, "%s after the JSON object; want the end", p.nextChar())
	}
	if !sawMap {
		return Index{}, p.errorf(0, "no weight_map, which gives the shard of each tensor")
	}
	return x, nil
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
func (p *parser) weightMap(x *Index) error {
	return p.uniqueObject("tensors and their shards", func(name string, at int) error {
		p.skipSpace()
		valueAt := p.i
		shard, err := p.text("the name of a shard")
		if err == nil && !isFileName(shard) {
			err = p.errorf(valueAt, "tensor %s: the shard %s is not the name of a file in the folder of the index", Quote(name),
				Quote(shard))
		}
		x.Entries = append(x.Entries, Entry{name, shard, p.start + int64(at)})
		return err
	})
}

// isFileName reports whether name, joined to the path of a folder, is the path of an entry of that folder on every
// system. On Windows, the names of devices and drives are not.
func isFileName(name string) bool {
	return filepath.IsLocal(name) && name != "." && !strings.ContainsAny(name, "/\\:\x00")
}

// indexMetadata reads the metadata of an index. It keeps the total size of the tensors.
func (p *parser) indexMetadata(x *Index) error {
	if p.acceptWord("null") {
		return nil
	}
	return p.uniqueObject("values", func(key string, at int) error {
		if key != "total_size" {
			return p.skip(2)
		}
		if p.acceptWord("null") {
			return nil
		}
		text, err := p.number("a number of bytes")
		if err != nil {
			return err
		}
		x.SizeAt = p.start + int64(at)
		if x.Size, err = strconv.ParseInt(text, 10, 64); err != nil { // some programs write a float: 1.5e9
			f, _ := strconv.ParseFloat(text, 64)
			if x.Size = -1; f == math.Trunc(f) && f < math.MaxInt64 {
				x.Size = int64(f)
			}
		}
		if x.Size < 0 {
			return p.errorf(at, "total_size is %s; want a number of bytes", clip(text))
		}
		return nil
	})
}

// clip shortens the text of a number for messages.
func clip(number string) string {
	if len(number) > 30 {
		return number[:30] + "…"
	}
	return number
}

// Package tensors reads and writes the headers of .safetensors files, as described at
// https://github.com/huggingface/safetensors. A file consists of the length of a JSON object in 8 bytes, little-endian,
// the object, which lists the tensors, and the data of the tensors. The package also reads the indexes of models whose
// tensors are divided among several files.
package tensors

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/filekind"
	"github.com/ndmap/ndmap/internal/pylit"
)

const (
	PrefixLen = 8           // bytes before the JSON object
	MaxHeader = 100_000_000 // maximum bytes of the object, including spaces at its end

	metadataKey = "__metadata__"
)

// A Tensor describes a tensor in a header.
type Tensor struct {
	Name       string
	Code       string // code of the dtype: "F32"
	Shape      []int
	Start, End int64 // range of the data, relative to the end of the header
}

// A Header describes the data of a file.
type Header struct {
	Tensors  []Tensor // in the order of their data
	Metadata map[string]string
}

// An Error describes a file that violates the format, and the position of the problem.
type Error struct {
	Part   string // "header" or "index"; "" for a file of another kind
	Offset int64
	Msg    string
}

func (e *Error) Error() string {
	if e.Part == "" {
		return e.Msg
	}
	return e.Part + " at byte " + strconv.FormatInt(e.Offset, 10) + ": " + e.Msg
}

func errorf(at int64, format string, args ...any) error {
	return &Error{"header", at, fmt.Sprintf(format, args...)}
}

// Quote quotes a name for messages and shortens it.
func Quote(name string) string {
	if len(name) > 60 {
		name = strings.ToValidUTF8(name[:60], "") + "…"
	}
	return strconv.Quote(name)
}

// Len returns the number of bytes of the header after the prefix, in a file of size bytes. head is the start of the
// file: [filekind.HeadLen] bytes or all of it. If the file is of another kind, the error names that kind.
func Len(head []byte, size int64) (int, error) {
	n, err := headerLength(head, size)
	if begins := len(head) > PrefixLen && head[PrefixLen] == '{'; err != nil && !begins {
		if msg := filekind.Describe(head, filekind.Safetensors); msg != "" {
			err = &Error{Msg: msg}
		}
	}
	return n, err
}

func headerLength(head []byte, size int64) (int, error) {
	if len(head) < PrefixLen {
		return 0, errorf(int64(len(head)), "the file ends inside the length of the header")
	}
	n := binary.LittleEndian.Uint64(head)
	switch {
	case n > MaxHeader:
		return 0, errorf(0, "the header length is %d bytes, more than the limit of %d", n, MaxHeader)
	case int64(n) > size-PrefixLen:
		return 0, errorf(0, "the header length is %d bytes, but the file has only %d bytes after the length", n,
			size-PrefixLen)
	case n < 2:
		return 0, errorf(0, "the header length is %d bytes; a JSON object has at least 2", n)
	case len(head) > PrefixLen && head[PrefixLen] != '{':
		return 0, notObjectError(string(head[PrefixLen:min(len(head), PrefixLen+int(n))]))
	}
	return int(n), nil
}

// notObjectError returns the error for a header that does not start with '{'.
func notObjectError(text string) error {
	return errorf(PrefixLen, "the header is not a JSON object: it starts with %s", Quote(text[:min(len(text), 8)]))
}

// Parse parses the text of a header that is followed by size bytes of data. The memory that it takes is proportional to
// the length of the text.
func Parse(text string, size int64) (Header, error) {
	if text == "" || text[0] != '{' {
		return Header{}, notObjectError(text)
	}
	p, err := newParser(text, "header", PrefixLen)
	if err != nil {
		return Header{}, err
	}
	var h Header
	var all []foundTensor
	names, sawMetadata := map[string]bool{}, false
	err = p.object("tensors", func(name string, at int) error {
		if name == metadataKey {
			if sawMetadata {
				return p.errorf(at, "duplicate key %q", name)
			}
			sawMetadata = true
			return p.metadata(&h)
		}
		if names[name] {
			return p.errorf(at, "duplicate tensor name %s", Quote(name))
		}
		names[name] = true
		t, err := p.tensor(name, at)
		all = append(all, foundTensor{t, at})
		return err
	})
	if err != nil {
		return Header{}, err
	}
	if p.skipSpace(); p.i < len(p.s) {
		return Header{}, p.errorf(p.i, "%s after the JSON object; want spaces", p.nextChar())
	}
	slices.SortStableFunc(all, func(a, b foundTensor) int {
		return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
	})
	end, before := int64(0), ""
	h.Tensors = make([]Tensor, 0, len(all))
	for _, t := range all {
		switch {
		case t.Start < end:
			return Header{}, p.errorf(t.at,
				"the data of tensor %s starts at byte %d, before byte %d, where the data of tensor %s ends",
				Quote(t.Name), t.Start, end, Quote(before))
		case t.Start > end:
			return Header{}, p.errorf(t.at, "the data of tensor %s starts at byte %d; bytes %d to %d belong to no tensor",
				Quote(t.Name), t.Start, end, t.Start)
		case t.End > size:
			return Header{}, p.errorf(t.at, "the data of tensor %s ends at byte %d, and the file has %d bytes of data: "+
				"it was truncated, or never written to its end", Quote(t.Name), t.End, size)
		}
		end, before = t.End, t.Name
		h.Tensors = append(h.Tensors, t.Tensor)
	}
	if end < size {
		return Header{}, errorf(int64(PrefixLen+len(text))+end, "%d bytes follow the data of the last tensor", size-end)
	}
	return h, nil
}

// A foundTensor is a tensor and the position of its name in the text.
type foundTensor struct {
	Tensor
	at int
}

// metadata reads the metadata, an object whose values are strings.
func (p *parser) metadata(h *Header) error {
	if p.acceptWord("null") { // the reference implementation writes this for empty metadata
		return nil
	}
	h.Metadata = map[string]string{}
	return p.object("texts", func(key string, at int) error {
		if _, ok := h.Metadata[key]; ok {
			return p.errorf(at, "duplicate key %s in the metadata", Quote(key))
		}
		value, err := p.text("a text")
		h.Metadata[key] = value
		return err
	})
}

// tensor reads the description of the tensor whose name is at byte at of the text.
func (p *parser) tensor(name string, at int) (t Tensor, err error) {
	t.Name = name
	var has [3]bool
	keys := [...]string{"dtype", "shape", "data_offsets"}
	err = p.object("dtype, shape and data_offsets", func(key string, at int) error {
		k := slices.Index(keys[:], key)
		switch {
		case k < 0:
			return p.errorf(at, "tensor %s has the key %s; want dtype, shape and data_offsets", Quote(name), Quote(key))
		case has[k]:
			return p.errorf(at, "tensor %s: duplicate key %q", Quote(name), key)
		}
		has[k] = true
		var err error
		switch key {
		case "dtype":
			t.Code, err = p.text("a dtype")
			if err == nil && bitsOf[t.Code] == 0 {
				err = p.errorf(at, "tensor %s has the unknown dtype %s", Quote(name), Quote(t.Code))
			}
		case "shape":
			t.Shape = []int{}
			err = p.list(func(n int64, at int) error {
				switch {
				case len(t.Shape) == index.MaxDims:
					return p.errorf(at, "tensor %s has more than %d dimensions", Quote(name), index.MaxDims)
				case n > math.MaxInt:
					return p.errorf(at, "dimension %d of tensor %s overflows int", n, Quote(name))
				}
				t.Shape = append(t.Shape, int(n))
				return nil
			})
		default:
			var offsets []int64
			err = p.list(func(n int64, at int) error {
				if len(offsets) == 2 {
					return p.errorf(at, "tensor %s has more than two data_offsets", Quote(name))
				}
				offsets = append(offsets, n)
				return nil
			})
			if err == nil && len(offsets) < 2 {
				err = p.errorf(at, "tensor %s has %d data_offsets; want two", Quote(name), len(offsets))
			}
			if err == nil {
				t.Start, t.End = offsets[0], offsets[1]
			}
		}
		return err
	})
	if err != nil {
		return t, err
	}
	for k, ok := range has {
		if !ok {
			return t, p.errorf(at, "tensor %s has no %s", Quote(name), keys[k])
		}
	}
	n, ok := Bytes(t.Code, t.Shape)
	switch {
	case !ok:
		err = p.errorf(at, "tensor %s: shape %s of %s overflows, or is not a whole number of bytes",
			Quote(name), pylit.AppendTuple(nil, t.Shape), t.Code)
	case t.End < t.Start:
		err = p.errorf(at, "the data of tensor %s ends at byte %d, before byte %d, where it starts", Quote(name), t.End,
			t.Start)
	case t.End-t.Start != n:
		err = p.errorf(at, "tensor %s: shape %s of %s takes %d bytes, and data_offsets are %d apart",
			Quote(name), pylit.AppendTuple(nil, t.Shape), t.Code, n, t.End-t.Start)
	}
	return t, err
}

// Bytes returns the number of bytes of the elements of a tensor. ok is false if the elements are not a whole number of
// bytes, or if their number of bits, computed without the dimensions of length 0, overflows an int64.
func Bytes(code string, shape []int) (n int64, ok bool) {
	total, empty := uint64(bitsOf[code]), false
	for _, length := range shape {
		if length == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(total, uint64(length))
		if hi != 0 || lo > math.MaxInt64 {
			return 0, false
		}
		total = lo
	}
	switch {
	case empty:
		return 0, true
	case total%8 != 0:
		return 0, false
	}
	return int64(total / 8), true
}

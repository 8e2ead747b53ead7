package safetensors

import (
	"fmt"
	"io/fs"
	"strings"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/readat"
	"github.com/ndmap/ndmap/internal/tensors"
)

// Remote returns a tensor for reading selections of it: see [array.Remote]. It requests nothing. In a file of
// [NewReader], a ReadAtContext method of the reader is used, and the Remote is valid as long as the reader. In a mapped
// file, a Remote reads the current elements of the mapping, until Close.
//
// Offsets are from the start of the file, and errors name the tensor like model.safetensors:weight. Remote returns the
// errors of [File.Array].
func (f *File) Remote(name string) (*array.Remote, error) {
	t, d, err := f.findWhole(name)
	if err != nil {
		return nil, err
	}
	r, b := f.r, f.bytes
	if f.m != nil {
		b = f.m.Bytes()
	}
	switch {
	case f.closed || f.m != nil && b == nil:
		return nil, fmt.Errorf("%sRemote: %w", f.prefix(), fs.ErrClosed)
	case r == nil:
		r = readat.New(readat.Memory(b), int64(len(b)))
	}
	quoted := tensors.Quote(name)
	r = r.WithName(strings.TrimSuffix(f.prefix(), " ") + quoted[1:len(quoted)-1])
	return array.OpenRawReaderAt(r, f.start+t.End, f.start+t.Start, d, index.C, t.Shape...)
}

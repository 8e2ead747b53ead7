// Package refs writes references to the bytes of arrays in files. The references are kerchunk's JSON (version 1) with
// Zarr v2 metadata, by which fsspec, zarr, xarray and Dask read the arrays in place.
//
// A set of references is a Zarr group with an array named data. Zarr v2 reads only whole chunks. If the last elements
// along an axis do not fill a chunk and are too many to copy, they form a second array named tail.
package refs

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// MaxCopied is the maximum number of bytes, including padding, that are copied into the references.
const MaxCopied = 1 << 20

// A Source is an array in a file, with its elements stored contiguously.
type Source struct {
	Name   string // name used in errors
	URL    string // absolute path or URL of the file
	Offset int64  // byte offset of the first element in the file
	DType  dtype.DType
	Order  index.Order // C or F
	Shape  []int

	// Open returns the elements, and a function to call when they are no longer needed. Write calls Open only for sources
	// from which it copies elements.
	Open func() (a array.Array, done func(), err error)
}

// A Join is a way to join arrays.
type Join uint8

const (
	Single Join = iota // a single array
	Stack              // along a new axis, like numpy.stack
	Concat             // along an existing axis, like numpy.concatenate
)

// A Config holds the options for references.
type Config struct {
	Join  Join
	Axis  int // joined axis of the result; negative axes count from the end
	Chunk int // maximum number of bytes in a chunk, which has at least one element; must be positive
}

// An Array is one array of the group.
type Array struct {
	Name   string
	Shape  []int
	Chunks []int // shape of a chunk
	Axis   int   // axis along which tail continues data

	parts []part
	marks marks
}

// A Plan describes references to sources, which it retains.
type Plan struct {
	DType  dtype.DType
	Order  index.Order
	Data   Array
	Tail   *Array // nil if data holds all elements
	Refs   int    // number of chunks that stay in their files
	Copied int    // number of copied bytes, including padding

	// Unordered is set if fsspec 2022.11 would read chunks in the wrong order, and the URLs cannot be rewritten to avoid
	// that.
	Unordered bool

	joined  Join
	join    int // joined axis of the result
	sources []Source
	split   int // axis in memory order along which sources are split into chunks, see divide; -1 if they have no elements
}

// Arrays returns the arrays of the group.
func (p *Plan) Arrays() []*Array {
	if p.Tail == nil {
		return []*Array{&p.Data}
	}
	return []*Array{&p.Data, p.Tail}
}

// A part is a set of chunks of one source: count chunks along the split, at every index of the axes before the split.
type part struct {
	source *Source
	number int  // number of the source
	origin int  // number of the chunk along the joined axis, if that axis is not the split
	first  int  // number of the first chunk along the split
	start  int  // first element of that chunk along the split, in the source
	step   int  // elements of a chunk along the split
	count  int  // number of chunks along the split
	copied bool // elements are copied; otherwise they are referenced, and all chunks are full
}

// An Error reports why a source cannot be referenced.
type Error struct{ Name, Msg string }

func (e *Error) Error() string { return e.Name + ": " + e.Msg }

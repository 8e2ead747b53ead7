// Package refs writes references to the bytes of arrays that lie in files, in kerchunk's JSON form (version 1) with
// Zarr v2 metadata inside, by which fsspec, zarr, xarray and Dask read them in place.
//
// A set of references is a group of one array, data, and of a second one, tail, where the last elements along an axis
// fill no whole chunk and are too many to copy: Zarr v2 reads whole chunks only.
package refs

import (
	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// MaxCopied is how many bytes, padding included, are copied into the references at most.
const MaxCopied = 1 << 20

// A Source is an array as it lies in a file: all of its elements, one after the other.
type Source struct {
	Name   string // that errors give
	URL    string // of the file: an absolute path, or a URL
	Offset int64  // of the first element in the file, in bytes
	DType  dtype.DType
	Order  index.Order // C or F
	Shape  []int

	// Open returns the elements, and what to call when they are no longer used. Only those that are copied
	// are asked for.
	Open func() (a array.Array, done func(), err error)
}

// A Join says how several arrays become one.
type Join uint8

const (
	Single Join = iota // there is one
	Stack              // along a new axis: numpy.stack
	Concat             // along an axis that they have: numpy.concatenate
)

// A Config says what references to write.
type Config struct {
	Join  Join
	Axis  int // that they are joined along, in the result; a negative one counts from the end
	Chunk int // how many bytes a chunk has at most, but for one element; positive
}

// An Array is one of the group.
type Array struct {
	Name   string
	Shape  []int
	Chunks []int // the shape of a chunk
	Axis   int   // tail continues data along it

	parts []part
	marks marks
}

// A Plan is what references say, of sources that the plan keeps.
type Plan struct {
	DType  dtype.DType
	Order  index.Order
	Data   Array
	Tail   *Array // nil if data is all
	Refs   int    // chunks that stay in their files
	Copied int    // bytes that are copied, padding included

	// Unordered says that fsspec 2022.11 would read chunks in the wrong order, and that the URLs have no other spelling.
	Unordered bool

	joined  Join
	join    int // the joined axis of the result
	sources []Source
	split   int // see divide; -1 if there are no elements
}

// Arrays returns the arrays of the group.
func (p *Plan) Arrays() []*Array {
	if p.Tail == nil {
		return []*Array{&p.Data}
	}
	return []*Array{&p.Data, p.Tail}
}

// A part of an array is chunks of one source: of those at all indices along the axes before the split, and along the
// split as many as count says.
type part struct {
	source *Source
	number int  // of the source
	origin int  // number of the chunk along the joined axis, if that is not the split
	first  int  // number of the first chunk along the split
	start  int  // its first element along the split, in the source
	step   int  // elements of a chunk along the split
	count  int  // chunks along the split
	copied bool // else they are referred to, and none is short
}

// An Error says why a source cannot be referred to.
type Error struct{ Name, Msg string }

func (e *Error) Error() string { return e.Name + ": " + e.Msg }

// Package array reads and edits NumPy arrays in place: in mapped .npy files, in anonymous memory, in Go slices and in
// memory from C.
//
//	f, err := array.Open("t.npy", array.ReadWrite)
//	if err != nil { … }
//	defer f.Close()
//	v, err := array.As[float64](f.Array)
//	if err != nil { … }
//	v.SetAt(v.At(3, 4)+1, 3, 4) // in the file
//	fmt.Println(v)              // as NumPy prints it
//
// # Tasks
//
// What is named here has an example, and the folders are programs. NUMPY.md has what NumPy programs say, line by line.
//
//   - read a file, which others may change: [Use], [UseAll]; examples/stats, examples/mean
//   - open a file and edit it: [Open], [As]; examples/edit
//   - make a file: [Create]; examples/sine, examples/huge; of a slice: [SaveSlice]
//   - write a file in another order or dtype: [Convert]; examples/convert
//   - have memory without a file: [New]; examples/anonymous
//   - read and write streams in parts: [Reader], [Reader.Skip], [NewWriter]
//   - open bytes, and files of an [fs.FS]: [OpenBytes], [OpenFS]
//   - have a slice, or another dtype: [View.Collect], [View.AppendTo], [Array.AsType]
//   - take a part of an array, as NumPy's slices: [View.Select]
//   - go through a file larger than memory: [View.Blocks], [Reduce]; examples/sum
//   - read files of any numbers: [Cast]; examples/sum
//   - records: [As], [Fields]; examples/records; text: [Text]; times: [As]; examples/dates
//   - append: [File.Append], [Appender]; follow: [File.Follow]; examples/follow
//   - .npz archives: package npz; examples/npz, examples/archive
//   - files without a header, or inside of others: [OpenRaw], [OpenAt]; examples/raw
//   - sums, means, extremes: [Sum], [Mean]; along axes, medians too: [Reduction]; examples/mean
//   - quantiles and histograms: [Quantile], [Histogram]
//   - work on all cores: [Reduce], [Map], [View.Split]; examples/parallel; on whole rows: [Rows]; examples/search
//   - normalise images, and read what has scale_factor and add_offset: [Scaled]
//   - see how far long work is, and call it off: [Config], [Reduction]; examples/convert
//   - find elements, and take rows at random: [View.Find], [View.Take]
//   - many files as one array: [Stack], [Join]; as a copy: [Concatenate]
//   - compare arrays: [Equal], [AllClose], [Comparison]
//   - parts along any axis, by indices or a mask: [Array.Take], [Array.Compress]
//   - serve a file that changes: [mmap.Guard]; examples/guard, examples/reload
//   - share memory with C: [FromPointer]; examples/cgo
//   - hand matrices to gonum: [Matrix.Raw]; examples/gonum
//
// # Memory
//
// An [Array] and a [View] are small values that point at the memory of a file or slice. To select, transpose, reshape
// or broadcast one copies no elements and allocates at most once. They, and the slices and fixed-rank views that are
// taken from them, keep memory of Go's alive, but no mapping: using them after [File.Close] of their file faults, which
// ends the program, or is an error under [mmap.Guard]. So it is when another process truncates the file, or its disk
// fails, in whatever reads or writes elements. Printing never faults: it prints the reason. See LIFETIME.md.
//
// # Errors and panics
//
// The contents of a file never make this package panic. An index out of range does, as with a slice, and so do
// writing through a read-only view, [View.Array] of a [Scaled] one, and use of a zero [Array] or [View]. Making a view
// that cannot be made is an error.
//
// The message of an error about a file begins with its path, "t.npy: header at byte 8: …": callers need not add it.
// Errors of the operating system are a [fs.PathError], which begins with the operation: "open t.npy: permission
// denied".
//
// Look at NDim first where a file may have any: Len(0), Index and Axis(0) panic for one of no dimensions, as for any
// axis that is not there, and [View.Find] for all but one dimension.
//
// Of no elements, [Sum] and [CountNonzero] are 0, [Mean] and [Var] NaN as in NumPy, and [Moments] the zero value.
// [Min], [Max], [MinMax], [ArgMin] and [ArgMax] panic as an index out of range does: how many elements a file has is
// the caller's to look at. [Quantile], and a [Reduction] where these panic, return an error.
//
// # Loops
//
// The compiler inlines the bodies of loops over [View.Values], [View.All], [View.Blocks] and [View.Update]. Elements
// that are Go values in memory are read when their turn comes. Others, and those that lie scattered, are decoded
// several at a time: Values and All read up to 1 KiB ahead of the loop, Blocks and Update a block. A loop that writes
// to the array that it walks through, other than to the block that Update hands it, may therefore not see what it
// wrote; a page fault comes that much early; and other goroutines must not write to any of it.
//
// # Goroutines and processes
//
// Methods may be called from several goroutines at once, as long as no goroutine writes an element that another one
// reads or writes. [File.Append], [File.Grow] and [File.Refresh] change the File, which other goroutines must not use
// meanwhile, while its views may be used. [File.Close] ends the use of them all.
//
// A file may be mapped by any number of processes, and shows each what the others write. Several may append to it.
// Config.Lock keeps others away. What replaces a file leaves the old one to those that have it open.
//
// # Shared work
//
// GOMAXPROCS goroutines share what is large of [Copy], [View.Fill], [View.Take], [Map], [Reduce], [Rows] and
// reductions. Results are the same for any number of them, to the last bit of a float. A page fault in one is a panic
// in the goroutine of the caller, for [mmap.Guard]; what a function of the caller's panics with arrives there in a
// [PanicError]; and [runtime.Goexit] ends that goroutine. Some elements of a destination are changed then.
//
// # Files larger than memory
//
// Of a file that is not in memory, copies, reductions, loops and printing read the pages with their elements, each
// about once, in whatever order, in memory that does not grow with the file: on Linux, for users who may write to the
// file; elsewhere the system reads as it sees fit. README.md has how, and what each kind of loop costs an element.
package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Array is an N-dimensional array whose elements have no Go type yet; [As] gives them one. It is a value: copies
// share the elements. In a file it is valid until [File.Close]. The zero Array stands for no array.
type Array struct{ shaped }

// Index returns the part of a at position i of its first axis, without that axis. It allocates nothing, and panics if
// i is out of range.
func (a Array) Index(i int) (part Array) { a.view.Index(i, &part.view); return part }

// Select returns the part of a that the selectors choose, as in NumPy's basic indexing, and with the same result for
// negative positions, clipped bounds and negative steps. It allocates at most once. Positions out of range, too many
// selectors and a step of zero are errors; see [index.Layout.Select].
func (a Array) Select(sel ...index.Selector) (Array, error) {
	c, err := a.view.Derive(a.Layout().Select(sel...))
	return Array{shaped{c}}, err
}

// shaped is what an Array, a View and a TextView have in common: a view, and the methods that tell what it is.
// The other methods of the view are not promoted: each would be compiled for every type of View.
type shaped struct{ view nd.View }

// IsZero reports whether this is the zero value, which stands for no array.
func (s shaped) IsZero() bool { return s.view.IsZero() }

// DType returns the type of the elements.
func (s shaped) DType() dtype.DType { return s.view.DType() }

// NDim returns the number of dimensions.
func (s shaped) NDim() int { return s.view.NDim() }

// Len returns the length of an axis, which does not count from the end.
func (s shaped) Len(axis int) int { return s.view.Len(axis) }

// Shape returns the length of every axis in a new slice.
func (s shaped) Shape() []int { return s.view.Shape() }

// Strides returns the strides of every axis, in bytes, in a new slice.
func (s shaped) Strides() []int { return s.view.Strides() }

// Layout returns the shape and the strides.
func (s shaped) Layout() index.Layout { s.view.MustBeSet(); return s.view.Layout }

// Size returns the number of elements.
func (s shaped) Size() int { return s.view.Size() }

// ItemSize returns the number of bytes of one element, which may be 0.
func (s shaped) ItemSize() int { return s.view.ItemSize() }

// NBytes returns Size times ItemSize: the bytes of the elements in a file.
func (s shaped) NBytes() int { return s.view.NBytes() }

// ReadOnly reports whether writing panics with [ErrReadOnly].
func (s shaped) ReadOnly() bool { return s.view.ReadOnly() }

// Contiguous reports whether elements are one piece of memory without gaps in order C, F, or K, any. Those of several
// arrays (see [Stack]) are not.
func (s shaped) Contiguous(order index.Order) bool { return s.view.Contiguous(order) }

type pointer = strided.Pointer

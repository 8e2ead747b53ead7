// Package array reads and edits NumPy arrays in place: in mapped .npy files, in
// anonymous memory, in Go slices and in memory from C.
//
//	f, err := array.Open("t.npy", mmap.ReadWrite)
//	if err != nil { … }
//	defer f.Close()
//	v, err := array.As[float64](f.Array)
//	if err != nil { … }
//	v.SetAt(v.At(3, 4)+1, 3, 4) // in the file
//	fmt.Println(v)              // as NumPy prints it
//
// # Tasks
//
// All that is named here has an example, and the folders are programs.
//
//   - open a file and edit it: [Open], [As]; examples/edit
//   - make a file: the package's Example; examples/sine, examples/huge
//   - write a file in another order or dtype: [Convert]; examples/convert
//   - have memory without a file: [New]; examples/anonymous
//   - read and write streams in parts: [Reader], [Reader.Skip], [NewWriter]
//   - open a file that is in memory, or in a file system of Go's: [OpenBytes], [OpenFS]
//   - copy the elements to a slice, or to an array of another dtype: [View.Collect], [View.AppendTo], [Array.AsType]
//   - take a part of an array, as NumPy's slices: [View.Select]
//   - go through a file larger than memory: [View.Blocks], [Reduce]; examples/sum
//   - read files of any numbers: [Cast]; examples/sum
//   - records, which are structured arrays: [As], [Array.Field], [Fields]; examples/records
//   - text: [Text]; times: [As]; examples/dates
//   - append to a file, and follow one that grows: [File.Append], [Appender], [File.Refresh]; examples/follow, examples/text
//   - .npz archives: package npz; examples/npz, examples/archive
//   - files without a header, and .npy files inside of others: [OpenRaw], [OpenAt]; examples/raw
//   - sums, means, extremes, along axes too: [Sum], [Reduction], [Moments.Merge]; examples/mean, examples/stats
//   - quantiles and histograms: [Quantile]
//   - work on all cores: [Reduce], [Map], [View.Split]; examples/parallel
//   - find elements, and take rows at random: [View.Where]
//   - many files as one array: [Stack]
//   - serve a file that others may truncate: [mmap.Guard], Example (Server); examples/guard
//   - open a file again when it is replaced: Example (Reload); examples/reload
//   - share memory with C: [FromPointer]; examples/cgo
//   - hand matrices to gonum: [Matrix.Raw]; examples/gonum
//   - end the use of a file: [File.Close]
//   - print: [View.Format]
//
// What NumPy programs say has its counterpart in array/NUMPY.md, line by line.
//
// # Memory
//
// An [Array] and a [View] are small values that point at the memory of a file or slice. To
// select, transpose, reshape or broadcast one copies no elements and allocates at most once,
// where it is no [Stack]. They, and the slices and fixed-rank views that are taken from them, keep
// memory of Go's alive, but no mapping:
// after [File.Close] of the file they came from, using them faults, which ends the program,
// or is an error under [mmap.Guard]. That is also what happens when another process truncates
// the file, or its disk fails. Whatever reads or writes elements may meet that, [Save] and
// [View.Clone] as well as [View.At], and always in the goroutine of its caller, also where others
// help. Printing never faults: it prints the reason.
//
// # Loops
//
// The compiler inlines the bodies of loops over [View.Values], [View.All], [View.Blocks] and
// [View.Update], so that they run at nearly the speed of a loop over a slice, in either byte
// order and aligned or not; All also counts indices. Elements that are Go values in memory
// are read when their turn comes. Others are decoded several at a time, and so are those that
// lie scattered: Values and All read up to 1 KiB ahead of the loop (8 KiB in a [Stack]),
// Blocks and Update a block. A loop that writes to the array that it walks through, other
// than to the block that Update hands it, may therefore not see what it wrote, and other
// goroutines must not write to any of it. A page fault comes that much early.
//
// A loop is the work of one goroutine. [Reduce] and [Map] call a function with blocks, on all
// cores.
//
// # Performance
//
// Adding up 8 MB of float64, 1000 × 1000, takes so many nanoseconds an element, the fastest
// of 5 runs on a shared Intel Xeon with Go 1.26.8 of
//
//	go test ./array -run '^$' -bench Performance -benchtime 20x -count 5
//
// "swapped" is the byte order that is not the machine's, "Cast" an array of int16 as float64.
//
//	           native  swapped  Cast   use it for
//	Data       0.58    error    error  what takes a slice: BLAS, sorting, copy
//	Blocks     0.58    0.64     0.72   any layout as slices, in any order; one buffer of 8 KiB
//	Values     0.59    0.69     0.75   loops over all elements; allocates nothing
//	All        1.70                    loops that need the indices
//	Matrix.At  0.62    error    error  single elements; inlined, as in Vector and Cube
//	At         4.2     7.2      37     single elements of any layout and rank; a call
//	Take       0.38                    rows at random, copied to a slice
//
// View.Index takes 11 ns and allocates nothing, View.Select 81 ns and allocates once: take
// the part outside of the inner loop, and loop over its elements inside.
//
// # Errors and panics
//
// The contents of a file never make this package panic. An index out of range does, as with a
// slice, and so do writing through a read-only view and use of a zero [Array] or [View].
// What a function panics with that [Reduce] or [Map] calls arrives in a [PanicError], with its stack.
// Making a view that cannot be made is an error.
//
// # Goroutines
//
// Methods may be called from several goroutines at once, as long as no goroutine writes an
// element that another one reads or writes, as with a slice; a loop may read all elements of
// its view ahead. [File.Append], [File.Grow] and [File.Refresh] change the File, which other
// goroutines must not use meanwhile, while its views may be used. [File.Close] ends the use
// of them all. An [Appender] belongs to one goroutine.
//
// # Reductions
//
// [Sum], [Mean], [Var], [MinMax], [ArgMax] and their like are of all elements of a view. A
// [Reduction] is that along some axes of an array of any numbers, into another array: it
// goes once through files larger than memory, on all processors.
//
// # Several processes
//
// A file may be mapped by any number of processes, and shows each what the others write to
// its elements. Several may append to it ([File.Append]), and readers see that with
// [File.Refresh]. A process that wants a file to itself sets Config.Lock. [Save], and all
// else that replaces a file, leaves the old one to those that have it open.
package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Array is an N-dimensional array whose elements have no Go type yet; [As]
// gives them one. It is a value: copies share the elements. One that lies in a file is valid
// until [File.Close]. The zero Array stands for no array.
type Array struct{ shaped }

// Index returns the part of a at position i of its first axis, with one dimension
// less. It shares the memory, allocates nothing, and panics if i is out of range.
func (a Array) Index(i int) (part Array) { a.view.index(i, &part.view); return part }

// index sets part to the part of c at position i of its first axis; part may be c itself. It does not return
// the view: that would be stored in words of 8 bytes and copied in words of 16, which wait for those stores.
func (c *view) index(i int, part *view) {
	el, lay := c.mustBeSet(), c.lay
	if el.stack != nil {
		*part = c.sub(lay.Index(i))
		return
	}
	lay, off := lay.Index(i)
	if lay.Size() == 0 {
		off = 0 // no elements, and maybe no memory there
	}
	part.p, part.lay, part.el, part.load, part.save = strided.Add(c.p, off), lay, el, c.load, c.save
}

// Select returns the part of a that the selectors choose, as in NumPy's basic indexing
// and with the same result for negative positions, clipped bounds and negative
// steps. It shares the memory and allocates at most once. Positions out of range,
// too many selectors and a step of zero are errors; see [index.Layout.Select].
func (a Array) Select(sel ...index.Selector) (Array, error) {
	c, err := a.view.derive(a.Layout().Select(sel...))
	return Array{shaped{c}}, err
}

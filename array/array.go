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
//   - open a file and edit it: [Open], [As]; examples/edit
//   - make a file: [Create]; examples/sine, examples/huge
//   - write a file in another order or dtype: [Convert]; examples/convert
//   - have memory without a file: [New]; examples/anonymous
//   - read and write streams in parts: [Reader], [Reader.Skip], [NewWriter]
//   - open a file that is in memory, or in a file system of Go's: [OpenBytes], [OpenFS]
//   - copy the elements to a slice, or to an array of another dtype: [View.Collect], [View.AppendTo], [Array.AsType]
//   - take a part of an array, as NumPy's slices: [View.Select]
//   - go through a file larger than memory: [View.Blocks], [Reduce]; examples/sum
//   - read files of any numbers: [Cast]; examples/sum
//   - records: [As], [Fields]; examples/records; text: [Text]; times: [As]; examples/dates
//   - append to a file: [File.Append], [Appender]; follow one: [File.Refresh]; examples/follow
//   - .npz archives: package npz; examples/npz, examples/archive
//   - files without a header, or inside of others: [OpenRaw], [OpenAt]; examples/raw
//   - sums, means, extremes: [Sum], [Mean]; along axes: [Reduction]; examples/mean
//   - quantiles and histograms: [Quantile], [Histogram]
//   - work on all cores: [Reduce], [Map], [View.Split]; examples/parallel
//   - find elements, and take rows at random: [View.Find], [View.Take]
//   - many files as one array: [Stack]
//   - serve a file that others may change: [mmap.Guard]; examples/guard, examples/reload
//   - share memory with C: [FromPointer]; examples/cgo
//   - hand matrices to gonum: [Matrix.Raw]; examples/gonum
//
// # Memory
//
// An [Array] and a [View] are small values that point at the memory of a file or slice. To select, transpose, reshape
// or broadcast one copies no elements and allocates at most once. They, and the slices and fixed-rank views that are
// taken from them, keep memory of Go's alive, but no mapping: after [File.Close] of the file they came from, using
// them faults, which ends the program, or is an error under [mmap.Guard]. That is also what happens when another
// process truncates the file, or its disk fails, in whatever reads or writes elements. Printing never faults: it
// prints the reason.
//
// # Errors and panics
//
// The contents of a file never make this package panic. An index out of range does, as with a slice, and so do
// writing through a read-only view and use of a zero [Array] or [View]. Making a view that cannot be made is an
// error.
//
// Of no elements, [Sum] and [CountNonzero] are 0, [Mean] and [Var] NaN as in NumPy, and [Moments] the zero value.
// [Min], [Max], [MinMax], [ArgMin] and [ArgMax] panic as an index out of range does: how many elements a file has is
// the caller's to look at. [Quantile] and a [Reduction] return an error.
//
// # Loops
//
// The compiler inlines the bodies of loops over [View.Values], [View.All], [View.Blocks] and [View.Update], so that
// they run at nearly the speed of a loop over a slice, in either byte order and aligned or not. Elements that are Go
// values in memory are read when their turn comes. Others are decoded several at a time, and so are those that lie
// scattered: Values and All read up to 1 KiB ahead of the loop, Blocks and Update a block. A loop that writes to the
// array that it walks through, other than to the block that Update hands it, may therefore not see what it wrote; a
// page fault comes that much early; and other goroutines must not write to any of it.
//
// # Performance
//
// Nanoseconds an element to add up 8 MB of float64, by BenchmarkPerformance on a shared Intel Xeon with Go 1.26.8;
// "swapped" is the other byte order, and "Cast" an array of int16 as float64.
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
// View.Index takes 11 ns and allocates nothing, View.Select 81 ns and allocates once: take the part outside of the
// inner loop.
//
// # Goroutines and processes
//
// Methods may be called from several goroutines at once, as long as no goroutine writes an element that another one
// reads or writes, as with a slice. [File.Append], [File.Grow] and [File.Refresh] change the File, which other
// goroutines must not use meanwhile, while its views may be used. [File.Close] ends the use of them all. An
// [Appender] belongs to one goroutine.
//
// A file may be mapped by any number of processes, and shows each what the others write to its elements. Several may
// append to it, see [File.Append], and readers see that with [File.Refresh]. Config.Lock keeps others away. [Save], and
// all else that replaces a file, leaves the old one to those that have it open.
//
// # Shared work
//
// GOMAXPROCS goroutines share what is large of [Copy], [View.Fill], [View.Take], [Map], [Reduce] and all reductions.
// Results are the same for any number of them, to the last bit of a float. A page fault in one is a panic in the
// goroutine of the caller, where [mmap.Guard] turns it into an error; what a function of the caller's panics with
// arrives there in a [PanicError], with its stack; and [runtime.Goexit] ends the goroutine of the caller. No
// goroutine is left then, and some elements of a destination are changed and others not.
//
// # Files larger than memory
//
// Of a file that is not in memory, copies, reductions, loops and printing have the system read the pages with their
// elements, each about once, in whatever order the elements are, and little else. They read ahead, and release what
// was not in memory before; what that takes does not grow with the file. A copy to another order goes by tiles, which
// have an eighth or a sixth of the memory that the process may take, or 64 MiB, on either side; [mmap.Random] and
// [mmap.Sequential] are taken back for it. That is so on Linux, for users who may write to the file: others are not
// told what is in memory (see [mmap.Map.Resident]), and for them the system reads as it sees fit.
package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Array is an N-dimensional array whose elements have no Go type yet; [As] gives them one. It is a value: copies
// share the elements. In a file it is valid until [File.Close]. The zero Array stands for no array.
type Array struct{ shaped }

// Index returns the part of a at position i of its first axis, without that axis. It allocates nothing, and panics if
// i is out of range.
func (a Array) Index(i int) (part Array) { a.view.index(i, &part.view); return part }

// index sets part to the part of c at position i of its first axis; part may be c itself. It does not return
// the view: that would be stored in words of 8 bytes and copied in words of 16, which wait for those stores.
func (c *view) index(i int, part *view) {
	el, lay := c.mustBeSet(), c.lay
	if !el.isWhole() {
		*part = c.sub(lay.Index(i))
		return
	}
	lay, off := lay.Index(i)
	if lay.Size() == 0 {
		off = 0 // no elements, and maybe no memory there
	}
	part.p, part.lay, part.el, part.load, part.save = strided.Add(c.p, off), lay, el, c.load, c.save
}

// Select returns the part of a that the selectors choose, as in NumPy's basic indexing, and with the same result for
// negative positions, clipped bounds and negative steps. It allocates at most once. Positions out of range, too many
// selectors and a step of zero are errors; see [index.Layout.Select].
func (a Array) Select(sel ...index.Selector) (Array, error) {
	c, err := a.view.derive(a.Layout().Select(sel...))
	return Array{shaped{c}}, err
}

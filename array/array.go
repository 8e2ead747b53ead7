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
// A [File] is an open file and the [Array] in it. An Array has a dtype, a shape and strides, but no Go type. [As]
// returns it as a [View], whose elements are Go values: numbers, bytes or structs.
//
// # Tasks
//
// Most of the names below have an example, and the directories contain complete programs. NUMPY.md translates NumPy
// code line by line.
//
//   - read a file that others may change: [Use], [UseAll]; examples/stats, examples/mean
//   - open a file and edit it: [Open], [As]; examples/edit
//   - create a file: [Create]; examples/sine; whole or not at all: [Make]; examples/huge; from a slice: [SaveSlice]
//   - write a file in another order or dtype: [Convert]; examples/convert
//   - allocate an array without a file: [New]; examples/anonymous
//   - read and write streams in parts: [Reader], [Reader.Skip], [NewWriter]
//   - open bytes, and files of an [fs.FS]: [OpenBytes], [OpenFS]
//   - copy to a slice, or to another dtype: [View.Collect], [View.AppendTo], [Array.AsType]
//   - select elements as NumPy's slices do: [View.Select]
//   - loop over a file larger than memory: [View.Blocks], [Reduce]; examples/sum
//   - read files of any numbers: [Cast]; examples/sum
//   - read records: [As], [Fields]; examples/records; text: [Text]; times: [As]; examples/dates
//   - append: [File.Append], [Appender]; follow a file that grows: [File.Follow]; examples/follow
//   - read and write .npz archives: package npz; examples/npz, examples/archive
//   - open files without a header, or inside other files: [OpenRaw], [OpenAt]; examples/raw
//   - compute sums, means and extremes: [Sum], [Mean]; along axes, and medians: [Reduction]; examples/mean
//   - compute quantiles and histograms: [Quantile], [Histogram]
//   - use all cores: [Reduce], [Map], [View.Split]; examples/parallel; on whole rows: [Rows]; examples/search
//   - normalise images, and read files with scale_factor and add_offset: [Scaled]
//   - report the progress of long work, and cancel it: [Config], [Reduction]; examples/convert
//   - find elements, and take rows at random: [View.Find], [View.AppendRows]
//   - see many files as one array: [Stack], [Join]; copy them to one: [Concatenate]
//   - compare arrays: [Equal], [AllClose], [Comparison]
//   - copy selections along any axis, by indices or a mask: [Array.Take], [Array.Compress]
//   - serve a file that changes: [mmap.Guard]; examples/guard, examples/reload
//   - share memory with C: [FromPointer]; examples/cgo
//   - pass matrices to gonum: [Matrix.Raw]; examples/gonum
//
// # Memory
//
// An [Array] and a [View] are small values that point to the memory of a file or a slice. Selecting, transposing,
// reshaping and broadcasting copy no elements, and allocate at most once.
//
// Arrays, views, and the slices and fixed-rank views made from them keep Go memory alive, but they do not keep a file
// mapped. If one is used after [File.Close] of its file, the access faults. A fault ends the program, or is an error
// under [mmap.Guard]. Every function that reads or writes elements also faults if another process truncates the file,
// or if its disk fails. Printing never faults: it prints the reason. See LIFETIME.md.
//
// # Errors and panics
//
// The contents of a file never make this package panic. These mistakes in the program do, with an error that wraps the
// one that stands here:
//
//   - an index or an axis out of range: a *[index.BoundsError]
//   - writing through a read-only view: [ErrReadOnly]
//   - an order other than C, F or K, or a view with the wrong number of dimensions or elements: [ErrShape]
//   - [View.Array] of a [Scaled] view: [ErrNotDirect]
//   - use of a zero [Array] or [View]: [fs.ErrClosed]
//
// A function that cannot make the view it is asked for returns an error.
//
// The message of an error about a file begins with its path, as in "t.npy: header at byte 8: …", so callers need not
// add it. Errors of the operating system are a [fs.PathError], which begins with the operation: "open t.npy: permission
// denied".
//
// Len(0), Index and Axis(0) panic if the array has no dimensions, as they do for any axis that does not exist.
// [View.Find] panics unless there is one dimension. If a file may have any number of dimensions, check NDim first.
//
// If there are no elements, [Sum] and [CountNonzero] return 0, [Mean] and [Var] return NaN as in NumPy, and [MomentsOf]
// returns the zero value. [Min], [Max], [MinMax], [ArgMin] and [ArgMax] panic, as for an index out of range: check Size
// first. [Quantile] returns an error. A [Reduction] returns an error for the operations whose functions panic.
//
// # Loops
//
// The compiler inlines the bodies of loops over [View.Values], [View.All], [View.Blocks] and [View.Update]. An element
// that is a Go value in memory is read when the loop gets to it. Other elements, and elements that are scattered in
// memory, are decoded several at a time: Values and All read up to 1 KiB ahead of the loop, Blocks and Update read a
// block. So:
//
//   - A loop may not see its own writes to the array that it ranges over, except writes to the block that Update passes
//     to it.
//   - A page fault comes that much earlier.
//   - While the loop runs, other goroutines must not write to any element of the array.
//
// # Goroutines and processes
//
// Methods may be called from several goroutines at once, as long as no goroutine writes an element that another
// goroutine reads or writes. [File.Append], [File.Grow] and [File.Refresh] change the File: during the call, other
// goroutines must not use the File, but may use its views. After [File.Close], neither the File nor its views may be
// used.
//
// Any number of processes may map a file, and each sees the writes of all. Several processes may append to it. With
// Config.Lock, a process keeps out others that lock the file, too. A process that has a file open keeps the old file
// when the file is replaced.
//
// # Shared work
//
// GOMAXPROCS goroutines divide the work of large calls among themselves: of [Copy], [View.Fill], [View.AppendRows],
// [Map], [Reduce], [Rows] and reductions. The results are the same for any number of goroutines, to the last bit of a
// float.
//
//   - A page fault in one of the goroutines becomes a panic in the goroutine of the caller, for [mmap.Guard].
//   - A panic of a function that the caller passed becomes a panic with a [PanicError] in the goroutine of the caller.
//   - If that function calls [runtime.Goexit], the goroutine of the caller ends.
//
// In these cases, some elements of a destination may have changed.
//
// # Files larger than memory
//
// If a file is not in memory, copies, reductions, loops and printing read the pages that contain their elements, each
// about once, in any order of the elements. The memory for that does not grow with the file. This applies to Linux, for
// users who may write to the file. Elsewhere the system decides which pages to read. README.md explains how it works,
// and what each kind of loop costs per element.
package array

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// An Array is an N-dimensional array whose elements have no Go type yet: [As] gives them one. An Array is a small
// value, and copies of it share the elements. An Array of a file is valid until [File.Close]. The zero Array stands for
// no array.
type Array struct{ shaped }

// Index returns the selection of a at position i of its first axis, without that axis: NumPy's a[i]. The result shares
// the memory of a. Index allocates nothing. It panics if i is out of range.
func (a Array) Index(i int) (part Array) { a.view.Index(i, &part.view); return part }

// Select returns the selection of a that the selectors choose, in the same memory. It follows NumPy's basic indexing,
// also for negative positions, bounds beyond the end and negative steps. It allocates at most once. A position out of
// range, more selectors than axes, and a step of zero are errors; see [index.Layout.Select].
func (a Array) Select(sel ...index.Selector) (Array, error) {
	c, err := a.view.Derive(a.Layout().Select(sel...))
	return Array{shaped{c}}, err
}

// A shaped is the common part of Array, View and TextView: a view, and the methods that describe it. It does not embed
// the view, because the compiler would then compile each method of the view for every type of View.
type shaped struct{ view nd.View }

// IsZero reports whether s is the zero value, which stands for no array.
func (s shaped) IsZero() bool { return s.view.IsZero() }

// DType returns the dtype of the elements in memory.
func (s shaped) DType() dtype.DType { return s.view.DType() }

// NDim returns the number of dimensions.
func (s shaped) NDim() int { return s.view.NDim() }

// Len returns the length of an axis. It panics if the axis does not exist. Axes do not count from the end.
func (s shaped) Len(axis int) int { return s.view.Len(axis) }

// Shape returns the length of each axis, in a new slice.
func (s shaped) Shape() []int { return s.view.Shape() }

// Strides returns the stride of each axis, in bytes, in a new slice.
func (s shaped) Strides() []int { return s.view.Strides() }

// Layout returns the shape and the strides.
func (s shaped) Layout() index.Layout { s.view.MustBeSet(); return s.view.Layout }

// Size returns the number of elements.
func (s shaped) Size() int { return s.view.Size() }

// ItemSize returns the number of bytes of an element in memory, which may be 0.
func (s shaped) ItemSize() int { return s.view.ItemSize() }

// NBytes returns Size times ItemSize: the number of bytes of the elements in memory, or in a file.
func (s shaped) NBytes() int { return s.view.NBytes() }

// ReadOnly reports whether writing panics with an error that wraps [ErrReadOnly].
func (s shaped) ReadOnly() bool { return s.view.ReadOnly() }

// Contiguous reports whether the elements are in one run of memory, without gaps, in the order C or F, or for K in any
// order of the axes. It returns false for the elements of several arrays; see [Stack].
func (s shaped) Contiguous(order index.Order) bool { return s.view.Contiguous(order) }

type pointer = strided.Pointer

// Package array reads and edits NumPy arrays in place: in mapped .npy files, in anonymous memory, in Go slices and in
// memory from C.
//
//	f, err := array.Open("t.npy", array.ReadWrite)
//	if err != nil {
//		return err
//	}
//	defer f.Close()
//	v, err := array.As[float64](f.Array)
//	if err != nil {
//		return err
//	}
//	v.SetAt(v.At(3, 4)+1, 3, 4) // in the file
//	fmt.Println(v)              // as NumPy prints it
//
// # Types
//
//	File                            an open file or memory, until Close
//	 │  f.Array
//	 ▼
//	Array                           elements with a dtype, a shape and strides, but no Go type
//	 │  As[T], Cast[T], Scaled[T]      ▲  v.Array()
//	 ▼                                 │
//	View[T]                         the same elements as Go values: numbers, bytes or structs
//	 │  v.Vector(), v.Matrix(), v.Cube()
//	 ▼
//	Vector[T], Matrix[T], Cube[T]   the same in 1, 2 or 3 dimensions, with At and SetAt that the compiler inlines
//
// # Which function
//
//	I have                           I want                            call                         does it copy?
//	a file                           to read it                        Use, Open                    no
//	a file                           to edit it in place               Open(path, ReadWrite)        no
//	a file without a header          its array                         OpenRaw                      no
//	a stream                         its array                         Read, Reader                 yes
//	an io.ReaderAt; a URL (httpat)   a part of its array               OpenReaderAt, Remote         yes, that part
//	an Array of a known dtype        its elements as Go values         As                           no
//	numbers of any dtype             float64, or another T             Cast                         no, converts at access
//	integers with a scale_factor     x*scale + offset                  Scaled                       no, converts at access
//	text (S, U)                      strings                           Text                         each string
//	records                          one field, some fields            Array.Field, Fields          no
//	an Array or a View               a selection, another shape        Select, Index, Reshape, T    no
//	indices, or a mask               the elements at these indices     Array.Take, Compress         yes
//	a View[T]                        its memory as a []T               View.Data                    no, or an error
//	a View[T] of any layout          a []T                             View.Collect                 yes
//	a View[T]                        a loop over all elements          View.Values, Blocks, Update  no, a small buffer
//	an Array                         another dtype or order in memory  Array.AsType, Clone          yes
//	an Array                         a file, in any dtype and order    Save, Convert                yes
//	nothing yet                      a file to fill                    Make (appears whole), Create
//	nothing yet                      an array without a file           New, FromSlice
//	rows that come one by one        a file that grows                 Appender, File.Append        yes
//	a file that others append to     the new rows                      File.Follow                  yes
//	several arrays                   one array                         Stack, Join; Concatenate     no; yes
//	a large array                    sums, means, extremes, medians    Sum, Mean; Reduction         no
//	a large array                    my function on all cores          Reduce, Map, Map2, Rows      no, a block each
//	an array of one dimension        its order; the k greatest         ArgSort, TopK; Unique        no; its values
//	two arrays                       whether they are equal            Equal, AllClose, Comparison  no
//	memory of C; a matrix for gonum  an array; its slice               FromPointer; Matrix.Raw      no
//
// The programs in ../examples show most of these calls in context, and NUMPY.md translates NumPy code line by line.
//
// # Memory and lifetime
//
// An [Array] and a [View] are small values that point to the memory of a file or a slice. Selecting, transposing,
// reshaping and broadcasting copy no elements, and allocate at most once.
//
// Arrays, views and slices keep Go memory alive, but they do not keep a file mapped. Never use one after its file is
// closed: the access is a page fault or, after many more calls of Close, may reach unrelated memory. Reading or writing
// elements is also a page fault if another process has truncated the file, or if its disk fails. A page fault ends the
// program, unless [mmap.Guard] turns it into an error; [Use] and [Make] call Guard. Printing never faults: it prints
// the error instead. See LIFETIME.md.
//
// # Errors and panics
//
// The contents of a file never make this package panic. These programming mistakes do; the panic value is always an
// error, for errors.Is and errors.As:
//
//   - an index or an axis out of range, as with a slice: [index.BoundsError]
//   - writing through a read-only view: [ErrReadOnly]
//   - a wrong order, or number of dimensions or elements: [ErrShape]
//   - [View.Array] of a [Scaled] view: [ErrNotDirect]
//   - use of a zero [Array] or [View]: [fs.ErrClosed]
//
// A function that cannot return the requested view returns an error. So do functions whose indices come from data:
// [Array.Take], [Array.Compress], [TakeInto], [View.AppendRows].
//
// The message of an error about a file begins with its path, as in "t.npy: header at byte 8: …", so callers need not
// add it. Errors of the operating system are a [fs.PathError], which begins with the operation: "open t.npy: permission
// denied".
//
// If there are no elements, [Sum] and [CountNonzero] return 0, [Mean] and [Var] return NaN as in NumPy, and [MomentsOf]
// returns the zero value. [Min], [Max], [MinMax], [ArgMin] and [ArgMax] panic, as slices.Max does: check Size first.
// [Quantile], and a [Reduction] for the same operations, return an error instead.
//
// # Loops
//
// The compiler inlines the bodies of loops over [View.Values], [View.All], [View.Blocks] and [View.Update]. Elements
// that are not adjacent, or not stored as Go values, are decoded several at a time: Values and All read up to 1 KiB
// ahead of the loop, Blocks and Update read a block. So a loop might miss its own writes to the array, except writes to
// the block that Update passes to it. While it runs, other goroutines must not write to any element of the array.
//
// # Goroutines and processes
//
// Methods may be called from several goroutines at once, as long as no goroutine writes an element that another
// goroutine reads or writes. [File.Append], [File.Grow] and [File.Refresh] change the File: during the call, other
// goroutines must not use the File, but may use its views. After [File.Close], neither the File nor its views may be
// used.
//
// Large calls of [Copy], [View.Fill], [View.AppendRows], [Map], [Reduce], [Rows], [ArgSort], [TopK] and reductions
// divide their work among GOMAXPROCS goroutines. The results are the same for any number of goroutines, to the last
// bit of a float. A page fault in one of them becomes a panic in the caller's goroutine, where [mmap.Guard] can catch
// it. If a callback panics, the caller's goroutine panics with a [PanicError]; if it calls [runtime.Goexit], the
// caller's goroutine ends. In these cases, some elements of a destination may have changed.
//
// Any number of processes may map a file, and each sees the writes of the others. Several processes may append to it.
// With OpenConfig.Lock, a process excludes others that also lock the file. A process that has a file open keeps the old
// file when the file is replaced.
//
// To cancel long work, use the functions with a context, such as [CopyContext]. Functions that take a callback stop
// when it returns an error, such as ctx.Err(). [OpenConfig], [SaveConfig], [Reduction] and [Comparison] have a Progress
// function; an error from it stops the work.
//
// # Files larger than memory
//
// If a file is not in memory, copies, reductions, loops and printing read the pages that contain their elements, each
// about once, in any order of the elements. The memory this takes does not grow with the file. This holds on Linux, for
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
// value, and copies of it share the elements. An Array of a file is valid until [File.Close]. The zero Array represents
// no array.
type Array struct{ view nd.View }

// Index returns the selection of a at position i of its first axis, without that axis: NumPy's a[i]. The result shares
// the memory of a. Index allocates nothing. It panics if i is out of range.
func (a Array) Index(i int) (part Array) { a.view.Index(i, &part.view); return part }

// Select returns the selection of a that the selectors choose, in the same memory, by the rules of NumPy's basic
// indexing. It allocates at most once. A position out of range, more selectors than axes, and a step of zero are
// errors; see [index.Layout.Select].
func (a Array) Select(sel ...index.Selector) (Array, error) {
	c, err := a.view.Derive(a.Layout().Select(sel...))
	return Array{c}, err
}

// IsZero reports whether a is the zero Array.
func (a Array) IsZero() bool { return a.view.IsZero() }

// DType returns the dtype of the elements in memory.
func (a Array) DType() dtype.DType { return a.view.DType() }

// NDim returns the number of dimensions.
func (a Array) NDim() int { return a.view.NDim() }

// Len returns the length of an axis. It panics if axis is out of range.
func (a Array) Len(axis int) int { return a.view.Len(axis) }

// Shape returns the length of each axis, in a new slice.
func (a Array) Shape() []int { return a.view.Shape() }

// Strides returns the stride of each axis, in bytes, in a new slice.
func (a Array) Strides() []int { return a.view.Strides() }

// Layout returns the shape and the strides.
func (a Array) Layout() index.Layout { a.view.MustBeSet(); return a.view.Layout }

// Size returns the number of elements.
func (a Array) Size() int { return a.view.Size() }

// ItemSize returns the number of bytes of an element, which may be 0.
func (a Array) ItemSize() int { return a.view.ItemSize() }

// NBytes returns the number of bytes of the elements: Size times ItemSize.
func (a Array) NBytes() int { return a.view.NBytes() }

// ReadOnly reports whether writing panics with an error that wraps [ErrReadOnly].
func (a Array) ReadOnly() bool { return a.view.ReadOnly() }

// Contiguous reports whether the elements are in one run of memory, without gaps, in the order C or F, or for K in any
// order of the axes. It returns false for a [Stack] of several arrays.
func (a Array) Contiguous(order index.Order) bool { return a.view.Contiguous(order) }

type pointer = strided.Pointer

package nd

import (
	"errors"
	"fmt"
	"io/fs"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A View describes elements in memory: the address of the first one, their layout and storage, and how to read and
// write them. The zero View denotes no array, and using it panics.
type View struct {
	P      pointer // address of the first element
	Layout index.Layout
	Store  *Storage
	Read   Access
	Write  Access
	member uint32 // in a joined array: index of the member that P points into
}

// IsZero reports whether a is the zero View.
func (a View) IsZero() bool { return a.Store == nil }

// MustBeSet returns the storage of a. It panics if a is the zero View.
func (a *View) MustBeSet() *Storage {
	if a.Store == nil {
		panic(UnsetError())
	}
	return a.Store
}

// MustBeWritable panics if a is the zero View or read-only.
func (a *View) MustBeWritable() {
	if a.MustBeSet(); a.Write == NoWrite {
		panic(a.Store.AccessError(NoWrite))
	}
}

// DType returns the dtype of the elements in memory.
func (a View) DType() dtype.DType { return a.MustBeSet().DType }

// NDim returns the number of axes.
func (a View) NDim() int { a.MustBeSet(); return a.Layout.NDim() }

// Len returns the length of an axis.
func (a View) Len(axis int) int { a.MustBeSet(); return a.Layout.Len(axis) }

// Shape returns a new slice with the length of each axis.
func (a View) Shape() []int { a.MustBeSet(); return a.Layout.Shape() }

// Strides returns a new slice with the stride of each axis in bytes.
func (a View) Strides() []int { a.MustBeSet(); return a.Layout.Strides() }

// Size returns the number of elements.
func (a View) Size() int { a.MustBeSet(); return a.Layout.Size() }

// ItemSize returns the number of bytes of an element in memory.
func (a View) ItemSize() int { return a.MustBeSet().DType.ItemSize() }

// NBytes returns the number of bytes of all elements in memory.
func (a View) NBytes() int { return a.Size() * a.ItemSize() }

// ReadOnly reports whether writing to a panics.
func (a View) ReadOnly() bool { a.MustBeSet(); return a.Write == NoWrite }

// Contiguous reports whether the elements lie in one memory, in the given order, without gaps.
func (a View) Contiguous(order index.Order) bool {
	return a.MustBeSet().Joined == nil && a.layoutIsContiguous(order)
}

// Offset returns the offset of the first element from the base of the memory, in bytes.
func (a *View) Offset() int { return strided.Distance(a.P, a.Store.Mem.Base) }

// Derive returns the selection of a with layout lay that starts off bytes after the first element of a. The arguments
// are the results of a method of a.Layout; if err is not nil, Derive returns err with the name of the file.
func (a View) Derive(lay index.Layout, off int, err error) (View, error) {
	if err != nil {
		return View{}, fmt.Errorf("%s%w", Prefix(a.Store.Mem.Path), err)
	}
	return a.subView(lay, off), nil
}

// Index sets dst to the selection of a at index i of the first axis. dst may be a itself. Index does not return the
// selection, because the compiler would store a result in words of 8 bytes and copy it in words of 16, and each copy
// would wait for the stores.
func (a *View) Index(i int, dst *View) {
	st, lay := a.MustBeSet(), a.Layout
	if st.IsJoined() {
		*dst = a.subView(lay.Index(i))
		return
	}
	lay, off := lay.Index(i)
	if lay.Size() == 0 {
		off = 0 // off may point beyond the memory
	}
	dst.P, dst.Layout, dst.Store, dst.Read, dst.Write = strided.Add(a.P, off), lay, st, a.Read, a.Write
}

// Reach returns the address at which to read or write the Go value of the element at idx. If access is InPlace, this is
// the address of the element itself. Otherwise Reach decodes the element to x, or encodes it from x if write is true,
// and returns x. It panics if an index is out of range or the access is not allowed. At and SetAt only call Reach, so
// that they inline; passing a copy of the View would take longer than Reach itself.
func (a *View) Reach(idx []int, x pointer, access Access, write bool) pointer {
	lay := a.Layout // in registers
	if len(idx) != lay.NDim() {
		panic(a.badIndexPanic(idx))
	}
	off := 0
	for axis, i := range idx {
		d := lay.Dim(axis)
		if uint(i) >= uint(d.Len) {
			panic(a.badIndexPanic(idx))
		}
		off += i * d.Stride
	}
	if access == InPlace {
		return strided.Add(a.P, off)
	}
	a.transfer(off, access, x, write)
	return x
}

// CheckInPlace returns an error explaining why elements of a cannot be accessed in place as Go values, or nil if they
// can. The error wraps ErrNotDirect.
func (a *View) CheckInPlace() error {
	st := a.MustBeSet()
	var why string
	const fix = "; loop over Blocks or Update, or copy with Collect"
	switch {
	case a.Read == InPlace:
		return nil
	case st.IsJoined():
		why = severalArrays
	case st.Converts:
		why = fmt.Sprintf("they are converted from dtype %v (see Cast and Scaled)", st.DType)
	case st.Decode.IsPlain():
		why = fmt.Sprintf("elements of %v are not aligned in memory"+fix, st.DType)
	default:
		why = elem.Obstacle(st.Value, st.DType)
		if st.DType.Kind() != dtype.KindStructured {
			why += fix
		}
	}
	return fmt.Errorf("%s%w: %s", Prefix(st.Mem.Path), ErrNotDirect, why)
}

// subView returns the selection of a with layout lay that starts off bytes after the first element of a. Callers derive
// both from the layout of a. A selection outside the memory is a bug, and panics.
func (a View) subView(lay index.Layout, off int) View {
	if a.Store.Joined != nil {
		return a.subJoined(lay, off)
	}
	a.P, a.Layout = a.Store.Mem.Part(a.P, off, lay, a.Store.DType.ItemSize()), lay
	return a
}

// layoutIsContiguous reports whether the layout is contiguous in the given order. A joined array may have such a
// layout although its elements are in several memories.
func (a View) layoutIsContiguous(order index.Order) bool {
	return a.Layout.Contiguous(order, a.Store.DType.ItemSize())
}

// transfer decodes the element off bytes after the first one to the Go value at x, or encodes it from x if write is
// true.
func (a *View) transfer(off int, access Access, x pointer, write bool) {
	if access != ByMember {
		a.Store.transfer(strided.Add(a.P, off), access, x, write)
		return
	}
	member, p := a.locate(off)
	if access = member.Read; write {
		access = member.Write
	}
	member.Store.transfer(p, access, x, write)
}

// badIndexPanic returns the panic value for idx, which is not a valid index.
//
//go:noinline
func (a *View) badIndexPanic(idx []int) (v any) {
	a.MustBeSet()
	defer func() { v = recover() }()
	a.Layout.Offset(idx...)
	return errors.New("array: bug: the indices are in range")
}

// A Storage describes the memory of an array and the type of its elements. Arrays share a Storage, so it never changes
// after it is made.
type Storage struct {
	Mem      *strided.Memory
	DType    dtype.DType
	Value    dtype.DType // dtype of the Go value, once the elements have a Go type
	Size     int         // bytes of the Go value
	Decode   elem.Codec  // memory to Go value
	Encode   elem.Codec  // Go value to memory
	Converts bool        // Decode and Encode convert between Value and another DType
	Joined   *Joined     // members of a joined array; nil if all elements lie in Mem
}

// An Access is a way to move an element between memory and a Go value. A View has one for reading and one for writing,
// because an array may be read-only.
type Access uint8

const (
	NoAccess Access = iota // the zero View: all access panics
	InPlace                // the bytes in memory are the Go value, and aligned
	ByCodec                // Storage.Decode and Storage.Encode move the element
	NoWrite                // writing panics: the array is read-only
	Untyped                // the elements have no Go type yet
	ByMember               // a joined array: the access of the member that contains the element applies
)

// NewStorage returns a Storage for elements of dtype d in mem. For numbers it sets the Go type and codecs right away,
// so that WithGoType can share the Storage.
func NewStorage(mem *strided.Memory, d dtype.DType) *Storage {
	st := &Storage{Mem: mem, DType: d}
	st.init()
	return st
}

// A Backing holds a Memory and the Storage that describes it. A file embeds one, so that opening it allocates both
// together.
type Backing struct {
	Mem   strided.Memory
	store Storage
}

// Init sets b to the memory mem with elements of dtype d. It returns the array with layout lay whose first element is
// off bytes after the base of mem. The array points to b, so do not call Init again while the array is in use. The
// error wraps ErrShape if the layout does not fit mem.
func (b *Backing) Init(mem strided.Memory, d dtype.DType, off int, lay index.Layout) (View, error) {
	b.Mem = mem
	b.store = Storage{Mem: &b.Mem, DType: d}
	b.store.init()
	return b.store.newView(off, lay)
}

// OnBytes returns an array of dtype d with layout lay that uses the memory of p.
func OnBytes(p []byte, d dtype.DType, lay index.Layout) (View, error) {
	return new(Backing).Init(strided.Memory{Base: strided.Start(p), Size: len(p)}, d, 0, lay)
}

// ToArray returns v as an array.Array. Package array sets it, for packages that need a View that array cannot make.
var ToArray func(v View) any

// init sets the Go type and the codecs of st if its elements are numbers. The Go type has the same dtype in native byte
// order.
func (st *Storage) init() {
	if st.DType.IsNumber() {
		st.setGoType(st.DType.WithByteOrder(dtype.Native))
	}
}

// setGoType sets the codecs of st to move elements to and from Go values of dtype want. It returns the error of
// [elem.GoValue].
func (st *Storage) setGoType(want dtype.DType) error {
	var err error
	if st.Decode, st.Encode, err = elem.GoValue(want, st.DType); err != nil {
		return err
	}
	st.Value, st.Size = want, want.ItemSize()
	if st.Decode.IsPlain() { // copy the padding, too
		st.Decode = elem.Repeat(st.Size)
		st.Encode = st.Decode
	}
	return nil
}

// newView returns the array with layout lay whose first element is off bytes after the base of the memory.
func (st *Storage) newView(off int, lay index.Layout) (View, error) {
	p, err := st.Mem.Place(off, lay, st.DType.ItemSize())
	if err != nil {
		return View{}, err
	}
	a := View{P: p, Layout: lay, Store: st, Read: Untyped, Write: Untyped}
	if st.Mem.ReadOnly {
		a.Write = NoWrite
	}
	return a, nil
}

// transfer decodes the element at p to the Go value at x, or encodes it from x if write is true. It panics if the
// access mode does not allow it.
func (st *Storage) transfer(p pointer, access Access, x pointer, write bool) {
	val := strided.Hide(x)
	switch {
	case access == NoAccess || access == NoWrite:
		panic(st.AccessError(access))
	case write:
		st.Encode.One(p, val)
	default:
		st.Decode.One(val, p)
	}
}

// AccessError returns the panic value for a read or write that access forbids. A nil st denotes the zero View.
func (st *Storage) AccessError(access Access) error {
	if st == nil || access == NoAccess {
		return Misuse("array: use of the zero Array or View (see IsZero)", fs.ErrClosed)
	}
	if !st.Mem.ReadOnly {
		return Misuse(Prefix(st.Mem.Path)+"write through a broadcast view, or a joined array with a read-only member; "+
			"write to the original array, or to a Clone", ErrReadOnly)
	}
	return Misuse(Prefix(st.Mem.Path)+"write through a read-only view; open the file with array.ReadWrite or "+
		"array.CopyOnWrite", ErrReadOnly)
}

// UnsetError returns the panic value for using the zero View. It is not inlined, so that its callers can be.
//
//go:noinline
func UnsetError() error { return (*Storage)(nil).AccessError(NoAccess) }

// DTypeError formats an error about the dtype of a. The error names the file and wraps ErrDType.
func (a View) DTypeError(format string, args ...any) error {
	return OfKind(fmt.Errorf("%s%w", Prefix(a.Store.Mem.Path), fmt.Errorf(format, args...)), ErrDType)
}

// AtAxis returns the selection of a at index i of an axis.
func (a *View) AtAxis(axis, i int) View {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.At(i)
	return Must(a.Derive(a.Layout.Select(sel...)))
}

// SelectRange returns the layout of indices i to i+n-1 of an axis, and the offset of its first element, for
// [View.Derive].
func SelectRange(lay index.Layout, axis, i, n int) (index.Layout, int, error) {
	sel := make([]index.Selector, axis+1) // colons
	sel[axis] = index.Range(i, i+n)
	return lay.Select(sel...)
}

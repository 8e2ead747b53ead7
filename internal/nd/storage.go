package nd

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/strided"
)

// A Storage describes the memory of an array and the type of its elements. Arrays share it, so it never changes after
// it is made.
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

// An Access says how an element moves between memory and a Go value. Reading and writing have one each, because an
// array may be read-only.
type Access uint8

const (
	NoAccess Access = iota // the zero View: all access panics
	InPlace                // the bytes in memory are the Go value, and aligned
	ByCodec                // Storage.Decode and Storage.Encode move the element
	NoWrite                // writing panics: the array is read-only
	Untyped                // the elements have no Go type yet
	ByMember               // a joined array: the access of the member that contains the element applies
)

// NewStorage returns a Storage for elements of dtype d in mem. Numbers get their Go type and codecs right away, so that
// WithGoType can share the Storage.
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

// Init sets b to mem with elements of dtype d, and returns the array with layout lay whose first element is off bytes
// after the base of mem. The array points to b, so Init must not be called again while the array is in use. The error
// wraps ErrShape if the layout does not fit mem.
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

// init sets the Go type and the codecs of numbers: the type with the same dtype in native byte order.
func (st *Storage) init() {
	if st.DType.IsNumber() {
		st.setGoType(st.DType.WithOrder(dtype.Native))
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

// transfer decodes the element at p to the Go value at x, or encodes it from x if write is true. It panics if access
// forbids that.
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

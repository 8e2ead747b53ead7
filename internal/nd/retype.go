package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// WithGoType returns c with the access to its elements as the Go type with the dtype want,
// which has that alignment.
func (c Array) WithGoType(want dtype.DType, align int) (Array, error) {
	el := c.Store
	if !el.DType.IsNumber() || el.DType.Kind() != want.Kind() || el.Size != want.ItemSize() {
		with := *el
		if err := with.setGoType(want); err != nil {
			return Array{}, NewDTypeError(el.Mem.Path, el.DType, want, err.Error())
		}
		c.Store = &with
	}
	return c.WithAccess(align), nil
}

// WithAccess returns c with the way to its elements that their codecs say, as Go values
// of that alignment.
func (c Array) WithAccess(align int) Array {
	aligned := c.Piece().IsAligned(align)
	way := func(c *elem.Codec) Access {
		if aligned && c.IsPlain() {
			return InPlace
		}
		return ByCodec
	}
	c.Read = way(&c.Store.Decode)
	if c.Write != NoWrite {
		c.Write = way(&c.Store.Encode)
	}
	return c
}

// WithNumbers returns c with numbers converted by load to those of dtype want, which have that alignment, and back by save.
func (c Array) WithNumbers(want dtype.DType, align int, load, save elem.Codec) Array {
	with := *c.Store
	with.Decode, with.Encode = load, save
	with.Value, with.Size, with.Converts = want, want.ItemSize(), true
	c.Store = &with
	return c.WithAccess(align)
}

// WithoutGoType returns c as an Array has it: without a Go type of another dtype.
func (c Array) WithoutGoType() Array {
	return Must(c.Retype(func(c Array) (Array, error) {
		with := *c.Store
		with.Converts = false
		with.init()
		c.Store = &with
		return c, nil
	}))
}

// DTypeError returns an error about the dtype of c that wraps ErrDType.
func (c Array) DTypeError(format string, args ...any) error {
	return OfKind(fmt.Errorf("%s%w", Prefix(c.Store.Mem.Path), fmt.Errorf(format, args...)), ErrDType)
}

func (c Array) Field(f dtype.Field) (Array, error) {
	base := f.Type.Base()
	shape, strides := c.Layout.Shape(), c.Layout.Strides()
	for d := f.Type; d.Kind() == dtype.KindSubarray; d = d.Base() {
		base = d.Base()
		sub, err := index.NewLayout(d.SubShape(), base.ItemSize(), index.C)
		if err != nil {
			return Array{}, err
		}
		shape, strides = append(shape, sub.Shape()...), append(strides, sub.Strides()...)
	}
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, err
	}
	return c.Retyped(base, lay, f.Offset)
}

// Retyped is memory of c, from off bytes after its first element, as elements of
// another dtype.
func (c Array) Retyped(d dtype.DType, lay index.Layout, off int) (Array, error) {
	el := NewStorage(c.Store.Mem, d)
	if !c.Store.IsWhole() {
		if d.ItemSize() == 0 { // anywhere will do, but in the part
			off = 0
		}
		return c.withElement(el, lay, off), nil
	}
	r, err := el.onMemory(c.Offset()+off, lay)
	if c.Write == NoWrite {
		r.Write = NoWrite
	}
	return r, err
}

func (c Array) Reinterpreted(d dtype.DType) (Array, error) {
	from, to := c.Store.DType.ItemSize(), d.ItemSize()
	if from == to {
		return c.Retyped(d, c.Layout, 0)
	}
	last := c.Layout.NDim() - 1
	if last < 0 {
		return Array{}, fmt.Errorf("%w: items of %d bytes as items of %d: a 0-d array has no axis to change", ErrShape, from,
			to)
	}
	if n := c.Layout.Len(last); n != 1 && c.Layout.Size() > 0 && c.Layout.Stride(last) != from {
		return Array{},
			fmt.Errorf("%w: items of %d bytes as items of %d: the last axis is not contiguous, its elements are %d bytes apart",
				ErrNotDirect, from, to, c.Layout.Stride(last))
	}
	shape, strides := c.Layout.Shape(), c.Layout.Strides()
	bytes := shape[last] * from
	if to == 0 || bytes%to != 0 || to < from && from%to != 0 {
		return Array{}, fmt.Errorf("%w: a last axis of %d items of %d bytes is no whole number of items of %d", ErrShape,
			shape[last], from, to)
	}
	shape[last], strides[last] = bytes/to, to
	lay, err := index.Strided(shape, strides)
	if err != nil {
		return Array{}, err
	}
	return c.Retyped(d, lay, 0)
}

// AnyOffset returns c with the bytes that it has, of which elements of dtype d may start at any.
func (c Array) AnyOffset(d dtype.DType) Array {
	lo, hi := c.Layout.Bounds(c.Store.DType.ItemSize())
	last := max(0, hi-d.ItemSize()) // where an element starts
	up, down := min(1, last), max(-1, lo)
	c.Store = NewStorage(c.Store.Mem, d)
	c.Layout = Must(index.Strided([]int{2, 2, 2, 2}, []int{last - up, up, lo - down, down}))
	return c
}

// Converted returns c with its Go values converted to numbers of dtype want.
func (c Array) Converted(want dtype.DType) (Array, error) {
	with := *c.Store
	first, second := c.Store.Decode, elem.Codec{}
	second, err := elem.New(want, c.Store.Value)
	with.Decode, with.Value, with.Size, with.Converts = elem.Chain(&first, &second), want, want.ItemSize(), true
	c.Store = &with
	c.Read = ByCodec
	return c, err
}

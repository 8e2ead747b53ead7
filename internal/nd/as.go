package nd

import (
	"github.com/ndmap/ndmap/dtype"
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
	return c.Accessible(align), nil
}

// Accessible returns c with the way to its elements that their codecs say, as Go values
// of that alignment.
func (c Array) Accessible(align int) Array {
	aligned := c.Piece().IsAligned(align)
	way := func(c *elem.Codec) access {
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

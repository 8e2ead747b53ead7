package nd

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
)

// WithNumbers returns c with numbers converted by load to those of dtype want, which have that alignment, and back by save.
func (c Array) WithNumbers(want dtype.DType, align int, load, save elem.Codec) Array {
	with := *c.Store
	with.Decode, with.Encode = load, save
	with.Value, with.Size, with.Converts = want, want.ItemSize(), true
	c.Store = &with
	return c.Accessible(align)
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

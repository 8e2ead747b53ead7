package nd

import (
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/elem"
)

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

package array

import (
	"fmt"
	"io/fs"
	"sync"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// FromPointer is an array in memory that is not Go's: p, an unsafe.Pointer, is the
// address of its first element, and the layout says where the others are. Close
// calls release, once, which may be nil; the memory must stay as it is until then.
//
// Nothing can check that p and the layout are right. Memory of Go's is not for
// this: see [FromSlice].
func FromPointer(p pointer, d dtype.DType, lay index.Layout, release func()) (*File, error) {
	lo, hi := lay.Bounds(d.ItemSize())
	if p == nil && lo != hi {
		return nil, fmt.Errorf("array: the pointer is nil")
	}
	if p == nil {
		p = strided.Start([]byte{}) // elements of no bytes need an address, too
	}
	if d.Kind() == dtype.KindInvalid {
		return nil, fmt.Errorf("array: the zero DType describes no elements")
	}
	order := index.C
	if lay.Contiguous(index.F, d.ItemSize()) && !lay.Contiguous(index.C, d.ItemSize()) {
		order = index.F
	}
	h, _, err := newHeader(d, order, lay.Shape())
	if err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	f := &File{h: h}
	if f.Array.core, err = f.set(strided.Memory{Base: strided.Add(p, lo), Size: hi - lo}, d, -lo, lay); err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	var once sync.Once
	f.release = func() error {
		err := fs.ErrClosed
		once.Do(func() {
			err = nil
			if release != nil {
				release()
			}
		})
		if err != nil {
			return fmt.Errorf("array: close: %w", err)
		}
		return nil
	}
	return f, nil
}

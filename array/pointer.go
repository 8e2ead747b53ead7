package array

import (
	"fmt"
	"io/fs"
	"sync"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// FromPointer returns an array of dtype d in memory not allocated by Go: p is the address of its first element, and the
// strides of lay are in bytes. The memory must stay in place until [File.Close], which calls release unless it is nil.
// FromPointer cannot check p and lay: wrong values corrupt memory. A nil p, the zero DType and overflow are errors.
func FromPointer(p unsafe.Pointer, d dtype.DType, lay index.Layout, release func()) (*File, error) {
	lo, hi := lay.Bounds(d.ItemSize())
	if p == nil && lo != hi {
		return nil, fmt.Errorf("array: nil pointer; only an array of 0 bytes may have one")
	}
	if p == nil {
		p = strided.Start([]byte{}) // elements of no bytes need an address, too
	}
	if err := checkMemoryDType(d); err != nil {
		return nil, fmt.Errorf("array: %w", err)
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
	if f.Array.view, err = f.owned.Init(strided.Memory{Base: strided.Add(p, lo), Size: hi - lo, Closed: f.closedFlag()}, d,
		-lo,
		lay); err != nil {
		return nil, fmt.Errorf("array: %w", err)
	}
	f.release = closeOnce(release)
	return f, nil
}

// closeOnce returns a Close function. Its first call calls release, unless release is nil. Later calls return an error
// that wraps fs.ErrClosed.
func closeOnce(release func()) func() error {
	var once sync.Once
	return func() error {
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
}

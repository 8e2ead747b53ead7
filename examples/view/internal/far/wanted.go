package far

import (
	"maps"
	"math/bits"
	"slices"
	"unsafe"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
)

// A wanted collects the blocks of memory that contain elements of arrays.
type wanted struct {
	memory []byte
	bits   map[int]uint64 // a bit for each block; the key is the block number divided by 64
}

func newWanted(memory []byte) *wanted { return &wanted{memory, map[int]uint64{}} }

// add adds the blocks with the elements of a. It does nothing if a is not in memory.
func (w *wanted) add(a array.Array) error {
	if a.NBytes() == 0 || len(w.memory) == 0 {
		return nil
	}
	first := a
	for first.NDim() > 0 {
		first = first.Index(0)
	}
	first, err := first.ExpandDims(0)
	if err != nil {
		return err
	}
	if first, err = first.Reinterpret(dtype.Uint8); err != nil {
		return err
	}
	v, err := array.As[uint8](first)
	if err != nil {
		return err
	}
	b, err := v.Data()
	if err != nil {
		return err
	}
	at := uintptr(unsafe.Pointer(&b[0])) - uintptr(unsafe.Pointer(&w.memory[0])) // wraps around below memory
	if at >= uintptr(len(w.memory)) {
		return nil
	}
	pages.EachRun(int(at), pages.Dims(a.Layout()), a.ItemSize(), BlockBytes, w.addRun)
	return nil
}

// addRun adds the blocks of n bytes at an offset of the memory.
func (w *wanted) addRun(off, n int) {
	for b := off / BlockBytes; b <= (off+n-1)/BlockBytes; b++ {
		w.bits[b/64] |= 1 << (b % 64)
	}
}

// blocks returns the blocks in ascending order.
func (w *wanted) blocks() []int {
	var blocks []int
	for _, k := range slices.Sorted(maps.Keys(w.bits)) {
		for word := w.bits[k]; word != 0; word &= word - 1 {
			blocks = append(blocks, k*64+bits.TrailingZeros64(word))
		}
	}
	return blocks
}

package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Blocks iterates over the elements in blocks of up to 64 KiB, in the order C, F, or K, which is the order they have in
// memory; another order panics. It is the fastest way through an array of any layout and byte order. A block is valid
// until the next one, and must not be written to: see [View.Update]. It may end within a row: [Rows] has whole ones.
//
// A run of at least 512 bytes of Go values in memory is handed out in place. All else is copied to one buffer of up to
// 8 KiB, which is all that Blocks allocates, but for a [Stack]. Through a file larger than memory a goroutine reads
// ahead, which ends by itself after some 32 MiB when the loop is left early. In another order than that of the
// memory, what is not in memory is handed out from copies of parts, of a quarter of the memory that the process may
// take, or 128 MiB: where these are many, use the order K, or [Convert] the file first.
func (v View[T]) Blocks(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		w := v.view.Blocks(order, strided.Copied)
		for {
			p, n := w.ReadBlock()
			if n == 0 || !yield(strided.Slice[T](p, n)) {
				return
			}
		}
	}
}

// Update iterates over the elements in blocks as [View.Blocks] does, and stores what the body of the loop has done to a
// block before the next one, and also when it leaves the loop, but not when it panics: then only blocks that are
// memory of v have what was done to them. All elements of a block are stored, so those of a [Cast] that the body
// leaves alone are rounded or brought in range. In another order than that of the memory, pages on the disk are read
// and written many times: use K, or [Map]. A read-only v panics.
func (v View[T]) Update(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		v.view.MustBeWritable()
		w := v.view.Blocks(order, strided.InPlace)
		for more := true; more; {
			p, n := w.ReadBlock()
			if n == 0 {
				return
			}
			more = yield(strided.Slice[T](p, n))
			w.StoreBlock(n)
		}
	}
}

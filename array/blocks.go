package array

import (
	"iter"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
)

const (
	// blockBytes is the size of a block that is the memory of the view itself.
	blockBytes = 64 << 10

	// bufferBytes is the size of one that is gathered or decoded. It is still in the
	// processor's first cache when the caller reads it, and the memory, which reads
	// ahead of the one, does not rest for long while the other is worked on.
	bufferBytes = 8 << 10

	// runBytes is how long a run of direct elements must be to be a block itself.
	// Shorter ones are gathered, since the caller's loop would be all overhead.
	runBytes = 512
)

// Blocks iterates over the elements in blocks of up to 64 KiB, in the order C, F,
// or K, which is the order they have in memory. It is the way to functions that
// take slices, and the fastest way through an array of any layout and byte order.
//
// A block of elements that are direct and follow one another is the memory of v
// itself; otherwise it is a copy in one buffer, which is used again for the next
// block. Blocks must not be written to: see [View.Update]. At most one buffer is
// allocated, or one for each part of a [Stack].
//
// Through a file larger than memory Blocks reads ahead, and lets go of what was
// not in memory before, as long as its order is that of the memory.
func (v View[T]) Blocks(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		v.blocks(order, false, yield)
	}
}

// Update iterates over the elements in blocks as [View.Blocks] does, and stores
// what the body of the loop has done to a block before the next one, and also when
// it leaves the loop by break or return, but not when it panics. It panics with an
// error that wraps [ErrReadOnly] if v is read-only.
func (v View[T]) Update(order index.Order) iter.Seq[[]T] {
	return func(yield func([]T) bool) {
		v.some()
		if v.save == denied {
			panic(v.o.refusal(denied))
		}
		v.blocks(order, true, yield)
	}
}

func (v View[T]) blocks(order index.Order, write bool, yield func([]T) bool) bool {
	v.some()
	switch order {
	case index.F:
		v = v.T()
	case index.K:
		v.core = v.inMemoryOrder()
	}
	if v.across() == 0 { // a stack, part by part
		for i := range v.lay.Len(0) {
			if !v.Index(i).blocks(index.C, write, yield) {
				return false
			}
		}
		return true
	}
	size := sizeof[T]()
	limit := max(1, blockBytes/max(1, size))
	w := walk(&v.core)
	pass := v.sweep()
	if v.load == direct && w.inner.Stride == size && (w.inner.Len*size >= runBytes || w.n == 0) {
		for ; w.more; w.next() {
			for done := 0; done < w.inner.Len; {
				n := min(limit, w.inner.Len-done)
				pass.advance(w.off + done*size)
				if !yield(span[T](v.p, w.off+done*size, n)) {
					return false
				}
				done += n
			}
		}
		return true
	}
	var buf []T
	for pos := 0; w.more; {
		if buf == nil {
			buf = make([]T, min(max(1, bufferBytes/max(1, size)), v.lay.Size()))
		}
		from, at := w, pos
		pass.advance(w.off + pos*w.inner.Stride)
		n := v.move(buf, &w, &pos, false)
		more := yield(buf[:n])
		if write {
			v.move(buf[:n], &from, &at, true)
		}
		if !more {
			return false
		}
	}
	return true
}

// move decodes the elements from position pos of the run of w on to buf, until one
// of the two ends, or stores them from there, and moves w and pos on.
func (v View[T]) move(buf []T, w *walker, pos *int, write bool) (n int) {
	size := sizeof[T]()
	swap := 0
	if v.load == swapped || v.load == swappedPair {
		swap = unit(v.o.dtype)
	}
	for n < len(buf) && w.more {
		k := min(len(buf)-n, w.inner.Len-*pos)
		off, stride := w.off+*pos*w.inner.Stride, w.inner.Stride
		b := buf[n : n+k]
		switch {
		case v.load&stacked != 0 || v.load == coded:
			for i := range b {
				if write {
					store(v.p, off+i*stride, v.save, v.o, b[i])
				} else {
					b[i] = load[T](v.p, off+i*stride, v.load, v.o)
				}
			}
		case write:
			kernel.Move(v.ptr(off), stride, pointer(&b[0]), size, k, size, swap)
		default:
			kernel.Move(pointer(&b[0]), size, v.ptr(off), stride, k, size, swap)
			if v.load == boolByte {
				kernel.Convert(pointer(&b[0]), kernel.Bool, pointer(&b[0]), kernel.Bool, k)
			}
		}
		n += k
		if *pos += k; *pos == w.inner.Len {
			*pos = 0
			w.next()
		}
	}
	return n
}

// inMemoryOrder is c with its axes in the order of their strides, all upwards.
func (c core) inMemoryOrder() core {
	ls := must(index.SortByStride(c.lay))
	sel := make([]index.Selector, ls[0].NDim())
	for axis := range sel {
		if ls[0].Stride(axis) < 0 {
			sel[axis] = index.Step(index.Omit, index.Omit, -1)
		}
	}
	lay, off, err := ls[0].Select(sel...)
	return must(c.derive(lay, off, err))
}

package array

import "github.com/ndmap/ndmap/internal/kernel"

// Fill makes x every element of v. It panics with an error that wraps
// [ErrReadOnly] if v is read-only. Goroutines, GOMAXPROCS of them, share a large
// view, as with [Copy].
func (v View[T]) Fill(x T) {
	v.some()
	if v.save == denied {
		panic(v.o.refusal(denied))
	}
	if n := v.NBytes() / partBytes; n > 1 && v.o.stack == nil {
		v.core = v.inMemoryOrder()
		v.core = v.sub(v.lay.Coalesce(), 0)
		parts := v.parts(n)
		share(len(parts), func(k int) { parts[k].fill(x) })
		return
	}
	v.fill(x)
}

// fill stores x once in a run, and moves that to the rest of it. What has a codec
// may have padding, which stays as it is.
func (v View[T]) fill(x T) {
	size := v.o.dtype.ItemSize()
	for w := walk(&v.core); w.more; w.next() {
		off, n, stride := w.off, w.inner.Len, w.inner.Stride
		store(v.p, off, v.save, v.o, x)
		if v.o.stack == nil && v.save != coded && n > 1 && abs(stride) >= size {
			kernel.Move(v.ptr(off+stride), stride, v.ptr(off), 0, n-1, size, 0)
			continue
		}
		for range n - 1 {
			off += stride
			store(v.p, off, v.save, v.o, x)
		}
	}
}

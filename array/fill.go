package array

// Fill makes x every element of v. It panics with an error that wraps
// [ErrReadOnly] if v is read-only.
func (v View[T]) Fill(x T) {
	w := walk(&v.core)
	if v.save == denied {
		panic(v.o.refusal(denied))
	}
	for ; w.more; w.next() {
		off := w.off
		for range w.inner.Len {
			store(v.p, off, v.save, v.o, x)
			off += w.inner.Stride
		}
	}
}

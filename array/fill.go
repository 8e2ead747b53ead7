package array

import "github.com/ndmap/ndmap/internal/strided"

// Fill makes x every element of v. It panics with an error that wraps
// [ErrReadOnly] if v is read-only. Goroutines, GOMAXPROCS of them, share a large
// view, as with [Copy].
func (v View[T]) Fill(x T) {
	v.mustBeWritable()
	v.fill(strided.Hide(pointer(&x)))
}

// fill makes the Go value at x every element of c.
func (c core) fill(x pointer) {
	if axis := c.stackAxis(); axis >= 0 {
		for _, part := range (Array{c}).Axis(axis) {
			part.fill(x)
		}
		return
	}
	strided.Fill(c.piece(), x, &c.el.save)
}

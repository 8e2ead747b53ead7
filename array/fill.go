package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Fill sets every element of v to x. It panics if v is read-only; see SetAt.
func (v View[T]) Fill(x T) {
	v.view.mustBeWritable()
	if n := v.view.lay.Size(); n <= fewElements && v.view.save == direct && !v.view.el.save.HasPadding() &&
		v.Contiguous(index.C) {
		s := strided.Slice[T](v.view.p, n)
		for i := range s {
			s[i] = x
		}
		return
	}
	v.view.fill(strided.Hide(pointer(&x)))
}

// fill makes the Go value at x every element of c.
func (c view) fill(x pointer) {
	if !c.isWhole() {
		axis := c.partAxis()
		for i := 0; i < c.lay.Len(axis); { // no closure, with which x would escape
			run := c.within(axis, i)
			c.run(axis, i, run).fill(x)
			i += max(1, run)
		}
		return
	}
	strided.Fill(c.piece(), x, &c.el.save)
}

// fewElements is up to how many elements a plain loop fills in less time than it takes to
// find out how to do better.
const fewElements = 32

package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/strided"
)

// Fill sets every element of v to x. It panics if v is read-only; see SetAt.
func (v View[T]) Fill(x T) {
	v.view.MustBeWritable()
	if n := v.view.Layout.Size(); n <= nd.FewElements && v.view.Write == nd.InPlace && !v.view.Store.Encode.HasPadding() &&
		v.Contiguous(index.C) {
		s := strided.Slice[T](v.view.P, n)
		for i := range s {
			s[i] = x
		}
		return
	}
	v.view.Fill(strided.Hide(pointer(&x)))
}

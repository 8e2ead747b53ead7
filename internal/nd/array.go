package nd

import "github.com/ndmap/ndmap/internal/strided"

// An Array is a plain array: all its elements lie in one memory. A [View] yields one or several Arrays, and the
// functions that work on memory take Arrays.
type Array struct {
	strided.Piece
	Store *Storage
	Read  Access
}

// Plain returns v as an Array. It returns false if the elements of v lie in several memories.
func (v *View) Plain() (a Array, ok bool) {
	if v.Store.Joined != nil {
		return v.plainMember()
	}
	return Array{v.piece(), v.Store, v.Read}, true
}

// piece returns v as a strided.Piece. If v is joined, only its layout and item size are valid.
func (v *View) piece() strided.Piece {
	return strided.Piece{P: v.P, Layout: v.Layout, ItemSize: v.Store.DType.ItemSize(), Mem: v.Store.Mem}
}

// bytesOnPages estimates, from the layout alone, the number of bytes in the pages that contain elements of v.
func (v *View) bytesOnPages() int {
	p := v.piece()
	return p.OnPages()
}

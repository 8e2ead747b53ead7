package nd

import (
	"fmt"

	"github.com/ndmap/ndmap/internal/strided"
)

// Map calls f with blocks of n Go values of v and of the values of each source at the same positions. f may modify the
// values of v, and Map stores them. p[0] is the address of the values of v, and p[1:] are the addresses of the values
// of the sources. Goroutines call f at the same time. Map returns the first error of f in memory order.
//
// The sources are broadcast to the shape of v. Each may be the same elements as v, but must not share memory with v
// otherwise.
func (v View) Map(f func(p []pointer, n int) error, sources ...View) error {
	whole := Part{Views: []View{v}}
	for k, src := range sources {
		src, err := src.ForWriting(v)
		if err != nil {
			return err
		}
		if !v.IsSame(&src) && v.MayOverlap(&src) {
			name := "source"
			if len(sources) > 1 {
				name += " " + string(rune('a'+k))
			}
			return fmt.Errorf("%s%s and destination share memory, but are not the same elements; Clone the source",
				Prefix(v.Store.Mem.Path), name)
		}
		whole.Views = append(whole.Views, src)
	}
	p := NewPass(whole)
	p.Stores = true
	return p.RunBlocks(func(b *Block) error { return f(b.P, b.N) })
}

// IsSame reports whether a and b consist of the same elements, with equal addresses and sizes, in the same order.
func (a *View) IsSame(b *View) bool {
	if a.P != b.P || !a.Layout.SameShape(b.Layout) || a.Store.DType.ItemSize() != b.Store.DType.ItemSize() ||
		!a.hasSameMembers(b) {
		return false
	}
	for axis := range a.Layout.NDim() {
		if a.Layout.Len(axis) > 1 && a.Layout.Stride(axis) != b.Layout.Stride(axis) {
			return false
		}
	}
	return true
}

// MayOverlap reports whether a may share memory with b.
func (a *View) MayOverlap(b *View) bool {
	x, isPlain := a.Plain()
	y, bothPlain := b.Plain()
	if isPlain && bothPlain {
		return strided.MayOverlap(x.Piece, y.Piece)
	}
	return shareMemory(a, b)
}

package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// Aligned calls f with pairs of arrays that together are all elements of dst and src, views of one shape. If one of
// them is joined, src is copied first where the two may share memory.
func Aligned(dst, src View, f func(dst, src Array) error) error {
	if d, ok := dst.Plain(); ok {
		if s, ok := src.Plain(); ok {
			return f(d, s)
		}
	}
	return alignTiles(dst, src, f)
}

// alignTiles does the work of Aligned for joined views. It takes large views apart tile by tile, because one member of
// a joined array may correspond to elements on all pages of the other view. It prefetches the pages of each tile if the
// members are not in memory, and releases them after the tile. It does not release those of small views, which may be
// some of the next call.
func alignTiles(dst, src View, f func(dst, src Array) error) error {
	if shareMemory(&dst, &src) {
		var err error
		if src, err = src.detached(); err != nil {
			return err
		}
	}
	cold := [2]bool{dst.isColdJoined(), src.isColdJoined()}
	isLarge := max(dst.onPages(), src.onPages()) > strided.PartBytes
	if !isLarge && !cold[0] && !cold[1] {
		return eachPair(dst, src, f)
	}
	whole := Part{Views: []View{dst, src}}
	halvings := 0
	after := [2]strided.After{strided.Keep, strided.Keep}
	var pieces []strided.Piece
	if isLarge {
		halvings = whole.halvings(strided.TileBytes())
		after = [2]strided.After{strided.WriteBack, strided.Release}
		for k, v := range whole.Views {
			j := v.Store.Joined
			if j == nil {
				pieces = append(pieces, v.piece())
			}
			for i := 0; cold[k] && i < len(j.Members); i++ {
				pieces = append(pieces, j.Members[i].piece())
			}
		}
	}
	p := strided.Pass{Parts: 1 << halvings, InTurn: true}
	p.PageByPart(func(k int, visit func(q strided.Piece, after strided.After)) {
		part, ok := whole.cutByHalves(k, halvings)
		for i, v := range part.Views {
			if cold[i] && ok {
				Must(0, eachPlain(v, func(a Array) error { visit(a.Piece, after[i]); return nil }))
			}
		}
	}, pieces...)
	return p.Run(func(k int, _ *strided.Failure) error {
		part, ok := whole.cutByHalves(k, halvings)
		if !ok {
			return nil
		}
		return eachPair(part.Views[0], part.Views[1], f)
	})
}

// detached returns a copy of v, in Go memory, whose elements have the same Go type.
func (v View) detached() (View, error) {
	tmp, err := v.WithoutGoType().Clone(index.C)
	if err != nil {
		return View{}, err
	}
	st := *v.Store
	st.Mem, st.Joined = tmp.Store.Mem, nil
	tmp.Store = &st
	return tmp, nil
}

// Paged calls f when the pages of v are being read, and no others. It is meant for few elements, such as those of a
// printout, which may be far apart: page faults would read the bytes between them, too.
func (v View) Paged(f func() error) error {
	p := strided.Pass{Parts: 1, InTurn: true}
	p.PageByPart(func(_ int, visit func(q strided.Piece, after strided.After)) {
		Must(0, eachPlain(v, func(a Array) error { visit(a.Piece, strided.Keep); return nil }))
	})
	return p.Run(func(int, *strided.Failure) error { return f() })
}

// requestPages makes the system begin to read the pages of v.
func (v View) requestPages() { Must(0, v.Paged(func() error { return nil })) }

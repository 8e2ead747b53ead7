package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A joinedCursor walks through a joined array, one plain array at a time. If consecutive elements lie in one member, it
// walks through the member itself. Elements that lie in several members are decoded to a buffer, block by block.
type joinedCursor struct {
	array      View // in C order
	pos        int  // number of elements returned so far
	cold       bool // the members are not in memory
	blockBytes int  // maximum size of a decoded block
	source     View // the elements decoded to buffer, or the zero View
	buffer     View // their Go values, in mem
	mem        []byte
}

func newJoinedCursor(a View, order index.Order) *joinedCursor {
	switch order {
	case index.F:
		a = Must(a.Relayout(a.Layout.Transpose()))
	case index.K:
		a = a.InMemoryOrder()
	}
	return &joinedCursor{array: a, cold: a.prefetchMembers()}
}

// SlabBytes returns the maximum size in bytes of the parts in which to copy v in C order. The result exceeds least if
// each part would read its pages again.
func (v *View) SlabBytes(least int) int {
	if a, ok := v.Plain(); ok {
		return a.Piece.SlabBytes(least)
	}
	if v.memberAxis() > 0 && v.isColdJoined() {
		return strided.SlabBytes()
	}
	return least
}

// next makes w walk through the next plain array. It returns false after the last one.
func (jc *joinedCursor) next(w *Cursor) bool {
	if jc.pos == jc.array.Layout.Size() {
		return false
	}
	size := jc.array.Store.Size
	if jc.blockBytes == 0 {
		jc.blockBytes = strided.BufferBytes
		if w.Ahead == strided.Copied && jc.cold && jc.array.memberAxis() > 0 {
			jc.blockBytes = strided.SlabBytes() // large, because each block reads its pages again
		}
	}
	block := jc.blockAt(jc.pos, max(1, jc.blockBytes/max(1, size)))
	jc.pos += block.Layout.Size()
	jc.source = View{}
	if block.Store.Joined != nil {
		if n := block.Layout.Size() * size; jc.mem == nil || len(jc.mem) < n {
			jc.mem = strided.Alloc(n)
		}
		jc.source, jc.buffer = block, block.valuesIn(jc.mem)
		block.decodeTo(jc.buffer)
		block = jc.buffer
	}
	a, _ := block.Plain()
	if jc.cold && jc.source.IsZero() && a.OnPages() <= strided.PartBytes {
		block.requestPages()
	}
	w.begin(a.Piece, a.Store, a.Read, index.C)
	return true
}

// writeBack encodes the values in the buffer and stores them in the members that they were decoded from.
func (jc *joinedCursor) writeBack() {
	if !jc.source.IsZero() {
		Must(0, eachPair(jc.buffer, jc.source, func(b, a Array) error {
			return strided.Copy(a.Piece, b.Piece, &a.Store.Encode)
		}))
	}
}

// blockAt returns the elements that start at position pos in C order: a plain array, or up to limit elements of several
// members.
func (jc *joinedCursor) blockAt(pos, limit int) View {
	a := jc.array
	for a.Store.Joined != nil {
		n := a.Layout.Size() / a.Layout.Len(0)
		i := pos / n
		pos %= n
		switch axis := a.memberAxis(); {
		case axis > 0 && n <= limit:
			return Must(a.Derive(a.Layout.Select(index.Range(i, min(i+limit/n, a.Layout.Len(0))))))
		case axis == 0:
			if rows := a.lenInMember(0, i); rows > 1 {
				return Must(a.Derive(a.Layout.Select(index.Range(i, i+rows))))
			}
		}
		a.Index(i, &a)
	}
	return a
}

// isColdJoined reports whether v has elements in several members that together are large and are not in memory. It
// checks only the pages of the last member.
func (v *View) isColdJoined() bool {
	if v.memberAxis() < 0 {
		return false
	}
	members := v.Store.Joined.Members
	last := members[len(members)-1].piece()
	return len(members)*last.OnPages() > strided.PartBytes && last.IsCold()
}

// prefetchMembers reports whether a has elements in several members that are not in memory. If so, and if all pages
// that a needs fit in memory together, it prefetches these pages, because a page fault in each member would read far
// beyond the elements of a.
func (a *View) prefetchMembers() bool {
	if !a.isColdJoined() {
		return false
	}
	if a.bytesOnPages() <= strided.TileBytes() {
		a.requestPages()
	}
	return true
}

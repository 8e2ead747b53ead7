package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A joinedCursor walks through a joined array, one plain array at a time. Elements that lie within one member are
// handed out from the member itself. Elements that lie in several members are decoded to a buffer, block by block.
type joinedCursor struct {
	array      Array // in C order
	pos        int   // number of elements handed out
	cold       bool  // the members are not in memory
	blockBytes int   // maximum size of a decoded block
	source     Array // the elements decoded to buffer, or the zero Array
	buffer     Array // their Go values, in mem
	mem        []byte
}

func newJoinedCursor(a Array, order index.Order) *joinedCursor {
	switch order {
	case index.F:
		a = Must(a.Relayout(a.Layout.Transpose()))
	case index.K:
		a = a.InMemoryOrder()
	}
	return &joinedCursor{array: a, cold: a.prefetchMembers()}
}

// CrossesColdMembers reports whether consecutive elements of a lie in different members, and the members are large and
// not in memory.
func (a *Array) CrossesColdMembers() bool { return a.MemberAxis() > 0 && a.Store.Joined.isCold() }

// next makes w walk through the next plain array. It returns false after the last one.
func (jc *joinedCursor) next(w *Cursor) bool {
	if jc.pos == jc.array.Layout.Size() {
		return false
	}
	size := jc.array.Store.Joined.Members[0].Store.Size
	if jc.blockBytes == 0 {
		jc.blockBytes = strided.BufferBytes
		if w.Ahead == strided.Copied && jc.cold && jc.array.MemberAxis() > 0 {
			jc.blockBytes = strided.SlabBytes() // large, because each block reads its pages again
		}
	}
	block := jc.blockAt(jc.pos, max(1, jc.blockBytes/max(1, size)))
	jc.pos += block.Layout.Size()
	jc.source = Array{}
	if block.Store.Joined != nil {
		if n := block.Layout.Size() * size; jc.mem == nil || len(jc.mem) < n {
			jc.mem = strided.Alloc(n)
		}
		jc.source, jc.buffer = block, block.decodeJoined(jc.mem)
		block = jc.buffer
	} else if jc.cold {
		block.Piece().Prefetch(strided.WhereShort)
	}
	w.begin(&block, index.C)
	return true
}

// put stores the elements of the buffer in the members they were decoded from.
func (jc *joinedCursor) put() {
	if !jc.source.IsZero() {
		Must(0, forPairs(jc.buffer, jc.source, func(b, a Array) error {
			return strided.Copy(a.Piece(), b.Piece(), &a.Store.Encode)
		}))
	}
}

// blockAt returns the elements that start at position pos in C order: a plain array, or up to limit elements of several
// members.
func (jc *joinedCursor) blockAt(pos, limit int) Array {
	a := jc.array
	for a.Store.Joined != nil {
		n := a.Layout.Size() / a.Layout.Len(0)
		i := pos / n
		pos %= n
		switch axis := a.MemberAxis(); {
		case axis > 0 && n <= limit:
			return Must(a.Derive(a.Layout.Select(index.Range(i, min(i+limit/n, a.Layout.Len(0))))))
		case axis == 0:
			if rows := a.LenInMember(0, i); rows > 1 {
				return Must(a.Derive(a.Layout.Select(index.Range(i, i+rows))))
			}
		}
		a.Index(i, &a)
	}
	return a
}

// isCold reports whether the members are large together and not in memory. It judges all members by the last one.
func (j *Joined) isCold() bool {
	last := j.Members[len(j.Members)-1].Piece()
	return len(j.Members)*last.OnPages() > strided.PartBytes && last.IsCold()
}

// prefetchMembers reports whether a has elements in several members that are not in memory. If so, and if all pages
// that a needs fit in memory together, it prefetches these pages, because a page fault in each member would read far
// beyond the elements of a.
func (a *Array) prefetchMembers() bool {
	if a.MemberAxis() < 0 || !a.Store.Joined.isCold() {
		return false
	}
	if a.layoutOnPages() <= strided.TileBytes() {
		Must(0, forPairs(*a, *a, func(plain, _ Array) error { plain.Piece().Prefetch(strided.WhereCold); return nil }))
	}
	return true
}

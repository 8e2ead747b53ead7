package nd

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A joinedCursor walks through a stack: what lies within a part, as it lies; what does
// not, some at a time, decoded to a buffer.
type joinedCursor struct {
	c      Array // in C order
	pos    int   // elements handed out
	cold   bool  // whether parts are not in memory
	bytes  int   // how much is decoded at a time
	box    Array // the elements that are decoded
	buffer Array // to there
	mem    []byte
}

func newJoinedCursor(c Array, order index.Order) *joinedCursor {
	switch order {
	case index.F:
		c = Must(c.Relayout(c.Layout.Transpose()))
	case index.K:
		c = c.InMemoryOrder()
	}
	return &joinedCursor{c: c, cold: c.wantParts()}
}

// next makes w walk through the next part. It returns false after the last.
func (s *joinedCursor) next(w *Cursor) bool {
	if s.pos == s.c.Layout.Size() {
		return false
	}
	size := s.c.Store.Joined.Parts[0].Store.Size
	if s.bytes == 0 {
		s.bytes = strided.BufferBytes
		if w.Ahead == strided.Copied && s.cold && s.c.PartAxis() > 0 {
			s.bytes = strided.SlabBytes() // each page is read again for each
		}
	}
	part := s.partAt(s.pos, max(1, s.bytes/max(1, size)))
	s.pos += part.Layout.Size()
	s.box = Array{}
	if part.Store.Joined != nil {
		if n := part.Layout.Size() * size; s.mem == nil || len(s.mem) < n {
			s.mem = strided.Alloc(n)
		}
		s.box, s.buffer = part, part.decodeParts(s.mem)
		part = s.buffer
	} else if s.cold {
		part.Piece().Prefetch(strided.WhereShort)
	}
	w.begin(&part, index.C)
	return true
}

// partAt returns the next part from position pos on: one without a stack, or one of up
// to limit elements.
func (s *joinedCursor) partAt(pos, limit int) Array {
	c := s.c
	for c.Store.Joined != nil {
		n := c.Layout.Size() / c.Layout.Len(0)
		i := pos / n
		pos %= n
		switch axis := c.PartAxis(); {
		case axis > 0 && n <= limit:
			return Must(c.Derive(c.Layout.Select(index.Range(i, min(i+limit/n, c.Layout.Len(0))))))
		case axis == 0:
			if run := c.Within(0, i); run > 1 {
				return Must(c.Derive(c.Layout.Select(index.Range(i, i+run))))
			}
		}
		c.Index(i, &c)
	}
	return c
}

// put stores the buffer.
func (s *joinedCursor) put() {
	if !s.box.IsZero() {
		Must(0, forPairs(s.buffer, s.box, func(b, c Array) error { return strided.Copy(c.Piece(), b.Piece(), &c.Store.Encode) }))
	}
}

// isCold reports whether the parts are large together, and not in memory, as the last one tells.
func (s *Joined) isCold() bool {
	last := s.Parts[len(s.Parts)-1].Piece()
	return len(s.Parts)*last.OnPages() > strided.PartBytes && last.IsCold()
}

// IsColdAcross reports whether c goes across the parts of a stack that are large, and not in memory.
func (c *Array) IsColdAcross() bool { return c.PartAxis() > 0 && c.Store.Joined.isCold() }

// wantParts reports whether c has elements in several parts of a stack that is not in memory. If so, and if all pages
// that c needs fit in memory at once, it asks for these: a page fault in each part would read far beyond its elements.
func (c *Array) wantParts() bool {
	if c.PartAxis() < 0 || !c.Store.Joined.isCold() {
		return false
	}
	if c.pages() <= strided.TileBytes() {
		Must(0, forPairs(*c, *c, func(part, _ Array) error { part.Piece().Prefetch(strided.WhereCold); return nil }))
	}
	return true
}

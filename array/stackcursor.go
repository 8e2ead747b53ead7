package array

import (
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// A stackCursor walks through a stack: what lies within a part, as it lies; what does
// not, some at a time, decoded to a buffer.
type stackCursor struct {
	c      view // in C order
	pos    int  // elements handed out
	cold   bool // whether parts are not in memory
	bytes  int  // how much is decoded at a time
	box    view // the elements that are decoded
	buffer view // to there
	mem    []byte
}

func newStackCursor(c view, order index.Order) *stackCursor {
	switch order {
	case index.F:
		c = must(c.relayout(c.lay.Transpose()))
	case index.K:
		c = c.inMemoryOrder()
	}
	return &stackCursor{c: c, cold: c.wantParts()}
}

// next makes w walk through the next part. It returns false after the last.
func (s *stackCursor) next(w *cursor) bool {
	if s.pos == s.c.lay.Size() {
		return false
	}
	size := s.c.el.stack.parts[0].el.size
	if s.bytes == 0 {
		s.bytes = strided.BufferBytes
		if w.ahead == strided.Copied && s.cold && s.c.partAxis() > 0 {
			s.bytes = strided.SlabBytes() // each page is read again for each
		}
	}
	part := s.partAt(s.pos, max(1, s.bytes/max(1, size)))
	s.pos += part.lay.Size()
	s.box = view{}
	if part.el.stack != nil {
		if n := part.lay.Size() * size; s.mem == nil || len(s.mem) < n {
			s.mem = strided.Alloc(n)
		}
		s.box, s.buffer = part, part.decodeParts(s.mem)
		part = s.buffer
	} else if s.cold {
		part.piece().WantPart()
	}
	w.begin(&part, index.C)
	return true
}

// partAt returns the next part from position pos on: one without a stack, or one of up
// to limit elements.
func (s *stackCursor) partAt(pos, limit int) view {
	c := s.c
	for c.el.stack != nil {
		n := c.lay.Size() / c.lay.Len(0)
		i := pos / n
		pos %= n
		switch axis := c.partAxis(); {
		case axis > 0 && n <= limit:
			return must(c.derive(c.lay.Select(index.Range(i, min(i+limit/n, c.lay.Len(0))))))
		case axis == 0:
			if run := c.within(0, i); run > 1 {
				return must(c.derive(c.lay.Select(index.Range(i, i+run))))
			}
		}
		c.index(i, &c)
	}
	return c
}

// put stores the buffer.
func (s *stackCursor) put() {
	if !s.box.IsZero() {
		must(0, forPairs(s.buffer, s.box, func(b, c view) error { return strided.Copy(c.piece(), b.piece(), &c.el.save) }))
	}
}

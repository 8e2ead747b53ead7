package array

import "github.com/ndmap/ndmap/internal/strided"

// isCold reports whether the parts are large together, and not in memory, as the last one tells.
func (s *stack) isCold() bool {
	last := s.parts[len(s.parts)-1].piece()
	return len(s.parts)*last.OnPages() > strided.PartBytes && last.IsCold()
}

// isColdAcross reports whether c goes across the parts of a stack that are large, and not in memory.
func (c *view) isColdAcross() bool { return c.partAxis() > 0 && c.el.stack.isCold() }

// wantParts reports whether c has elements in several parts of a stack that is not in memory. If so, and if all pages
// that c needs fit in memory at once, it asks for these: a page fault in each part would read far beyond its elements.
func (c *view) wantParts() bool {
	if c.partAxis() < 0 || !c.el.stack.isCold() {
		return false
	}
	if c.pages() <= strided.TileBytes() {
		must(0, forPairs(*c, *c, func(part, _ view) error { part.piece().WantFew(); return nil }))
	}
	return true
}

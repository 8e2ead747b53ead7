package nd

import "github.com/ndmap/ndmap/internal/strided"

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
		Must(0, forPairs(*c, *c, func(part, _ Array) error { part.Piece().WantFew(); return nil }))
	}
	return true
}

package plane

import (
	"github.com/ndmap/ndmap/examples/view/internal/far"
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/index"
)

// A budget limits the reads for one response.
type budget struct {
	cost      int // maximum of pages.Cost
	elements  int
	pageBytes int
}

// budget returns the budget for a tile or a line of p. Requests with refine have a larger budget, unless the elements
// are on a web server.
func (p *Plane) budget(refine bool) budget {
	switch {
	case p.a.IsFar() && p.a.Len(0) == 1: // a line: a window shows many tiles, but only a few lines
		return budget{8 * far.MaxCost, 16 << 20, far.BlockBytes}
	case p.a.IsFar():
		return budget{far.MaxCost, 16 << 20, far.BlockBytes}
	case refine:
		return budget{72 << 10, 64 << 20, pages.Bytes} // 64 << 10 is one page for each pixel of a tile
	}
	return budget{4 << 10, 16 << 20, pages.Bytes}
}

func (b budget) allows(dims []index.Dim, itemSize int) bool {
	elements := 1
	for _, d := range dims {
		if d.Len > 0 && elements > b.elements/d.Len {
			return false
		}
		elements *= d.Len
	}
	return pages.Cost(dims, itemSize, b.pageBytes) <= b.cost
}

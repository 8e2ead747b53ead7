package plane

import (
	"github.com/ndmap/ndmap/examples/view/internal/pages"
	"github.com/ndmap/ndmap/index"
)

// A budget limits the reads for one response.
type budget struct {
	cost     int // maximum of pages.Cost
	elements int
}

func budgetOf(refine bool) budget {
	if refine {
		return budget{72 << 10, 64 << 20} // 64 << 10 is one page for each pixel of a tile
	}
	return budget{4 << 10, 16 << 20}
}

func (b budget) allows(dims []index.Dim, itemSize int) bool {
	elements := 1
	for _, d := range dims {
		if d.Len > 0 && elements > b.elements/d.Len {
			return false
		}
		elements *= d.Len
	}
	return pages.Cost(dims, itemSize) <= b.cost
}

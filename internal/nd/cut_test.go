package nd

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/strided"
)

// TestHalvings tests that parts made by halving contain each element once, and that no part is much larger than
// requested.
func TestHalvings(t *testing.T) {
	for _, shape := range [][]int{{}, {1}, {3}, {1 << 16}, {3, 3, 3, 5, 1 << 13}, {7, 1<<17 - 1}, {3, 5, 3, 7, 3, 999}} {
		lay := Must(index.NewLayout(shape, 8, index.C))
		across := Must(index.NewLayout(shape, 8, index.F))
		mem := strided.Alloc(lay.Size() * 8) // no page is touched
		whole := Part{Views: []View{Must(OnBytes(mem, dtype.Float64, lay)), Must(OnBytes(mem, dtype.Float64, across))}}
		const bytes = 256 << 10
		n, elements, most := whole.halvings(bytes), 0, 0
		for k := range 1 << n {
			if part, ok := whole.cutByHalves(k, n); ok {
				elements += part.size()
				most = max(most, part.bytesOnPages())
			}
		}
		if elements != lay.Size() || most > bytes*5/4 {
			t.Errorf("%v: %d parts of up to %d bytes with %d of %d elements, want at most %d bytes", shape, 1<<n, most, elements,
				lay.Size(), bytes)
		}
	}
}

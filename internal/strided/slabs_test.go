package strided

import (
	"bytes"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestSlabs compares a walk through slabs with a walk through the piece itself.
func TestSlabs(t *testing.T) {
	r := oracle.Rand(t, 35)
	several := 0
	for range caseCount(t, 500) {
		v := goValues[r.IntN(len(goValues))]
		p, order := randomGoPiece(r, v), index.Order(r.IntN(2))
		if p.Layout.Size() == 0 || p.Layout.NDim() == 0 || v.decode.HasPadding() {
			continue
		}
		direct := v.randomDirect(r)
		for _, blocks := range []bool{false, true} {
			var w Cursor
			start := func() {
				if blocks {
					w.StartBlocks(p, order, &v.decode, direct, v.size, Never)
				} else {
					w.StartValues(p, order, &v.decode, direct, v.size, Never)
				}
			}
			all := func() (got []byte) {
				buf := Alloc(512)
				for {
					q, n, stride := Pointer(nil), 0, v.size
					if blocks {
						q, n = w.NextBlock()
					} else {
						q, n, stride = w.Next(Start(buf), 512)
					}
					if n == 0 {
						return got
					}
					for k := range n {
						got = append(got, Slice[byte](Add(q, k*stride), v.size)...)
					}
				}
			}
			start()
			want := all()
			start()
			w.slabs = newSlabs(p, order, 1+r.IntN(p.Layout.Size()*p.ItemSize+1))
			w.slabs.decode, w.slabs.size, w.slabs.direct, w.slabs.values = &v.decode, v.size, direct, !blocks
			w.left = 0
			if w.slabs.grid.tiles > 1 {
				several++
			}
			if got := all(); !bytes.Equal(got, want) {
				t.Fatalf("%s: %v in order %v, blocks %v, %d slabs: not the same", v.name, p.Layout, order, blocks,
					w.slabs.grid.tiles)
			}
		}
	}
	if several == 0 {
		t.Errorf("%d walks through several slabs", several)
	}
}

package strided

import (
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestBlocks tests that each element of random pieces lies in exactly one block, that blocks have the allowed size, and
// that the reports add up to all bytes.
func TestBlocks(t *testing.T) {
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 300) {
		shape := make([]int, r.IntN(4))
		for k := range shape {
			shape[k] = []int{0, 1, 2, 3, 17, 40}[min(5, r.IntN(9))]
		}
		itemsize, order := 1+r.IntN(9), []index.Order{index.C, index.F}[r.IntN(2)]
		lay := must(index.NewLayout(shape, itemsize, order))
		dst := PieceOn(make([]byte, lay.Size()*itemsize), lay, itemsize)
		from := must(index.NewLayout(shape, itemsize, []index.Order{index.C, index.F}[r.IntN(2)]))
		src := PieceOn(make([]byte, from.Size()*itemsize), from, itemsize)
		most := 1 + r.IntN(3000)
		reported := 0
		report := func(n int) error {
			reported += n
			return nil
		}
		if r.IntN(2) == 0 {
			report = nil
		}
		var mu sync.Mutex
		seen := make([]int, lay.Size()*itemsize)
		err := Blocks(dst, src, most, report, func(d, s Piece) error {
			mu.Lock()
			defer mu.Unlock()
			if n := d.Layout.Size() * itemsize; n > max(most, itemsize) || !slices.Equal(d.Layout.Shape(), s.Layout.Shape()) {
				t.Errorf("shape %v, %d bytes at most: a block has %d bytes, shapes %v and %v", shape, most, n, d.Layout.Shape(),
					s.Layout.Shape())
			}
			d.Runs(func(off, n int) bool {
				for i := range n {
					seen[off+i]++
				}
				return true
			})
			return nil
		})
		if err != nil || slices.ContainsFunc(seen, func(n int) bool { return n != 1 }) {
			t.Fatalf("shape %v of %d bytes, %d bytes at most: %v, bytes seen %v", shape, itemsize, most, err, seen)
		}
		if report != nil && reported != len(seen) {
			t.Errorf("shape %v: %d bytes reported, want %d", shape, reported, len(seen))
		}
	}
}

// TestBlocksError tests that Blocks returns the error of the first block that fails, and the error of the report.
func TestBlocksError(t *testing.T) {
	lay := must(index.NewLayout([]int{100}, 1, index.C))
	p := PieceOn(make([]byte, 100), lay, 1)
	first, later := errors.New("first"), errors.New("later")
	err := Blocks(p, p, 10, nil, func(d, _ Piece) error {
		switch at := Distance(d.P, p.P); {
		case at == 30:
			return first
		case at > 30:
			return later
		}
		return nil
	})
	if err != first {
		t.Errorf("got %v, want %v", err, first)
	}
	if err := Blocks(p, p, 10, func(int) error { return later }, func(_, _ Piece) error { return nil }); err != later {
		t.Errorf("got %v, want the error of the report, %v", err, later)
	}
}

// TestBlocksTurned tests the shape of blocks between different orders: whole rows of dst where a few fit, and at least
// a cache line of src.
func TestBlocksTurned(t *testing.T) {
	for _, tt := range []struct {
		shape    []int
		itemsize int
		want     []int
	}{
		{[]int{7000, 7000}, 8, []int{37, 7000}},      // 37 rows of 56,000 bytes are 2 MiB
		{[]int{40_000, 50_000}, 1, []int{64, 32768}}, // 64 rows have a cache line of src
		{[]int{3, 10_000_000}, 8, []int{3, 87381}},
	} {
		to, from := must(index.NewLayout(tt.shape, tt.itemsize, index.C)), must(index.NewLayout(tt.shape, tt.itemsize,
			index.F))
		dst, src := Piece{Layout: to, ItemSize: tt.itemsize}, Piece{Layout: from, ItemSize: tt.itemsize}
		if got := blockShape(dst, src, 1<<30); !slices.Equal(got, tt.want) {
			t.Errorf("blocks of %v have shape %v, want %v", tt.shape, got, tt.want)
		}
	}
}

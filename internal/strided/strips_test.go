package strided

import (
	"slices"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/kernel"
	"github.com/ndmap/ndmap/internal/oracle"
)

// Strips have every item of a piece once, or, where they may repeat some to fill a window,
// at least once; and no window leaves the memory between the first item and the last.
func TestStrips(t *testing.T) {
	seed, r := oracle.Seed(t), oracle.Rand(t, 31)
	ways, refused := map[string]int{}, 0
	for range cases(t, 1500) {
		size := 1 << r.IntN(4)
		shape := randomShape(r, 9, 4000)
		lay := randomLayout(r, shape, size)
		if r.IntN(2) == 0 { // short axes around one another, with and without gaps
			strides, room := make([]int, len(shape)), size
			for k := len(shape) - 1; k >= 0; k-- {
				strides[k] = room
				if r.IntN(2) == 0 {
					strides[k] += r.IntN(40) // not aligned
				}
				room = strides[k] * max(1, shape[k])
				if r.IntN(4) == 0 {
					strides[k] = -strides[k]
				}
			}
			lay = strided(shape, strides)
		}
		p := randomPiece(r, lay, size)
		swapped, zero := r.IntN(2) == 0 && size > 1, r.IntN(2) == 0
		var w Strips
		if !w.Start(p, size, swapped, zero) {
			refused++
			continue
		}
		lo, hi := lay.Bounds(size)
		seen := map[int]int{}
		for q, strips, step, rows := w.Next(); rows > 0; q, strips, step, rows = w.Next() {
			if rows > 1 {
				ways["rows"]++
			}
			for i := range rows {
				for _, s := range strips {
					for half, off := range []int{s.Off, s.Off + s.Next} {
						at := Distance(q, p.Mem.Base) + i*step + off
						if first := at - Distance(p.P, p.Mem.Base); first < lo || first+16 > hi {
							t.Fatalf("NDMAP_SEED=%d: %v of %d bytes: a window at %d, outside %d to %d", seed, lay, size, first, lo, hi)
						}
						for k := 0; k < 16; k += size {
							take := slices.Clone(s.Take[half*16+k:][:size])
							if take[0] == kernel.Zero {
								if ways["zero"]++; !zero {
									t.Fatalf("NDMAP_SEED=%d: %v of %d bytes: zeros where none are to be", seed, lay, size)
								}
								continue
							}
							if swapped {
								slices.Reverse(take)
							}
							for j := range take {
								if take[j] != take[0]+byte(j) {
									t.Fatalf("NDMAP_SEED=%d: %v of %d bytes, swapped %v: bytes %v", seed, lay, size, swapped, s.Take)
								}
							}
							seen[at+int(take[0])]++
						}
					}
				}
			}
		}
		want := slowElements(p, index.K)
		if len(seen) != len(want) {
			t.Fatalf("NDMAP_SEED=%d: %v of %d bytes: %d items, want %d", seed, lay, size, len(seen), len(want))
		}
		for _, at := range want {
			if n := seen[at]; n < 1 || zero && n > 1 {
				t.Fatalf("NDMAP_SEED=%d: %v of %d bytes: item at %d taken %d times", seed, lay, size, at, n)
			}
		}
		ways["all"]++
	}
	if ways["all"] < refused/2 || ways["rows"] == 0 || ways["zero"] == 0 {
		t.Errorf("%v, refused %d: too few of some", ways, refused)
	}
	t.Logf("%v, refused %d", ways, refused)
}

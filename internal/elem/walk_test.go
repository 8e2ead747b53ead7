package elem

import (
	"bytes"
	"fmt"
	"slices"
	"testing"
	"unsafe"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestWalk tests that Walk has the same result as moving element by element, with many and few rows, with all orders of
// the axes in the source, and with numbers that the fast loops of the kernel do not convert.
func TestWalk(t *testing.T) {
	r := oracle.Rand(t, 5)
	for _, types := range [][2]string{
		{"|u1", "|u1"}, {"<f8", "<f8"}, {">c8", "<c8"}, {"<i4", ">i4"}, {"<u2", "<i8"}, {"|i1", "<c16"}, {"<f4", "|u1"},
		{"<c16", "<i4"}, {"<i8", "<f4"}, {"|b1", "<f8"}, {"<f8", "|b1"}, {">i2", "<f4"},
	} {
		from, to := dtype.MustParse(types[0]), dtype.MustParse(types[1])
		c := must(New(to, from))
		for _, lens := range [][]int{{700}, {200, 9}, {3, 170, 4}, {170, 2, 3}, {2, 50, 16}, {2, 3, 170, 2}, {300, 2, 2, 1},
			{64, 8, 2}, {5, 4, 4, 4}} {
			for range cases(t, 4) {
				order := r.Perm(len(lens))
				axes := make([]Axis, len(lens))
				ds, ss := to.ItemSize(), from.ItemSize()
				for k := len(lens) - 1; k >= 0; k-- {
					step := 1 + r.IntN(2)*r.IntN(2)
					axes[k] = Axis{N: lens[k], DS: ds * step}
					ds *= step * lens[k]
				}
				for _, k := range order {
					step := 1 + r.IntN(2)*r.IntN(2)
					axes[k].SS = ss * step
					ss *= step * lens[k]
				}
				src, got := make([]uint64, ss/8+1), make([]uint64, ds/8+1)
				for i := range src {
					src[i] = r.Uint64()
				}
				s := unsafe.Slice((*byte)(Pointer(&src[0])), ss)
				if r.IntN(2) == 0 { // small numbers, in native order
					for i := 0; i < ss; i += from.ItemSize() {
						x := int64(r.IntN(100))
						num := must(New(from, dtype.Int64))
						num.One(Pointer(&s[i]), Pointer(&x))
					}
				}
				start := 0
				for k := range axes {
					if r.IntN(4) == 0 {
						start += (axes[k].N - 1) * axes[k].SS
						axes[k].SS = -axes[k].SS
					}
				}
				want := slices.Clone(got)
				d, w := unsafe.Slice((*byte)(Pointer(&got[0])), ds), unsafe.Slice((*byte)(Pointer(&want[0])), ds)
				for i := range count(axes) {
					do, so, rest := 0, start, i
					for k := len(axes) - 1; k >= 0; k-- {
						do += rest % axes[k].N * axes[k].DS
						so += rest % axes[k].N * axes[k].SS
						rest /= axes[k].N
					}
					c.One(Pointer(&w[do]), Pointer(&s[so]))
				}
				text := fmt.Sprint(types, axes)
				c.Walk(Merge(axes), Pointer(&d[0]), Pointer(&s[start]))
				if !bytes.Equal(d, w) {
					t.Fatalf("Walk of %s differs from moving element by element", text)
				}
			}
		}
	}
}

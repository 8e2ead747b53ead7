package strided

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
)

// TestExchange compares an exchange of axes in place, in tiles of several sizes, with a copy from another memory.
func TestExchange(t *testing.T) {
	for _, tt := range []struct {
		shape, axes []int // the shape of dst, and the axes of dst in their order in src
		sel         string
		known       bool // whether exchangedAxes recognizes the permutation
	}{
		{[]int{61, 61}, []int{1, 0}, ":", true},
		{[]int{1, 61, 61, 1}, []int{0, 2, 1, 3}, ":", true},
		{[]int{9, 13, 9}, []int{2, 1, 0}, ":", true},
		{[]int{7, 11, 11, 7}, []int{3, 2, 1, 0}, ":", true},
		{[]int{7, 5, 7, 5}, []int{2, 3, 0, 1}, ":", true},
		{[]int{61, 80}, []int{1, 0}, ":, 3:64", true},
		{[]int{61, 61}, []int{1, 0}, "::-1, ::-1", true},
		{[]int{61, 61}, []int{0, 1}, ":", true},
		{[]int{61, 122}, []int{1, 0}, ":, ::-2", true},
		{[]int{9, 9, 9}, []int{1, 2, 0}, ":", false}, // not its own inverse
	} {
		for _, d := range []string{"u1", "S3", "f8"} {
			itemsize := dtype.MustParse(d).ItemSize()
			whole := must(index.NewLayout(tt.shape, itemsize, index.C))
			lay, off, err := whole.Select(index.MustParse(tt.sel)...)
			if err != nil {
				t.Fatal(err)
			}
			data := make([]byte, whole.Size()*itemsize)
			for k := range data {
				data[k] = byte(k>>8 ^ k*7)
			}
			pieces := func(b []byte) (dst, src Piece) {
				dst = Piece{P: Add(Start(b), off), Layout: lay, ItemSize: itemsize, Mem: &Memory{Base: Start(b), Size: len(b)}}
				src = dst
				src.Layout = must(lay.Transpose(tt.axes...))
				return dst, src
			}
			swap := must(elem.New(dtype.MustParse(d).WithByteOrder(dtype.BigEndian),
				dtype.MustParse(d).WithByteOrder(dtype.LittleEndian)))
			want := slices.Clone(data)
			dst, _ := pieces(want)
			_, src := pieces(data)
			if err := Copy(dst, src, &swap); err != nil {
				t.Fatal(err)
			}
			for _, limit := range []int{1, 5_000, 20_000, 100_000, 1 << 30} {
				name := fmt.Sprintf("%v %v[%s] of %d bytes in tiles of %d", tt.shape, tt.axes, tt.sel, itemsize, limit)
				got := slices.Clone(data)
				dst, src := pieces(got)
				perm := exchangedAxes(dst, src)
				if (perm != nil) != tt.known {
					t.Fatalf("%s: it exchanges %v", name, perm)
				}
				if !tt.known {
					break
				}
				if err := exchangeTiles(dst, src, perm, false, limit, &swap); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: not the same", name)
				}
			}
		}
	}
}

// TestExchangedTiles checks that each tile occurs in exactly one pair, and that tiles with equal indices along the axes
// that are not exchanged follow each other. This way, each page is read once if the tiles of one index fit in memory.
func TestExchangedTiles(t *testing.T) {
	lay, perm := must(index.NewLayout([]int{8, 6, 8, 3}, 1, index.C)), []int{2, 1, 0, 3}
	seen, last, changes := map[string]int{}, "", 0
	_, pairs := exchangedTiles(lay, []int{2, 2, 2, 2}, perm)
	for _, pair := range pairs {
		at, other := pair[0], pair[1]
		for _, tile := range [][]int{at, other} {
			if seen[fmt.Sprint(tile)]++; seen[fmt.Sprint(tile)] > 1 && !slices.Equal(at, other) {
				t.Errorf("tile %v comes again", tile)
			}
		}
		if other[0] != at[2] || other[1] != at[1] || other[2] != at[0] || other[3] != at[3] {
			t.Errorf("tiles %v and %v change places", at, other)
		}
		if now := fmt.Sprint(at[1], at[3]); now != last {
			last = now
			changes++
		}
	}
	if len(seen) != 4*3*4*2 || changes != 3*2 {
		t.Errorf("%d tiles, want %d; the index of the fixed axes changes %d times, want %d", len(seen), 4*3*4*2, changes, 3*2)
	}
}

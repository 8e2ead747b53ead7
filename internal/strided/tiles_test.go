package strided

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/elem"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestTiles checks that each element is in exactly one tile, and that tiles touch few pages on either side.
func TestTiles(t *testing.T) {
	oracle.OneGoroutine(t)
	oracle.Slow(t)
	for _, tt := range []struct {
		name     string
		shape    []int
		from, to index.Order
		axes     []int // the axes in their order in dst, or nil
		tiles    int   // the maximum number of tiles
	}{
		{"one", []int{1000, 1000}, index.C, index.F, nil, 1},
		{"a square", []int{7000, 5000}, index.C, index.F, nil, 8},
		{"wide", []int{40, 900_000}, index.C, index.F, nil, 4},
		{"high", []int{900_000, 40}, index.F, index.C, nil, 4},
		{"the same order", []int{35 << 20}, index.C, index.C, nil, 4},
		{"short axes outside", []int{40, 4, 70_000, 3}, index.F, index.C, nil, 4},
		{"axes exchanged", []int{30, 60, 200, 100}, index.C, index.C, []int{2, 0, 3, 1}, 8},
	} {
		t.Run(tt.name, func(t *testing.T) {
			lay := must(index.NewLayout(tt.shape, 1, tt.from))
			if tt.axes != nil {
				lay = must(lay.Transpose(tt.axes...))
			}
			n := lay.Size()
			data := make([]byte, n)
			for k := range data {
				data[k] = byte(k>>16 ^ k>>8 ^ k)
			}
			same := elem.Repeat(1)
			piece := func(b []byte, lay index.Layout) Piece {
				return Piece{P: Start(b), Layout: lay, ItemSize: 1, Mem: &Memory{Base: Start(b), Size: len(b)}}
			}
			src := piece(data, lay)
			toLay := must(index.NewLayout(lay.Shape(), 1, tt.to))
			want, got := make([]byte, n), make([]byte, n)
			if err := Copy(piece(want, toLay), src, &same); err != nil {
				t.Fatal(err)
			}
			count, elements := 0, 0
			const tile = 16 << 20
			room := func(dst, src Piece) int {
				return pageBytesOf(dst.Layout, 1) + 3*pageBytesOf(src.Layout,
					1)
			} // dst is not read
			err := eachTile(piece(got, toLay), src, false, true, func() int { return tile }, func(dst, src Piece) error {
				count++
				elements += dst.Layout.Size()
				if n := room(dst, src); n > 5*tile {
					t.Errorf("%s: a tile takes %d bytes of memory, want at most %d", tt.name, n, 5*tile)
				}
				CopyTile(dst, src, &same)
				return nil
			})
			if err != nil || elements != n || !bytes.Equal(got, want) {
				t.Errorf("%s: %d of %d elements: %v", tt.name, elements, n, err)
			}
			if count > tt.tiles {
				t.Errorf("%s: %d tiles, want at most %d", tt.name, count, tt.tiles)
			}
			less, calls, parts := make([]byte, n), 0, 0
			eachTile(piece(less, toLay), src, false, true, func() int {
				if calls++; calls > 2 {
					return tile / 8 // suddenly there is less memory
				}
				return tile
			}, func(dst, src Piece) error {
				if parts++; parts > 1 && n > 5*tile/4 && room(dst, src) > 5*tile/8 {
					t.Errorf("%s: a tile of %v after memory has become short", tt.name, dst.Layout)
				}
				CopyTile(dst, src, &same)
				return nil
			})
			if !bytes.Equal(less, want) {
				t.Errorf("%s: after memory has become short: not the same", tt.name)
			}
			stop := errors.New("stop")
			calls = 0
			if err := eachTile(piece(got, toLay), src, false, true, func() int { return tile }, func(dst,
				src Piece) error {
				calls++
				return stop
			}); err != stop || calls != 1 {
				t.Errorf("%s: an error of the first tile: %d calls, %v", tt.name, calls, err)
			}
		})
	}
}

// TestTileShape checks that tiles of a file that is read for a copy to another order have long runs, because the pages
// at the ends of runs are read for two tiles.
func TestTileShape(t *testing.T) {
	for _, tt := range []struct {
		shape []int
		mib   int     // MiB of pages of the source
		most  float64 // maximum number of bytes of pages for each byte of elements
	}{
		{[]int{10000, 10000}, 42, 1.16},
		{[]int{31622, 31622}, 64, 1.09},
		{[]int{200, 300, 40, 416}, 64, 1.13},
		{[]int{1000, 100_000}, 42, 1.12},
		{[]int{12_500_000, 8}, 42, 1.01},
		{[]int{3, 4207, 2, 872}, 11, 1.5},    // 3 is not halved: each run would have one or two elements
		{[]int{100, 100, 100, 25}, 16, 1.15}, // many pages of dst, and few of src
	} {
		if _, _, err := index.Size(tt.shape, 8); err != nil && math.MaxInt == math.MaxInt32 {
			continue // the size overflows an int of 32 bits
		}
		for _, from := range []index.Order{index.C, index.F} {
			src := Piece{Layout: must(index.NewLayout(tt.shape, 8, from)), ItemSize: 8}
			dst := Piece{Layout: must(index.NewLayout(tt.shape, 8, index.C+index.F-from)), ItemSize: 8}
			shape := tileShape(dst, src, tt.mib<<20, false)
			tile := src.Layout
			for k, n := range shape {
				tile, _ = selectAlong(tile, k, index.Range(0, n))
			}
			if pages := float64(pageBytesOf(tile, 8)) / float64(tile.Size()*8); pages > tt.most {
				t.Errorf("%v in order %v: tiles of %v have %.3f times the pages of their elements, want %.2f", tt.shape, from,
					shape, pages, tt.most)
			}
			for k, n := range shape {
				tile, _ = selectAlong(dst.Layout, k, index.Range(0, n))
				dst.Layout = tile
			}
			if runs := spansOf(tile, 8, 1, 0); runs.run < 1024 {
				t.Errorf("%v in order %v: tiles of %v have runs of %d bytes", tt.shape, from, shape, runs.run)
			}
		}
	}
}

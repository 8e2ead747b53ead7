package strided

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestPlace checks that Place accepts a layout only if all bytes of its elements lie in the memory.
func TestPlace(t *testing.T) {
	mem := &Memory{Base: Start(Alloc(64)), Size: 64}
	for _, tt := range []struct {
		name    string
		off     int
		lay     index.Layout
		size    int
		wantErr string
	}{
		{"all", 0, newLayout([]int{8}, []int{8}), 8, ""},
		{"one byte too far", 1, newLayout([]int{8}, []int{8}), 8,
			"shape mismatch: layout (8,) strides (8,) spans bytes 1 to 65, but the memory has 64 bytes"},
		{"one byte before", -1, newLayout([]int{8}, []int{8}), 8,
			"shape mismatch: layout (8,) strides (8,) spans bytes -1 to 63, but the memory has 64 bytes"},
		{"one byte too long", 0, newLayout([]int{8}, []int{8}), 9,
			"shape mismatch: layout (8,) strides (8,) spans bytes 0 to 65, but the memory has 64 bytes"},
		{"downwards", 56, newLayout([]int{8}, []int{-8}), 8, ""},
		{"downwards, too low", 55, newLayout([]int{8}, []int{-8}), 8,
			"shape mismatch: layout (8,) strides (-8,) spans bytes -1 to 63, but the memory has 64 bytes"},
		{"downwards, too high", 57, newLayout([]int{8}, []int{-8}), 8,
			"shape mismatch: layout (8,) strides (-8,) spans bytes 1 to 65, but the memory has 64 bytes"},
		{"two axes", 0, newLayout([]int{2, 4}, []int{8, 16}), 8, ""},
		{"two axes, by one item", 0, newLayout([]int{2, 5}, []int{8, 16}), 8,
			"shape mismatch: layout (2, 5) strides (8, 16) spans bytes 0 to 80, but the memory has 64 bytes"},
		{"one element at the end", 56, index.Layout{}, 8, ""},
		{"one element past the end", 64, index.Layout{}, 8,
			"shape mismatch: layout () strides () spans bytes 64 to 72, but the memory has 64 bytes"},
		{"one element before", -8, index.Layout{}, 8,
			"shape mismatch: layout () strides () spans bytes -8 to 0, but the memory has 64 bytes"},
		{"strides that are not used", 56, newLayout([]int{1, 1}, []int{math.MaxInt, math.MinInt}), 8, ""},
		{"no elements, anywhere", 1000, newLayout([]int{0, 5}, []int{100, 100}), 8, ""},
		{"no bytes", 64, newLayout([]int{5}, []int{0}), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p, err := mem.Place(tt.off, tt.lay, tt.size)
			if tt.wantErr != "" {
				if err == nil || err.Error() != tt.wantErr || !errors.Is(err, index.ErrShape) || p != nil {
					t.Errorf("%s: %v, error %v, want %s", tt.name, p, err, tt.wantErr)
				}
				return
			}
			want := tt.off
			if lo, hi := tt.lay.Bounds(tt.size); lo == hi {
				want = 0 // Place returns no address outside the memory
			}
			if err != nil || Distance(p, mem.Base) != want {
				t.Errorf("%s: byte %d, error %v", tt.name, Distance(p, mem.Base), err)
			}
		})
	}
}

// TestPlaceBeyondInt checks that Place returns an error if the offset of the last byte overflows int.
func TestPlaceBeyondInt(t *testing.T) {
	mem := &Memory{Base: Start(Alloc(64)), Size: 64}
	for _, tt := range []struct {
		off int
		lay index.Layout
	}{
		{0, newLayout([]int{2}, []int{math.MaxInt - 8})},
		{16, newLayout([]int{2}, []int{math.MaxInt - 8})},
		{1, newLayout([]int{2}, []int{math.MaxInt})},
		{63, newLayout([]int{3}, []int{math.MaxInt / 2})},
		{63, newLayout([]int{2}, []int{-math.MaxInt})},
	} {
		if p, err := mem.Place(tt.off, tt.lay, 8); !errors.Is(err, index.ErrShape) {
			t.Errorf("%v at %d of %d bytes: %v, error %v, want one that wraps ErrShape", tt.lay, tt.off, mem.Size, p, err)
		}
	}
}

func TestPart(t *testing.T) {
	mem := &Memory{Base: Start(Alloc(64)), Size: 64}
	p := Add(mem.Base, 8)
	if q := mem.Part(p, 40, newLayout([]int{3}, []int{-16}), 8); q != Add(mem.Base, 48) {
		t.Errorf("%v after the base", Distance(q, mem.Base))
	}
	defer func() {
		const want = "array: bug: shape mismatch: layout (3,) strides (-16,) spans bytes -8 to 32, but the memory has 64 bytes"
		if got := recover(); fmt.Sprint(got) != want {
			t.Errorf("panic with %v, want %s", got, want)
		}
	}()
	mem.Part(p, 16, newLayout([]int{3}, []int{-16}), 8)
}

func TestIsAligned(t *testing.T) {
	mem := &Memory{Base: Start(Alloc(100)), Size: 100}
	for _, tt := range []struct {
		off, align int
		lay        index.Layout
		want       bool
	}{
		{0, 8, newLayout([]int{3, 2}, []int{16, 8}), true},
		{4, 8, newLayout([]int{3, 2}, []int{16, 8}), false},
		{4, 4, newLayout([]int{3, 2}, []int{16, 8}), true},
		{0, 8, newLayout([]int{3, 2}, []int{20, 8}), false},
		{0, 4, newLayout([]int{3, 2}, []int{20, 8}), true},
		{0, 8, newLayout([]int{1, 2}, []int{20, 8}), true}, // the stride is not used
		{16, 8, newLayout([]int{3}, []int{-8}), true},
		{16, 8, newLayout([]int{3}, []int{-4}), false},
		{7, 1, newLayout([]int{3}, []int{3}), true},
		{0, 8, newLayout([]int{3}, []int{0}), true},
	} {
		if got := pieceOn(mem, tt.off, tt.lay, 8).IsAligned(tt.align); got != tt.want {
			t.Errorf("%v at %d is aligned to %d: %v", tt.lay, tt.off, tt.align, got)
		}
	}
}

// TestNewLike checks that newLike returns a piece without gaps in the memory order of the original.
func TestNewLike(t *testing.T) {
	r := oracle.Rand(t, 31)
	for range caseCount(t, 250) {
		size := 1 + r.IntN(20)
		p := randomPiece(r, randomSource(r, randomShape(r, 10, 200), size), size)
		q, err := p.newLike()
		if err != nil {
			t.Fatal(err)
		}
		if !q.Layout.SameShape(p.Layout) || !q.Layout.Contiguous(index.K, size) || q.Mem.Size != p.Layout.Size()*size ||
			q.P != q.Mem.Base || q.ItemSize != size {
			t.Fatalf("%v of %d bytes: %v in memory of %d", p.Layout, size, q.Layout, q.Mem.Size)
		}
		if Address(q.P)%8 != 0 {
			t.Fatalf("not aligned: %#x", Address(q.P))
		}
	}
	p := Piece{Layout: newLayout([]int{math.MaxInt}, []int{0}), ItemSize: 2}
	if _, err := p.newLike(); !errors.Is(err, index.ErrShape) || !strings.Contains(err.Error(), "overflow") {
		t.Errorf("%v", err)
	}
}

package strided

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestOverlaps(t *testing.T) {
	m := must(index.NewLayout([]int{4, 10}, 8, index.C))
	sel := func(text string) (index.Layout, int) {
		l, off, err := m.Select(index.MustParse(text)...)
		if err != nil {
			t.Fatal(err)
		}
		return l, off
	}
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{":", ":", true},
		{"0", "1", false},
		{":2", "2:", false},
		{":2", "1:", true},
		{"::2", "1::2", false},
		{":, ::2", ":, 1::2", false},
		{":, ::2", ":, ::-2", false}, // from 9 down
		{":, :5", ":, 5:", false},
		{":, :6", ":, 5:", true},
		{":, 5::-1", ":, :5:-1", false},
		{"1::2, :5", "::2, 5:", false},
		{"2:2", ":", false},
		{"1, 1", "1, 1", true},
		{"1, 1", "1, 2", false},
	} {
		a, aOff := sel(tt.a)
		b, bOff := sel(tt.b)
		if got := overlaps(a, aOff, b, bOff, 8, 8); got != tt.want {
			t.Errorf("m[%s] and m[%s]: %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := overlaps(b, bOff, a, aOff, 8, 8); got != tt.want {
			t.Errorf("m[%s] and m[%s]: %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name         string
		a            index.Layout
		aStart       int
		b            index.Layout
		bStart       int
		itemA, itemB int
		want         bool
	}{
		{"fields of a record", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 4, 8, false},
		{"fields that overlap", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 5, 8, true},
		{"real and imaginary parts", strided([]int{3, 3}, []int{48, 16}), 0, strided([]int{3, 3}, []int{16, 48}), 8, 8, 8, false},
		{"only a divisor tells", strided([]int{9}, []int{6}), 0, strided([]int{9}, []int{4}), 1, 1, 1, false},
		{"next to each other", index.Layout{}, 0, index.Layout{}, 8, 8, 8, false},
		{"by one byte", index.Layout{}, 0, index.Layout{}, 7, 8, 8, true},
		{"before", index.Layout{}, 0, index.Layout{}, -8, 8, 8, false},
		{"no bytes", index.Layout{}, 0, index.Layout{}, 0, 0, 8, false},
		{"no bytes, inside", index.Layout{}, 4, index.Layout{}, 0, 0, 8, false},
		{"inside, no bytes", index.Layout{}, 0, index.Layout{}, 4, 8, 0, false},
		{"starts far apart", index.Layout{}, math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1, false},
		{"bounds beyond int", strided([]int{2}, []int{math.MaxInt}), math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1, true},
		// They would meet at 8 if the second went on; nothing cheap sees that.
		{"a guess", strided([]int{3}, []int{4}), 0, strided([]int{3}, []int{6}), -10, 2, 2, true},
	} {
		if got := overlaps(tt.a, tt.aStart, tt.b, tt.bStart, tt.itemA, tt.itemB); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOverlapsIsSafe counts out the bytes: false must be right, always, and
// true not too often wrong.
func TestOverlapsIsSafe(t *testing.T) {
	r := oracle.Rand(t, 3)
	apart, found := 0, 0
	for range cases(t, 10000) {
		var part [2]index.Layout
		var start, item [2]int
		l := must(index.NewLayout([]int{1 + r.IntN(4), 1 + r.IntN(5), 1 + r.IntN(4)}, 4, index.C))
		for i := range part {
			item[i] = 1 + r.IntN(4)
			start[i] = r.IntN(5 - item[i])
			var off int
			part[i], off = randomPart(r, l)
			if r.IntN(8) == 0 {
				part[i] = randomSource(r, randomShape(r, 6, 200), item[i])
			}
			start[i] += off
		}
		common := false
		bytes := map[int]bool{}
		for i, l := range part {
			for _, off := range slowOffsets(l, false) {
				for b := range item[i] {
					at := start[i] + off + b
					common = common || i == 1 && bytes[at]
					if i == 0 {
						bytes[at] = true
					}
				}
			}
		}
		got := overlaps(part[0], start[0], part[1], start[1], item[0], item[1])
		if common && !got {
			t.Fatalf("%v at %d (%d bytes each) and %v at %d (%d): false, but they overlap",
				part[0], start[0], item[0], part[1], start[1], item[1])
		}
		if back := overlaps(part[1], start[1], part[0], start[0], item[1], item[0]); back != got {
			t.Fatalf("%v at %d and %v at %d: %v, and %v the other way", part[0], start[0], part[1], start[1], got, back)
		}
		if !common {
			apart++
			if !got {
				found++
			}
		}
	}
	t.Logf("found %d of %d disjoint pairs", found, apart)
	if found < apart*9/10 {
		t.Errorf("found %d of %d disjoint pairs, want at least 9 of 10", found, apart)
	}
}

// randomPart draws a part of l by slices and indices.
func randomPart(r *rand.Rand, l index.Layout) (part index.Layout, off int) {
	var sel []index.Selector
	for k := range l.NDim() {
		n := l.Len(k)
		switch r.IntN(6) {
		case 0:
			sel = append(sel, index.At(r.IntN(n)))
		case 1:
			sel = append(sel, index.Colon)
		default:
			step := []int{1, 1, 2, 3, -1, -2}[r.IntN(6)]
			sel = append(sel, index.Step(r.IntN(2*n+1)-n, r.IntN(2*n+1)-n, step))
		}
	}
	part, off, err := l.Select(sel...)
	if err != nil {
		panic(err)
	}
	return part, off
}

// Overlap of pieces: where they are tells, by their addresses.
func TestOverlapOfPieces(t *testing.T) {
	b := Alloc(64)
	mem := &Memory{Base: Start(b), Size: len(b)}
	at := func(off, n, stride, size int) Piece {
		l := strided([]int{n}, []int{stride})
		return Piece{P: must(mem.Place(off, l, size)), Layout: l, ItemSize: size, Mem: mem}
	}
	for _, tt := range []struct {
		name string
		p, q Piece
		want bool
	}{
		{"the same", at(0, 8, 8, 8), at(0, 8, 8, 8), true},
		{"one after the other", at(0, 4, 8, 8), at(32, 4, 8, 8), false},
		{"by one byte", at(0, 4, 8, 8), at(31, 4, 8, 8), true},
		{"fields", at(0, 8, 8, 4), at(4, 8, 8, 4), false},
		{"fields by one byte", at(0, 8, 8, 5), at(4, 8, 8, 4), true},
		{"downwards", at(28, 8, -4, 4), at(32, 8, 4, 4), false},
		{"downwards by one byte", at(29, 8, -4, 4), at(32, 8, 4, 4), true},
		{"no elements", at(0, 0, 8, 8), at(0, 8, 8, 8), false},
	} {
		if MayOverlap(tt.p, tt.q) != tt.want || MayOverlap(tt.q, tt.p) != tt.want {
			t.Errorf("%s: %v, the other way %v, want %v", tt.name, MayOverlap(tt.p, tt.q), MayOverlap(tt.q, tt.p), tt.want)
		}
	}
	p, q := at(0, 8, 8, 4), at(4, 8, 8, 4)
	if n := testing.AllocsPerRun(100, func() { MayOverlap(p, q) }); n != 0 {
		t.Errorf("Overlap allocates %v times", n)
	}
}

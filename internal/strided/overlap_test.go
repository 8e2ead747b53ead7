package strided

import (
	"math"
	"math/rand/v2"
	"strconv"
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
		{"fields of a record", newLayout([]int{9}, []int{12}), 0, newLayout([]int{9}, []int{12}), 4, 4, 8, false},
		{"fields that overlap", newLayout([]int{9}, []int{12}), 0, newLayout([]int{9}, []int{12}), 4, 5, 8, true},
		{"real and imaginary parts", newLayout([]int{3, 3}, []int{48, 16}), 0, newLayout([]int{3, 3}, []int{16, 48}), 8, 8, 8,
			false},
		{"only a divisor tells", newLayout([]int{9}, []int{6}), 0, newLayout([]int{9}, []int{4}), 1, 1, 1, false},
		{"next to each other", index.Layout{}, 0, index.Layout{}, 8, 8, 8, false},
		{"by one byte", index.Layout{}, 0, index.Layout{}, 7, 8, 8, true},
		{"before", index.Layout{}, 0, index.Layout{}, -8, 8, 8, false},
		{"no bytes", index.Layout{}, 0, index.Layout{}, 0, 0, 8, false},
		{"no bytes, inside", index.Layout{}, 4, index.Layout{}, 0, 0, 8, false},
		{"inside, no bytes", index.Layout{}, 0, index.Layout{}, 4, 8, 0, false},
		{"starts far apart", index.Layout{}, math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1,
			strconv.IntSize == 64}, // a guess
		{"bounds beyond int", newLayout([]int{2}, []int{math.MaxInt}), math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1,
			strconv.IntSize == 64}, // a guess
		{"beyond the ends", newLayout([]int{3}, []int{4}), 0, newLayout([]int{3}, []int{6}), -10, 2, 2,
			true}, // a guess: they would overlap at 8 if the second went on
		{"interleaved columns of an odd number", newLayout([]int{3, 3}, []int{28, 8}), 0, newLayout([]int{3, 3}, []int{28,
			8}), 4,
			4, 4, false},
		{"interleaved columns, upwards and downwards", newLayout([]int{3, 3}, []int{28, 8}), 4,
			newLayout([]int{3, 3}, []int{-28, -8}), 72, 4, 4, false},
		{"interleaved columns of every second row", newLayout([]int{2, 3}, []int{56, 8}), 0, newLayout([]int{3, 3}, []int{28,
			8}),
			4, 4, 4, false},
		{"columns of planes", newLayout([]int{2, 2, 2}, []int{300, 60, 8}), 4, newLayout([]int{2, 2, 2}, []int{300, 60, 8}),
			0,
			4, 4, false},
		{"columns by one byte", newLayout([]int{3, 3}, []int{28, 8}), 0, newLayout([]int{3, 3}, []int{28, 8}), 3, 4, 4, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := overlaps(tt.a, tt.aStart, tt.b, tt.bStart, tt.itemA, tt.itemB); got != tt.want {
				t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
			}
		})
	}
}

// TestOverlapsBytes compares overlaps with sets of bytes. overlaps must be exact for selections of one array with equal
// steps.
func TestOverlapsBytes(t *testing.T) {
	r := oracle.Rand(t, 3)
	apart, meet, guesses := 0, 0, 0
	for range caseCount(t, 20000) {
		var part [2]index.Layout
		var start, item [2]int
		l := must(index.NewLayout([]int{1 + r.IntN(4), 1 + r.IntN(5), 1 + r.IntN(4)}, 4, index.C))
		var steps [3]int
		exact := r.IntN(2) == 0
		for i := range part {
			item[i] = 1 + r.IntN(4)
			start[i] = r.IntN(5 - item[i])
			for k := range steps {
				if i == 0 || !exact {
					steps[k] = 1 + r.IntN(3)
				}
			}
			var off int
			part[i], off = randomPart(r, l, steps)
			switch kind := r.IntN(8); {
			case exact:
			case kind == 0:
				part[i] = randomSource(r, randomShape(r, 6, 200), item[i])
			case kind <= 2: // elements of one layout may overlap each other
				shape, strides := randomShape(r, 4, 100), make([]int, 4)
				for k := range strides {
					strides[k] = r.IntN(61) - 30
				}
				part[i] = newLayout(shape, strides[:len(shape)])
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
		for i := range part { // in both orders
			if got := overlaps(part[i], start[i], part[1-i], start[1-i], item[i], item[1-i]); got != common {
				if got && !exact {
					guesses++
					continue
				}
				t.Fatalf("%v at %d (%d bytes each) and %v at %d (%d): %v, want %v",
					part[i], start[i], item[i], part[1-i], start[1-i], item[1-i], got, common)
			}
		}
		if common {
			meet++
		} else {
			apart++
		}
	}
	if apart < meet/10 || meet < apart/10 {
		t.Errorf("%d pairs share bytes, %d do not: too few of one kind", meet, apart)
	}
	if guesses > apart/10 { // each pair counts twice
		t.Errorf("%d of %d answers about pairs that share no byte are guesses", guesses, 2*apart)
	}
}

// randomPart returns a random selection of l, and its offset. It selects an index or a slice along each axis. The
// slices have the given steps, upwards or downwards.
func randomPart(r *rand.Rand, l index.Layout, steps [3]int) (part index.Layout, off int) {
	var sel []index.Selector
	for k, step := range steps {
		n := l.Len(k)
		if r.IntN(6) == 0 {
			sel = append(sel, index.At(r.IntN(n)))
			continue
		}
		lo := r.IntN(n)
		hi := lo + 1 + r.IntN(n-lo)
		if r.IntN(3) == 0 {
			sel = append(sel, index.Range(hi-1, lo-1-n).Every(-step))
		} else {
			sel = append(sel, index.Range(lo, hi).Every(step))
		}
	}
	part, off, err := l.Select(sel...)
	if err != nil {
		panic(err)
	}
	return part, off
}

// TestOverlapOfPieces checks MayOverlap for pieces at several addresses of one memory.
func TestOverlapOfPieces(t *testing.T) {
	b := Alloc(64)
	mem := &Memory{Base: Start(b), Size: len(b)}
	at := func(off, n, stride, size int) Piece {
		l := newLayout([]int{n}, []int{stride})
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
		t.Run(tt.name, func(t *testing.T) {
			if MayOverlap(tt.p, tt.q) != tt.want || MayOverlap(tt.q, tt.p) != tt.want {
				t.Errorf("%s: %v, the other way %v, want %v", tt.name, MayOverlap(tt.p, tt.q), MayOverlap(tt.q, tt.p), tt.want)
			}
		})
	}
	p, q := at(0, 8, 8, 4), at(4, 8, 8, 4)
	if n := testing.AllocsPerRun(100, func() { MayOverlap(p, q) }); n != 0 {
		t.Errorf("MayOverlap allocates %v times", n)
	}
	q = at(2, 7, 9, 2) // overlaps p from its third element on
	if n := testing.AllocsPerRun(100, func() { MayOverlap(p, q) }); n != 0 {
		t.Errorf("MayOverlap allocates %v times", n)
	}
}

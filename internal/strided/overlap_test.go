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
		{"fields of a record", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 4, 8, false},
		{"fields that overlap", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 5, 8, true},
		{"real and imaginary parts", strided([]int{3, 3}, []int{48, 16}), 0, strided([]int{3, 3}, []int{16, 48}), 8, 8, 8,
			false},
		{"only a divisor tells", strided([]int{9}, []int{6}), 0, strided([]int{9}, []int{4}), 1, 1, 1, false},
		{"next to each other", index.Layout{}, 0, index.Layout{}, 8, 8, 8, false},
		{"by one byte", index.Layout{}, 0, index.Layout{}, 7, 8, 8, true},
		{"before", index.Layout{}, 0, index.Layout{}, -8, 8, 8, false},
		{"no bytes", index.Layout{}, 0, index.Layout{}, 0, 0, 8, false},
		{"no bytes, inside", index.Layout{}, 4, index.Layout{}, 0, 0, 8, false},
		{"inside, no bytes", index.Layout{}, 0, index.Layout{}, 4, 8, 0, false},
		{"starts far apart", index.Layout{}, math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1, false},
		{"bounds beyond int", strided([]int{2}, []int{math.MaxInt}), math.MinInt, index.Layout{}, math.MaxInt - 1, 1, 1,
			strconv.IntSize == 64}, // a guess
		{"beyond the ends", strided([]int{3}, []int{4}), 0, strided([]int{3}, []int{6}), -10, 2, 2,
			false}, // at 8, if the second went on
		{"the largest that is no sum of two", strided([]int{1 << 14}, []int{10007}), 0, strided([]int{1 << 14},
			[]int{-10000}), 10007*10000 - 10007 - 10000, 1, 1, false},
		{"the next number", strided([]int{1 << 14}, []int{10007}), 0, strided([]int{1 << 14}, []int{-10000}),
			10007*10000 - 10007 - 10000 + 1, 1, 1, true},
		{"columns of 7 and 6", strided([]int{3, 3}, []int{28, 8}), 0, strided([]int{3, 3}, []int{28, 8}), 4, 4, 4, false},
	} {
		if got := overlaps(tt.a, tt.aStart, tt.b, tt.bStart, tt.itemA, tt.itemB); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOverlapsIsExact counts out the bytes.
func TestOverlapsIsExact(t *testing.T) {
	r := oracle.Rand(t, 3)
	apart, meet := 0, 0
	for range cases(t, 20000) {
		var part [2]index.Layout
		var start, item [2]int
		l := must(index.NewLayout([]int{1 + r.IntN(4), 1 + r.IntN(5), 1 + r.IntN(4)}, 4, index.C))
		for i := range part {
			item[i] = 1 + r.IntN(4)
			start[i] = r.IntN(5 - item[i])
			var off int
			part[i], off = randomPart(r, l)
			switch r.IntN(8) {
			case 0:
				part[i] = randomSource(r, randomShape(r, 6, 200), item[i])
			case 1, 2: // whose own elements may overlap
				shape, strides := randomShape(r, 4, 100), make([]int, 4)
				for k := range strides {
					strides[k] = r.IntN(61) - 30
				}
				part[i] = strided(shape, strides[:len(shape)])
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
		for i := range part { // either way
			if got := overlaps(part[i], start[i], part[1-i], start[1-i], item[i], item[1-i]); got != common {
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
}

// Layouts of one axis each, however long, take no guess.
func TestOverlapsOfLongAxes(t *testing.T) {
	r := oracle.Rand(t, 36)
	apart, pairs := 0, cases(t, 2000)
	for range pairs {
		var n, stride, start, item [2]int
		for i := range n {
			item[i] = 1 + r.IntN(8)
			n[i] = 1 + r.IntN(1<<(1+r.IntN(12)))
			stride[i] = (1 + r.IntN(1<<(1+r.IntN(13)))) * (1 - 2*r.IntN(2))
			if r.IntN(2) == 0 {
				stride[i] *= 16
			}
		}
		// One element of the second is near one of the first.
		start[1] = r.IntN(n[0])*stride[0] - r.IntN(n[1])*stride[1] + r.IntN(41) - 20
		want := false
		for k := 0; k < n[0] && !want; k++ {
			// The element of the second that starts last before the end of this one, in ascending order.
			end, first, step := k*stride[0]+item[0], start[1], stride[1]
			if step < 0 {
				first, step = first+(n[1]-1)*step, -step
			}
			if end > first {
				last := min((end-1-first)/step, n[1]-1)*step + first
				want = last+item[1] > k*stride[0]
			}
		}
		a, b := strided(n[:1], stride[:1]), strided(n[1:], stride[1:])
		for _, got := range []bool{overlaps(a, 0, b, start[1], item[0], item[1]), overlaps(b, start[1], a, 0, item[1],
			item[0])} {
			if got != want {
				t.Fatalf("%v (%d bytes each) and %v at %d (%d): %v, want %v", a, item[0], b, start[1], item[1], got, want)
			}
		}
		if !want {
			apart++
		}
	}
	if 20*apart < pairs {
		t.Errorf("only %d of %d pairs share no byte", apart, pairs)
	}
}

// NumPy agrees, of parts of a matrix and of what as_strided makes.
func TestNumPySharesMemory(t *testing.T) {
	type layout struct {
		Start, Item    int
		Shape, Strides []int
	}
	p := oracle.Start(t)
	r := oracle.Rand(t, 37)
	const middle = 1 << 20
	var pairs [][2]layout
	var got []bool
	for range oracle.Cases(t, 2000) {
		size := 1 + r.IntN(8)
		l := must(index.NewLayout([]int{1 + r.IntN(6), 1 + r.IntN(30), 1 + r.IntN(30)}, size, index.C))
		var pair [2]layout
		var lays [2]index.Layout
		for i := range pair {
			lay, off := randomPart(r, l)
			if r.IntN(4) == 0 {
				strides := lay.Strides()
				for k := range strides {
					strides[k] = r.IntN(2001) - 1000
				}
				lay = strided(lay.Shape(), strides)
			}
			lays[i] = lay
			pair[i] = layout{middle + off, 1 + r.IntN(size), lay.Shape(), lay.Strides()}
		}
		pairs = append(pairs, pair)
		got = append(got, overlaps(lays[0], pair[0].Start, lays[1], pair[1].Start, pair[0].Item, pair[1].Item))
	}
	var want []bool
	if err := p.Run(`
mem = np.zeros(2 << 20, np.uint8)
def make(c):
    return np.lib.stride_tricks.as_strided(mem[c["Start"]:][:c["Item"]].view("V%d" % c["Item"]), c["Shape"], c["Strides"])
out = [bool(np.shares_memory(make(a), make(b))) for a, b in x]`, pairs, &want); err != nil {
		t.Fatal(err)
	}
	for k := range got {
		if got[k] != want[k] {
			t.Errorf("%+v: %v, want %v", pairs[k], got[k], want[k])
		}
	}
}

// What takes more than overlapSteps is a guess.
func TestOverlapsGuesses(t *testing.T) {
	r := oracle.Rand(t, 38)
	guesses := 0
	n := cases(t, 100)
	for k := 0; k < n || k < 100*n && guesses == 0; k++ {
		shape, strides, terms, most := make([]int, 6), make([]int, 6), []term(nil), 0
		for k := range shape {
			shape[k], strides[k] = 8+r.IntN(4), 1<<16+r.IntN(1<<14)
			terms = addTerm(terms, term{n: int64(strides[k]), most: int64(shape[k] - 1)})
			most += strides[k] * (shape[k] - 1)
		}
		start := r.IntN(most)
		got := overlaps(strided(shape, strides), 0, index.Layout{}, start, 1, 1)
		sortTerms(terms)
		steps := math.MaxInt
		want := reaches(terms, int64(start), 0, &steps)
		if want && !got {
			t.Errorf("%d is a sum of %v, but no byte is found", start, terms)
		}
		if used := math.MaxInt - steps; got != want && used <= overlapSteps {
			t.Errorf("%d is no sum of %v: a guess, though it takes %d steps", start, terms, used)
		}
		if got != want {
			guesses++
		}
	}
	if guesses == 0 {
		t.Error("no guess is wrong")
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
		t.Errorf("MayOverlap allocates %v times", n)
	}
	q = at(2, 7, 9, 2) // as the elements of p at the third
	if n := testing.AllocsPerRun(100, func() { MayOverlap(p, q) }); n != 0 {
		t.Errorf("MayOverlap allocates %v times", n)
	}
}

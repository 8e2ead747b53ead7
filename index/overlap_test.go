package index

import (
	"math"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestOverlaps(t *testing.T) {
	strided := func(shape, strides []int) Layout { return must(Strided(shape, strides)) }
	m := must(NewLayout([]int{4, 10}, 8, C))
	sel := func(text string) (Layout, int) {
		l, off, err := m.Select(MustParse(text)...)
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
		if got := Overlaps(a, aOff, b, bOff, 8, 8); got != tt.want {
			t.Errorf("m[%s] and m[%s]: %v, want %v", tt.a, tt.b, got, tt.want)
		}
		if got := Overlaps(b, bOff, a, aOff, 8, 8); got != tt.want {
			t.Errorf("m[%s] and m[%s]: %v, want %v", tt.b, tt.a, got, tt.want)
		}
	}
	for _, tt := range []struct {
		name         string
		a            Layout
		aStart       int
		b            Layout
		bStart       int
		itemA, itemB int
		want         bool
	}{
		{"fields of a record", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 4, 8, false},
		{"fields that overlap", strided([]int{9}, []int{12}), 0, strided([]int{9}, []int{12}), 4, 5, 8, true},
		{"real and imaginary parts", strided([]int{3, 3}, []int{48, 16}), 0, strided([]int{3, 3}, []int{16, 48}), 8, 8, 8, false},
		{"only a divisor tells", strided([]int{9}, []int{6}), 0, strided([]int{9}, []int{4}), 1, 1, 1, false},
		{"next to each other", Layout{}, 0, Layout{}, 8, 8, 8, false},
		{"by one byte", Layout{}, 0, Layout{}, 7, 8, 8, true},
		{"before", Layout{}, 0, Layout{}, -8, 8, 8, false},
		{"no bytes", Layout{}, 0, Layout{}, 0, 0, 8, false},
		{"starts far apart", Layout{}, math.MinInt, Layout{}, math.MaxInt - 1, 1, 1, false},
		{"bounds beyond int", strided([]int{2}, []int{math.MaxInt}), math.MinInt, Layout{}, math.MaxInt - 1, 1, 1, true},
		// They would meet at 8 if the second went on; nothing cheap sees that.
		{"a guess", strided([]int{3}, []int{4}), 0, strided([]int{3}, []int{6}), -10, 2, 2, true},
	} {
		if got := Overlaps(tt.a, tt.aStart, tt.b, tt.bStart, tt.itemA, tt.itemB); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
}

// TestOverlapsIsSafe counts out the bytes: false must be right, always. How often
// true is wrong is logged.
func TestOverlapsIsSafe(t *testing.T) {
	r := oracle.Rand(t, 0)
	apart, found := 0, 0
	for range oracle.Cases(t, 20000) {
		var part [2]Layout
		var start, item [2]int
		l := must(NewLayout([]int{1 + r.IntN(4), 1 + r.IntN(5), 1 + r.IntN(4)}, 4, C))
		for i := range part {
			item[i] = 1 + r.IntN(4)
			start[i] = r.IntN(5 - item[i])
			var off int
			var err error
			if part[i], off, err = l.Select(randomSelectors(r, l.Shape())...); err != nil {
				part[i] = randomLayout(r, item[i])
			}
			start[i] += off
		}
		a, b := slowOf(part[0], start[0]).bytes(item[0]), slowOf(part[1], start[1]).bytes(item[1])
		common := false
		for i := range a {
			common = common || b[i]
		}
		got := Overlaps(part[0], start[0], part[1], start[1], item[0], item[1])
		if common && !got {
			t.Fatalf("%v at %d (%d bytes each) and %v at %d (%d): false, but they overlap",
				part[0], start[0], item[0], part[1], start[1], item[1])
		}
		if back := Overlaps(part[1], start[1], part[0], start[0], item[1], item[0]); back != got {
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
}

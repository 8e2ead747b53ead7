package index

import (
	"math"
	"math/big"
	"slices"
	"testing"
)

// TestSliceExhaustive tests every slice with bounds and steps near the ends of short axes and of the range of int,
// where errors of clipping and overflow would show.
func TestSliceExhaustive(t *testing.T) {
	far := []int{missing, math.MinInt, math.MinInt + 1, math.MinInt / 2, math.MaxInt / 2, math.MaxInt - 1, math.MaxInt}
	bounds, steps := slices.Clone(far), slices.Clone(far)
	for i := -7; i <= 7; i++ {
		bounds = append(bounds, i)
		if i != 0 {
			steps = append(steps, i)
		}
	}
	for n := range 6 {
		l := must(NewLayout([]int{n}, 1, C))
		for _, lo := range bounds {
			for _, hi := range bounds {
				for _, step := range steps {
					s := sliceOf(lo, hi, step)
					want := slowTake(s, n)
					sub, off, err := l.Select(s)
					if err != nil {
						t.Fatalf("n = %d, [%v]: %v", n, s, err)
					}
					got := slowOf(sub, off).offs
					if !slices.Equal(got, want) {
						t.Fatalf("n = %d, [%v] takes %v, want %v", n, s, got, want)
					}
				}
			}
		}
	}
}

// TestSliceOfTheLongestAxis slices a broadcast axis as long as the largest int, where the bound -1<<63 is clipped.
func TestSliceOfTheLongestAxis(t *testing.T) {
	const n = math.MaxInt
	l := must(Layout{}.Broadcast(n))
	for _, tt := range []struct {
		sel  Selector
		want int
	}{
		{Colon, n},
		{Reverse(), n},
		{Every(2), n/2 + 1},
		{Every(-math.MaxInt), 1},
		{Every(math.MaxInt), 1},
		{From(-n).Every(-1), 1}, // from element 0 down
		{From(math.MinInt).Every(-1), 0},
		{To(math.MinInt).Every(-1), n},
		{Every(math.MinInt), 1},
		{From(-n), n},
		{From(n), 0},
		{Range(n-1, n), 1},
	} {
		sub, _, err := l.Select(tt.sel)
		if err != nil || sub.Len(0) != tt.want {
			t.Errorf("[%v] takes %d elements (error %v), want %d", tt.sel, sub.Len(0), err, tt.want)
		}
	}
}

func TestSelect(t *testing.T) {
	for _, tt := range []struct {
		shape   []int
		sel     string
		want    []int
		strides []int
		off     int
	}{
		{[]int{2, 3}, "", []int{2, 3}, []int{24, 8}, 0},
		{[]int{2, 3}, "...", []int{2, 3}, []int{24, 8}, 0},
		{[]int{2, 3}, "1", []int{3}, []int{8}, 24},
		{[]int{2, 3}, "-1, -1", []int{}, []int{}, 40},
		{[]int{2, 3}, "1, 2, ...", []int{}, []int{}, 40},
		{[]int{2, 3}, ":, 1", []int{2}, []int{24}, 8},
		{[]int{2, 3}, "..., 1", []int{2}, []int{24}, 8},
		{[]int{2, 3}, "::-1, ::-2", []int{2, 2}, []int{-24, -16}, 40},
		{[]int{2, 3}, "None, :, None", []int{1, 2, 1, 3}, []int{0, 24, 0, 8}, 0},
		{[]int{2, 3}, "..., None", []int{2, 3, 1}, []int{24, 8, 0}, 0},
		{[]int{2, 3}, "1, None", []int{1, 3}, []int{0, 8}, 24},
		{[]int{}, "None, ...", []int{1}, []int{0}, 0},
		{[]int{}, "...", []int{}, []int{}, 0},
		{[]int{4, 3, 2}, "1, ..., 0", []int{3}, []int{16}, 48},
		// Cython's user guide.
		{[]int{128, 4}, "1:102:2", []int{51, 4}, []int{64, 8}, 32},
		{[]int{64}, "None, 10:-20:2, None", []int{1, 17, 1}, []int{0, 16, 0}, 80},
		// Four slices that Cython gets wrong.
		{[]int{3}, "3:-2:3", []int{0}, []int{8}, 0},
		{[]int{3}, "3:1:3", []int{0}, []int{8}, 0},
		{[]int{3}, ":-100:-1", []int{3}, []int{-8}, 16},
		{[]int{3}, "-100::-1", []int{0}, []int{8}, 0},
		// NumPy leaves an empty slice at the start of its axis, with its stride,
		// and moves on for the axes after it.
		{[]int{5, 4}, "2:2, 1:3", []int{0, 2}, []int{32, 8}, 8},
		{[]int{5, 0}, "2, 1:", []int{0}, []int{8}, 16},
		// A step beyond the axis makes a stride that is never used.
		{[]int{3}, "1::1000", []int{1}, []int{8000}, 8},
	} {
		l := must(NewLayout(tt.shape, 8, C))
		got, off, err := l.Select(MustParse(tt.sel)...)
		if want := must(Strided(tt.want, tt.strides)); err != nil || !got.Equal(want) || off != tt.off {
			t.Errorf("%v[%s] = %v at %d (error %v), want %v at %d", l, tt.sel, got, off, err, want, tt.off)
		}
	}
}

func TestSelectorsAreComparable(t *testing.T) {
	var zero Selector
	for _, tt := range []struct{ a, b Selector }{
		{zero, Colon},
		{Every(1), Colon},
		{Reverse().Every(1), Colon},
		{Every(-1), Reverse()},
		{Every(2).Every(3), Every(3)},
		{Range(2, 3).Every(1), Range(2, 3)},
		{From(2).Every(-1).Every(1), From(2)},
		{Every(math.MinInt), Every(-math.MaxInt)},
		{At(2), At(2)},
	} {
		if tt.a != tt.b {
			t.Errorf("%#v != %#v", tt.a, tt.b)
		}
	}
	different := []Selector{Colon, NewAxis, Ellipsis, At(0), From(0), To(0), Range(0, 0), Reverse()}
	for i, a := range different {
		for j, b := range different {
			if (a == b) != (i == j) {
				t.Errorf("%v == %v is %v", a, b, a == b)
			}
		}
	}
}

func TestEveryPanics(t *testing.T) {
	for _, s := range []Selector{At(1), NewAxis, Ellipsis} {
		err, ok := catch(func() { s.Every(2) }).(error)
		if !ok {
			t.Errorf("Every of %v: no panic with an error", s)
			continue
		}
		wantError(t, "Every", err, "Every does not apply to At, NewAxis or Ellipsis; want Range, From, To or Colon", ErrShape)
	}
}

func TestSelectorString(t *testing.T) {
	for _, tt := range []struct {
		sel  Selector
		want string
	}{
		{Colon, ":"}, {NewAxis, "None"}, {Ellipsis, "..."}, {At(5), "5"}, {At(-1), "-1"},
		{Range(1, 10), "1:10"}, {From(1), "1:"}, {To(-1), ":-1"},
		{Range(1, 10).Every(2), "1:10:2"}, {Reverse(), "::-1"}, {From(0).Every(2), "0::2"},
		{Range(1, 2).Every(0), "1:2:0"},
	} {
		if got := tt.sel.String(); got != tt.want {
			t.Errorf("String() = %q, want %q", got, tt.want)
		}
	}
}

// FuzzSelect makes a layout and a chain of selections from bytes. No element of the result may lie
// outside the bounds of the layout.
func FuzzSelect(f *testing.F) {
	f.Add([]byte{2, 3, 4}, "::-1, 1:", "...", false)
	f.Add([]byte{0, 7, 1, 200}, "None, :, 3", "0, -1", true)
	f.Add([]byte{3}, "3:-2:3", "::9223372036854775807", false)
	f.Add([]byte{255, 255, 255}, "-100::-1", "1::-9223372036854775808", true)
	f.Fuzz(func(t *testing.T, lens []byte, first, second string, columns bool) {
		const itemsize = 4
		shape := make([]int, min(len(lens), 8))
		for k := range shape {
			shape[k] = int(lens[k])
		}
		order := C
		if columns {
			order = F
		}
		l, err := NewLayout(shape, itemsize, order)
		if err != nil {
			return
		}
		_, size, _ := Size(shape, itemsize)
		start := 0
		for _, text := range []string{first, second, first} {
			sel, err := Parse(text)
			if err != nil {
				return
			}
			next, off, err := l.Select(sel...)
			if err != nil {
				continue
			}
			l, start = next, start+off
			if l.NDim() > MaxDims {
				t.Fatalf("%d dimensions", l.NDim())
			}
			if l.Size() == 0 {
				return // there are no elements
			}
			lo, hi := l.Bounds(itemsize)
			if start+lo < 0 || start+hi > size || lo > 0 || hi < itemsize {
				t.Fatalf("shape %v [%s] [%s]: %v at %d has bounds [%d, %d) outside %d bytes", shape, first, second, l, start, lo,
					hi, size)
			}
			steps := 0
			for idx := range All(l.Shape(), C) {
				if off := l.Offset(idx...); off < lo || off > hi-itemsize {
					t.Fatalf("offset %d of %v outside [%d, %d)", off, idx, lo, hi)
				}
				if steps++; steps > 1000 {
					break
				}
			}
		}
	})
}

// TestSlowSlice compares slowSlice, the reference for other tests, with results of Python.
func TestSlowSlice(t *testing.T) {
	b := big.NewInt
	for _, tt := range []struct {
		n            int
		lo, hi, step *big.Int
		want         []int
	}{
		{5, nil, nil, nil, []int{0, 1, 2, 3, 4}},
		{5, b(1), b(-1), b(2), []int{1, 3}},
		{5, nil, nil, b(-2), []int{4, 2, 0}},
		{5, b(-100), b(100), b(3), []int{0, 3}},
		{5, b(100), b(-100), b(-3), []int{4, 1}},
		{3, b(-100), nil, b(-1), nil},
		{3, nil, b(-100), b(-1), []int{2, 1, 0}},
		{0, nil, nil, b(-1), nil},
	} {
		if got := slowSlice(tt.n, tt.lo, tt.hi, tt.step); !slices.Equal(got, tt.want) {
			t.Errorf("range(%d)[%v:%v:%v] = %v, want %v", tt.n, tt.lo, tt.hi, tt.step, got, tt.want)
		}
	}
}

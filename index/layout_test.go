package index

import (
	"math"
	"slices"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNewLayout(t *testing.T) {
	for _, tt := range []struct {
		shape    []int
		itemsize int
		c, f     []int
	}{
		{[]int{}, 8, []int{}, []int{}},
		{[]int{3}, 8, []int{8}, []int{8}},
		{[]int{2, 3}, 8, []int{24, 8}, []int{8, 16}},
		{[]int{2, 3, 5}, 4, []int{60, 20, 4}, []int{4, 8, 24}},
		{[]int{1, 2, 1, 3, 2}, 1, []int{12, 6, 6, 2, 1}, []int{1, 1, 2, 2, 6}},
		// ndarray((2, 0, 3), 'f4', buffer=b"").strides
		{[]int{2, 0, 3}, 4, []int{12, 12, 4}, []int{4, 8, 8}},
		{[]int{2, 3}, 0, []int{0, 0}, []int{0, 0}},
	} {
		for _, o := range []struct {
			order Order
			want  []int
		}{{C, tt.c}, {F, tt.f}} {
			l, err := NewLayout(tt.shape, tt.itemsize, o.order)
			if err != nil {
				t.Errorf("NewLayout(%v, %d, %v): %v", tt.shape, tt.itemsize, o.order, err)
				continue
			}
			if diff := cmp.Diff(o.want, l.Strides()); diff != "" {
				t.Errorf("NewLayout(%v, %d, %v) strides (-want +got):\n%s", tt.shape, tt.itemsize, o.order, diff)
			}
			if diff := cmp.Diff(tt.shape, l.Shape()); diff != "" {
				t.Errorf("NewLayout(%v, %d, %v) shape (-want +got):\n%s", tt.shape, tt.itemsize, o.order, diff)
			}
			if !l.Contiguous(o.order, tt.itemsize) {
				t.Errorf("NewLayout(%v, %d, %v) is not contiguous", tt.shape, tt.itemsize, o.order)
			}
		}
	}
}

func TestZeroLayout(t *testing.T) {
	var l Layout
	if l.NDim() != 0 || l.Size() != 1 || l.Offset() != 0 || l.String() != "() strides ()" {
		t.Errorf("zero Layout: %d dimensions, %d elements, offset %d, %v", l.NDim(), l.Size(), l.Offset(), l)
	}
	for _, m := range []Layout{
		must(NewLayout(nil, 8, C)), must(Strided(nil, nil)), must(l.Transpose()), must(l.Squeeze()),
		must(l.Broadcast()), l.Coalesce(), must(l.Reshape(nil, 8)), must(l.Compact(8, K)),
	} {
		if !m.Equal(l) {
			t.Errorf("%v is not equal to the zero Layout", m)
		}
	}
	for _, order := range []Order{C, F, K} {
		if !l.Contiguous(order, 8) {
			t.Errorf("a single element is not %v contiguous", order)
		}
	}
	if lo, hi := l.Bounds(8); lo != 0 || hi != 8 {
		t.Errorf("bounds [%d, %d), want [0, 8)", lo, hi)
	}
}

func TestLayoutAccess(t *testing.T) {
	l := must(Strided([]int{2, 3}, []int{-24, 8}))
	if l.NDim() != 2 || l.Dim(0) != (Dim{2, -24}) || l.Len(1) != 3 || l.Stride(0) != -24 || l.Size() != 6 {
		t.Errorf("wrong parts of %v", l)
	}
	if got, want := l.String(), "(2, 3) strides (-24, 8)"; got != want {
		t.Errorf("String() = %q, want %q", got, want)
	}
	if got, want := l.AppendShape([]int{7}), []int{7, 2, 3}; !slices.Equal(got, want) {
		t.Errorf("AppendShape = %v, want %v", got, want)
	}
	if got := l.Offset(1, 2); got != -8 {
		t.Errorf("Offset(1, 2) = %d, want -8", got)
	}
	rest, off := l.Index(1)
	if want := must(Strided([]int{3}, []int{8})); !rest.Equal(want) || off != -24 {
		t.Errorf("Index(1) = %v, %d", rest, off)
	}
	// No returned slice may share memory with the layout.
	l.Shape()[0], l.Strides()[0] = 9, 9
	if l.Len(0) != 2 || l.Stride(0) != -24 {
		t.Errorf("layout changed to %v", l)
	}
	same := must(NewLayout([]int{2, 3}, 8, F))
	if l.Equal(same) || !l.SameShape(same) || l.SameShape(rest) || l.Equal(rest) || !l.Equal(l) {
		t.Error("Equal or SameShape is wrong")
	}
}

func TestStridedErrors(t *testing.T) {
	half := math.MaxInt/2 + 1
	num := strconv.Itoa
	for _, tt := range []struct {
		shape, strides []int
		want           string
	}{
		{[]int{2, 3}, []int{8}, "got 1 stride for 2 dimensions"},
		{[]int{-2}, []int{8}, "negative length -2 of axis 0"},
		{[]int{half, 2}, []int{0, 0}, "shape (" + num(half) + ", 2) overflows int"},
		{[]int{2, 2}, []int{half, half}, "shape (2, 2) with strides (" + num(half) + ", " + num(half) + ") overflows int"},
		{[]int{2, 2}, []int{half, -half}, "shape (2, 2) with strides (" + num(half) + ", " + num(-half) + ") overflows int"},
		{[]int{3}, []int{half}, "shape (3,) with strides (" + num(half) + ",) overflows int"},
		{[]int{2}, []int{math.MinInt}, "shape (2,) with strides (" + num(math.MinInt) + ",) overflows int"},
		{[]int{0, 3}, []int{1, half}, "shape (0, 3) with strides (1, " + num(half) + ") overflows int"},
	} {
		_, err := Strided(tt.shape, tt.strides)
		wantError(t, "Strided", err, tt.want, ErrShape)
	}
	// A stride that is never used may have any value.
	l := must(Strided([]int{1, 0}, []int{math.MinInt, math.MaxInt}))
	if l.Size() != 0 {
		t.Errorf("%v has %d elements", l, l.Size())
	}
}

// TestBoundsSaturate checks that Bounds returns at most the largest int.
func TestBoundsSaturate(t *testing.T) {
	l := must(Strided([]int{2, 2}, []int{math.MaxInt - 10, -5}))
	for _, tt := range []struct{ itemsize, hi int }{{4, math.MaxInt - 6}, {10, math.MaxInt}, {11, math.MaxInt}} {
		if lo, hi := l.Bounds(tt.itemsize); lo != -5 || hi != tt.hi {
			t.Errorf("Bounds(%d) = %d, %d, want -5, %d", tt.itemsize, lo, hi, tt.hi)
		}
	}
}

func TestLayoutPanics(t *testing.T) {
	l := must(NewLayout([]int{2, 3}, 8, C))
	for _, tt := range []struct {
		name string
		call func()
		want string
	}{
		{"Offset high", func() { l.Offset(1, 3) }, "index 3 out of range for axis 1 with length 3"},
		{"Offset low", func() { l.Offset(-1, 3) }, "index -1 out of range for axis 0 with length 2"},
		{"Offset few", func() { l.Offset(1) }, "got 1 index for 2 dimensions"},
		{"Offset many", func() { l.Offset(1, 1, 1) }, "got 3 indices for 2 dimensions"},
		{"Index high", func() { l.Index(2) }, "index 2 out of range for axis 0 with length 2"},
		{"Index low", func() { l.Index(-1) }, "index -1 out of range for axis 0 with length 2"},
		{"Index 0-d", func() { Layout{}.Index(0) }, "got 1 index for 0 dimensions"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantBoundsPanic(t, tt.name, tt.call, tt.want)
		})
	}
	for name, call := range map[string]func(){
		"Dim": func() { l.Dim(2) }, "Len": func() { l.Len(-1) }, "Stride": func() { l.Stride(2) },
	} {
		t.Run(name, func(t *testing.T) {
			if catch(call) == nil {
				t.Errorf("%s of an axis that does not exist does not panic", name)
			}
		})
	}
}

func TestContiguous(t *testing.T) {
	for _, tt := range []struct {
		name           string
		shape, strides []int
		c, f, k        bool
	}{
		{"C", []int{2, 3}, []int{24, 8}, true, false, true},
		{"F", []int{2, 3}, []int{8, 16}, false, true, true},
		{"neither, packed", []int{2, 3, 4}, []int{24, 8, 48}, false, false, true},
		{"gap", []int{2, 3}, []int{32, 8}, false, false, false},
		{"gap at the fast end", []int{2, 3}, []int{48, 16}, false, false, false},
		{"reversed", []int{3}, []int{-8}, false, false, false},
		{"broadcast", []int{2, 3}, []int{0, 8}, false, false, false},
		{"overlapping", []int{2, 2}, []int{8, 8}, false, false, false},
		{"ones with any stride", []int{1, 3, 1}, []int{-7, 8, 1 << 30}, true, true, true},
		{"no elements", []int{2, 0, 3}, []int{-1, 5, 7}, true, true, true},
		{"one element", []int{1, 1}, []int{3, 3}, true, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l := must(Strided(tt.shape, tt.strides))
			c, f, k := l.Contiguous(C, 8), l.Contiguous(F, 8), l.Contiguous(K, 8)
			if c != tt.c || f != tt.f || k != tt.k {
				t.Errorf("%s: C %v F %v K %v, want %v %v %v", tt.name, c, f, k, tt.c, tt.f, tt.k)
			}
		})
	}
	all := must(NewLayout(slices.Repeat([]int{1}, MaxDims), 8, C)) // fills the bit set
	if !all.Contiguous(K, 8) {
		t.Error("64 ones are not contiguous")
	}
}

package first

import (
	"fmt"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/pick"
	"github.com/ndmap/ndmap/index"
)

// TestChoose tests the mode and the axes on both sides of each limit.
func TestChoose(t *testing.T) {
	for _, c := range []struct {
		facts Facts
		want  string
	}{
		{Facts{Shape: []int{}}, "table -1 -1, line -1, few []"},
		{Facts{Shape: []int{0}}, "lines -1 0, line 0, few []"},
		{Facts{Shape: []int{0, 5}}, "image 0 1, line 1, few [1]"},
		{Facts{Shape: []int{0, 1}}, "image 0 1, line 1, few []"},
		{Facts{Shape: []int{1, 1}}, "table 0 1, line 1, few []"},
		{Facts{Shape: []int{2}}, "lines -1 0, line 0, few [0]"},
		{Facts{Shape: []int{2, 1}}, "lines 0 1, line 0, few [0]"},
		{Facts{Shape: []int{8, 501}}, "lines 0 1, line 1, few [0]"},
		{Facts{Shape: []int{8, 500}}, "image 0 1, line 1, few [0]"},
		{Facts{Shape: []int{9, 501}}, "image 0 1, line 1, few []"},
		{Facts{Shape: []int{501, 8}}, "lines 0 1, line 0, few [1]"},
		{Facts{Shape: []int{501, 1, 2}}, "lines 0 2, line 0, few [2]"},
		{Facts{Shape: []int{501, 501, 2}}, "image 0 1, line 1, few [2]"},
		{Facts{Shape: []int{75, 600, 2}}, "lines 0 1, line 1, few [2]"},
		{Facts{Shape: []int{76, 600, 2}}, "image 0 1, line 1, few [2]"},
		{Facts{Shape: []int{500, 4000, 2}}, "lines 0 1, line 1, few [2]"},
		{Facts{Shape: []int{501, 8000, 2}}, "image 0 1, line 1, few [2]"},
		{Facts{Shape: []int{4, 60, 5000}}, "image 1 2, line 2, few [0]"},
		{Facts{Shape: []int{9, 8, 7, 9}}, "image 0 3, line 3, few [1 2]"},
		{Facts{Shape: []int{9, 8, 7}}, "image 1 2, line 0, few [1 2]"},
		{Facts{Shape: []int{3, 1, 4}}, "image 0 2, line 2, few [0 2]"},
		{Facts{Shape: []int{9, 2, 1, 1}}, "image 0 1, line 0, few [1]"},
		{Facts{Shape: []int{10, 20, 30}}, "image 1 2, line 2, few []"},
		{Facts{Shape: []int{2, 900, 3}, Colours: true, Channels: 2}, "image 0 1, line 1, few [0 2]"},
		{Facts{Shape: []int{3, 20, 900}, Colours: true, Channels: 0}, "image 1 2, line 2, few [0]"},
		{Facts{Shape: []int{9, 3, 20, 30}, Colours: true, Channels: 1}, "image 2 3, line 3, few [1]"},
		{Facts{Shape: []int{8, 501}, Bool: true}, "image 0 1, line 1, few [0]"},
		{Facts{Shape: []int{501, 1}, Bool: true}, "lines 0 1, line 0, few []"},
		{Facts{Shape: []int{2, 900, 3}}, "lines 1 2, line 1, few [0 2]"},
	} {
		c.facts.Numbers = true
		v := Choose(c.facts)
		if got := fmt.Sprintf("%s %d %d, line %d, few %v", v.Mode, v.Y, v.X, v.Line, v.Few); got != c.want {
			t.Errorf("%+v: %s, want %s", c.facts, got, c.want)
		}
		c.facts.Numbers = false
		if got := Choose(c.facts).Mode; got != "table" {
			t.Errorf("%+v opens as %s, want a table", c.facts, got)
		}
	}
}

// TestLabels tests which integers are categories, on both sides of each limit.
func TestLabels(t *testing.T) {
	for _, c := range []struct {
		values Values
		want   bool
	}{
		{Values{}, false},
		{Values{Distinct: 1, Elements: 100, Greatest: 100}, false},
		{Values{Distinct: 2, Elements: 8, Greatest: 1}, true},
		{Values{Distinct: 2, Elements: 7, Greatest: 1}, false}, // too few elements
		{Values{Distinct: 8, Elements: 800, Greatest: 1}, true},
		{Values{Distinct: 9, Elements: 900, Greatest: 24}, false}, // the greatest is rare
		{Values{Distinct: 9, Elements: 900, Greatest: 25}, true},
		{Values{Distinct: 20, Elements: 2000, Greatest: 25, Pairs: 100, Equal: 20, Jumps: 0}, true},
		{Values{Distinct: 21, Elements: 2100, Greatest: 25, Pairs: 100, Equal: 20, Jumps: 19}, false}, // smooth
		{Values{Distinct: 21, Elements: 2100, Greatest: 25, Pairs: 100, Equal: 20, Jumps: 20}, true},
		{Values{Distinct: 64, Elements: 6400, Greatest: 25, Pairs: 100, Equal: 2, Jumps: 98}, true},
		{Values{Distinct: 65, Elements: 6500, Greatest: 25, Pairs: 300, Equal: 199, Jumps: 101}, false}, // no regions
		{Values{Distinct: 65, Elements: 6500, Greatest: 25, Pairs: 300, Equal: 200, Jumps: 100}, true},
		{Values{Distinct: 1024, Elements: 10240, Greatest: 1, Pairs: 300, Equal: 200, Jumps: 25}, true},
		{Values{Distinct: 1024, Elements: 10240, Greatest: 1, Pairs: 300, Equal: 200, Jumps: 24}, false},
		{Values{Distinct: 1025, Elements: 10250, Greatest: 10, Pairs: 300, Equal: 200, Jumps: 100}, false},
	} {
		if got := Choose(Facts{Shape: []int{30, 30}, Numbers: true, Values: c.values}).Categories; got != c.want {
			t.Errorf("%+v are labels: %v, want %v", c.values, got, c.want)
		}
	}
	if !Choose(Facts{Shape: []int{30, 30}, Numbers: true, Bool: true}).Categories {
		t.Error("bools are no categories")
	}
}

// TestValuesOf tests the counts of values and of neighbours along the axes of the image.
func TestValuesOf(t *testing.T) {
	v, err := array.FromSlice([]int32{
		0, 0, 0, 5,
		0, 0, 0, 5,
		7, 7, 8, 8,
	}, 3, 4)
	if err != nil {
		t.Fatal(err)
	}
	// Along the rows: 0 5, 0 5, 7 7, 7 8, 8 8; along the columns: 5 5, 0 7, 0 7, 0 8, 5 8.
	want := Values{Distinct: 4, Elements: 12, Greatest: 2, Pairs: 10, Equal: 3, Jumps: 6}
	if got, err := ValuesOf(t.Context(), pick.Array{Array: v.Array()}, 0); err != nil || got != want {
		t.Errorf("%+v (%v), want %+v", got, err, want)
	}
}

// TestAxis tests which first fields are values along x.
func TestAxis(t *testing.T) {
	for _, c := range []struct {
		descr, want string
		set         []float64 // the first field
	}{
		{"[('t', '<f8'), ('x', '<f4')]", "t", []float64{-1, 2.5, 2.5, 9}},
		{"[('t', '>i2'), ('x', '<f4')]", "t", []float64{0, 0, 0, 1}},
		{"[('t', '<f8'), ('x', '<f4')]", "", []float64{3, 3, 3, 3}},
		{"[('t', '<f8'), ('x', '<f4')]", "", []float64{1, 2, 1.5, 3}},
		{"[('t', '<f8'), ('x', '<f4')]", "", []float64{4, 3, 2, 1}},
		{"[('t', '?'), ('x', '<f4')]", "", []float64{0, 0, 1, 1}},
		{"[('t', '<c8'), ('x', '<f4')]", "", []float64{0, 0, 1, 1}},
	} {
		f, err := array.New(dtype.MustParse(c.descr), index.C, 4)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		field, err := f.Field("t")
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.Cast[complex128](field)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range c.set {
			v.SetAt(complex(x, 0), i)
		}
		a := pick.Array{Array: f.Array}
		if got, err := Axis(t.Context(), a); err != nil || got != c.want {
			t.Errorf("%s %v: %q (%v), want %q", c.descr, c.set, got, err, c.want)
		}
		if got := FieldAgainst(a.DType(), "t"); got != "x" {
			t.Errorf("%s: the field %q is drawn, want x", c.descr, got)
		}
	}
}

// TestTimes tests times as the first field. NaT does not rise, although it is stored as the least integer.
func TestTimes(t *testing.T) {
	for _, c := range []struct {
		first int64
		want  string
	}{{-1 << 63, ""}, {-1<<63 + 1, "t"}, {0, "t"}, {1 << 62, ""}} {
		f, err := array.New(dtype.MustParse("[('t', '<M8[ns]'), ('x', '<f4')]"), index.C, 3)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		field, err := pick.Array{Array: f.Array}.Field([]string{"t"})
		if err == nil {
			field, err = field.Ticks()
		}
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.Cast[int64](field.Array)
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range []int64{c.first, 5, 1 << 61} {
			v.SetAt(x, i)
		}
		if got, err := Axis(t.Context(), pick.Array{Array: f.Array}); err != nil || got != c.want {
			t.Errorf("first time %d: %q (%v), want %q", c.first, got, err, c.want)
		}
	}
}

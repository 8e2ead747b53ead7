package array

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestCythonErrors tests that this package returns an error or panics in each case in which Cython raises an error.
func TestCythonErrors(t *testing.T) {
	v, _ := arange[int32](3, 4)
	wide, _ := arange[int32](3, 5)
	deep, _ := arange[int32](2, 3, 4)
	fixed := must(v.Broadcast(2, 3, 4))
	rows := must(As[int32](must(Stack(v.Array(), v.Array()))))
	sel := func(s ...index.Selector) func() error {
		return func() error { return second(v.Select(s...)) }
	}
	for _, tt := range []struct {
		cython string // Cython's message
		run    func() error
		is     error
		want   string
	}{
		{"Out of bounds on buffer access (axis 0)", func() error { v.At(3, 0); return nil }, nil,
			"index 3 out of range for axis 0 with length 3"},
		{"Out of bounds on buffer access (axis 1)", func() error { v.SetAt(1, 2, -1); return nil }, nil,
			"index -1 out of range for axis 1 with length 4"},
		{"Index out of bounds (axis 0)", sel(index.At(3)), nil,
			"array: index 3 out of range for axis 0 with length 3"},
		{"Index out of bounds (axis 1)", sel(index.NewAxis, index.At(-3), index.At(-5)), nil,
			"array: index -5 out of range for axis 1 with length 4"},
		{"Step may not be zero (axis 1)", sel(index.Colon, index.Range(1, 2).Every(0)), nil,
			"array: slice step is zero for axis 1"},
		{"too many indices", sel(index.At(0), index.At(0), index.At(0)), ErrShape,
			"array: got 3 indices for 2 dimensions"},
		{"too many indices", func() error { v.At(0, 0, 0); return nil }, nil,
			"got 3 indices for 2 dimensions"},
		{"too few indices", func() error { v.At(0); return nil }, nil,
			"got 1 index for 2 dimensions"},
		{"Cannot index with type", func() error { return second(index.Parse("1.5")) }, nil,
			`index: selection "1.5" at character 2: want ':' or ','`},
		{"got differing extents in dimension 1 (got 4 and 5)", func() error { return v.CopyFrom(wide) }, ErrShape,
			"array: cannot broadcast (3, 5) to (3, 4): axis 1 has length 5, want 1 or 4"},
		{"got differing extents in dimension 0 (got 3 and 2)", func() error { return v.CopyFrom(pick(v, ":2")) }, ErrShape,
			"array: cannot broadcast (2, 4) to (3, 4): axis 0 has length 2, want 1 or 3"},
		{"more dimensions than the destination", func() error { return v.CopyFrom(deep) }, ErrShape,
			"array: cannot broadcast (2, 3, 4) to (3, 4): got 2 dimensions, want at least 3"},
		{"ndarray is not C-contiguous", func() error { return second(v.T().Data()) }, ErrNotDirect,
			"array: elements are not directly accessible: shape (4, 3) with strides (4, 16) is not C contiguous; it is F contiguous: use T().Data()"},
		{"Buffer not C contiguous", func() error { return second(pick(v, ":, ::2").Data()) }, ErrNotDirect,
			"array: elements are not directly accessible: shape (3, 2) with strides (16, 8) is not C contiguous"},
		{"Buffer has wrong number of dimensions (expected 1, got 2)", func() error { return second(v.Vector()) }, ErrShape,
			"array: shape mismatch: 2 dimensions, want 1"},
		{"Buffer has wrong number of dimensions (expected 2, got 1)", func() error { return second(v.Index(0).Matrix()) },
			ErrShape,
			"array: shape mismatch: 1 dimensions, want 2"},
		{"Buffer has wrong number of dimensions (expected 3, got 2)", func() error { return second(v.Cube()) }, ErrShape,
			"array: shape mismatch: 2 dimensions, want 3"},
		{"Buffer dtype mismatch, expected 'double' but got 'int'", func() error { return second(As[float64](v.Array())) },
			nil,
			fmt.Sprintf("array: have dtype %v, want %v; Cast[float64] converts", dtype.Int32, dtype.Float64)},
		{"Item size of buffer (4 bytes) does not match size of 'long' (8 bytes)",
			func() error { return second(As[int64](v.Array())) }, nil,
			fmt.Sprintf("array: have dtype %v, want %v; Cast[int64] converts", dtype.Int32, dtype.Int64)},
		{"Cannot assign to read-only memoryview", func() error { fixed.SetAt(1, 0, 0, 0); return nil }, ErrReadOnly,
			"array: write through a broadcast view, or a joined array with a read-only member; write to the original array, or to a Clone"},
		{"Cannot assign to read-only memoryview", func() error { return fixed.CopyFrom(v) }, ErrReadOnly,
			"array: array is read-only"},
		{"Cannot create cython.array from NULL pointer", func() error {
			return second(FromPointer(nil, dtype.Int32,
				v.Layout(), nil))
		}, nil,
			"array: nil pointer; only an array of 0 bytes may have one"},
		{"Invalid shape in axis 0: -1.", func() error { return second(New(dtype.Int32, index.C, -1, 2)) }, ErrShape,
			"array: negative length -1 of axis 0"},
		{"Cannot access attribute of None memoryview slice", func() error { View[int32]{}.T(); return nil }, nil,
			"array: use of the zero Array or View (see IsZero)"},
		{"Dimension 0 is not direct", func() error { return second(rows.Data()) }, ErrNotDirect,
			"array: elements are not directly accessible: they are stored in several arrays (see Stack)"},
		{"Cannot reshape with indirect dimensions", func() error { return second(rows.Reshape(6, 4)) }, ErrCopy,
			"array: cannot reshape (2, 3, 4) strides (64, 16, 4) to (6, 4) in place: copy it first"},
	} {
		err := func() (err error) {
			defer func() {
				if r := recover(); r != nil {
					err = r.(error)
				}
			}()
			return tt.run()
		}()
		if err == nil || err.Error() != tt.want || tt.is != nil && !errors.Is(err, tt.is) {
			t.Errorf("%s:\n got %v\nwant %s", tt.cython, err, tt.want)
		}
	}

	// Cython refuses to transpose or copy an indirect dimension. Here both work.
	transposed := rows.T()
	for idx, x := range rows.All(index.C) {
		if transposed.At(idx[2], idx[1], idx[0]) != x {
			t.Fatalf("the transpose of a stack differs at %v", idx)
		}
	}
	if d := cmp.Diff(collect(transposed), collect(must(transposed.Clone(index.F)))); d != "" {
		t.Errorf("the copy of a stack: %s", d)
	}
}

// TestCythonBugs tests selections in which Cython's slices have, or had, bugs. Cython's arithmetic is wrong if a bound
// is beyond the end that the step starts from; Python's and NumPy's is not.
func TestCythonBugs(t *testing.T) {
	v, _ := arange[int32](3)
	for _, tt := range []struct {
		sel  string
		want []int32
	}{
		{"3:-2:3", []int32{}},
		{"3:1:3", []int32{}},
		{":-100:-1", []int32{2, 1, 0}}, // a lower bound below 0 is not 0
		{"-100::-1", []int32{}},        // starts before the first element
		{"-100::1", []int32{0, 1, 2}},
		{"100::-1", []int32{2, 1, 0}},
		{"100:-100:-2", []int32{2, 0}},
		{"2::-3", []int32{2}},
		{"0:0:-1", []int32{}},
		{"-1:-1", []int32{}},
		{"::9223372036854775807", []int32{0}},
		{"::-9223372036854775808", []int32{2}},
		{"-9223372036854775808:9223372036854775807", []int32{0, 1, 2}},
	} {
		if d := cmp.Diff(tt.want, collect(pick(v, tt.sel))); d != "" {
			t.Errorf("[%s]: want -, got +\n%s", tt.sel, d)
		}
	}

	// Copies without elements.
	m, _ := arange[int32](4, 5)
	for _, sel := range []string{"0:0", ":, 0:0", "2:2, 3:3", "::-1, 5:"} {
		none := pick(m, sel)
		if err := errors.Join(none.CopyFrom(none), none.CopyFrom(pick(m, "0:1, 0:1")), second(none.Clone(index.C)),
			second(none.Clone(index.F))); err != nil {
			t.Errorf("[%s]: %v", sel, err)
		}
		none.Fill(-1)
		if data, err := none.Data(); err != nil || len(data) != 0 || data == nil {
			t.Errorf("[%s]: Data is %v (%v)", sel, data, err)
		}
	}
	if m.At(0, 0) != 0 {
		t.Error("a copy without elements changed an element")
	}

	// The stride of an axis of length 1 does not affect contiguity.
	for _, tt := range []struct {
		name string
		v    View[int32]
		c, f bool
	}{
		{"one row of many", pick(m, "::4"), true, true},
		{"one column", pick(m, ":, 0:1"), false, false},
		{"one element", pick(m, "1:2, 1:2"), true, true},
		{"one element, backwards", pick(m, "2:1:-7, 2:1:-7"), true, true},
		{"newaxis in front", pick(m, "None"), true, false},
		{"newaxis at the end", pick(m, "..., None"), true, false},
		{"newaxis between, transposed", pick(m, ":, None").T(), false, true},
		{"broadcast of one element", must(pick(m, "0, 0").Broadcast(1, 1, 1)), true, true},
		{"nothing, backwards", pick(m, "0:0, ::-2"), true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if c, f := tt.v.Contiguous(index.C), tt.v.Contiguous(index.F); c != tt.c || f != tt.f {
				t.Errorf("%s: contiguous C %v F %v, want %v %v", tt.name, c, f, tt.c, tt.f)
			}
			if _, err := tt.v.Data(); (err == nil) != tt.c {
				t.Errorf("%s: Data: %v", tt.name, err)
			}
		})
	}
}

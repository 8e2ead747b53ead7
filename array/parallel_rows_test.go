package array

import (
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestRows goes through the rows of files in either order. If rows are not contiguous, Rows must return an error, and
// Row must return false without a panic. Otherwise the rows must share the memory of the file.
func TestRows(t *testing.T) {
	for _, tt := range []struct {
		order index.Order
		shape []int
		want  bool
	}{
		{index.C, []int{3, 4}, true},
		{index.F, []int{3, 4}, false},
		{index.F, []int{1, 4}, true}, // one row is contiguous in either order
		{index.F, []int{3, 1}, true},
		{index.F, []int{3, 0}, true},
		{index.C, []int{2, 3, 4}, true},
		{index.F, []int{2, 3, 4}, false},
		{index.F, []int{1, 1, 4}, true},
		{index.F, []int{2, 3, 1}, true},
	} {
		name := fmt.Sprintf("order %v, shape %v", tt.order, tt.shape)
		f := must(Create(filepath.Join(t.TempDir(), "a.npy"), dtype.Float64, tt.order, tt.shape...))
		v := must(As[float64](f.Array))
		next := 0.0
		for idx := range v.All(index.C) {
			v.SetAt(next, idx...)
			next++
		}
		var rows [][]float64
		var ok bool
		err := mmap.Guard(func() error {
			got, hasRow, err := rowsOf(v)
			if err == nil {
				rows = slices.Collect(got)
			}
			ok = hasRow
			return err
		})
		if tt.want != (err == nil) || tt.want != ok {
			t.Errorf("%s: Rows says %v and Row %t, want %t", name, err, ok, tt.want)
		}
		if !tt.want {
			if want := fmt.Sprintf("%s: elements are not directly accessible: elements along the last axis are %d bytes apart, not 8; use At, the view's Blocks, or a Clone in C order, which is a copy",
				f.Path(), v.Strides()[v.NDim()-1]); err == nil || !errors.Is(err, ErrNotDirect) || err.Error() != want {
				t.Errorf("%s:\n got %v\nwant %s", name, err, want)
			}
			f.Close()
			continue
		}
		n := 1
		for _, d := range tt.shape[:len(tt.shape)-1] {
			n *= d
		}
		if len(rows) != n || !slices.Equal(slices.Concat(rows...), collect(v)) {
			t.Errorf("%s: rows are %v", name, rows)
		}
		for _, row := range rows {
			for i := range row {
				row[i] = -row[i] // writes to the file
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		f = must(Open(f.Path(), mmap.ReadOnly))
		next = 0
		for x := range must(As[float64](f.Array)).Values() {
			if x != -next {
				t.Errorf("%s: the file has %v, want %v", name, x, -next)
			}
			next++
		}
		f.Close()
	}
}

// rowsOf returns the rows of v as a Matrix or Cube, and whether Row returns the first row.
func rowsOf(v View[float64]) (rows iter.Seq[[]float64], ok bool, err error) {
	if v.NDim() == 2 {
		m := must(v.Matrix())
		_, ok = m.Row(0)
		rows, err = m.Rows()
		return rows, ok, err
	}
	c := must(v.Cube())
	_, ok = c.Row(0, 0)
	rows, err = c.Rows()
	return rows, ok, err
}

func TestRowsOfViews(t *testing.T) {
	v := must(FromSlice([]float64{0, 1, 2, 3, 4, 5}, 2, 3))
	mirrored := must(pick(v, "::-1").Matrix())
	var rows [][]float64
	for row := range must(mirrored.Rows()) {
		rows = append(rows, row)
		if len(rows) == 2 {
			break
		}
	}
	if fmt.Sprint(rows) != "[[3 4 5] [0 1 2]]" || cap(rows[1]) != 3 {
		t.Errorf("%v, with capacity for %d", rows, cap(rows[1]))
	}
	var zero Matrix[float64]
	for range must(zero.Rows()) {
		t.Error("the zero Matrix has a row")
	}
	var none Cube[float64]
	for range must(none.Rows()) {
		t.Error("the zero Cube has a row")
	}
	first, last := must(v.Index(0).Vector()), must(v.T().Index(0).Vector())
	if s := must(first.Data()); len(s) != 3 || &s[0] != &must(v.Data())[0] {
		t.Errorf("the data of a vector is %v", s)
	}
	if s, err := last.Data(); s != nil || !errors.Is(err, ErrNotDirect) {
		t.Errorf("the data of a row in F order is %v, %v", s, err)
	}
	m := must(v.Matrix())
	if n := testing.AllocsPerRun(100, func() { m.Row(1) }); n != 0 {
		t.Errorf("Row: %v allocations, want 0", n)
	}
}

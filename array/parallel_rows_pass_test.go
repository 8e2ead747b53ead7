package array

import (
	"errors"
	"math"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestRowsPass tests that Rows passes each complete row once with its index, on views of any kind, and that writes to
// the rows change the view.
func TestRowsPass(t *testing.T) {
	r := oracle.Rand(t, 74)
	for n := range oracle.Cases(t, 60) {
		v := randomView(r, among(r, 4, 30, 60))
		if n%5 == 0 {
			v = must(v.Broadcast(append([]int{1 + r.IntN(40)}, v.Shape()...)...))
		}
		if n%7 == 0 {
			v = must(v.MoveAxis(0, -1))
		}
		want := collect(v)
		per := v.Size() / max(1, v.Len(0))
		eachGOMAXPROCS(func(procs int) {
			calls, got := make([]atomic.Int32, v.Len(0)), make([]float64, v.Size())
			err := Rows(v, func(first int, rows View[float64]) error {
				for i := range rows.Len(0) {
					calls[first+i].Add(1)
				}
				copy(got[first*per:], rows.Collect())
				if rows.NDim() != v.NDim() || rows.Size() != rows.Len(0)*per {
					t.Errorf("shape %v is not a shape of rows of %v", rows.Shape(), v.Shape())
				}
				return nil
			})
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%v %v, %d goroutines: %v, or wrong elements", v.DType(), v.Layout(), procs, err)
			}
			for i := range calls {
				if n := calls[i].Load(); v.Size() > 0 && n != 1 {
					t.Fatalf("%v %v, %d goroutines: row %d was passed %d times", v.DType(), v.Layout(), procs, i, n)
				}
			}
		})
		if n%5 == 0 {
			continue // these rows share memory
		}
		must(0, Rows(v, func(first int, rows View[float64]) error {
			for i, row := range rows.Axis(0) {
				row.Fill(float64((first + i) % 100))
			}
			return nil
		}))
		for i, row := range v.Axis(0) {
			for x := range row.Values() {
				if x != float64(i%100) {
					t.Fatalf("%v %v: an element of row %d is %v", v.DType(), v.Layout(), i, x)
				}
			}
		}
	}
}

// TestRowsParts tests the number of rows in a call. If rows are consecutive in memory, the rows of a call fit the
// cache; otherwise they fill cache lines.
func TestRowsParts(t *testing.T) {
	for _, tt := range []struct {
		name   string
		order  index.Order
		shape  []int
		down   bool
		most   int // maximum number of rows in a call
		least  int // minimum number of calls
		single bool
	}{
		{"a vector", index.C, []int{1 << 20}, false, nd.RowsBytes / 8, 32, false},
		{"in order C", index.C, []int{1000, 1000}, false, 32, 32, false},
		{"downwards", index.C, []int{1000, 1000}, true, 32, 32, false},
		{"large rows", index.C, []int{5, 1 << 18}, false, 1, 5, false},
		{"in order F", index.F, []int{1000, 1000}, false, 32, 32, false},
		{"in order F, large rows", index.F, []int{64, 1 << 15}, false, 8, 8, false},
		{"one row", index.F, []int{1, 1000}, false, 1, 1, false},
		{"of three axes, the first in the middle", index.C, []int{40, 100, 100}, false, 100, 13, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			n := 1
			for _, length := range tt.shape {
				n *= length
			}
			v := must(As[float64](must(FromBytes(make([]byte, 8*n), dtype.Float64, tt.order, tt.shape...))))
			if tt.down {
				v = must(v.Select(index.Reverse()))
			}
			if v.NDim() == 3 {
				v = must(v.Transpose(1, 0, 2))
			}
			var calls, rows, most atomic.Int64
			must(0, Rows(v, func(first int, part View[float64]) error {
				calls.Add(1)
				n := int64(part.Len(0))
				rows.Add(n)
				for m := most.Load(); m < n && !most.CompareAndSwap(m, n); m = most.Load() {
				}
				return nil
			}))
			if rows.Load() != int64(v.Len(0)) || most.Load() > int64(tt.most) || calls.Load() < int64(tt.least) {
				t.Errorf("%s: %d calls of up to %d rows; want at least %d calls of at most %d rows", tt.name, calls.Load(),
					most.Load(),
					tt.least, tt.most)
			}
		})
	}
}

// TestRowsError tests that Rows returns the first of several errors in memory order, unchanged. Only a few calls may
// follow the error, and no goroutine may be left.
func TestRowsError(t *testing.T) {
	v := must(countingVector(1<<20).Reshape(1<<10, 1<<10))
	down := must(v.Select(index.Reverse()))
	early, late := errors.New("early"), errors.New("late")
	eachGOMAXPROCS(func(procs int) {
		for _, v := range []View[float64]{v, down} {
			checkNoGoroutineLeft(t, func() {
				var calls atomic.Int64
				err := Rows(v, func(_ int, rows View[float64]) error {
					calls.Add(1)
					lo, hi := MinMax(rows)
					switch {
					case lo <= 300<<10 && 300<<10 <= hi:
						return early
					case lo > 300<<10:
						return late
					}
					return nil
				})
				if err != early || calls.Load() > 32 {
					t.Errorf("%d goroutines, strides %v: %v after %d calls", procs, v.Strides(), err, calls.Load())
				}
			})
		}
	})
	if err := Rows(v.Index(0).Index(0), func(int, View[float64]) error { return nil }); !errors.Is(err, ErrShape) {
		t.Errorf("Rows of a 0-d view: %v", err)
	}
	for _, shape := range [][]int{{0}, {0, 3}, {3, 0}} {
		none := must(FromSlice([]float64{}, shape...))
		if err := Rows(none, func(int, View[float64]) error { return early }); err != nil {
			t.Errorf("Rows of shape %v: %v", shape, err)
		}
	}
}

// TestRowsFault tests that the caller's Guard returns a page fault in rows as an error, and that no goroutine is left.
func TestRowsFault(t *testing.T) {
	if isEmulated() {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := tempPath(t)
	must(Create(path, dtype.Float64, index.C, 1<<10, 1<<10)).Close()
	f := must(Open(path, mmap.ReadOnly))
	defer f.Close()
	v := must(Scaled[float32](f.Array, 2, 0))
	truncate(t, path, 1<<20)
	eachGOMAXPROCS(func(procs int) {
		checkNoGoroutineLeft(t, func() {
			err := mmap.Guard(func() error {
				return Rows(v, func(first int, rows View[float32]) error { rows.Collect(); return nil })
			})
			if fault, ok := errors.AsType[*mmap.FaultError](err); !ok || fault.Path != path || fault.Offset < 1<<20 {
				t.Errorf("%d goroutines: %v", procs, err)
			}
		})
	})
}

// TestRowsAcross tests Rows where the first axis is not the slowest. For a file that is not in memory, the size of a
// part is then limited by the number of pages that its rows touch.
func TestRowsAcross(t *testing.T) {
	f := must(SaveConfig{Sparse: true}.Create(tempPath(t), dtype.Float64, index.F, 1<<14, 512)) // 64 MiB
	defer f.Close()
	v := must(As[float64](f.Array))
	sum := 0.0
	rows := 0
	must(0, Rows(v, func(first int, part View[float64]) error {
		if first == 0 {
			part.SetAt(1, 0, 3)
			rows = part.Len(0)
		}
		return nil
	}))
	for x := range v.Index(0).Values() {
		sum += x
	}
	if sum != 1 || rows < 8 || rows > 64 || math.IsNaN(sum) {
		t.Errorf("the sum of row 0 is %v, and the first call had %d rows", sum, rows)
	}
}

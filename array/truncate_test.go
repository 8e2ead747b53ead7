package array

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// truncations are files and the lengths to which the tests shorten them.
func truncations(t *testing.T) []truncation {
	return []truncation{
		{"a digit less", "<f8", index.C, []int{10, 3}, 4, false},
		{"no digit less", ">i2", index.C, []int{999}, 300, false},
		{"F order", "<f4", index.F, []int{5, 103}, 99, false},
		{"to nothing", "<f8", index.C, []int{100}, 0, false},
		{"to the same length", "<f8", index.C, []int{7}, 7, false},
		{"no bytes", "<f8", index.C, []int{12, 0}, 3, false},
		{"a header of two sectors", longHeaderDType(t, index.C, []int{99}, []int{100}), index.C, []int{100}, 99, false},
		{"a header of two sectors, F order", longHeaderDType(t, index.F, []int{2, 3, 9}, []int{2, 3, 10}), index.F,
			[]int{2, 3, 10}, 9, false},
		{"a column in F order", "<f8", index.C, []int{100, 1}, 9, true},
	}
}

type truncation struct {
	name   string
	d      string
	order  index.Order
	shape  []int
	n      int
	column bool // the header says F order
}

// file creates the file, and returns it with its bytes and the bytes of the shorter file as NumPy writes them.
func (tt *truncation) file(t *testing.T) (f *File, old, shorter []byte) {
	f, old = newFilledFile(t, 0, tt.d, tt.order, tt.shape...)
	sel := make([]index.Selector, f.h.Axis()+1)
	sel[f.h.Axis()] = index.Range(0, tt.n)
	shorter = joinedBytes(t, f.h.Axis(), must(f.Select(sel...)))
	if tt.column {
		f.Close()
		changeToFortranOrder(t, f.Path())
		*f = *must(Open(f.Path(), mmap.ReadWrite))
	}
	return f, old, shorter
}

// TestTruncate tests that the file has the remaining elements, also for an earlier view, and can grow again.
func TestTruncate(t *testing.T) {
	oracle.OneGoroutine(t)
	for _, tt := range truncations(t) {
		t.Run(tt.name, func(t *testing.T) {
			f, old, shorter := tt.file(t)
			before := f.Array
			if err := f.Truncate(tt.n); err != nil {
				t.Fatal(err)
			}
			data := f.Array
			if got := must(os.ReadFile(f.Path())); runtime.GOOS != "windows" && !bytes.Equal(got, shorter) {
				t.Errorf("the file has %d bytes, %q; want %d, %q", len(got), got[:128], len(shorter), shorter[:128])
			}
			if got := writtenBytes(t, data); !bytes.Equal(got[f.h.DataOffset:], shorter[f.h.DataOffset:]) {
				t.Error("the array has other elements than the first ones of the file")
			}
			if data.Size() > 0 && before.view.P != data.view.P {
				t.Error("the elements have moved")
			}
			more := tt.shape[f.h.Axis()] - tt.n
			if err := f.Grow(more); err != nil {
				t.Fatal(err)
			}
			if n := f.Len(f.h.Axis()); n != tt.n+more || len(old) != f.m.Len() {
				t.Errorf("after Grow(%d) the length is %d, and the file has %d bytes; want %d", more, n, f.m.Len(), len(old))
			}
		})
	}
}

// TestTruncateRefuses tests the errors of Truncate, which change nothing.
func TestTruncateRefuses(t *testing.T) {
	f, old := newFilledFile(t, 0, "<f8", index.C, 5, 2)
	for _, n := range []int{-1, 6} {
		want := fmt.Sprintf("%s: shape mismatch: cannot shorten axis 0 from length 5 to %d; want 0 to 5", f.Path(), n)
		if err := f.Truncate(n); err == nil || err.Error() != want || !errors.Is(err, ErrShape) {
			t.Errorf("Truncate(%d): %v, want %s", n, err, want)
		}
	}
	r := must(Open(f.Path(), ReadOnly))
	defer r.Close()
	if err := r.Truncate(1); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Truncate of a file mapped ReadOnly: %v", err)
	}
	if got := must(os.ReadFile(f.Path())); !bytes.Equal(got, old) {
		t.Error("the file has changed")
	}
	if err := must(New(dtype.Float64, index.C, 3)).Truncate(1); !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Truncate of memory: %v", err)
	}
}

// TestPowerLossTruncate tries the states that a power failure may leave during a Truncate: each must have the old or
// the new array, and the new one after Truncate has returned.
func TestPowerLossTruncate(t *testing.T) {
	oracle.OneGoroutine(t)
	total := 0
	for _, tt := range truncations(t) {
		t.Run(tt.name, func(t *testing.T) {
			f, old, shorter := tt.file(t)
			d := recordCrashes(t, f.Path())
			d.setAccept(acceptArrays(old, shorter))
			if err := f.Truncate(tt.n); err != nil {
				t.Fatal(err)
			}
			d.recordChanges()
			d.judgeStates()
			d.setAccept(acceptArrays(shorter))
			d.judgeStates()
			total += d.stop()
		})
	}
	t.Logf("%d states", total)
}

package array

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestLargeValues tests loops over values that are larger than the buffer of the loop.
func TestLargeValues(t *testing.T) {
	file := must(dtype.Of[largeRecord]()).WithByteOrder(dtype.BigEndian)
	for _, d := range []dtype.DType{file, file.WithByteOrder(dtype.LittleEndian)} {
		a := must(New(d, index.C, 2, 3)).Array
		v := must(As[largeRecord](a))
		for k := range 6 {
			v.SetAt(largeRecord{N: int16(k)}, k/3, k%3)
		}
		part := must(v.Select(index.Colon, index.Range(0, 2))) // short rows, which are gathered
		for _, order := range []index.Order{index.C, index.F} {
			var got []int16
			for idx, x := range part.All(order) {
				got = append(got, x.N)
				if want := part.At(idx...).N; x.N != want {
					t.Errorf("%v: element %v is %d, want %d", d, idx, x.N, want)
				}
			}
			if len(got) != 4 {
				t.Errorf("%v, order %v: All has %d of 4 elements", d, order, len(got))
			}
		}
		n := 0
		for range v.Values() {
			n++
		}
		if n != 6 {
			t.Errorf("%v: Values has %d of 6 elements", d, n)
		}
		// Each element is its own block, even where blocks are the memory itself.
		for _, v := range []View[largeRecord]{v, must(v.Select(index.Colon, index.Every(2)))} {
			total := 0
			for b := range v.Blocks(index.C) {
				if len(b) != 1 {
					t.Errorf("%v: a block of %d elements, want 1", d, len(b))
				}
				total += len(b)
			}
			if total != v.Size() {
				t.Errorf("%v: %d blocks of %d elements", d, total, v.Size())
			}
		}
	}
}

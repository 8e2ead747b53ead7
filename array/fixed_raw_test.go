package array

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestMatrixRaw tests that Raw returns exactly the elements of the matrix, without any byte after them, in the form
// that BLAS takes. Raw must refuse a matrix that has no such form.
func TestMatrixRaw(t *testing.T) {
	whole := make([]int32, 60)
	for k := range whole {
		whole[k] = int32(k)
	}
	v := must(FromSlice(whole, 3, 4, 5))
	type raw struct {
		Rows, Cols, Stride, Len int
		OK                      bool
	}
	for _, tt := range []struct {
		name      string
		selection string
		transpose bool
		want      raw
	}{
		{"all of a matrix", "1", false, raw{4, 5, 5, 20, true}},
		{"contiguous rows of a part", "1, 1:3, 1:4", false, raw{2, 3, 5, 8, true}},
		{"every second row", "1, ::2", false, raw{2, 5, 10, 15, true}},
		{"a column", "1, :, 2:3", false, raw{4, 1, 5, 16, true}},
		{"one row", "1, 3:", false, raw{1, 5, 5, 5, true}},
		{"one row, backwards among rows", "1, 3:2:-1", false, raw{1, 5, 5, 5, true}},
		{"rows of different planes", ":, 0", false, raw{3, 5, 20, 45, true}},
		{"F order, transposed", "1", true, raw{}},
		{"every second column", "1, :, ::2", false, raw{}},
		{"columns backwards", "1, :, ::-1", false, raw{}},
		{"rows backwards", "1, ::-1", false, raw{}},
		{"no rows", "1, 2:2", false, raw{0, 5, 5, 0, true}},
		{"no columns", "1, :, 2:2", false, raw{4, 0, 1, 0, true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := must(v.Select(index.MustParse(tt.selection)...))
			if tt.transpose {
				w = w.T()
			}
			m := must(w.Matrix())
			data, rows, cols, stride, ok := m.Raw()
			if diff := cmp.Diff(tt.want, raw{rows, cols, stride, len(data), ok}); diff != "" {
				t.Errorf("%s: -want +got\n%s", tt.name, diff)
				return
			}
			for i := range rows {
				if cols > 0 {
					row, _ := m.Row(i)
					if diff := cmp.Diff(row, data[i*stride:i*stride+cols]); diff != "" {
						t.Errorf("%s: row %d: -want +got\n%s", tt.name, i, diff)
					}
				}
			}
		})
	}
	// Raw refuses overlapping rows, and rows that are one and a half elements apart.
	m := must(must(v.Index(1).Index(0).Broadcast(4, 5)).Matrix())
	if _, _, _, _, ok := m.Raw(); ok {
		t.Error("Raw accepts overlapping rows")
	}
	packed := must(dtype.Packed(dtype.Field{Name: "z", Type: dtype.Complex64}, dtype.Field{Name: "n",
		Type: dtype.Int32}))
	f := must(New(packed, index.C, 3, 1))
	defer f.Close()
	z := must(must(As[complex64](must(f.Field("z")))).Matrix())
	if _, _, _, _, ok := z.Raw(); ok {
		t.Error("Raw accepts rows of 8-byte elements that are 12 bytes apart")
	}
	var zero Matrix[float64]
	if data, rows, cols, stride, ok := zero.Raw(); len(data) > 0 || rows != 0 || cols != 0 || stride != 1 || !ok {
		t.Errorf("the zero Matrix: %v %d %d %d %v", data, rows, cols, stride, ok)
	}
	if n := testing.AllocsPerRun(10, func() { m.Raw() }); n != 0 {
		t.Errorf("Raw allocates %v times", n)
	}
}

package main

import (
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestSum(t *testing.T) {
	small, err := array.FromSlice([]int64{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}, 3, 4)
	check(err)
	large, err := array.New(dtype.Int32, index.C, 300, 100) // more than one part
	check(err)
	defer large.Close()
	v, err := array.As[int32](large.Array)
	check(err)
	v.Fill(2)
	none, err := small.Select(index.Range(0, 0))
	check(err)
	for _, tt := range []struct {
		a     array.Array
		descr string
		order index.Order
		want  complex128
	}{
		{small.Array(), "<f8", index.C, 30.0},
		{small.Array(), ">f8", index.F, 30.0},
		{small.Array(), "<f2", index.C, 30.0},
		{small.Array(), "|i1", index.F, 30.0},
		{small.Array(), ">i4", index.C, 30.0},
		{small.Array(), "|u1", index.C, 798.0},   // 253 + 254 + 255 + 0 + … + 8
		{small.Array(), ">u8", index.F, 3 << 64}, // three are past 1<<64 - 4
		{small.Array(), "|b1", index.C, 11.0},
		{small.Array(), "<c8", index.C, 30 + 0i},
		{none.Array(), "<f4", index.C, 0.0},
		{large.Array, "<i4", index.C, 60000.0},
		{large.Array, ">f4", index.F, 60000.0},
	} {
		path := filepath.Join(t.TempDir(), "t.npy")
		check(array.Convert(path, tt.a, dtype.MustParse(tt.descr), tt.order))
		f, err := array.Open(path, mmap.ReadOnly)
		check(err)
		got := sum[complex128](f.Array)
		if f.DType().Kind() != dtype.KindComplex {
			got = complex(sum[float64](f.Array), 0)
		}
		if got != tt.want {
			t.Errorf("%s %v: got %v, want %v", tt.descr, tt.order, got, tt.want)
		}
		check(f.Close())
	}
}

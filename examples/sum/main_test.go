package main

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func slice[T any](t *testing.T, x []T, shape ...int) array.Array {
	t.Helper()
	v, err := array.FromSlice(x, shape...)
	check(t, err)
	return v.Array()
}

func TestSum(t *testing.T) {
	small := slice(t, []int64{-3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8}, 3, 4)
	large, err := array.New(dtype.Int32, index.C, 300, 100) // more than one block
	check(t, err)
	defer large.Close()
	v, err := array.As[int32](large.Array)
	check(t, err)
	v.Fill(2)
	none, err := small.Select(index.Range(0, 0))
	check(t, err)
	one, err := small.Select(index.At(2), index.At(3))
	check(t, err)
	dir := t.TempDir()
	for i, tt := range []struct {
		a     array.Array
		descr string
		order index.Order
		want  string
	}{
		{small, "<f8", index.C, "30"},
		{small, ">f8", index.F, "30"},
		{small, "<f2", index.C, "30"},
		{small, "|i1", index.F, "30"},
		{small, ">i4", index.C, "30"},
		{small, "|u1", index.C, "798"},                  // 253 + 254 + 255 + 0 + … + 8
		{small, ">u8", index.F, "55340232221128654878"}, // (1<<64 - 1) + (1<<64 - 2) + (1<<64 - 3) + 36
		{small, "|b1", index.C, "11"},
		{small, "<c8", index.C, "(30+0i)"},
		{none, "<f4", index.C, "0"},
		{none, "<u2", index.C, "0"},
		{one, "<i2", index.C, "8"}, // no dimensions
		{large.Array, "<i4", index.C, "60000"},
		{large.Array, ">f4", index.F, "60000"},
		// A plain loop would lose the ones.
		{slice(t, []float64{1 << 53, 1, 1, 1, 1}), "<f8", index.C, fmt.Sprint(float64(1<<53 + 4))},
		{slice(t, []int64{1 << 53, 1, 1, 1}), "<i8", index.C, "9007199254740995"},
		{slice(t, []int64{math.MaxInt64, math.MaxInt64}), ">i8", index.C, "18446744073709551614"},
		{slice(t, []int64{math.MinInt64, -1}), "<i8", index.C, "-9223372036854775809"},
		{slice(t, []float64{1, 1 << 53, 1, -(1 << 53)}), ">f8", index.F, "2"},
		{slice(t, []complex128{1 + 1e16i, 1 << 53, 1 + 1i, -(1 << 53) - 1e16i}), "<c16", index.C, "(2+1i)"},
		{slice(t, []float64{1, math.NaN()}), "<f8", index.C, "NaN"},
		{slice(t, []float64{1, math.Inf(-1)}), "<f8", index.C, "-Inf"},
	} {
		path := filepath.Join(dir, fmt.Sprintf("%d.npy", i))
		check(t, array.Convert(path, tt.a, dtype.MustParse(tt.descr), tt.order))
		f, err := array.Open(path, array.ReadOnly)
		check(t, err)
		got, err := sumOf(f.Array)
		check(t, err)
		if fmt.Sprint(got) != tt.want {
			t.Errorf("%s %v: got %v, want %v", tt.descr, tt.order, got, tt.want)
		}
		check(t, f.Close())
	}
	text := filepath.Join(dir, "text.npy")
	s4, err := array.New(dtype.Bytes(4), index.C, 2)
	check(t, err)
	defer s4.Close()
	check(t, array.Save(text, s4.Array))
	if _, err := sum(text); err == nil || !strings.HasPrefix(err.Error(),
		text+": have dtype |S4, want "+dtype.Int64.String()) {
		t.Error(err)
	}
}

// TestNew tests that the program sums a file that has just been created, after a short delay.
func TestNew(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	check(t, array.Save(path, slice(t, []int8{100, 100})))
	began := time.Now()
	if got, err := sum(path); err != nil || fmt.Sprint(got) != "200" {
		t.Errorf("%v, %v after %v", got, err, time.Since(began))
	}
}

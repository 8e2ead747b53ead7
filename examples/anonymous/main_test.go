package main

import (
	"math"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func save[T any](t *testing.T, name string, x []T, d string, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	v, err := array.FromSlice(x, shape...)
	if err == nil {
		err = array.Convert(path, v.Array(), dtype.MustParse(d), index.F)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCount(t *testing.T) {
	for _, tt := range []struct{ path, want string }{
		{save(t, "f", []float64{3, math.NaN(), 1, 3, 0, math.Copysign(0, -1), math.NaN(), 2}, ">f8", 2, 2, 2),
			"8 numbers, 5 different\n"},
		{save(t, "i", []int64{1 << 53, 1<<53 + 1, -1}, "<i8"), "3 numbers, 3 different\n"}, // two as float64
		{save(t, "u", []uint64{math.MaxUint64, math.MaxUint64 - 1}, ">u8"), "2 numbers, 2 different\n"},
		{save(t, "b", []bool{true, false, true}, "|b1"), "3 numbers, 2 different\n"},
		{save(t, "none", []float32{}, "<f4"), "0 numbers, 0 different\n"},
	} {
		if got, err := count(tt.path); err != nil || !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s: %q, %v; want %q …", filepath.Base(tt.path), got, err, tt.want)
		}
	}
	path := save(t, "c", []complex128{1i}, "<c16")
	if _, err := count(path); err == nil || !strings.HasPrefix(err.Error(),
		path+": cannot convert complex numbers to real numbers") {
		t.Error(err)
	}
}

// The copy takes no memory until it is written.
func TestMemory(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the system does not report resident memory")
	}
	got, err := count(save(t, "large", make([]int16, 100_000), "<i2"))
	if want := `^100000 numbers, 1 different\nmemory of the copy: 0 bytes before, 8\d{5} after\n$`; err != nil ||
		!regexp.MustCompile(want).MatchString(got) {
		t.Errorf("%q, %v; want %s", got, err, want)
	}
}

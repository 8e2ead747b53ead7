package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestConvert tests that the Parquet file contains the same records, for several byte orders and layouts, and that an
// existing file is kept.
func TestConvert(t *testing.T) {
	for _, d := range []string{
		"[('time', '<M8[ms]'), ('symbol', 'S4'), ('price', '<f8'), ('size', '<i4')]",
		"[('size', '>i4'), ('', 'V4'), ('price', '>f8'), ('time', '>M8[ms]'), ('symbol', 'S4')]",
	} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out.parquet")
		const n = 100_000
		f, err := array.Create(in, dtype.MustParse(d), index.C, n)
		if err != nil {
			t.Fatal(err)
		}
		v, err := array.As[trade](f.Array)
		if err != nil {
			t.Fatal(err)
		}
		var want []trade
		for i := range n {
			x := trade{int64(1000 * i), [4]byte{'A', byte(i)}, float64(i) / 4, int32(-i)}
			v.SetAt(x, i)
			want = append(want, x)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if err := convert(in, out); err != nil {
			t.Fatal(err)
		}
		got, err := parquet.ReadFile[trade](out)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d records differ, or %v", d, len(got), err)
		}
		if err := convert(in, out); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over a file: %v", err)
		}
		if files, err := os.ReadDir(dir); err != nil || len(files) != 2 {
			t.Errorf("%v, %v", files, err)
		}
	}
}

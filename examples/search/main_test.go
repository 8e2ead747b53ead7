package main

import (
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/array/safetensors"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestSearch compares the ten closest rows with a loop over all rows in float64, for all dtypes and layouts, in .npy
// and .safetensors files.
func TestSearch(t *testing.T) {
	r := oracle.Rand(t, 0)
	dir := t.TempDir()
	for _, d := range []string{"<f2", ">f4", "<f8", "bfloat16", "float8_e5m2", "<i2"} {
		for _, order := range []index.Order{index.C, index.F} {
			const n, dim = 5000, 37
			f, err := array.New(dtype.MustParse(d), order, n, dim)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			v, err := array.Cast[float64](f.Array)
			if err != nil {
				t.Fatal(err)
			}
			for block := range v.Update(index.K) {
				for i := range block {
					block[i] = 8 * r.NormFloat64()
				}
			}
			for j := range dim { // a zero vector has no direction
				v.SetAt(0, 7, j)
			}
			const row = 4321
			var want []hit
			for i := range n {
				var dot, a, b float64
				for j := range dim {
					x, y := v.At(row, j), v.At(i, j)
					dot, a, b = dot+x*y, a+x*x, b+y*y
				}
				if want = append(want, hit{i, dot / math.Sqrt(a*b)}); b == 0 {
					want[i].cosine = 0
				}
			}
			slices.SortStableFunc(want, func(x, y hit) int {
				if x.cosine > y.cosine {
					return -1
				}
				return 1
			})
			name := []string{filepath.Join(dir, "a.npy")}
			if f.DType().Kind() >= dtype.KindBFloat16 || r.IntN(2) == 0 {
				name = []string{filepath.Join(dir, "a.safetensors"), "w"}
				err = safetensors.Save(name[0], map[string]array.Array{"w": f.Array}, nil)
			} else {
				err = array.Save(name[0], f.Array)
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := searchFile(name, row)
			if err != nil {
				t.Fatal(err)
			}
			if len(got) != 10 || got[0].row != row {
				t.Fatalf("%s, order %v: %v", d, order, got)
			}
			for k, h := range got {
				if math.Abs(h.cosine-want[k].cosine) > 1e-5 {
					t.Errorf("%s, order %v: %v is at place %d, want %v", d, order, h, k, want[k])
				}
			}
		}
	}
	for _, tt := range []struct {
		name []string
		row  int
		want string
	}{
		{[]string{filepath.Join(dir, "none.npy")}, 0, "none.npy: "}, // the message of the system follows
		{[]string{filepath.Join(dir, "a.safetensors"), "x"}, 0, `no such tensor: "x"`},
		{[]string{filepath.Join(dir, "a.safetensors"), "w"}, 5000, "want a matrix with a row 5000"},
		{[]string{filepath.Join(dir, "a.safetensors"), "w"}, -1, "want a matrix with a row -1"},
	} {
		if _, err := searchFile(tt.name, tt.row); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%v: %v, want %s", tt.name, err, tt.want)
		}
	}
}

// TestCosine tests vectors whose squares overflow or underflow float32.
func TestCosine(t *testing.T) {
	for _, scale := range []float32{1, 0x1p64, 0x1p126, 0x1p-80, 0x1p-140} {
		a, b := make([]float32, 9), make([]float32, 9)
		for i := range a {
			a[i], b[i] = float32(i)*scale, 4*scale
		}
		if got, want := cosine(a, b), 36/math.Sqrt(204*9); math.Abs(got-want) > 1e-6 {
			t.Errorf("by %v: %v, want %v", scale, got, want)
		}
	}
}

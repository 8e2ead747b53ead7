package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"unsafe"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"
)

// TestMain runs the program itself if GONUM is set in the environment.
func TestMain(m *testing.M) {
	if os.Getenv("GONUM") != "" {
		main()
		return
	}
	oracle.Main(m)
}

// points returns rows of three columns and a fourth that is approximately their sum with the coefficients 2, -3 and
// 0.5.
func points(t *testing.T, rows int) array.View[float64] {
	r := oracle.Rand(t, 0)
	data := make([]float64, 0, rows*4)
	for range rows {
		a, b, c := r.NormFloat64(), r.NormFloat64(), r.NormFloat64()
		data = append(data, a, b, c, 2*a-3*b+0.5*c+1e-3*r.NormFloat64())
	}
	v, err := array.FromSlice(data, rows, 4)
	check(err)
	return v
}

func openView(t *testing.T, path string, mode array.Mode) array.View[float64] {
	f, err := array.Open(path, mode)
	check(err)
	t.Cleanup(func() { f.Close() })
	v, err := array.Cast[float64](f.Array)
	check(err)
	return v
}

func TestGeneral(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.npy")
	check(array.Save(path, points(t, 100).Array()))
	v := openView(t, path, array.ReadWrite)
	for _, tt := range []struct {
		name string
		sel  string
		want blas64.General // the Data field is not compared
	}{
		{"all", ":,:", blas64.General{Rows: 100, Cols: 4, Stride: 4}},
		{"part", "10:90,1:3", blas64.General{Rows: 80, Cols: 2, Stride: 4}},
		{"every third row", "1::3,2:", blas64.General{Rows: 33, Cols: 2, Stride: 12}},
	} {
		part, err := v.Select(index.MustParse(tt.sel)...)
		check(err)
		g, ok := blasMatrix(part)
		if !ok || g.Rows != tt.want.Rows || g.Cols != tt.want.Cols || g.Stride != tt.want.Stride {
			t.Errorf("%s: %v, %d×%d, stride %d", tt.name, ok, g.Rows, g.Cols, g.Stride)
			continue
		}
		first, err := part.Index(0).Vector()
		check(err)
		row, err := first.Data()
		check(err)
		if &g.Data[0] != unsafe.SliceData(row) {
			t.Errorf("%s: a copy", tt.name)
		}

		// Products are equal to products of a copy, to the last bit.
		clone, err := part.Clone(index.C)
		check(err)
		data, err := clone.Data()
		check(err)
		c := blas64.General{Rows: g.Rows, Cols: g.Cols, Stride: g.Cols, Data: data}
		x, y := make([]float64, g.Rows), make([]float64, g.Rows)
		w := blas64.Vector{N: g.Cols, Inc: 1, Data: []float64{0.3, -7, 1e3, 1}[:g.Cols]}
		blas64.Gemv(blas.NoTrans, 1, g, w, 0, blas64.Vector{N: g.Rows, Inc: 1, Data: x})
		blas64.Gemv(blas.NoTrans, 1, c, w, 0, blas64.Vector{N: g.Rows, Inc: 1, Data: y})
		var p, q mat.Dense
		a, b := matrix(part), matrix(clone)
		p.Mul(a.T(), a)
		q.Mul(b.T(), b)
		for i := range x {
			if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
				t.Errorf("%s: element %d of a product is %v, of a copy %v", tt.name, i, x[i], y[i])
			}
		}
		if !mat.Equal(&p, &q) || !mat.Equal(a, b) {
			t.Errorf("%s: products %v, of a copy %v", tt.name, p, q)
		}
	}
	for _, sel := range []string{":,::2", ":,::-1", "::-1,:"} {
		part, err := v.Select(index.MustParse(sel)...)
		check(err)
		if _, ok := blasMatrix(part); ok {
			t.Errorf("%s is not a matrix in row-major order", sel)
		}
		clone, err := part.Clone(index.C)
		check(err)
		if !mat.Equal(matrix(part), matrix(clone)) {
			t.Errorf("%s: the copy differs", sel)
		}
	}
}

// TestWrite tests that gonum's writes to a matrix, or to a part of one, change the file.
func TestWrite(t *testing.T) {
	for _, order := range []index.Order{index.C, index.F} {
		path := filepath.Join(t.TempDir(), "t.npy")
		f, err := array.Create(path, dtype.Float64, order, 6, 5)
		check(err)
		v, err := array.As[float64](f.Array)
		check(err)
		part, err := v.Select(index.Range(2, 5), index.Range(1, 4))
		check(err)
		for i, v := range []array.View[float64]{v, part} {
			switch m := matrix(v).(type) {
			case *mat.Dense:
				m.Set(1, 2, float64(10+i))
			case mat.Transpose:
				m.Matrix.(*mat.Dense).Set(2, 1, float64(10+i))
			}
		}
		check(f.Close())
		v = openView(t, path, array.ReadOnly)
		for idx, x := range v.All(index.C) {
			want := map[[2]int]float64{{1, 2}: 10, {3, 3}: 11}[[2]int(idx)]
			if x != want {
				t.Errorf("order %v: element %v is %v, want %v", order, idx, x, want)
			}
		}
	}
}

// TestLeastSquares compares the program, for both orders and byte orders and for float32, with QR of a copy.
func TestLeastSquares(t *testing.T) {
	v := points(t, 10000) // enough for three batches
	data, err := v.Data()
	check(err)
	all := mat.NewDense(10000, 4, data)
	var want mat.Dense
	check(want.Solve(all.Slice(0, 10000, 0, 3), all.Slice(0, 10000, 3, 4)))
	native := dtype.Float64
	foreign := native.WithByteOrder(dtype.BigEndian)
	if native.Equal(foreign) {
		foreign = native.WithByteOrder(dtype.LittleEndian)
	}
	for _, d := range []dtype.DType{native, foreign, dtype.Float32} {
		for _, order := range []index.Order{index.C, index.F} {
			path := filepath.Join(t.TempDir(), "t.npy")
			check(array.Convert(path, v.Array(), d, order))
			tolerance := 1e-12
			if d.ItemSize() == 4 {
				tolerance = 1e-6
			}
			got, err := leastSquares(openView(t, path, array.ReadOnly))
			check(err)
			if !mat.EqualApprox(got, &want, tolerance) {
				t.Errorf("%v in order %v: %v, want %v", d, order, mat.Formatted(got), mat.Formatted(&want))
			}
			cmd := exec.CommandContext(t.Context(), os.Args[0], path)
			cmd.Env = append(os.Environ(), "GONUM=1")
			out, err := cmd.CombinedOutput()
			check(err)
			if want := fmt.Sprintf("%.6g\n", mat.Formatted(got.T())); string(out) != want {
				t.Errorf("%v in order %v: the program prints %s, want %s", d, order, out, want)
			}
		}
	}
	if runtime.GOOS != "windows" && runtime.GOOS != "js" &&
		os.Getenv("NDMAP_QEMU") == "" { // truncation works, and faults have addresses
		path := filepath.Join(t.TempDir(), "t.npy")
		check(array.Save(path, v.Array()))
		for _, transposed := range []bool{false, true} {
			if transposed {
				check(array.SaveConfig{Replace: true}.Convert(path, v.Array(), native, index.F))
			}
			v := openView(t, path, array.ReadOnly)
			check(os.Truncate(path, 1000))
			var fault *mmap.FaultError
			if err := mmap.Guard(func() error { _, err := leastSquares(v); return err }); !errors.As(err, &fault) {
				t.Errorf("truncated: %v, want a page fault", err)
			}
		}
	}
	flat, err := v.Ravel()
	check(err)
	if _, err := leastSquares(flat); err == nil ||
		err.Error() != "shape [40000]: want a matrix with 2 to 4096 columns" {
		t.Error(err)
	}
	few, err := v.Select(index.Range(0, 2))
	check(err)
	if _, err := leastSquares(few); err == nil ||
		err.Error() != "2 rows do not determine 3 coefficients; want at least 3 rows" {
		t.Error(err)
	}
}

// TestYears tests columns of years and their squares, whose normal equations are numerically singular.
func TestYears(t *testing.T) {
	for _, n := range []int{24, 24 * 1000} { // a single batch, and several
		var data []float64
		for i := range n {
			x := 2000 + float64(i%24)
			data = append(data, 1, x, x*x, 3-2*x+0.5*x*x)
		}
		v, err := array.FromSlice(data, n, 4)
		check(err)
		c, err := leastSquares(v)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range []float64{3, -2, 0.5} {
			if got := c.At(i, 0); math.Abs(got-want) > 0.01*math.Abs(want) { // 3 is small next to 0.5*x*x, about two million
				t.Errorf("%d rows: coefficient %d is %v, want %v", n, i, got, want)
			}
		}
		for _, row := range [][]float64{data[:4], data[n*4-4:]} {
			if got := c.At(0, 0) + c.At(1, 0)*row[1] + c.At(2, 0)*row[2]; math.Abs(got-row[3]) > 1e-9*row[3] {
				t.Errorf("%d rows: at %v the fit is %v, want %v", n, row[1], got, row[3])
			}
		}
	}
}

// TestColumns tests shapes that are errors. An error about too many columns must come before memory for the square of
// their number is allocated.
func TestColumns(t *testing.T) {
	for _, shape := range [][]int{{2, 4000}, {2, 30_000}, {30_000, 2, 2}, {5}, {}, {0, 3}} {
		f, err := array.New(dtype.Float64, index.C, shape...)
		check(err)
		v, err := array.As[float64](f.Array)
		check(err)
		if _, err := leastSquares(v); err == nil {
			t.Errorf("shape %v has a fit", shape)
		}
		check(f.Close())
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

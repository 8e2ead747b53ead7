package main

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestFilter tests files written by NumPy in both byte orders, with the fields at other offsets, and aligned. The
// result has the dtype of the file.
func TestFilter(t *testing.T) {
	p := oracle.Start(t)
	for _, d := range []string{
		`np.dtype([("time", "<M8[ms]"), ("symbol", "S4"), ("price", "<f8"), ("size", "<i4")])`,
		`np.dtype([("size", ">i4"), ("price", ">f8"), ("time", ">M8[ms]"), ("symbol", "S4")])`,
		`np.dtype([("price", "<f8"), ("size", ">i4"), ("time", "<M8[ms]"), ("symbol", "S4")], align=True)`,
		`np.dtype([("price", "<f8"), ("size", ">i4"), ("venue", "U3"), ("time", "<M8[ms]"), ("symbol", "S4")])`, // with an extra field
	} {
		in,
			err := p.Save(`np.array([(3000, b"ABC", 1.5, 10, "NYC"), (1000, b"XY", 2.5, 20, "L"), (2000, b"LONG", 0.5, 30, ""),
				(500, b"Z", 9, -1, "T")], [("time", "<i8"), ("symbol", "S4"), ("price", "<f8"), ("size", "<i4"),
				("venue", "U3")])[list(`+d+`.names)].astype(`+d+`)`, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := filter(1, in, out, false); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := p.Run(`a, got = np.load(x[0]), np.load(x[1])
want = a[a["price"] >= 1]
want = want[np.argsort(want["time"], kind="stable")]
out = "same" if got.dtype == a.dtype and got.tolist() == want.tolist() and len(got) == 3 else str(got.dtype) + str(got)`, []string{in, out}, &got); err != nil {
			t.Fatal(err)
		}
		if got != "same" {
			t.Errorf("%s: %s", d, got)
		}
	}
}

func TestRefuses(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	in := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice([]float64{1})
	if err == nil {
		err = array.Save(in, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := filter(1, in, in+"2", false); err == nil || !strings.HasPrefix(err.Error(),
		in+": have dtype "+v.DType().String()+", want [('time'") {
		t.Error(err)
	}
}

// TestRefusesShapes tests that only one-dimensional arrays are accepted, because only then do the indices of Find and
// Take agree, and that an existing file is kept.
func TestRefusesShapes(t *testing.T) {
	for _, shape := range [][]int{{}, {20, 2}, {4, 5}} {
		n := 1
		for _, m := range shape {
			n *= m
		}
		in := filepath.Join(t.TempDir(), "in.npy")
		v, err := array.FromSlice(make([]trade, n))
		if err == nil {
			v, err = v.Reshape(shape...)
		}
		if err == nil {
			err = array.Save(in, v.Array())
		}
		if err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("%s: shape %v; want one dimension", in, shape)
		if err := filter(1, in, in+"2", false); err == nil || err.Error() != want {
			t.Errorf("%v: %v, want %s", shape, err, want)
		}
	}
	in := filepath.Join(t.TempDir(), "in.npy")
	v, err := array.FromSlice([]trade{{Price: 2}})
	if err == nil {
		err = array.Save(in, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := filter(1, in, in, false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("%v, want %v", err, fs.ErrExist)
	}
}

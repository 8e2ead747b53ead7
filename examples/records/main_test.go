package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
)

// NumPy writes the file, in both byte orders and with the fields elsewhere, and reads what is saved.
func TestFilter(t *testing.T) {
	p := oracle.Start(t)
	for _, d := range []string{
		`[("time", "<M8[ms]"), ("symbol", "S4"), ("price", "<f8"), ("size", "<i4")]`,
		`[("size", ">i4"), ("price", ">f8"), ("time", ">M8[ms]"), ("symbol", "S4")]`,
	} {
		in, err := p.Save(`np.array([(3000, b"ABC", 1.5, 10), (1000, b"XY", 2.5, 20), (2000, b"LONG", 0.5, 30), (500, b"Z", 9, -1)],
			[("time", "<i8"), ("symbol", "S4"), ("price", "<f8"), ("size", "<i4")])[[n for n, _ in `+d+`]].astype(`+d+`)`, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := filter(1, in, out); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := p.Eval("(lambda a: str(a.tolist()) + str(a.dtype.itemsize) + str(a['time'].dtype)[1:])(np.load(x).astype(np.load(x).dtype.newbyteorder('=')))", out, &got); err != nil {
			t.Fatal(err)
		}
		want := "[(datetime.datetime(1970, 1, 1, 0, 0, 0, 500000), b'Z', 9.0, -1), (datetime.datetime(1970, 1, 1, 0, 0, 1), b'XY', 2.5, 20), (datetime.datetime(1970, 1, 1, 0, 0, 3), b'ABC', 1.5, 10)]24atetime64[ms]"
		if got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
	}
}

func TestRefuses(t *testing.T) {
	in := filepath.Join(t.TempDir(), "t.npy")
	v, err := array.FromSlice([]float64{1})
	if err == nil {
		err = array.Save(in, v.Array())
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := filter(1, in, in+"2"); err == nil || !strings.HasPrefix(err.Error(), in+": have dtype <f8, want [('time'") {
		t.Error(err)
	}
}

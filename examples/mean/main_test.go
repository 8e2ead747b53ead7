package main

import (
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestMean(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, a := range []string{
		"np.arange(120, dtype='>u2').reshape(5, 4, 6)", "np.arange(120, dtype='f4').reshape(5, 4, 6, order='F')", "np.arange(5) * 1j", "np.arange(24).reshape(3, 8) % 3 == 0",
	} {
		in, err := p.Save(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := mean(in, out); err != nil {
			t.Fatal(err)
		}
		var same bool
		if err := p.Eval("(lambda got, want: got.dtype == want.dtype and got.shape == want.shape and np.allclose(got, want, 1e-7))(np.load(x[1]), np.mean(np.load(x[0]), axis=0))", []string{in, out}, &same); err != nil || !same {
			t.Errorf("%s: not the mean of NumPy, %v", a, err)
		}
	}
	if err := mean(filepath.Join(t.TempDir(), "none.npy"), "out.npy"); err == nil {
		t.Error("no error")
	}
}

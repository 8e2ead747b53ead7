package main

import (
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

func TestNormalize(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, a := range []string{
		"np.random.RandomState(1).randint(0, 4000, (300, 400)).astype('>u2')",
		"np.asfortranarray(np.random.RandomState(2).normal(3, 7, (100, 30, 40)).astype('f4'))",
		"np.array([1.0, np.nan, 3.0])",
	} {
		in, err := p.Save(a, nil)
		if err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "out.npy")
		if err := normalize(in, out); err != nil {
			t.Fatal(err)
		}
		var same bool
		if err := p.Run(`a, got = np.load(x[0]).astype("f8"), np.load(x[1])
want = (a - np.nanmean(a)) / np.nanstd(a)
out = bool(got.dtype == "f4" and got.flags.f_contiguous == want.flags.f_contiguous and np.allclose(got, want, 1e-6, 1e-6, equal_nan=True))`, []string{in, out}, &same); err != nil || !same {
			t.Errorf("%s: not what NumPy makes of it, %v", a, err)
		}
	}
}

package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// NumPy writes the archive, stored and compressed, and reads the copy.
func TestScale(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("what it expects has the byte order of little-endian machines, as NumPy's is")
	}
	p := oracle.Start(t)
	for _, save := range []string{"savez", "savez_compressed"} {
		dir := t.TempDir()
		in, out := filepath.Join(dir, "in.npz"), filepath.Join(dir, "out.npz")
		if err := p.Run("getattr(np, x[0])(x[1], a=np.arange(6, dtype='>f4').reshape(2, 3), b=np.array([b'text']), c=np.eye(2, dtype='i1', order='F'))", []string{save, in}, nil); err != nil {
			t.Fatal(err)
		}
		if err := scale("a", 2.5, in, out); err != nil {
			t.Fatal(err)
		}
		var got string
		if err := p.Eval("str([(n, a.dtype.str, a.tolist()) for n, a in np.load(x).items()])", out, &got); err != nil {
			t.Fatal(err)
		}
		want := "[('a', '>f4', [[0.0, 2.5, 5.0], [7.5, 10.0, 12.5]]), ('b', '|S4', [b'text']), ('c', '|i1', [[1, 0], [0, 1]])]"
		if got != want {
			t.Errorf("%s: got %s, want %s", save, got, want)
		}
		for name, want := range map[string]string{"z": in + `: there is no member "z" or "z.npy"`, "b": in + ": have dtype S4, want f8"} {
			none := filepath.Join(dir, "none.npz")
			if err := scale(name, 2, in, none); err == nil || err.Error() != want {
				t.Errorf("%s: %v, want %s", name, err, want)
			}
			if _, err := os.Stat(none); !os.IsNotExist(err) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

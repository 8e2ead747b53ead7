package npz

import (
	"os"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// Compressed archives of numbers are at most a twentieth larger than NumPy's.
func TestCompressedSize(t *testing.T) {
	p := oracle.Start(t)
	n := "1 << 16"
	if testing.Short() {
		n = "1 << 15"
	}
	for name, expr := range map[string]string{
		"zeros":   "np.zeros(n)",
		"noise":   "r.normal(size=n)",
		"rounded": "np.round(r.normal(size=n), 2)",
		"waves":   "np.sin(np.arange(n) / 1000)",
		"counts":  "r.integers(0, 1000, n)",
		"indices": "np.arange(n)",
		"walk":    "np.cumsum(r.normal(size=n)).astype('f4')",
		"bools":   "r.random(8 * n) < 0.1",
		"small":   "np.arange(10)",
	} {
		theirs, ours := p.Temp(), temp(t)
		check(t, p.Run("n, r = "+n+", np.random.default_rng(1)\nwith open(x, 'wb') as f: np.savez_compressed(f, a=("+expr+"))", theirs, nil))
		a, err := Open(theirs, mmap.ReadOnly)
		check(t, err)
		check(t, Config{Compress: true}.Save(ours, map[string]array.Array{"a": must(a.Array("a"))}))
		check(t, a.Close())
		got, want := must(os.Stat(ours)).Size(), must(os.Stat(theirs)).Size()
		t.Logf("%-8s %8d bytes, NumPy %8d, %.3f ×", name, got, want, float64(got)/float64(want))
		if float64(got) > 1.05*float64(want) {
			t.Errorf("%s takes %d bytes, and NumPy's %d", name, got, want)
		}
	}
}

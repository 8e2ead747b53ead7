package npz

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// Compressed archives of numbers are at most 5 % larger than NumPy's.
func TestCompressedSize(t *testing.T) {
	oracle.OneGoroutine(t)
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
		t.Run(name, func(t *testing.T) {
			theirs, ours := p.Temp(), temp(t)
			check(t,
				p.Run("n, r = "+n+", np.random.default_rng(1)\nwith open(x, 'wb') as f: np.savez_compressed(f, a=("+expr+"))",
					theirs, nil))
			a, err := Open(theirs, mmap.ReadOnly)
			check(t, err)
			check(t, SaveConfig{Compress: true}.Save(ours, map[string]array.Array{"a": must(a.Array("a"))}))
			check(t, a.Close())
			got, want := must(os.Stat(ours)).Size(), must(os.Stat(theirs)).Size()
			t.Logf("%-8s %8d bytes, NumPy %8d, %.3f ×", name, got, want, float64(got)/float64(want))
			if float64(got) > 1.05*float64(want) {
				t.Errorf("%s takes %d bytes, want at most 5 %% more than NumPy's %d", name, got, want)
			}
		})
	}
}

// A block is compressed at the fastest of the flate levels 6, 4 and 1 whose output is not much longer. The level is
// chosen by compressing the middle of the block.
func TestLevels(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 0))
	noise := make([]byte, 1<<17)
	for i := range noise {
		noise[i] = byte(r.Uint32())
	}
	var rounded []byte // to two digits
	for len(rounded) < len(noise) {
		rounded = binary.LittleEndian.AppendUint64(rounded, math.Float64bits(math.Round(100*r.NormFloat64())/100))
	}
	few := make([]byte, 1<<17)
	for i := range few {
		few[i] = byte(r.IntN(3))
	}
	middle := slices.Concat(noise[:len(noise)/2-sample], rounded[:2*sample], noise[:len(noise)/2-sample])
	for _, tt := range []struct {
		name  string
		b     []byte
		level int
	}{
		{"noise", noise, flate.BestSpeed},
		{"noise, one sample", noise[:sample], 6},
		{"noise, one byte more", noise[:sample+1], flate.BestSpeed},
		{"zeros", make([]byte, 1<<17), 4},
		{"few values", few, 4},
		{"rounded", rounded, 6},
		{"rounded amid noise", middle, 6},
		{"nothing", nil, 6},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var p deflatedBlock
			p.deflate(tt.b)
			var want bytes.Buffer
			w := must(flate.NewWriter(&want, tt.level))
			w.Write(tt.b)
			w.Flush()
			if got := must(io.ReadAll(flate.NewReader(io.MultiReader(bytes.NewReader(p.out.Bytes()),
				strings.NewReader("\x03\x00"))))); !bytes.Equal(got, tt.b) {
				t.Errorf("%s: want the %d bytes of the block, have %d, or they differ", tt.name, len(tt.b), len(got))
			}
			if !bytes.Equal(p.out.Bytes(), want.Bytes()) {
				t.Errorf("%s: not compressed at level %d: %d bytes, want %d", tt.name, tt.level, p.out.Len(), want.Len())
			}
		})
	}
}

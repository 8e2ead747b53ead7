package array

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestFuzzNumPyArrays opens random arrays of every dtype that NumPy has written, and converts them to either byte order
// and to the opposite order of axes. NumPy must find the same elements in the results. Write of the original array must
// produce the same bytes as numpy.save. NDMAP_FUZZ_ARRAYS sets the number of arrays. A file that fails is kept in the
// system's temporary folder.
func TestFuzzNumPyArrays(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(oracle.Random, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 0)
	n := oracle.EnvInt(t, "NDMAP_FUZZ_ARRAYS", oracle.Cases(t, 100))
	t.Logf("%d arrays", n)
	dir := t.TempDir()
	path, other := filepath.Join(dir, "a.npy"), filepath.Join(dir, "b.npy")
	failed := 0
	fail := func(seed uint32, format string, args ...any) {
		t.Helper()
		t.Errorf("array(random.Random(%d)): "+format, append([]any{seed}, args...)...)
		keep := filepath.Join(disk, fmt.Sprintf("ndmap-fuzz-%d.npy", seed))
		if b, err := os.ReadFile(path); err == nil && os.WriteFile(keep, b, 0o666) == nil {
			t.Logf("kept as %s", keep)
		}
		if failed++; failed > 10 {
			t.FailNow()
		}
	}
	for range n {
		seed := r.Uint32()
		in := map[string]any{"seed": seed, "path": path}
		if err := p.Run("a = array(random.Random(x['seed'])); np.save(x['path'], a)", in, nil); err != nil {
			t.Fatalf("array(random.Random(%d)): %v", seed, err)
		}
		f, err := Open(path, mmap.ReadOnly)
		if err != nil {
			fail(seed, "%v", err)
			continue
		}
		var b bytes.Buffer
		if err := Write(&b, f.Array); err != nil {
			fail(seed, "%v", err)
		} else if f.ItemSize() == 0 && f.Order() == index.F {
			// An array whose elements have no bytes is contiguous in both orders. NumPy notices this only when it loads
			// the array, and would then save it in C order.
		} else if !bytes.Equal(b.Bytes(), f.Map().Bytes()) {
			fail(seed, "%v %v is written differently", f.DType(), f.Shape())
		}
		os.Remove(other)
		order := index.C
		if f.Order() == index.C {
			order = index.F
		}
		for _, bo := range []dtype.ByteOrder{dtype.LittleEndian, dtype.BigEndian} {
			if err := (SaveConfig{Replace: true}).Convert(other, f.Array, f.DType().WithByteOrder(bo), order); err != nil {
				fail(seed, "%v", err)
				continue
			}
			var same bool
			err := p.Run(`b = np.load(x, **({'max_header_size': 10**7} if np.lib.NumpyVersion(np.__version__) >= '1.24.0' else {}))
out = same(a, b)
`, other, &same)
			if err != nil || !same {
				fail(seed, "%v %v as %v is not the same for NumPy (%v)", f.DType(), f.Shape(), f.DType().WithByteOrder(bo), err)
			}
		}
		f.Close()
	}
}

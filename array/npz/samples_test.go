package npz

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// findSamples is a Python program that lists the archives in the installations of SciPy and Matplotlib, and saves
// sparse matrices with SciPy. It skips packages that are not installed.
const findSamples = `
import glob, os
out = []
for name in ["scipy", "matplotlib"]:
    try:
        module = __import__(name)
    except ImportError:
        continue
    out += sorted(glob.glob(os.path.join(os.path.dirname(module.__file__), "**", "*.npz"), recursive=True))
for data in [os.environ.get("NDMAP_SAMPLES", ""), "/usr/share/matplotlib/mpl-data/sample_data"]:
    out += sorted(glob.glob(os.path.join(data, "*.npz"))) if data else []
try:
    import scipy.sparse
    m = scipy.sparse.random(30, 40, 0.2, random_state=1)
    for form in ["csr", "csc", "coo", "dia", "bsr"]:
        for compressed in [False, True]:
            out.append(os.path.join(x, "%s-%s.npz" % (form, compressed)))
            scipy.sparse.save_npz(out[-1], m.asformat(form), compressed)
except ImportError:
    pass
`

// The archives of SciPy and Matplotlib, and those that SciPy's save_npz writes, have the same arrays as when NumPy
// reads them. NDMAP_SAMPLES names a folder with more archives.
func TestSamples(t *testing.T) {
	p := oracle.Start(t)
	var paths []string
	check(t, p.Run(findSamples, t.TempDir(), &paths))
	if len(paths) == 0 {
		t.Skip("neither SciPy nor Matplotlib is installed: apt-get install python3-scipy python-matplotlib-data")
	}
	arrays, refused := 0, 0
	for _, path := range paths {
		a, err := Open(path, mmap.ReadOnly)
		if err != nil {
			t.Errorf("%v", err)
			continue
		}
		for _, name := range a.Names() {
			fullName := must(a.Member(name)).Name
			var want []byte
			theirs := p.Run("import io\nb = io.BytesIO()\nnp.save(b, np.load(x[0])[x[1]])\nout = b.getvalue()", []string{path,
				fullName}, &want)
			got, err := a.Array(name)
			switch {
			case theirs != nil && strings.Contains(theirs.Error(), "allow_pickle") && err != nil && strings.Contains(err.Error(),
				"is a Python object"):
				refused++
				continue
			case theirs != nil || err != nil:
				t.Errorf("%s of %s: %v; NumPy: %v", name, path, err, theirs)
				continue
			}
			var b bytes.Buffer
			check(t, array.Write(&b, got))
			if !bytes.Equal(dataOf(t, b.Bytes()), dataOf(t, want)) {
				t.Errorf("%s of %s differs from the array in NumPy: %s", name, path, fmt.Sprintf("%+v", got))
			}
			check(t, a.Verify(name))
			arrays++
		}
		check(t, a.Close())
	}
	t.Logf("%d archives, %d arrays, %d pickles", len(paths), arrays, refused)
}

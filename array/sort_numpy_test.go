package array

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// numpySorted returns NumPy's results. NumPy has no stable descending order; descending reverses it twice. np.unique
// may return any of several equal elements, such as 0 and -0.
const numpySorted = numpyCompare + `
def descending(a):
    r = len(a) - 1 - np.argsort(a[::-1], kind="stable")[::-1]
    x = a[r]
    if a.dtype.kind == "c":
        nan = 2 * np.isnan(x.real) + np.isnan(x.imag)
    elif a.dtype.kind in "fmM":
        nan = np.isnat(x) if a.dtype.kind in "mM" else np.isnan(x)
    else:
        return r
    return r[np.argsort(nan, kind="stable")]

def sorted_(c):
    a = get(c)
    values, counts = np.unique(a, return_counts=True)
    s = a.ravel()
    s = s[np.argsort(s, kind="stable")]
    first = [s[s != s][0] if v != v else s[s == v][0] for v in values]
    out = {"Counts": counts.tolist(), "First": np.array(first, a.dtype).tobytes(), "DType": values.dtype.str}
    if a.ndim == 1:
        out["Order"] = np.argsort(a, kind="stable").tolist()
        out["Descending"] = descending(a).tolist()
    return out
`

// sortedTypes are the dtypes that NumPy sorts, in both byte orders.
var sortedTypes = append([]string{"|b1", "|S1", "|S5", "|S9", "<U2", ">U3", "<U5", "<M8[s]", ">M8[s]", "<m8", ">m8[D]"},
	oracle.GoldenTypes...)

// TestNumPySort compares ArgSort, TopK and Unique with NumPy, for random arrays.
func TestNumPySort(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpySorted, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 6210)
	n := oracle.Cases(t, 150)
	if oracle.Long(t) {
		n = oracle.Cases(t, 3000)
	}
	for k := range n {
		shape := []int{among(r, 0, 1, 2, 3, 8, 30, 100, 700)}
		if r.IntN(6) == 0 {
			shape = []int{among(r, 1, 3), among(r, 0, 1, 8), 2}
		}
		d := dtype.MustParse(among(r, sortedTypes...))
		a, mem := randomOperand(r, d, shape, r.IntN(3) == 0)
		if r.IntN(3) == 0 && d.Kind() != dtype.KindUnicode { // not every bit pattern is a code point
			randomBytes(r, d, mem)
		}
		what := fmt.Sprintf("case %d: %v %v", k, a.DType(), a.Layout())
		var want struct {
			Counts            []int
			First             []byte
			DType             string
			Order, Descending []int
		}
		if err := p.Eval("sorted_(x)", newNumPyOperand(a, mem), &want); err != nil {
			t.Fatal(what, err)
		}
		values, counts, err := Unique(a)
		if err != nil || !slices.Equal(counts, want.Counts) || !slices.Equal(values.Shape(), []int{len(counts)}) {
			t.Fatalf("%s: %v; values of shape %v, %v times\nwant %v", what, err, values.Shape(), counts, want.Counts)
		}
		if got := memoryOf(values.view.Store)[:values.NBytes()]; !bytes.Equal(got, want.First) || values.DType() != d {
			t.Fatalf("%s: values %v of %v, want %v of %s", what, got, values.DType(), want.First, want.DType)
		}
		if len(shape) > 1 {
			continue
		}
		order, err := ArgSort(a)
		if err != nil || !slices.Equal(order, want.Order) {
			t.Fatalf("%s: %v, %v\nwant %v", what, order, err, want.Order)
		}
		for _, least := range []bool{false, true} {
			top := want.Descending
			if least {
				top = want.Order
			}
			k := among(r, 0, 1, 2, 10, 1000)
			got, err := TopK(a, k, least)
			if err != nil || !slices.Equal(got, top[:min(k, len(top))]) {
				t.Fatalf("%s: k=%d, least %v: %v, %v\nwant %v", what, k, least, got, err, top)
			}
		}
	}
}

// randomBytes sets the elements in mem to random bytes. Bools are 0 or 1.
func randomBytes(r *rand.Rand, d dtype.DType, mem []byte) {
	for i := range mem {
		if mem[i] = byte(r.Uint32()); d.Kind() == dtype.KindBool {
			mem[i] &= 1
		}
	}
}

package array

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// numpyCompare compares two arrays in NumPy. It compares integers exactly, like NumPy 2; NumPy 1 rounds some of them to
// float64.
const numpyCompare = `
import warnings
warnings.simplefilter("ignore")
np.seterr(all="ignore")
def get(c):
    return np.ndarray(c["Shape"], eval(c["DType"]) if c["DType"].startswith("[") else c["DType"], b64(c["Mem"]), c["Offset"], c["Strides"])

def unequal(a, b, nan, rtol=0, atol=0):
    """Returns where a and b differ."""
    if a.dtype.names is not None:
        if len(a.dtype.names) == 0:
            return np.zeros(a.shape, bool)
        return np.logical_or.reduce([more(unequal(a[n], b[n], nan, rtol, atol), a.ndim) for n in a.dtype.names])
    if a.dtype.kind in "iu" and b.dtype.kind in "iu":
        same = a.astype(object) == b.astype(object)
    else:
        same = a == b
    if a.dtype.kind in "fcMm" and b.dtype.kind in "fcMm" and nan:
        isnan = np.isnan if a.dtype.kind in "fc" else np.isnat
        same = same | isnan(a) & isnan(b)
    if (rtol or atol) and a.dtype.kind in "biufc" and b.dtype.kind in "biufc":
        wide = "c16" if "c" in a.dtype.kind + b.dtype.kind else "f8"
        same = same | isclose(a.astype(wide), b.astype(wide), rtol, atol, nan)
    return ~np.asarray(same, bool)

def isclose(a, b, rtol, atol, nan):
    if "c" not in a.dtype.kind + b.dtype.kind:
        return np.isclose(a, b, rtol, atol, nan)
    # As in NumPy 2. NumPy 1 multiplies infinities by 1+0j, which turns inf+0j into a NaN.
    near = (a == b) | np.isfinite(a) & np.isfinite(b) & (abs(a - b) <= atol + rtol * abs(b))
    return near | nan & np.isnan(a) & np.isnan(b)

def more(x, n):
    return x.any(axis=tuple(range(n, x.ndim))) if x.ndim > n else x

def check(c):
    a, b = get(c["A"]), get(c["B"])
    out = {"Count": int(-1)}
    if a.shape == b.shape:
        differ = unequal(a, b, c["NaN"], c["RTol"], c["ATol"])
        out["Count"] = int(differ.sum())
        out["First"] = np.argwhere(differ)[:10].tolist() if a.ndim else [[]][:int(differ)]
        out["MaxAbs"] = out["MaxRel"] = 0.0
        if a.dtype.kind in "biufc" and b.dtype.kind in "biufc" and a.size:
            wide = "c16" if "c" in a.dtype.kind + b.dtype.kind else "f8"
            x, y = a.astype(wide), b.astype(wide)
            d = np.where(x == y, 0, abs(x - y))
            d = d[~np.isnan(d)]
            rel = np.where(x == y, 0, abs(x - y)) / abs(y)
            rel = rel[(y != 0) & ~np.isnan(rel)]
            out["MaxAbs"] = float(min(d.max(), 1e308)) if d.size else 0.0
            out["MaxRel"] = float(min(rel.max(), 1e308)) if rel.size else 0.0
    if a.dtype.names is None and not c["NaN"]:
        out["Equal"] = bool(np.array_equal(a, b))
        if a.dtype.kind in "biufc" and b.dtype.kind in "biufc":
            try:
                out["Close"] = int(isclose(a, b, c["RTol"], c["ATol"], False).all())
            except ValueError:
                out["Close"] = -1
    return out
`

type numPyOperand struct {
	DType          string
	Mem            []byte
	Offset         int
	Shape, Strides []int
}

func newNumPyOperand(a Array, mem []byte) numPyOperand {
	c := numPyOperand{DType: a.DType().String(), Mem: mem, Offset: a.view.Offset(), Shape: a.Shape(), Strides: a.Strides()}
	if a.Size() == 0 {
		c.Offset = 0
	}
	return c
}

// comparedTypes lists groups of dtypes. Dtypes of one group can be compared with each other.
var comparedTypes = [][]string{
	append([]string{"|b1"}, oracle.GoldenTypes...),
	{"|S3", "|S1", "|S5"}, {"<U2", ">U3"}, {"|V3"}, {"<M8[s]", ">M8[s]", "<M8"}, {"<m8[D]", "<m8"},
	{"[('a', '<i4'), ('b', '>f4', (2,)), ('c', '|S2')]", "[('a', '|i1'), ('b', '<f8', (2,)), ('c', '|S3')]"},
	{"[('p', [('x', '<f4'), ('y', '|b1')], (3,)), ('t', '<M8[s]')]"},
}

// TestNumPyComparison tests that Comparison gives the same results as NumPy for random arrays.
func TestNumPyComparison(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(numpyCompare, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 4201)
	equal, close := 0, 0
	for k := range oracle.Cases(t, 150) {
		group := comparedTypes[0]
		if r.IntN(2) == 0 {
			group = among(r, comparedTypes[1:]...)
		}
		shape := make([]int, r.IntN(4))
		for i := range shape {
			shape[i] = among(r, 1, 2, 3, 5, 8, 30)
		}
		if r.IntN(20) == 0 && len(shape) > 0 {
			shape[r.IntN(len(shape))] = 0
		}
		a, amem := randomOperand(r, dtype.MustParse(among(r, group...)), shape, r.IntN(2) == 0)
		other := slices.Clone(shape)
		if len(shape) > 0 && r.IntN(6) == 0 {
			other[r.IntN(len(shape))] = among(r, 1, 4)
		}
		b, bmem := randomOperand(r, dtype.MustParse(among(r, group...)), other, r.IntN(2) == 0)
		if r.IntN(4) > 0 && slices.Equal(shape, other) {
			_ = Copy(b, a)        // returns an error when it copies times with a unit to generic times
			for range r.IntN(3) { // flip up to two bits
				if len(bmem) > 0 {
					bmem[r.IntN(len(bmem))] ^= 1 << r.IntN(8)
				}
			}
		}
		c := Comparison{EqualNaN: r.IntN(3) == 0}
		if r.IntN(2) == 0 {
			c.RTol, c.ATol = among(r, 0, 1e-5, 0.1, 1e300), among(r, 0, 1e-8, 2, 100)
		}
		what := fmt.Sprintf("case %d: %v%v %v%v %+v", k, a.DType(), a.Layout(), b.DType(), b.Layout(), c)
		var want struct {
			Count          int
			First          [][]int
			MaxAbs, MaxRel float64
			Equal          *bool
			Close          *int
		}
		err := p.Eval("check(x)", struct {
			A, B       numPyOperand
			RTol, ATol float64
			NaN        bool
		}{newNumPyOperand(a, amem), newNumPyOperand(b, bmem), c.RTol, c.ATol, c.EqualNaN}, &want)
		if err != nil {
			t.Fatal(what, err)
		}
		got, err := c.Equal(a, b)
		if err != nil || got != (want.Count == 0) {
			t.Fatalf("%s: Equal %v, %v; %d differ", what, got, err, want.Count)
		}
		if got {
			equal++
		}
		if want.Count >= 0 {
			d, err := c.Diff(a, b)
			if err != nil || d.Count != want.Count || !slices.EqualFunc(d.First, want.First, slices.Equal) {
				t.Fatalf("%s: %+v, %v\nwant %+v", what, d, err, want)
			}
			near := func(x, y float64) bool { return min(x, 1e308) == y || x > y*(1-1e-12) && x < y*(1+1e-12) }
			if a.DType().IsNumber() && (!near(d.MaxAbs, want.MaxAbs) || !near(d.MaxRel, want.MaxRel)) {
				t.Fatalf("%s: %+v\nwant %+v", what, d, want)
			}
		}
		if want.Equal != nil {
			if got, err := Equal(a, b); err != nil || got != *want.Equal {
				t.Fatalf("%s: Equal %v, %v, want %v", what, got, err, *want.Equal)
			}
		}
		if want.Close != nil {
			got, err := AllClose(a, b, c.RTol, c.ATol)
			if (err != nil) != (*want.Close < 0) || err == nil && got != (*want.Close == 1) {
				t.Fatalf("%s: AllClose %v, %v, want %v", what, got, err, *want.Close)
			}
			if got {
				close++
			}
		}
	}
	t.Logf("%d equal, %d close", equal, close)
}

// randomOperand returns an array with a random layout, and its memory. The array contains few distinct values, which
// include NaN and large numbers unless few is set.
func randomOperand(r *rand.Rand, d dtype.DType, shape []int, few bool) (Array, []byte) {
	larger, sel := slices.Clone(shape), make([]index.Selector, len(shape))
	for k := range shape {
		step := among(r, 1, 1, 1, 2, -1)
		larger[k] = shape[k] * max(step, -step)
		sel[k] = index.Every(step)
	}
	perm := r.Perm(len(shape))
	if r.IntN(2) == 0 {
		slices.Sort(perm)
	}
	moved := make([]int, len(shape))
	for k, axis := range perm {
		moved[k] = larger[axis]
	}
	_, n, err := index.Size(moved, d.ItemSize())
	if err != nil {
		panic(err)
	}
	mem := make([]byte, n)
	a := must(FromBytes(mem, d, index.C, moved...))
	inverse := make([]int, len(perm))
	for k, axis := range perm {
		inverse[axis] = k
	}
	fillRandom(r, a, few)
	a = must(a.Transpose(inverse...))
	return must(a.Select(sel...)), mem
}

// fillRandom sets numbers in a to 0, 1, 2 or 3 if few is set, and otherwise to values from a list that includes NaN
// and large numbers. It sets text and bytes to few different values.
func fillRandom(r *rand.Rand, a Array, few bool) {
	if d := a.DType(); d.Kind() == dtype.KindStructured {
		for f := range d.Fields() {
			fillRandom(r, must(a.Field(f.Name)), few)
		}
		return
	}
	src := must(FromSlice(make([]float64, a.Size()), a.Shape()...))
	for x := range src.Update(index.C) {
		for i := range x {
			x[i] = float64(r.IntN(4))
			if !few {
				x[i] = among(r, math.Copysign(0, -1), 0, 1, 1, 1.05, 1e-9, 300, -7, 3e9, 9e15, math.NaN(), math.Inf(1))
			}
		}
	}
	switch a.DType().Kind() {
	case dtype.KindUnicode:
		text := must(Text(a))
		for idx := range index.All(a.Shape(), index.C) {
			if err := text.SetAt(among(r, "", "a", "é", "ab"), idx...); err != nil {
				panic(err)
			}
		}
		return
	case dtype.KindBytes, dtype.KindVoid:
		b := must(a.Reinterpret(dtype.Void(a.ItemSize())))
		for idx := range index.All(a.Shape(), index.C) {
			e := b
			for _, i := range idx {
				e = e.Index(i)
			}
			for k := range e.ItemSize() {
				e.view.ElementBytes(0)[k] = byte(r.IntN(2))
			}
		}
		return
	}
	if err := Copy(a, src.Array()); err != nil {
		panic(err)
	}
}

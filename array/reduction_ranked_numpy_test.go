package array

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
)

// numpyRanked checks medians, quantiles and products. A median or quantile must equal the result for the sorted
// numbers. It must also equal NumPy's result, except next to infinities and if NumPy's difference of integers
// overflows.
const numpyRanked = `
def product(a, axis, skip):
    """The product, computed with a separate exponent, and its magnitude."""
    x = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)
    x = np.where(np.isnan(x), 1, x) if skip else x
    kept = [k for k in range(a.ndim) if k not in [k % a.ndim for k in axis]]
    x = x.transpose(kept + [k for k in range(a.ndim) if k not in kept])
    shape = x.shape[:len(kept)]
    x = x.reshape(int(np.prod(shape)), -1) if x.size else np.ones((int(np.prod(shape)), 0), x.dtype)
    n, exp = x.shape[1], np.zeros(x.shape, int)
    while x.shape[1] != 1: # multiply neighbors and keep the products close to 1
        if x.shape[1] % 2 or x.shape[1] == 0:
            x, exp = np.pad(x, [(0, 0), (0, 1)], constant_values=1), np.pad(exp, [(0, 0), (0, 1)])
            continue
        u, v = x[:, ::2], x[:, 1::2]
        with np.errstate(all="ignore"):
            re = u.real * v.real - u.imag * v.imag
            x = re + 1j * (u.real * v.imag + u.imag * v.real) if a.dtype.kind == "c" else re
        size = np.frexp(np.where(np.isfinite(x), np.maximum(abs(x.real), abs(x.imag)), 0))[1]
        x, exp = x * np.ldexp(np.longdouble(1), -size), exp[:, ::2] + exp[:, 1::2] + size
    total, exp = x[:, 0], exp[:, 0]
    scale = lambda v: np.ldexp(v, np.clip(exp, -16000, 16000)).reshape(shape)
    re, im = scale(total.real), scale(total.imag)
    size = 2 * np.sqrt(n + 1) * np.maximum(abs(re), abs(im)) # grows like the rounding errors of n factors
    return (re + 1j * im if a.dtype.kind == "c" else re), (size + 1j * size if a.dtype.kind == "c" else size)

def rows_of(a, axis):
    axes = [k % a.ndim for k in (range(a.ndim) if axis is None else axis)]
    kept = [k for k in range(a.ndim) if k not in axes]
    shape = tuple(a.shape[k] for k in kept)
    n = int(np.prod([a.shape[k] for k in axes]))
    return a.transpose(kept + axes).reshape(int(np.prod(shape)), n), shape

def quantiles(a, qs, axis, skip, result):
    """Checks the result of each q."""
    if result is not None and len(qs) > 1 and len(result) != len(qs):
        return {"Wrong": "shape %s for %d quantiles" % (result.shape, len(qs))}
    try: # several quantiles have the same extra axis as in NumPy
        numpys = (np.nanquantile if skip else np.quantile)(a.astype("f8"), qs if len(qs) > 1 else qs[0], axis=axis)
        if result is not None and np.shape(numpys) != result.shape and a.size: # without elements, nanquantile has no axis for qs
            return {"Wrong": "shape %s, NumPy's is %s" % (result.shape, np.shape(numpys))}
    except (ValueError, IndexError) as e:
        pass # ranked decides whether NumPy may raise
    for k, q in enumerate(qs):
        answer = ranked(a, "quantile", q, axis, skip, result if result is None or len(qs) == 1 else result[k])
        if answer["Wrong"]:
            return answer
    return answer

def ranked(a, op, q, axis, skip, result):
    result = None if result is None else np.asarray(result)
    if a.dtype.kind == "b":
        a = a.astype("u1") # NumPy does not subtract booleans
    rows, shape = rows_of(a, axis)
    dtype = np.median(np.ones(1, a.dtype)).dtype if op == "median" else np.dtype("f8")
    try:
        args = (a.astype("i8") if a.dtype.kind in "iu" and a.itemsize < 8 else a,) + ((np.float64(q),) if op == "quantile" else ())
        numpys = getattr(np, ("nan" if skip else "") + op)(*args, axis=axis)
    except (ValueError, IndexError) as e:
        numpys = None
        if rows.size: # without elements and axes, median may raise
            return {"Wrong": "NumPy raises " + str(e)}
    if op == "quantile" and rows.shape[1] == 0 and not skip:
        return {"Wrong": "" if result is None else "a quantile of no elements"}
    if result is None:
        return {"Wrong": "an error; NumPy returns %r" % (numpys,)}
    if result.dtype != dtype or result.shape != shape:
        return {"Wrong": "dtype %s shape %s, want %s %s" % (result.dtype, result.shape, dtype, shape)}
    if rows.shape[1] == 0:
        return {"Wrong": "" if np.all(np.isnan(result)) else "%r without elements" % result}
    s = np.sort(rows, axis=1)
    nans = np.isnan(s).sum(axis=1)
    n = np.maximum(1, rows.shape[1] - nans)
    lo, hi, t = (n - 1) // 2, n // 2, np.full(n.shape, 0.5)
    if op == "quantile":
        at = (n - 1) * q
        lo = np.where(at >= n - 1, n - 1, np.floor(at).astype(int))
        hi, t = np.minimum(lo + 1, n - 1), np.where(at >= n - 1, 0, at - np.floor(at))
    take = lambda i: np.take_along_axis(s, i[:, None], axis=1)[:, 0]
    x, y = take(lo), take(hi)
    if op == "median":
        want = (x.astype("f8") + y) / 2
    else:
        if a.dtype.kind in "iu":
            d = (y.astype("i8").view("u8") - x.astype("i8").view("u8")).astype("f8")
        else:
            d = (y - x).astype("f8")
        x8, y8 = x.astype("f8"), y.astype("f8")
        want = np.where(t < 0.5, x8 + d * t, y8 - d * (1 - t))
        want = np.where(np.isinf(d), x8 * (1 - t) + y8 * t, want)
        want = np.where((t == 0) | (d == 0) | (x == y), x8, want)
    want = np.where((nans == rows.shape[1]) | (nans > 0) & (not skip), np.nan, want).astype(dtype).reshape(shape)
    if not np.all((want == result) | np.isnan(want) & np.isnan(result)):
        return {"Wrong": "%r, want %r" % (result, want)}
    fits = ~np.isinf(s.astype("f8")).any(axis=1)
    if a.dtype.kind in "iu" and a.itemsize == 8:
        fits &= s[:, -1].astype("f8") - s[:, 0].astype("f8") < 2.0**63
    if numpys is not None and np.shape(numpys) != shape:
        return {"Wrong": "shape %s, NumPy's is %s" % (shape, np.shape(numpys))}
    close = rows.size == 0 or (result == numpys) | np.isnan(result) & np.isnan(numpys) | ~fits.reshape(shape)
    return {"Wrong": "" if np.all(close) else "%r; NumPy returns %r" % (result, numpys)}
`

// TestNumPyRanks compares medians and quantiles with NumPy's: many short rows, a few long rows, and rows that are
// counted instead of gathered.
func TestNumPyRanks(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("results are in native byte order, which differs on NumPy's machine")
	}
	p := oracle.Start(t)
	if err := p.Run(numpyReduce+numpyRanked, nil, nil); err != nil {
		t.Fatal(err)
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	defer func(n int) { longRow = n }(longRow)
	seed, r := oracle.Seed(t), oracle.Rand(t, 107)
	for k := range oracle.Cases(t, 40) {
		longRow = among(r, longRow, longRow, 100, 0)
		a, mem := randomRows(r)
		red := Reduction{Op: among(r, OpMedian, OpQuantile), SkipNaN: r.IntN(2) == 0, Axes: randomAxes(r, a.NDim()),
			Qs: randomQs(r)}
		c := numpyCase{DType: a.DType().String(), Mem: mem, Offset: a.view.Offset(), Shape: a.Shape(), Strides: a.Strides(),
			Op: red.Op.String(), Axes: red.Axes, SkipNaN: red.SkipNaN, Qs: red.Qs}
		if a.Size() == 0 {
			c.Offset = 0
		}
		runtime.GOMAXPROCS(1 + r.IntN(3))
		got, err := randomReduce(r, red, a)
		if c.Raised = err != nil; err == nil {
			c.Got, c.To, c.GotShape = memoryOf(got.view.Store), got.DType().String(), got.Shape()
		}
		var answer struct{ Wrong string }
		if err := p.Eval("check(x)", c, &answer); err != nil {
			t.Fatalf("NDMAP_SEED=%d case %d: %v: %v", seed, k, c, err)
		}
		if answer.Wrong != "" {
			t.Fatalf("NDMAP_SEED=%d case %d: %v q %v: %s (%v)", seed, k, c, red.Qs, answer.Wrong, err)
		}
	}
}

// randomQs returns one or several quantiles, in any order.
func randomQs(r *rand.Rand) []float64 {
	qs := make([]float64, among(r, 1, 1, 2, 3, 9))
	for i := range qs {
		qs[i] = among(r, r.Float64(), r.Float64(), 0, 1, 0.5, float64(r.IntN(101))/100)
	}
	return qs
}

// randomRows returns an array of real numbers with random axes, and its memory. Some arrays have few distinct values,
// and some contain NaN.
func randomRows(r *rand.Rand) (Array, []byte) {
	for r.IntN(3) == 0 {
		if a, mem := randomNumbers(r); a.DType().Kind() != dtype.KindComplex {
			return a, mem
		}
	}
	d := dtype.MustParse(among(r, "<f8", ">f8", "<f4", ">f4", "<f2", ">f2", "|b1", "|i1", "|u1", "<i2", ">u2", "<i4",
		"<u4",
		">i8", "<u8"))
	shape := [][]int{{1 + r.IntN(2000)}, {1 + r.IntN(40), 1 + r.IntN(60)}, {1 + r.IntN(400), 1 + r.IntN(8)},
		{1 + r.IntN(6), 1 + r.IntN(500)}, {1 + r.IntN(9), 1 + r.IntN(9), 1 + r.IntN(30)}}[r.IntN(5)]
	n := 1
	for _, k := range shape {
		n *= k
	}
	mem := make([]byte, max(16, n*d.ItemSize()))
	a := Array{must(nd.OnBytes(mem, d, must(index.NewLayout(shape, d.ItemSize(), among(r, index.C,
		index.F)))))}
	values, nans := among(r, 3, 1<<20), among(r, 0, 0, 0, 2, 300)
	s := make([]float64, n)
	for i := range s {
		s[i] = r.NormFloat64() * among(r, 1, 30.0)
		if values == 3 {
			s[i] = math.Floor(s[i])
		}
		if nans > 0 && r.IntN(nans) == 0 {
			s[i] = math.NaN()
		}
	}
	must(0, Copy(a, must(FromSlice(s, shape...)).Array()))
	if r.IntN(2) == 0 {
		a = must(a.Transpose(r.Perm(a.NDim())...))
	}
	if r.IntN(3) == 0 {
		a = must(a.Select(index.Every(among(r, -1, 2, -3))))
	}
	return a, mem
}

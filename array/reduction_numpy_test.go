package array

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/nd"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/internal/strided"
)

// numpyReduce compares a result with NumPy's. The error of a float may be four times as large as NumPy's, plus two
// units in the last place of the intermediate numbers. Exact results are computed with long doubles, whose rounding
// errors are 2048 times smaller.
const numpyReduce = `
import warnings
warnings.simplefilter("ignore")
np.set_printoptions(threshold=20)
functions = {
    "sum": (np.sum, np.nansum), "mean": (np.mean, np.nanmean), "var": (np.var, np.nanvar), "std": (np.std, np.nanstd),
    "min": (np.min, np.nanmin), "max": (np.max, np.nanmax), "argmin": (np.argmin, np.nanargmin), "argmax": (np.argmax, np.nanargmax),
    "count": (np.count_nonzero, np.count_nonzero), "prod": (np.prod, np.nanprod), "any": (np.any, np.any), "all": (np.all, np.all),
}

def exactly(a, op, axis, skip, ddof):
    """The exact result, and the magnitude of the intermediate numbers."""
    if op == "prod":
        return product(a, axis, skip)
    x = a.astype(np.clongdouble if a.dtype.kind == "c" else np.longdouble)
    there = ~np.isnan(x) if skip else np.ones(x.shape, bool)
    x = np.where(there, x, 0)
    n = there.sum(axis=axis, keepdims=True)
    parts = abs(x)
    if a.dtype.kind == "c":
        parts = np.empty_like(x)
        parts.real, parts.imag = abs(x.real), abs(x.imag)
    total, size = x.sum(axis=axis, keepdims=True), parts.sum(axis=axis, keepdims=True)
    if op == "mean":
        total, size = total / n, size / n
    if op in ("var", "std"):
        d = np.where(there, x - total / n, 0)
        total = (d.real**2 + d.imag**2).sum(axis=axis, keepdims=True) / np.maximum(n - ddof, 0)
        if op == "std":
            total = np.sqrt(total)
        size = total
    return np.squeeze(total, axis=axis), np.squeeze(size, axis=axis)

def axes_of(a, axis):
    return tuple(range(a.ndim)) if axis is None else axis

def check(c):
    a = np.ndarray(c["Shape"], c["DType"], b64(c["Mem"]), c["Offset"], c["Strides"])
    op, skip, ddof = c["Op"], c["SkipNaN"], c["DDof"]
    axis = None if c["Axes"] is None else tuple(c["Axes"])
    result = None if c["Raised"] else np.frombuffer(b64(c["Got"]), moment if op == "moments" else c["To"]).reshape(c["GotShape"])
    if op == "moments":
        return moments(a, axis, result)
    if op in ("median", "quantile"):
        return quantiles(a, c["Qs"], axis, skip, result) if op == "quantile" else ranked(a, op, 0, axis, skip, result)
    args = {} if op not in ("var", "std") else {"ddof": ddof}
    if op.startswith("arg"):
        axis = axis if axis is None else axis[0]
    try:
        want = functions[op][skip](a, axis=axis, **args)
    except ValueError as e:
        return {"Wrong": "" if c["Raised"] else "NumPy raises " + str(e)}
    if c["Raised"]:
        return {"Wrong": "NumPy returns %r" % (want,)}
    want = np.asarray(want)
    if want.dtype != result.dtype or want.shape != result.shape:
        return {"Wrong": "dtype %s shape %s, want %s %s" % (result.dtype, result.shape, want.dtype, want.shape)}
    if want.dtype.kind in "iub?" or op in ("min", "max"):
        nan = np.isnan(want) & np.isnan(result) if want.dtype.kind in "fc" else False
        return {"Wrong": "" if np.all((want == result) | nan) else "%r, want %r" % (result, want)}
    exact, size = exactly(a, op, axes_of(a, axis), skip, ddof)
    parts = [(result.real, want.real, exact.real, size.real)]
    if result.dtype.kind == "c":
        parts.append((result.imag, want.imag, exact.imag, size.imag))
    ours, theirs, eps = 0.0, 0.0, np.longdouble(np.finfo(result.dtype).eps)
    for r, w, e, size in parts:
        finite = np.isfinite(r) & np.isfinite(w)
        overflow = ~np.isfinite(w) & (abs(e) < np.finfo(result.dtype).max) # in an intermediate result of NumPy
        # NumPy may also stay finite because its sum no longer grows, as in float16 starting at 16384.
        overflow |= np.isfinite(w) & np.isinf(r) & (abs(e) > np.finfo(result.dtype).max) & (np.sign(e) == np.sign(r))
        r, w = np.where(overflow, 0, r), np.where(overflow, 0, w)
        e, finite = np.where(overflow, 0, e), finite | overflow
        if op == "prod" and result.dtype.kind == "c": # which part is infinite and which is NaN depends on the order
            finite |= ~np.isfinite(r) & ~np.isfinite(w)
            r, w, e = [np.where(np.isfinite(r) & np.isfinite(w), v, 0) for v in (r, w, e)]
        if not np.all(finite | (r == w) | (np.isnan(r) & np.isnan(w))):
            return {"Wrong": "%r, want %r" % (result, want)}
        r, w, e = [np.where(finite, v, 0).astype(np.longdouble) for v in (r, w, e)]
        ulp = eps * np.where(np.isfinite(size), size, abs(e)) + np.longdouble(np.finfo(result.dtype).smallest_subnormal)
        # Two more ulps, because NumPy's error is sometimes close to 0 by luck.
        bad = abs(r - e) > 4 * abs(w - e) + 2 * ulp
        if np.any(bad):
            return {"Wrong": "error %s, NumPy's %s, ulp %s: %r, want %r" % (abs(r - e)[bad], abs(w - e)[bad], ulp[bad], result, want)}
        if r.size:
            ours, theirs = [x + float(np.minimum(abs(y - e) / ulp, 1000).mean()) for x, y in ((ours, r), (theirs, w))]
    if op == "prod": # both round after each factor
        return {"Wrong": ""}
    return {"Wrong": "", "Ours": ours, "Theirs": theirs, "Floats": 1}

moment = [(name, "i8" if name in ("count", "nan") else "f8") for name in ("count", "nan", "min", "max", "mean", "m2")]

def moments(a, axis, result):
    a = a.astype("f8")
    x = a.astype(np.longdouble)
    nan = np.isnan(a)
    n = (~nan).sum(axis=axis)
    some = n > 0
    want = [("count", n), ("nan", nan.sum(axis=axis))]
    if a.size:
        want += [("min", np.where(some, np.min(np.where(nan, np.inf, a), axis=axis, initial=np.inf), 0)),
                 ("max", np.where(some, np.max(np.where(nan, -np.inf, a), axis=axis, initial=-np.inf), 0)),
                 ("mean", np.where(some, np.nanmean(x, axis=axis), 0)),
                 ("m2", np.where(some, np.nanvar(x, axis=axis) * n, 0))]
        # If all numbers are similar, the variance in long doubles is only as exact as their mean.
        lost = n * (np.where(some, np.abs(want[4][1]), 0) * np.finfo(np.longdouble).eps) ** 2
    for name, w in want:
        r = result[name]
        atol = {"mean": 1e-9, "m2": 1e-9 + lost}.get(name, 0) if a.size else 0
        close = (r == w) | np.isnan(r) & np.isnan(w) | (np.abs(r - w) <= atol + 1e-9 * np.abs(w))
        if r.shape != np.shape(w) or not np.all(close):
            return {"Wrong": "%s %r, want %r" % (name, r, w)}
    return {"Wrong": ""}
`

// numpyCase is a reduction that NumPy checks.
type numpyCase struct {
	DType           string
	Mem             []byte
	Offset          int
	Shape, Strides  []int
	Op              string
	Axes            []int
	SkipNaN, Raised bool
	DDof            int
	Qs              []float64
	Got             []byte
	To              string
	GotShape        []int
}

func (c numpyCase) String() string {
	return fmt.Sprintf("%s of %s shape %v strides %v axes %v skip %v ddof %d", c.Op, c.DType, c.Shape, c.Strides, c.Axes,
		c.SkipNaN, c.DDof)
}

// TestNumPyReduction compares reductions of random arrays with NumPy's, and the results for several numbers of
// goroutines with each other.
func TestNumPyReduction(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("results are in native byte order, which differs on NumPy's machine")
	}
	p := oracle.Start(t)
	if err := p.Run(numpyReduce+numpyRanked, nil, nil); err != nil {
		t.Fatal(err)
	}
	seed, r := oracle.Seed(t), oracle.Rand(t, 91)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	var ours, theirs float64
	floats, raised, large := 0, 0, 0
	for k := range oracle.Cases(t, 125) {
		a, mem := randomNumbers(r)
		if a.NBytes() > 1<<20 {
			large++
		}
		red := Reduction{Op: Op(r.IntN(len(opNames))), SkipNaN: r.IntN(3) == 0, DDof: among(r, 0, 0, 1, 1, 2, 7),
			Axes: randomAxes(r, a.NDim()), Qs: randomQs(r)}
		if isRanked := red.Op == OpMedian || red.Op == OpQuantile; a.DType().Kind() == dtype.KindComplex &&
			(red.Op == OpMoments || isRanked) {
			red.Op = OpVar
		}
		if (red.Op == OpArgMin || red.Op == OpArgMax) && red.Axes != nil {
			if len(red.Axes) == 0 {
				red.Axes = nil
			} else {
				red.Axes = red.Axes[:1]
			}
		}
		c := numpyCase{DType: a.DType().String(), Mem: mem, Offset: a.view.Offset(), Shape: a.Shape(), Strides: a.Strides(),
			Op: red.Op.String(), Axes: red.Axes, SkipNaN: red.SkipNaN, DDof: red.DDof, Qs: red.Qs}
		if a.Size() == 0 {
			c.Offset = 0
		}
		for _, n := range []int{1 + r.IntN(5), 1, 2} {
			runtime.GOMAXPROCS(n)
			got, err := randomReduce(r, red, a)
			switch {
			case c.Got != nil && !bytes.Equal(memoryOf(got.view.Store), c.Got) || c.Raised && err == nil:
				t.Fatalf("NDMAP_SEED=%d case %d: %v: %d goroutines have a different result", seed, k, c, n)
			case err != nil && strings.Contains(err.Error(), "bug"):
				t.Fatal(err)
			}
			if c.Raised = err != nil; err != nil {
				continue
			}
			c.Got, c.To, c.GotShape = memoryOf(got.view.Store), got.DType().String(), got.Shape()
		}
		var answer struct {
			Wrong        string
			Ours, Theirs float64
			Floats       int
		}
		if c.Raised {
			raised++
		}
		if err := p.Eval("check(x)", c, &answer); err != nil {
			t.Fatalf("NDMAP_SEED=%d case %d: %v: %v", seed, k, c, err)
		}
		if answer.Wrong != "" {
			t.Errorf("NDMAP_SEED=%d case %d: %v: %s", seed, k, c, answer.Wrong)
		}
		ours, theirs, floats = ours+answer.Ours, theirs+answer.Theirs, floats+answer.Floats
	}
	t.Logf("%d results of floats, errors in ulps %.3f, NumPy's %.3f; %d errors; %d large", floats, ours/float64(floats),
		theirs/float64(floats), raised, large)
	if ours > theirs {
		t.Errorf("the mean error is %v ulps, NumPy's is %v", ours/float64(floats), theirs/float64(floats))
	}
}

// randomAxes returns some of n axes, some of them as negative numbers, or nil for all axes.
func randomAxes(r *rand.Rand, n int) []int {
	if r.IntN(4) == 0 {
		return nil
	}
	axes := append([]int{}, r.Perm(n)[:r.IntN(n+1)]...)
	for k := range axes {
		if r.IntN(3) == 0 {
			axes[k] -= n
		}
	}
	return axes
}

// randomNumbers returns an array of numbers of random dtype and layout, and its memory.
func randomNumbers(r *rand.Rand) (Array, []byte) {
	d := dtype.MustParse(among(r, oracle.GoldenTypes...))
	shape := make([]int, r.IntN(6))
	most := 4000
	if r.IntN(20) == 0 {
		most = 400_000
	}
	size := 1
	for _, k := range r.Perm(len(shape)) {
		n := 1 + r.IntN(7)
		switch r.IntN(8) {
		case 0:
			n = 1 + r.IntN(40)
		case 1:
			n = max(1, most/size/(1+r.IntN(4)))
		}
		n = min(n, max(1, most/size))
		shape[k] = n
		size *= n
	}
	if len(shape) > 0 && r.IntN(25) == 0 {
		shape[r.IntN(len(shape))] = 0
	}
	numbers := 1
	for _, n := range shape {
		numbers *= n
	}
	mem := make([]byte, max(numbers*d.ItemSize(), 16))
	a := Array{must(nd.OnBytes(mem, d, must(index.NewLayout(shape, d.ItemSize(), among(r, index.C,
		index.F)))))}
	fillNumbers(r, a, numbers)
	if r.IntN(2) == 0 {
		sel := make([]index.Selector, a.NDim())
		for k := range sel {
			sel[k] = among(r, index.Colon, index.Colon, index.Reverse(), index.Every(2), index.From(1))
		}
		a = must(a.Select(sel...))
	}
	if r.IntN(3) == 0 {
		a = must(a.Transpose(r.Perm(a.NDim())...))
	}
	if a.NDim() < 5 && r.IntN(10) == 0 {
		a = must(a.Broadcast(append([]int{1 + r.IntN(4)}, a.Shape()...)...))
		a = must(a.MoveAxis(0, r.IntN(a.NDim())))
	}
	return a, mem
}

// fillNumbers sets the n elements of a to random numbers. They may be whole numbers, far from 0 or around it, and some
// may be NaN or infinite.
func fillNumbers(r *rand.Rand, a Array, n int) {
	isFloat := a.DType().Kind() == dtype.KindFloat || a.DType().Kind() == dtype.KindComplex
	if !isFloat && r.IntN(2) == 0 { // any bits
		copy(strided.Slice[byte](a.view.P, n*a.ItemSize()), randomMemory(r.Uint64(), n*a.ItemSize()))
		if a.DType().Kind() == dtype.KindBool {
			for i := range n {
				strided.Slice[byte](a.view.P, n)[i] &= 1
			}
		}
		return
	}
	offset, scale := among(r, 0, 0, 50.0, -100), among(r, 1, 10, 40.0)
	if a.DType().ItemSize() > 4 && isFloat {
		offset *= among(r, 1, 1e3, 1e6)
	}
	integers, special := r.IntN(3) == 0, 0
	if isFloat && r.IntN(3) == 0 {
		special = among(r, 3, 50, max(n, 1))
	}
	draw := func() float64 {
		x := offset + scale*(r.Float64()-0.4)
		if integers {
			x = math.Trunc(x)
		}
		if special > 0 && r.IntN(special) == 0 {
			return among(r, math.NaN(), math.NaN(), math.Inf(1), math.Inf(-1))
		}
		return x
	}
	s := make([]complex128, n)
	for i := range s {
		s[i] = complex(draw(), draw())
	}
	flat := must(FromSlice(s)).Array()
	to := Array{must(nd.OnBytes(strided.Slice[byte](a.view.P, max(1, n*a.ItemSize())), a.DType(),
		must(index.NewLayout([]int{n}, a.ItemSize(), index.C))))}
	if err := Copy(to, flat); err != nil && !errors.Is(err, ErrShape) {
		panic(err)
	}
}

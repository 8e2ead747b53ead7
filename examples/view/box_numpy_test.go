package main

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// drawBoxes is a program that writes arrays of random dtypes, byte orders, layouts and magnitudes, with NaN and
// infinities among the floats. It returns a box of each, and the statistics that NumPy computes. They are computed from
// long doubles, which represent all 64-bit integers.
const drawBoxes = `
import os, random
os.chdir(x[0])
r, rng = random.Random(x[1]), np.random.default_rng(x[1])
DTYPES = "? i1 u1 i2 u2 i4 u4 i8 u8 i8 u8 f2 f4 f8 f8 g c8 c16".split()

def elements(d, shape):
    if d.kind == "b":
        return rng.random(shape) > r.random()
    if d.kind in "iu":
        i = np.iinfo(d)
        at, wide = r.choice([(i.min, 5), (i.max, 5), (i.max // 2, 100), (i.max, 2 ** 40), (0, i.max)])
        lo, hi = max(i.min, at - wide), min(i.max, at + wide)
        return rng.integers(lo, hi, shape, dtype=d, endpoint=True)
    def real():
        a = rng.normal(size=shape) * r.choice([1, 1, 1e-4, 300]) + r.choice([0, 0, 1, 2000])
        if r.random() < 0.3 and d.itemsize > 2:
            a = a * 1e30
        for what in r.choice([[], [], [np.nan], [np.inf], [-np.inf], [np.inf, -np.inf], [np.nan, np.inf], [np.nan]]):
            a[rng.random(shape) < r.choice([0.02, 0.3, 0.6])] = what
        return a
    with np.errstate(all="ignore"):
        return (real() + (1j * real() if d.kind == "c" else 0)).astype(d)

out = []
for k in range(x[2]):
    d = np.dtype(r.choice(DTYPES))
    shape = [r.choice([1, 2, 3, 17, 40]) for _ in range(r.randrange(2, 5))]
    a = elements(d, shape)
    a = np.array(a.astype(d.newbyteorder(r.choice("<>"))), order=r.choice("CF"))
    name, field = "%d.npy" % k, r.random() < 0.3
    if field:
        s = np.zeros(a.shape, [("pad", "i1"), ("v", a.dtype), ("more", "S3")], order=r.choice("CF"))
        s["v"] = a
    np.save(name, s if field else a)
    y, z = r.sample(range(a.ndim), 2)
    ends = [sorted(r.sample(range(n + 1), 2)) for n in (a.shape[y], a.shape[z])]
    at = [r.randrange(n) for n in a.shape]
    part = r.choice(["real", "imag", "abs", "angle"]) if d.kind == "c" else ""
    cut = [slice(i, i + 1) for i in at]
    cut[y], cut[z] = slice(*ends[0]), slice(*ends[1])
    b = a[tuple(cut)].ravel()
    b = b.astype(b.dtype.newbyteorder("="))
    computed = part in ("abs", "angle")
    if d.kind == "c":
        b = b.astype("c16")
        b = {"real": b.real, "imag": b.imag, "abs": np.abs(b), "angle": np.angle(b)}[part]
    whole = d.kind in "iu" and d.itemsize == 8
    with np.errstate(all="ignore"):
        e = b if whole else b.astype("f8")
        f = e[~np.isnan(e)] if not whole else e
        long = f.astype(np.longdouble)
        want = dict(count=f.size, nan=e.size - f.size)
        if f.size:
            want.update(min=f.min(), max=f.max(), median=np.median(f), exact=np.median(long), mean=long.mean(), size=np.abs(long).max(),
                std=(np.array([int(i) - int(f.min()) for i in f], np.longdouble) if whole else long).std(), own=f.std())
    out.append(dict(Name=name, Field=["v"] if field else [], Part=part, Whole=whole, Computed=computed, Said="%s of %s, %s" % (a.dtype, a.shape, "FC"[int(a.flags.c_contiguous)]),
        At=at, Y=y, X=z, Ends=[int(i) for i in ends[0] + ends[1]], Want={k: str(v) for k, v in want.items()}))
`

// TestBoxNumPy compares the statistics of random boxes with NumPy's results. Count, NaN, least, greatest and median
// must be equal. The mean may differ by 2 ulps of the greatest magnitude, the deviation by 8 of its own ulps.
// Statistics of absolute values and angles may differ by 4 ulps of the greatest magnitude.
func TestBoxNumPy(t *testing.T) {
	numpy := oracle.Start(t)
	dir := t.TempDir()
	var boxes []struct {
		Name, Part, Said string
		Field            []string
		Whole, Computed  bool
		At, Ends         []int
		Y, X             int
		Want             map[string]string
	}
	if err := numpy.Run(drawBoxes, []any{dir, oracle.Seed(t), oracle.Cases(t, 40)}, &boxes); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	var list struct{ Sources []node }
	s.getJSON(&list, "/api/sources")
	ids := map[string]string{}
	for _, n := range list.Sources[0].Children {
		ids[n.Name] = n.ID
	}
	for _, b := range boxes {
		id, query := ids[b.Name], ""
		for _, f := range b.Field {
			query += "?field=" + f
		}
		var about struct{ Base string }
		s.getJSON(&about, "/api/array/"+id+query)
		e := b.Ends
		body, err := json.Marshal(map[string]any{"kind": "box", "field": b.Field, "part": b.Part, "base": about.Base,
			"region": map[string]any{"y": b.Y, "x": b.X, "at": b.At, "y0": e[0], "y1": e[1], "x0": e[2], "x1": e[3]}})
		if err != nil {
			t.Fatal(err)
		}
		st := s.job(id, string(body))
		got := map[string]any{}
		if err := json.Unmarshal(st.Result, &got); err != nil || st.Error != "" {
			t.Fatalf("%s: %v, %s", b.Said, err, st.Error)
		}
		for name, want := range b.Want {
			text := boxText(got, name, about.Base)
			if ok, far := compareStatistic(name, text, b.Want, b.Computed); !ok {
				t.Errorf("%s, part %q, %v of axes %d and %d at %v: %s is %s, NumPy's is %s (%s)",
					b.Said, b.Part, e, b.Y, b.X, b.At, name, text, want, far)
			}
		}
	}
}

// boxText formats a statistic in decimal, like the page. Statistics of 64-bit integers have all their digits.
func boxText(got map[string]any, name, base string) string {
	whole := map[string]string{"min": "least", "max": "greatest", "median": "middle", "mean": "average"}[name]
	if s, ok := got[whole].(string); ok {
		return s
	}
	switch x := got[name].(type) {
	case string:
		return x
	case float64:
		if base == "0" || name == "std" || name == "count" || name == "nan" {
			return strconv.FormatFloat(x, 'g', -1, 64)
		}
		sum, _ := new(big.Float).SetPrec(300).SetString(base)
		return sum.Add(sum, big.NewFloat(x)).Text('g', 60)
	}
	return fmt.Sprint(got[name])
}

// compareStatistic compares a statistic with NumPy's result, and returns the difference as text.
func compareStatistic(name, text string, want map[string]string, computed bool) (same bool, far string) {
	of, bound := "size", 0.0
	switch name {
	case "exact", "size", "own": // not statistics, but used to check others
		return true, ""
	case "median": // NumPy rounds the median of integers to float64
		same = sameNumber(text, want["exact"])
	case "mean":
		bound = 2
	case "std":
		of, bound, same = "std", 8, sameNumber(text, want["own"])
	}
	if same || sameNumber(text, want[name]) {
		return true, ""
	}
	if computed { // hypot and atan2 of C and Go differ
		if of, bound = "size", 4; want["size"] == "inf" {
			of = name
		}
	}
	x, _, _ := big.ParseFloat(text, 10, 300, big.ToNearestEven)
	y, _, _ := big.ParseFloat(want[name], 10, 300, big.ToNearestEven)
	size, err := strconv.ParseFloat(want[of], 64)
	if x == nil || y == nil || x.IsInf() || y.IsInf() || err != nil {
		return false, "no numbers"
	}
	ulp := math.Nextafter(math.Abs(size), math.Inf(1)) - math.Abs(size)
	d, _ := x.Sub(x, y).Float64()
	return math.Abs(d) <= bound*ulp, fmt.Sprintf("%.3g ulps", math.Abs(d)/ulp)
}

// sameNumber reports whether two texts denote the same number. Texts that are not integers are compared as float64.
func sameNumber(a, b string) bool {
	x, err1 := strconv.ParseFloat(a, 64)
	y, err2 := strconv.ParseFloat(b, 64)
	m, isInt1 := new(big.Int).SetString(a, 10)
	n, isInt2 := new(big.Int).SetString(b, 10)
	if isInt1 && isInt2 {
		return m.Cmp(n) == 0
	}
	return err1 == nil && err2 == nil && (x == y || x != x && y != y)
}

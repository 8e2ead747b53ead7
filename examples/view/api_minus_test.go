package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestDifference saves differences of arrays of many dtypes, byte orders and frames. Differences of integers must equal
// Python's results, differences of floats and the medians of boxes NumPy's results.
func TestDifference(t *testing.T) {
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(`
import os
os.chdir(x)
r = np.random.default_rng(3)
big = r.integers(-2**63, 2**63 - 1, (4, 20, 30))
np.save("i8.npy", big)
np.save("swapped.npy", (big - (big > 0) * 9).astype(">i8"))
np.save("u8.npy", big.view("u8"))
np.save("u4.npy", np.asfortranarray(big.view("u8") >> 32).astype("u4"))
np.save("bool.npy", big > 0)
f = r.normal(size=(4, 20, 30)).astype("f4")
f[0, 3:6, 4:9] = np.nan
f[1, 2, 2] = -np.inf
np.save("f4.npy", f)
np.save("c16.npy", f.astype("c16") * (3 + 4j))
np.save("c8.npy", (f.astype("c8") * 2j))
`, dir, nil); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	top := filepath.Base(dir)
	id := func(name string) string { return s.id(top, name+".npy") }
	for _, pair := range [][2]string{{"i8", "swapped"}, {"swapped", "u4"}, {"u8", "u4"}, {"u8", "i8"}, {"i8", "u8"},
		{"bool", "u4"},
		{"f4", "bool"}, {"u4", "f4"}, {"c16", "c8"}, {"f4", "f4"}} {
		const view = "y=1&x=2&at=0,0,0&minusAt=1,0,0&minus="
		part := s.get(fmt.Sprintf("/api/array/%s/save?%s%s&y0=2&y1=18&x0=1&x1=30", id(pair[0]), view, id(pair[1])))
		if err := os.WriteFile(filepath.Join(dir, "saved"), part, 0o600); err != nil {
			t.Fatal(err)
		}
		var want struct {
			Same   bool
			Median string
			NaN    int64
		}
		if err := numpy.Run(`
a, b, got = np.load(x[0] + ".npy")[0], np.load(x[1] + ".npy")[1], np.load("saved")
magnitudes = a.dtype.kind == "c"
if magnitudes: a, b = np.abs(a.astype("c16")), np.abs(b.astype("c16"))
if "f" in a.dtype.kind + b.dtype.kind: want = a.astype("f8") - b.astype("f8")
else: want = np.array([int(x) - int(y) for x, y in zip(a.flat, b.flat)], dtype=object).astype("f8").reshape(a.shape)
part = want[2:18, 1:30]
same = np.allclose(got, part, rtol=1e-14, equal_nan=True) if magnitudes else np.array_equal(got, part, equal_nan=True)
out = {"Same": bool(same and got.dtype == "f8"), "Median": str(np.nanmedian(want)), "NaN": int(np.isnan(want).sum())}`,
			pair, &want); err != nil {
			t.Fatal(err)
		}
		if !want.Same {
			t.Errorf("%v: the saved array is not the difference", pair)
		}
		st := s.job(id(pair[0]), fmt.Sprintf(
			`{"kind":"box","minus":%q,"minusAt":[1,0,0],"region":{"y":1,"x":2,"at":[0,0,0],"y0":0,"y1":20,"x0":0,"x1":30}}`,
			id(pair[1])))
		var box struct {
			NaN    int64
			Median float64
		}
		if err := json.Unmarshal(st.Result, &box); err != nil {
			t.Fatalf("%v: %s", err, st.Result)
		}
		median, err := strconv.ParseFloat(want.Median, 64)
		if err != nil || box.NaN != want.NaN || math.Abs(box.Median-median) > 1e-14*math.Abs(median) {
			t.Errorf("%v: %d NaN and median %v, want %d and %v", pair, box.NaN, box.Median, want.NaN, median)
		}
	}
}

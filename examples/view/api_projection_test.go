package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// project computes a projection and returns its id. body contains the field, the operation and the axes.
func (s *session) project(id, body string) string {
	s.t.Helper()
	st := s.job(id, `{"kind":"projection","page":"test",`+body+`}`)
	var p struct{ ID string }
	if err := json.Unmarshal(st.Result, &p); err != nil || st.Error != "" {
		s.t.Fatalf("projection %s: %+v", body, st)
	}
	return p.ID
}

// TestProjectionNumPy compares projections of 60 random arrays with NumPy: the values of elements, the pixels of a
// tile, and a saved plane. Sums of integers and extremes must be equal; sums of floats may be rounded differently.
func TestProjectionNumPy(t *testing.T) {
	numpy := oracle.Start(t)
	dir := t.TempDir()
	const count = 60
	type drawn struct {
		Field, Along string
		Op           string
		Y, X         int
		Ny, Nx       int
		At           []int
		File         string
	}
	var draws []drawn
	if err := numpy.Run(`
import os, warnings
os.chdir(x["Dir"])
warnings.simplefilter("ignore")
rng = np.random.default_rng(63)
dtypes = ["?", "i1", ">i2", "i4", "i8", "u1", ">u2", "u4", "u8", "f2", "f4", ">f4", "f8", ">f8", "c8", "c16"]
out, arrays, wants = [], [], []
for i in range(x["Count"]):
    n = int(rng.integers(3, 6))
    shape = [int(k) for k in rng.integers(2, 9, n)]
    d = np.dtype(dtypes[i % len(dtypes)])
    if d.kind == "b": a = rng.random(shape) < 0.5
    elif d.kind in "iu": a = rng.integers(np.iinfo(d).min, np.iinfo(d).max, shape, dtype=d.newbyteorder("="), endpoint=True)
    else: a = rng.normal(size=shape) * 10
    if d.kind == "c": a = a + 1j * rng.normal(size=shape)
    a = a.astype(d)
    if d.kind in "fc" and rng.random() < 0.7: a[rng.random(shape) < 0.3] = np.nan
    if d.kind in "fc" and rng.random() < 0.3: a.flat[0] = np.inf
    axes = [int(k) for k in rng.permutation(n)]
    y, xx, reduced = axes[0], axes[1], sorted(axes[2:2 + int(rng.integers(1, n - 1))])
    ranges = [sorted(int(k) for k in rng.choice(shape[k] + 1, 2, replace=False)) if rng.random() < 0.5 else [0, shape[k]] for k in reduced]
    op = ["mean", "max", "min", "sum", "std"][int(rng.integers(5))]
    field = ""
    if rng.random() < 0.25:
        r = np.zeros(shape, [("other", "S3"), ("v", d)])
        r["v"] = a
        field, stored = "v", r
    else: stored = np.asfortranarray(a) if rng.random() < 0.4 else a
    np.save(f"{i}.npy", stored)
    at = [0 if k in reduced else int(rng.integers(shape[k])) for k in range(n)]
    sel = [slice(None)] * n
    for k, (lo, hi) in zip(reduced, ranges): sel[k] = slice(lo, hi)
    part = a[tuple(sel)]
    f, wide = getattr(np, "nan" + op), {"f": "f8", "c": "c16"}.get(d.kind)
    plain = f(part, axis=tuple(reduced), keepdims=True)
    want = f(part.astype(wide) if wide else part, axis=tuple(reduced), keepdims=True).astype(plain.dtype)
    wants.append((want, y, xx, at, op))
    out.append({"Field": field, "Op": op, "Y": y, "X": xx, "Ny": shape[y], "Nx": shape[xx], "At": at, "File": f"{i}.npy",
        "Along": ",".join(f'{{"axis":{k},"from":{lo},"to":{hi}}}' for k, (lo, hi) in zip(reduced, ranges))})
`, map[string]any{"Dir": dir, "Count": count}, &draws); err != nil {
		t.Fatal(err)
	}
	s := enter(t, dir)
	top := filepath.Base(dir)
	for i, d := range draws {
		t.Run(fmt.Sprintf("%s of %d", d.Op, i), func(t *testing.T) {
			s := *s
			s.t = t
			fields := ""
			if d.Field != "" {
				fields = fmt.Sprintf(`"field":[%q],`, d.Field)
			}
			id := s.project(s.id(top, d.File), fmt.Sprintf(`%s"op":%q,"along":[%s]`, fields, d.Op, d.Along))
			at := func(y, x int) string {
				texts := make([]string, len(d.At))
				for k, j := range d.At {
					switch k {
					case d.Y:
						j = y
					case d.X:
						j = x
					}
					texts[k] = fmt.Sprint(j)
				}
				return strings.Join(texts, ",")
			}
			var texts []string
			for y := range d.Ny {
				var v struct {
					Text string
					Byte *int
				}
				if s.getJSON(&v, fmt.Sprintf("/api/array/%s/value?at=%s", id, at(y, y%d.Nx))); v.Byte != nil {
					t.Errorf("an element of a projection is at byte %d of a file", *v.Byte)
				}
				texts = append(texts, v.Text)
			}
			view := fmt.Sprintf("y=%d&x=%d&at=%s", d.Y, d.X, at(0, 0))
			for name, path := range map[string]string{
				"plane": fmt.Sprintf("save?%s&y0=0&y1=%d&x0=0&x1=%d", view, d.Ny, d.Nx),
				"tile":  fmt.Sprintf("tile?%s&level=0&row=0&col=0", view),
			} {
				if err := os.WriteFile(filepath.Join(dir, name), s.get("/api/array/"+id+"/"+path), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var bad []string
			if err := numpy.Run(`
want, y, xx, at, op = wants[x["Case"]]
got, out = np.load("plane"), []
plane = np.moveaxis(want, [y, xx], [0, 1])[(slice(None), slice(None)) + tuple(i for k, i in enumerate(at) if k not in (y, xx))]
if got.dtype != plane.dtype: out.append(f"dtype {got.dtype}, want {plane.dtype}")
exact = op in ("min", "max") or (op == "sum" and plane.dtype.kind in "iu")
if exact: same = np.array_equal(got, plane, equal_nan=plane.dtype.kind in "fc")
else:
    eps = np.finfo(plane.dtype).eps * (4 if plane.dtype.itemsize == 2 or plane.dtype in ("f4", "c8") else 64)
    same = np.allclose(got, plane, rtol=eps, atol=eps * 40, equal_nan=True)
if not same: out.append(f"the plane is {got}, want {plane}")
for i, text in enumerate(x["Texts"]):
    if text != str(got[i, i % got.shape[1]]): out.append(f"value {text}, want {got[i, i % got.shape[1]]}")
tile = open("tile", "rb").read()
rows, cols, _, _, form = np.frombuffer(tile, "<u4", 5, 4)
pixels = np.frombuffer(tile, {0: "<f4", 2: "<f8"}[int(form)], rows * cols, 40).reshape(rows, cols)
numbers = np.hypot(got.real.astype("f8"), got.imag) if got.dtype.kind == "c" else got.astype("f8")
rtol = 1e-15 if got.dtype.kind == "c" else 0
if not np.allclose(pixels, numbers, rtol=rtol, atol=0, equal_nan=True): out.append(f"pixels {pixels}, want {numbers}")
`, map[string]any{"Case": i, "Texts": texts}, &bad); err != nil {
				t.Fatal(err)
			}
			for _, b := range bad {
				t.Errorf("field %q along %s: %s", d.Field, d.Along, b)
			}
		})
	}
}

// TestProjectionRefused tests the errors for projections that cannot be computed.
func TestProjectionRefused(t *testing.T) {
	dir := t.TempDir()
	for name, d := range map[string]string{"f8": "<f8", "time": "<M8[s]", "text": "<U3", "long": "<f16",
		"record": "[('a', '<i4')]"} {
		save(t, filepath.Join(dir, name+".npy"), d, index.C, nil, 2, 3, 4)
	}
	s := enter(t, dir, sparse(t, "large.npy", "<f8", 2, 1<<15, 1<<15))
	for _, tt := range []struct{ name, file, body, want string }{
		{"times", "time", `"op":"max","along":[{"axis":0,"from":0,"to":2}]`,
			"elements of dtype <M8[s] cannot be combined: want booleans or numbers, except long doubles"},
		{"text", "text", `"op":"max","along":[{"axis":0,"from":0,"to":2}]`, "elements of dtype <U3 cannot be combined"},
		{"long doubles", "long", `"op":"max","along":[{"axis":0,"from":0,"to":2}]`,
			"elements of dtype <f16 cannot be combined"},
		{"records", "record", `"op":"max","along":[{"axis":0,"from":0,"to":2}]`, "cannot be combined"},
		{"unknown operation", "f8", `"op":"mode","along":[{"axis":0,"from":0,"to":2}]`,
			`op "mode": want mean, max, min, sum or std`},
		{"operation of array only", "f8", `"op":"median","along":[{"axis":0,"from":0,"to":2}]`, `op "median"`},
		{"no operation", "f8", `"along":[{"axis":0,"from":0,"to":2}]`, `op ""`},
		{"no axis", "f8", `"op":"max"`, "along has no axis; want at least one"},
		{"unknown axis", "f8", `"op":"max","along":[{"axis":3,"from":0,"to":1}]`, "axis=3: the array has 3 dimensions"},
		{"negative axis", "f8", `"op":"max","along":[{"axis":-1,"from":0,"to":1}]`, "axis=-1: the array has 3 dimensions"},
		{"duplicate axis", "f8", `"op":"max","along":[{"axis":1,"from":0,"to":1},{"axis":1,"from":0,"to":1}]`,
			"duplicate axis 1"},
		{"empty range", "f8", `"op":"max","along":[{"axis":0,"from":1,"to":1}]`,
			"axis 0: from=1, to=1: want 0 <= from < to <= 2"},
		{"range beyond the end", "f8", `"op":"max","along":[{"axis":1,"from":0,"to":4}]`,
			"axis 1: from=0, to=4: want 0 <= from < to <= 3"},
		{"negative index", "f8", `"op":"max","along":[{"axis":1,"from":-1,"to":2}]`, "axis 1: from=-1"},
		{"no page", "f8", `"page":"","op":"max","along":[{"axis":0,"from":0,"to":2}]`,
			"page has 0 bytes: want 1 to 64, the same in all requests of a page"},
		{"long page", "f8", `"page":"` + strings.Repeat("p", 65) + `","op":"max","along":[{"axis":0,"from":0,"to":2}]`,
			"page has 65 bytes: want 1 to 64"},
		{"too large", "large", `"op":"max","along":[{"axis":0,"from":0,"to":2}]`,
			"the projection would have shape [1 32768 32768] and dtype <f8: want at most 1073741824 bytes; project another axis, too, or show the index"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := *s
			s.t = t
			names := []string{filepath.Base(dir), tt.file + ".npy"}
			if tt.file == "large" {
				names = names[1:]
			}
			code, b := s.request("POST", "/api/array/"+s.id(names...)+"/job", `{"kind":"projection","page":"test",`+tt.body+`}`,
				s.unsafeHeader())
			var e struct{ Error string }
			if err := json.Unmarshal(b, &e); err != nil || code != 400 || !strings.Contains(e.Error, tt.want) {
				t.Errorf("%d %s, want %q", code, b, tt.want)
			}
		})
	}
}

// TestProjectionStop tests that a projection of 1 TiB stops when it is cancelled, and when its page starts another one:
// afterwards, two more jobs run, which is the maximum number. Another page does not stop it.
func TestProjectionStop(t *testing.T) {
	s := enter(t, sparse(t, "large.npy", "<f4", 1<<20, 1<<9, 1<<9))
	id := s.id("large.npy")
	start := func(page, op string) string {
		t.Helper()
		code, b := s.request("POST", "/api/array/"+id+"/job",
			`{"kind":"projection","page":"`+page+`","op":"`+op+`","along":[{"axis":0,"from":0,"to":1048576}]}`, s.unsafeHeader())
		var job struct{ Job string }
		if err := json.Unmarshal(b, &job); code != 200 || err != nil {
			t.Fatalf("%d %s", code, b)
		}
		var st status
		for st.Progress == 0 {
			if s.getJSON(&st, "/api/job/"+job.Job); st.Done {
				t.Fatalf("the job ended too early: %+v", st)
			}
			time.Sleep(time.Millisecond)
		}
		return job.Job
	}
	for _, op := range []string{"mean", "max", "std"} {
		job := start(op, op)
		if code, b := s.request("DELETE", "/api/job/"+job, "", s.unsafeHeader()); code != 204 {
			t.Fatalf("%d %s", code, b)
		}
	}
	other := start("another page", "sum")
	job := start("page", "mean")
	for _, op := range []string{"max", "std"} {
		next := start("page", op)
		var st status
		if s.getJSON(&st, "/api/job/"+job); !st.Done || st.Error != "stopped because the page has started another one" {
			t.Errorf("the previous projection of the page: %+v", st)
		}
		job = next
	}
	var st status
	if s.getJSON(&st, "/api/job/"+other); st.Done {
		t.Errorf("the projection of another page: %+v", st)
	}
}

// TestProjectionFollows tests that a projection computed after an edit has the new elements, and one computed twice of
// the same elements has the same id.
func TestProjectionFollows(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows tells the time of a mapped file late")
	}
	path := save(t, filepath.Join(t.TempDir(), "a.npy"), "<i4", index.C, fillRamp, 3, 2, 2)
	s := enter(t, path)
	id := s.id("a.npy")
	var i info
	s.getJSON(&i, "/api/array/"+id)
	const body = `"op":"sum","along":[{"axis":0,"from":0,"to":3}]`
	first := s.project(id, body)
	if again := s.project(id, body); again != first {
		t.Errorf("id %s, then %s of the same elements", first, again)
	}
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	v, err := array.As[int32](f.Array)
	if err != nil {
		t.Fatal(err)
	}
	before := s.tile(first, "y=1&x=2&at=0,0,0&level=0&row=0&col=0").values[3]
	v.SetAt(v.At(1, 1, 1)+1000, 1, 1, 1)
	touch(t, path)
	for s.tile(s.project(id, body), "y=1&x=2&at=0,0,0&level=0&row=0&col=0").values[3] != before+1000 {
		i = s.changes(id, i.Version)
	}
}

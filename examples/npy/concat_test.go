package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestConcatIsNumPys compares concat with np.concatenate, for slabs of any size.
func TestConcatIsNumPys(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run(`
def make(c):
    r = np.random.default_rng(c["Seed"])
    arrays = []
    for path, shape, dtype, order in zip(c["Paths"], c["Shapes"], c["DTypes"], c["Orders"]):
        a = np.asarray(r.integers(0, 100, shape), dtype, order=order)
        np.save(path, a)
        arrays.append(np.load(path))
    whole = np.concatenate(arrays, axis=c["Axis"])
    return {"DType": whole.dtype.str, "Shape": whole.shape, "Fortran": bool(whole.flags.fnc), "Items": whole.astype("c16").ravel().view("f8").tolist()}

def read(path):
    a = np.load(path)
    return {"DType": a.dtype.str, "Shape": a.shape, "Fortran": bool(a.flags.fnc), "Items": a.astype("c16").ravel().view("f8").tolist()}
`, nil, nil); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out.npy")
	defer func(n int) { slabBytes = n }(slabBytes)
	r := oracle.Rand(t, 4301)
	dtypes := []string{"|b1", "|u1", "|i1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"}
	for k := range oracle.Cases(t, 12) {
		slabBytes = []int{1, 8, 30, 100, 1000, 1 << 20}[r.IntN(6)]
		var c struct {
			Seed           int
			Paths          []string
			Shapes         [][]int
			DTypes, Orders []string
			Axis           int
		}
		c.Seed = k
		shape := []int{1 + r.IntN(4), 1 + r.IntN(4), 1 + r.IntN(4)}[:1+r.IntN(3)]
		axis := r.IntN(len(shape))
		c.Axis = axis - r.IntN(2)*len(shape)
		args := []string{"concat", "-force", "-axis", fmt.Sprint(c.Axis), out}
		fortran := r.IntN(3) == 0
		for i := range 1 + r.IntN(3) {
			own := append([]int{}, shape...)
			own[axis] = r.IntN(5)
			path, order := filepath.Join(dir, fmt.Sprintf("in%d.npy", i)), "C"
			if fortran || r.IntN(4) == 0 {
				order = "F"
			}
			c.Paths, c.Shapes = append(c.Paths, path), append(c.Shapes, own)
			c.DTypes, c.Orders = append(c.DTypes, dtypes[r.IntN(len(dtypes))]), append(c.Orders, order)
			args = append(args, path)
		}
		var want, got map[string]any
		if err := p.Eval("make(x)", c, &want); err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := runTool(args...); status != 0 {
			t.Fatalf("case %d: %+v: %s", k, c, stderr)
		}
		if err := p.Eval("read(x)", out, &got); err != nil {
			t.Fatal(err)
		}
		if len(want["Items"].([]any)) == 0 || slices.ContainsFunc(c.Shapes, func(s []int) bool {
			return slices.Contains(s, 0) || slices.Contains(s, 1)
		}) {
			delete(want, "Fortran") // meaningless without elements, and NumPy ignores the strides of axes of length 1
			delete(got, "Fortran")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("case %d: %+v: want -, got +\n%s", k, c, diff)
		}
	}
}

// TestConcatDTypes compares the dtype and the elements of pairs of arrays with np.concatenate, for all pairs of dtypes
// and byte orders. Unlike in NumPy, numbers and text have no common dtype, and neither have S and U.
func TestConcatDTypes(t *testing.T) {
	p := oracle.Start(t)
	dtypes := []string{"|b1", "|i1", "|u1", "|S3", "|S5", "|V3", "|V5"}
	for _, d := range []string{"i2", "i4", "i8", "u2", "u4", "u8", "f2", "f4", "f8", "c8", "c16", "U3", "U5",
		"M8", "M8[2Y]", "M8[5M]", "M8[W]", "M8[3W]", "M8[D]", "M8[7D]", "M8[h]", "M8[25s]", "M8[10s]", "M8[ms]", "M8[ns]",
		"M8[as]", "m8", "m8[2Y]", "m8[5M]", "m8[W]", "m8[D]", "m8[7h]", "m8[m]", "m8[25s]", "m8[us]", "m8[as]"} {
		dtypes = append(dtypes, "<"+d, ">"+d)
	}
	dtypes = append(dtypes, "[('a', '>i4'), ('b', '<M8[D]', (2,))]", "[('a', '<i2'), ('b', '>M8[h]', (2,))]",
		"[('a', 'i1'), ('', 'V7'), ('b', '>f8')]", "[('a', '<i2'), ('c', 'S2')]")
	step := 1
	if testing.Short() {
		step = 5
	}
	paths := make([]string, len(dtypes))
	for k := range paths {
		paths[k] = p.Temp()
	}
	// Skip pairs that crash NumPy 1.24: a datetime without a unit with years or months.
	var want [][]*struct {
		DType string
		Bytes []byte
	}
	if err := p.Run(`
from numpy.lib.format import descr_to_dtype, dtype_to_descr
def make(d):
    if d.kind in "mM": return np.array([-7, 7, -2**63], "i8").view("<" + d.str[1:]).astype(d)
    a = np.zeros(3, d)
    if d.names:
        for n in d.names: a[n] = make(a[n].dtype).reshape((3,) + (1,) * (a[n].ndim - 1))
    elif d.kind != "V": a[:] = [0, 1, 3]
    return a
def crashes(a, b):
    units = {np.datetime_data(d)[0] for d in (a, b) if d.kind in "mM"}
    return "M" in a.kind + b.kind and "generic" in units and bool(units & {"Y", "M"})
def both(a, b):
    if crashes(a.dtype, b.dtype): return None
    try: c = np.concatenate([a, b])
    except (TypeError, OverflowError): return None
    return {"DType": str(dtype_to_descr(c.dtype)), "Bytes": c.tobytes()}
arrays = [make(descr_to_dtype(eval(s) if s[0] == "[" else s)) for s in x["DTypes"]]
for k, a in enumerate(arrays): np.save(open(x["Paths"][k], "wb"), a)
out = [[both(a, b) if (i - j) % x["Step"] == 0 else None for j, b in enumerate(arrays)] for i, a in enumerate(arrays)]
`, map[string]any{"DTypes": dtypes, "Paths": paths, "Step": step}, &want); err != nil {
		t.Fatal(err)
	}
	arrays := make([]array.Array, len(dtypes))
	for k := range dtypes {
		f, err := array.Open(paths[k], array.ReadOnly)
		check(t, err)
		defer f.Close()
		arrays[k] = f.Array
	}
	isDate := func(d dtype.DType) bool { return d.Kind() == dtype.KindDatetime }
	isGeneric := func(d dtype.DType) bool { _, u := d.Unit(); return u == dtype.Generic }
	isText := func(d dtype.DType) bool { return d.Kind() == dtype.KindBytes || d.Kind() == dtype.KindUnicode }
	for i, a := range arrays {
		for j := i % step; j < len(arrays); j += step {
			b := arrays[j]
			var out bytes.Buffer
			c := &concat{env: &env{stderr: io.Discard, bar: term.NewBar(io.Discard)}}
			err := errors.Join(c.add("a", &input{Array: a}), c.add("b", &input{Array: b}))
			if err == nil {
				err = c.write(&out)
			}
			w := want[i][j]
			switch {
			case err != nil && w != nil && isText(a.DType()) != isText(b.DType()),
				err != nil && isText(a.DType()) && isText(b.DType()) && a.DType().Kind() != b.DType().Kind():
			case err != nil && w != nil:
				t.Errorf("%v and %v: %v; want %s", a.DType(), b.DType(), err, w.DType)
			case err != nil:
			case w == nil && !(isDate(a.DType()) && isDate(b.DType()) && (isGeneric(a.DType()) || isGeneric(b.DType()))):
				t.Errorf("%v and %v: %v; NumPy refuses", a.DType(), b.DType(), c.dtype)
			case w != nil && (!c.dtype.Equal(dtype.MustParse(w.DType)) || !bytes.HasSuffix(out.Bytes(), w.Bytes)):
				t.Errorf("%v and %v: %v\n% x\nwant %s\n% x", a.DType(), b.DType(), c.dtype, out.Bytes()[128:], w.DType, w.Bytes)
			}
		}
	}
}

// TestInUnit tests that a time that does not fit the common unit is an error, while NumPy wraps around, and that times
// before 1970 are rounded down.
func TestInUnit(t *testing.T) {
	for _, tt := range []struct {
		in       int64
		from, to string
		want     int64
		ok       bool
	}{
		{1 << 62, "<M8[s]", "<M8[ms]", 0, false},
		{-1 << 62, "<m8[s]", "<m8[ms]", 0, false},
		{math.MaxInt64 / 1000, "<M8[s]", "<M8[ms]", math.MaxInt64 / 1000 * 1000, true},
		{math.MinInt64/1000 - 1, "<M8[s]", "<M8[ms]", 0, false},
		{math.MaxInt64, "<M8[Y]", "<M8[M]", 0, false},
		{math.MaxInt64 / 12, "<M8[Y]", "<M8[D]", 0, false},
		{dtype.NaT, "<M8[Y]", "<M8[ns]", dtype.NaT, true},
		{300, "<M8[Y]", "<M8[ns]", 0, false},
		{-1, "<M8[M]", "<M8[W]", -5, true},         // 1969-12-01 is in the week of 1969-11-27
		{-1970, "<M8[Y]", "<M8[D]", -719528, true}, // 0000-01-01
		{30, "<M8[Y]", "<M8[D]", 10957, true},      // 2000-01-01
		{362, "<M8[M]", "<M8[D]", 11017, true},     // 2000-03-01
		{7, "<m8[W]", "<m8[7h]", 168, true},
	} {
		got, ok := inUnit(tt.in, dtype.MustParse(tt.to), dtype.MustParse(tt.from))
		if ok != tt.ok || ok && got != tt.want {
			t.Errorf("%d of %s in %s: %d, %v; want %d, %v", tt.in, tt.from, tt.to, got, ok, tt.want, tt.ok)
		}
	}
}

// TestPromotedAllNumPy compares the common dtype of several dtypes with NumPy's. It may differ from the result of
// promoting them one by one: u2 and i2 become i4, and with f2 they become f4.
func TestPromotedAllNumPy(t *testing.T) {
	p := oracle.Start(t)
	dtypes := []string{"|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"}
	r := oracle.Rand(t, 4302)
	all := [][]string{{"<u2", "<i2", "<f2"}, {"<u2", "<i2", "<f4"}, {"|b1", "<u8", "|i1"}}
	for range oracle.Cases(t, 200) {
		var names []string
		for range 1 + r.IntN(5) {
			names = append(names, dtypes[r.IntN(len(dtypes))])
		}
		all = append(all, names)
	}
	var want []string
	if err := p.Run("out = [np.result_type(*names).str for names in x]", all, &want); err != nil {
		t.Fatal(err)
	}
	for k, names := range all {
		var ds []dtype.DType
		for _, name := range names {
			ds = append(ds, dtype.MustParse(name))
		}
		if d, ok := promotedAll(ds); !ok || !d.Equal(dtype.MustParse(want[k])) {
			t.Errorf("%v: %v, %v; want %s", names, d, ok, want[k])
		}
	}
}

// TestPromoted tests that promoted returns the dtype of np.result_type, in little-endian byte order.
func TestPromoted(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{">i4", "<i2", "<i4"},
		{"<i2", ">i4", "<i4"},
		{">i4", ">i4", "<i4"},
		{"|u1", ">i2", "<i2"},
		{"<U1", "<U4", "<U4"},
		{">U4", "<U4", "<U4"},
		{"|V3", "|V3", "|V3"},
		{"|V3", "|V4", ""},
		{"|S3", "<U3", ""},
		{"|S3", "<i4", ""},
		{"<M8[s]", ">M8[s]", "<M8[s]"},
		{"<M8[s]", "<M8[ms]", "<M8[ms]"},
		{"<f16", "<f8", ""},
		{">f16", ">f16", "<f16"},
		{"[('a', '<i4'), ('b', '|S1')]", "[('a', '<f4'), ('b', '|S2')]", "[('a', '<f8'), ('b', '|S2')]"},
		{"[('a', '<i4', (2,))]", "[('a', '>i8', (2,))]", "[('a', '<i8', (2,))]"},
		{"[('a', '<i4', (2,))]", "[('a', '<i4', (3,))]", ""},
		{"[('a', '<i4')]", "[('b', '<i4')]", ""},
		{"<bfloat16", "<f2", "<f4"},
		{">bfloat16", "<i8", "<f8"},
		{"float8_e5m2", "float8_e5m2", "float8_e5m2"},
	} {
		got := ""
		if d, ok := promoted(dtype.MustParse(tt.a), dtype.MustParse(tt.b)); ok {
			got = d.String()
		}
		if want := tt.want; want != "" && got != dtype.MustParse(want).String() || want == "" && got != "" {
			t.Errorf("%s and %s: %s, want %s", tt.a, tt.b, got, want)
		}
	}
}

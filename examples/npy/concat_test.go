package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// concat is np.concatenate, of arrays that are put together in slabs of any size.
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
		if _, stderr, status := tool(args...); status != 0 {
			t.Fatalf("case %d: %+v: %s", k, c, stderr)
		}
		if err := p.Eval("read(x)", out, &got); err != nil {
			t.Fatal(err)
		}
		if len(want["Items"].([]any)) == 0 || slices.ContainsFunc(c.Shapes, func(s []int) bool {
			return slices.Contains(s, 0) || slices.Contains(s, 1)
		}) {
			delete(want, "Fortran") // that of no elements is anything, and NumPy goes by strides of axes of one index
			delete(got, "Fortran")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("case %d: %+v: want -, got +\n%s", k, c, diff)
		}
	}
}

// Of several numbers the dtype is that of NumPy, which is not that of the first two with the third: u2 and i2 are i4,
// and with f2 f4.
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

// promoted is np.result_type, but that it keeps the byte order of the first.
func TestPromoted(t *testing.T) {
	for _, tt := range []struct{ a, b, want string }{
		{">i4", "<i2", ">i4"},
		{"<i2", ">i4", "<i4"},
		{"|u1", ">i2", ">i2"},
		{"<U1", "<U4", "<U4"},
		{">U4", "<U4", ">U4"},
		{"|V3", "|V3", "|V3"},
		{"|V3", "|V4", ""},
		{"|S3", "<U3", ""},
		{"|S3", "<i4", ""},
		{"<M8[s]", "<M8[s]", "<M8[s]"},
		{"<M8[s]", "<M8[ms]", ""},
		{"<f16", "<f8", ""},
		{"[('a', '<i4'), ('b', '|S1')]", "[('a', '<f4'), ('b', '|S2')]", "[('a', '<f8'), ('b', '|S2')]"},
		{"[('a', '<i4', (2,))]", "[('a', '<i8', (2,))]", "[('a', '<i8', (2,))]"},
		{"[('a', '<i4', (2,))]", "[('a', '<i4', (3,))]", ""},
		{"[('a', '<i4')]", "[('b', '<i4')]", ""},
		{"<bfloat16", "<f2", "<f4"},
		{">bfloat16", "<i8", ">f8"},
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

package dtype_test

import (
	"testing"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestRelaidNumPy compares Aligned and Packed with the layouts that NumPy makes with and without align=True.
func TestRelaidNumPy(t *testing.T) {
	p := oracle.Start(t)
	const code = `
def relaid(dt, align):
    if dt.subdtype:
        return np.dtype((relaid(dt.subdtype[0], align), dt.subdtype[1]))
    if dt.names is None:
        return dt
    names = [n if len(dt.fields[n]) == 2 else (dt.fields[n][2], n) for n in dt.names]
    return np.dtype([(n, relaid(dt.fields[m][0], align)) for n, m in zip(names, dt.names)], align=align)

def draw(seed):
    r = random.Random(seed)
    dt = simple(r)
    while dt.names is None:
        dt = dtype(r)
    text = lambda d: str(np.lib.format.dtype_to_descr(d))
    return [text(dt), text(relaid(dt, True)), text(relaid(dt, False))]
`
	if err := p.Run(oracle.Random+code, nil, nil); err != nil {
		t.Fatal(err)
	}
	r := oracle.Rand(t, 1)
	for range oracle.Cases(t, 150) {
		var descr [3]string
		if err := p.Eval("draw(x)", r.Uint32(), &descr); err != nil {
			t.Fatal(err)
		}
		d := dtype.MustParse(descr[0])
		aligned, err := d.Aligned()
		if want := dtype.MustParse(descr[1]); err != nil || !aligned.Equal(want) {
			t.Errorf("%v aligned:\n got %v, %v\nwant %v", d, aligned, err, want)
		}
		packed, err := d.Packed()
		if want := dtype.MustParse(descr[2]); err != nil || !packed.Equal(want) {
			t.Errorf("%v packed:\n got %v, %v\nwant %v", d, packed, err, want)
		}
	}
}

func TestRelaid(t *testing.T) {
	for _, tt := range []struct{ descr, aligned, packed string }{
		{"<f8", "<f8", "<f8"},
		{"[('a', '|u1'), ('b', '<f8')]", "[('a', '|u1'), ('', '|V7'), ('b', '<f8')]", "[('a', '|u1'), ('b', '<f8')]"},
		{"[('b', '>i4'), ('', '|V9'), ('a', '|S3', (2,))]", "[('b', '>i4'), ('a', '|S3', (2,)), ('', '|V2')]",
			"[('b', '>i4'), ('a', '|S3', (2,))]"},
		{"[('a', '|b1'), ('p', [('x', '|i1'), ('y', '<c16')], (2,))]",
			"[('a', '|b1'), ('', '|V7'), ('p', [('x', '|i1'), ('', '|V7'), ('y', '<c16')], (2,))]",
			"[('a', '|b1'), ('p', [('x', '|i1'), ('y', '<c16')], (2,))]"},
		{"[]", "[]", "[]"},
	} {
		d := dtype.MustParse(tt.descr)
		aligned, err1 := d.Aligned()
		packed, err2 := d.Packed()
		if err1 != nil || err2 != nil || !aligned.Equal(dtype.MustParse(tt.aligned)) ||
			!packed.Equal(dtype.MustParse(tt.packed)) {
			t.Errorf("%s: aligned %v, %v; packed %v, %v", tt.descr, aligned, err1, packed, err2)
		}
	}
	for _, tt := range []struct{ descr, want string }{
		{"[('a', '|V2147483639'), ('b', '<f8')]",
			`dtype: field "b" at offset 2147483640 does not lie within an element of at most 2147483647 bytes`},
		{"[('a', '|V2147483647'), ('b', '<f8', (0,))]",
			`dtype: field "b" at offset 2147483648 does not lie within an element of at most 2147483647 bytes`},
		{"[('b', '<f8', (0,)), ('a', '|V2147483647')]",
			`dtype: the aligned structure has 2147483648 bytes; want at most 2147483647`},
	} {
		if _, err := dtype.MustParse(tt.descr).Aligned(); err == nil || err.Error() != tt.want {
			t.Errorf("%s: %v, want %s", tt.descr, err, tt.want)
		}
	}
}

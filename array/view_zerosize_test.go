package array

import (
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// TestZeroSizeFields tests records with fields of 0 bytes. Each header describes 2 records with 16-bit numbers y. The
// axes of the field x must be the axes of the array followed by the axes of its sub-array. The field y must contain its
// numbers, also after Copy, Clone, Save and Append.
func TestZeroSizeFields(t *testing.T) {
	for _, tt := range []struct {
		descr    string
		itemsize int
		y        int // offset of y
		x        string
		shape    []int
	}{
		{"[('x', '|S0'), ('y', '<i2')]", 2, 0, "|S0", []int{2}},
		{"[('y', '<i2'), ('x', '<U0')]", 2, 0, "<U0", []int{2}},
		{"[('x', 'V'), ('y', '<i2')]", 2, 0, "|V0", []int{2}},
		{"[('x', '|S0', 3), ('y', '<i2')]", 5, 3, "|S3", []int{2}},
		{"[('x', ('|S0', [])), ('y', '>i2')]", 2, 0, "[]", []int{2}},
		{"[('x', []), ('y', '>i2')]", 2, 0, "[]", []int{2}},
		{"[('x', [], [3]), ('y', '<i2')]", 2, 0, "[]", []int{2, 3}},
		{"[('x', ([], (3,)), 1), ('y', '<i2')]", 3, 1, "[]", []int{2, 3}},
		{"[('x', ('<i4', [2, 0]), 5), ('y', '<i2')]", 7, 5, "<i4", []int{2, 2, 0}},
		{"[('x', [('a', '|S0')], 2), ('y', '<i2')]", 2, 0, "[('a', '|S0')]", []int{2, 2}},
		{"[('', '<i4', [0]), ('x', ('V0', 0)), ('y', '<i2')]", 2, 0, "|V0", []int{2}},
		{"[('', ('<i4', (0,)), 4), ('x', '<f8', ()), ('y', '<i2')]", 14, 12, "<f8", []int{2}},
	} {
		data := make([]byte, 2*tt.itemsize)
		for i := range data {
			data[i] = byte(i)
		}
		f, err := Open(writeNpy(t, "{'descr': "+tt.descr+", 'fortran_order': False, 'shape': (2,), }", string(data)),
			mmap.ReadWrite)
		if err != nil {
			t.Errorf("%s: %v", tt.descr, err)
			continue
		}
		if n := f.DType().ItemSize(); n != tt.itemsize {
			t.Errorf("%s has %d bytes, want %d", tt.descr, n, tt.itemsize)
		}
		order := must(f.Field("y")).DType().ByteOrder()
		number := func(k int) int16 {
			a, b := int16(data[k*tt.itemsize+tt.y]), int16(data[k*tt.itemsize+tt.y+1])
			if order == dtype.BigEndian {
				return a<<8 | b
			}
			return b<<8 | a
		}
		check := func(what string, a Array, n int) {
			t.Helper()
			x, y := must(a.Field("x")), must(As[int16](must(a.Field("y"))))
			if d := cmp.Diff(append([]int{n}, tt.shape[1:]...), x.Shape()); d != "" || x.DType().String() != tt.x {
				t.Errorf("%s: %s: x has dtype %v: want -, got +\n%s", tt.descr, what, x.DType(), d)
			}
			for k := range n {
				if y.At(k) != number(k%2) {
					t.Errorf("%s: %s: y[%d] is %d, want %d", tt.descr, what, k, y.At(k), number(k%2))
				}
			}
			if err := Copy(x, must(x.Clone(index.C))); err != nil {
				t.Errorf("%s: %s: %v", tt.descr, what, err)
			}
		}
		check("Open", f.Array, 2)
		check("Clone", must(f.Clone(index.C)), 2)
		g := must(Create(tempPath(t), f.DType(), index.C, 2))
		if err := Copy(g.Array, f.Array); err != nil {
			t.Errorf("%s: %v", tt.descr, err)
		}
		check("Copy", g.Array, 2)
		g.Close()
		saved := tempPath(t)
		if err := Save(saved, f.Array); err != nil {
			t.Fatal(err)
		}
		g = must(Open(saved, mmap.ReadWrite))
		if err := g.Append(f.Array); err != nil {
			t.Errorf("%s: %v", tt.descr, err)
		}
		check("Append", g.Array, 4)
		g.Close()
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestZeroSizeElements tests arrays of elements of 0 bytes, which have a shape and elements but no data.
func TestZeroSizeElements(t *testing.T) {
	for descr, canon := range map[string]string{"'|S0'": "|S0", "'S'": "|S0", "'<U0'": "<U0", "('|V0', 0)": "|V0",
		"('<U', [])": "[]", "[('x', [], [2])]": "[('x', [], (2,))]"} {
		t.Run(descr, func(t *testing.T) {
			f, err := Open(writeNpy(t, "{'descr': "+descr+", 'fortran_order': False, 'shape': (2, 3), }", ""), mmap.ReadOnly)
			if err != nil {
				t.Errorf("%s: %v", descr, err)
				return
			}
			saved := tempPath(t)
			if err := Save(saved, f.Array); err != nil {
				t.Fatal(err)
			}
			b := must(os.ReadFile(saved))
			g := must(Open(saved, mmap.ReadOnly))
			if s := g.DType().String(); s != canon || !cmp.Equal(g.Shape(), []int{2, 3}) || int64(len(b)) != g.DataOffset() {
				t.Errorf("%s is saved as %s %v, %d bytes of data", descr, s, g.Shape(), int64(len(b))-g.DataOffset())
			}
			g.Close()
			f.Close()
		})
	}
}

// TestZeroSizeOrder tests the order in the header of arrays without data. NumPy remembers the order in which the array
// was made until it is saved and loaded. Save uses the strides, which are also the strides of C order.
func TestZeroSizeOrder(t *testing.T) {
	p := oracle.Start(t)
	type headers struct{ Made, Loaded []byte }
	var want headers
	const script = `
import io
def stream(a):
    b = io.BytesIO()
    np.save(b, a)
    return b.getvalue()
made = stream(np.ndarray((2, 3), "V0", order="F"))
out = {"Made": made, "Loaded": stream(np.load(io.BytesIO(made)))}
`
	if err := p.Run(script, nil, &want); err != nil {
		t.Fatal(err)
	}
	a := must(New(dtype.MustParse("|V0"), index.F, 2, 3)).Array
	path := tempPath(t)
	for _, tt := range []struct {
		name  string
		write func() error
		want  []byte
	}{
		{"Create", func() error { return must(Create(path, a.DType(), index.F, 2, 3)).Close() }, want.Made},
		{"Convert", func() error { return SaveConfig{Replace: true}.Convert(path, a, a.DType(), index.F) }, want.Made},
		{"Save", func() error { return Save(path, a) }, want.Loaded},
		{"Save of what was opened", func() error {
			f, err := Read(bytes.NewReader(want.Made))
			return errors.Join(err, Save(path, f))
		}, want.Loaded},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := tt.write(); err != nil {
				t.Fatal(err)
			}
			if got := must(os.ReadFile(path)); !bytes.Equal(got, tt.want) {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

// TestZeroSizeAs tests Go structs with fields of no bytes: struct{}, [0]T and arrays of them.
func TestZeroSizeAs(t *testing.T) {
	type record struct {
		Empty struct{}    `npy:"e"`
		Three [3]struct{} `npy:"three"`
		None  [2][0]int32 `npy:"none"`
		S     [0]byte     `npy:"s"`
		U     [0]uint32   `npy:"u"`
		Y     int32       `npy:"y"`
	}
	for _, end := range []string{"('y', '<i4')", "('y', '>i4')"} {
		f, err := Open(writeNpy(t,
			"{'descr': [('e', ('|S0', [])), ('three', [], [3]), ('none', '<i4', [2, 0]), ('s', 'S'), ('u', ('<U0', 0)), "+end+
				"], 'fortran_order': False, 'shape': (2,), }", "\x01\x02\x03\x04\x05\x06\x07\x08"), mmap.ReadWrite)
		if err != nil {
			t.Fatal(err)
		}
		v, err := As[record](f.Array)
		if err != nil {
			t.Errorf("%s: %v", end, err)
			continue
		}
		want := int32(0x04030201)
		if strings.Contains(end, ">") {
			want = 0x01020304
		}
		if v.At(0).Y != want {
			t.Errorf("%s: %d, want %d", end, v.At(0).Y, want)
		}
		v.SetAt(record{Y: -2}, 1)
		if y := must(As[int32](must(f.Field("y")))); y.At(1) != -2 || y.At(0) != want {
			t.Errorf("%s: %d, %d", end, y.At(0), y.At(1))
		}
		f.Close()
	}
}

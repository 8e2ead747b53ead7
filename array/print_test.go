package array

import (
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
	"github.com/ndmap/ndmap/mmap"
)

// These types implement fmt.Formatter as values, not only as pointers.
var (
	_ fmt.Formatter = Array{}
	_ fmt.Formatter = View[int]{}
	_ fmt.Formatter = TextView{}
	_ fmt.Formatter = Vector[int]{}
	_ fmt.Formatter = Matrix[int]{}
	_ fmt.Formatter = Cube[int]{}
	_ fmt.Formatter = File{}
)

// TestPrint tests the verbs for each type that formats itself.
func TestPrint(t *testing.T) {
	v := must(FromSlice([]float64{0, 0.5, 1, 1.5}, 2, 2))
	vec, mat, cube := must(v.Index(1).Vector()), must(v.Matrix()), must(must(v.Reshape(1, 2, 2)).Cube())
	text := must(Text(must(FromBytes([]byte("ab\x00\x00'\n"), dtype.Bytes(3), index.C, 2))))
	points := must(Text(must(FromBytes([]byte{'a', 0, 0, 0, 0, 0xD8, 0, 0}, dtype.MustParse("<U1"), index.C, 2))))
	cast := must(Cast[int](v.Array()))
	trades := must(FromSlice([]trade{{0, 2, 3, [2]float32{1.5, 4}, 5}}))
	half := must(FromSlice([]dtype.Half{dtype.HalfFrom32(0.1)}))
	bytes := must(FromBytes([]byte{1, 0xAB}, dtype.Void(2), index.C, 1))
	bools := must(FromSlice([]bool{true, false}))
	f := must(New(dtype.Int16.WithByteOrder(dtype.BigEndian), index.F, 2, 3))
	defer f.Close()
	i2 := f.DType().String()
	f8 := dtype.Float64.String()
	for _, tt := range []struct {
		format string
		x      any
		want   string
	}{
		{"%v", v, "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", &v, "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", v.Array(), "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", v.T(), "[[0.  1. ]\n [0.5 1.5]]"},
		{"%v", vec, "[1.  1.5]"},
		{"%v", &vec, "[1.  1.5]"},
		{"%v", mat, "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", cube, "[[[0.  0.5]\n  [1.  1.5]]]"},
		{"%v", f, "[[0 0 0]\n [0 0 0]]"},
		{"%v", *f, "[[0 0 0]\n [0 0 0]]"},
		{"%v", text, `[b'ab' b"\x00'\n"]`},
		{"%v", cast, "[[0 0]\n [1 1]]"},
		{"%v", v.Index(0).Index(1), "0.5"},
		{"%v", must(v.Select(index.Range(2, 2))), "[]"},
		{"%v", must(Stack(v.Array(), v.Array())).Index(1), "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", trades, "[('1970-01-01T00:00:00.000000000', 2, 3, [1.5, 4. ], 5)]"},
		{"%s", v, "[[0.  0.5]\n [1.  1.5]]"},
		{"%v", []any{v.Index(0)}, "[[0.  0.5]]"},

		{"%+v", v, "dtype " + f8 + ", shape (2, 2), order C\n[[0.  0.5]\n [1.  1.5]]"},
		{"%+v", vec, "dtype " + f8 + ", shape (2,), order C\n[1.  1.5]"},
		{"%+v", v.T(), "dtype " + f8 + ", shape (2, 2), order F\n[[0.  1. ]\n [0.5 1.5]]"},
		{"%+v", must(v.Select(index.Colon, index.At(1))), "dtype " + f8 + ", shape (2,), strides (16,)\n[0.5 1.5]"},
		{"%+v", f, "dtype " + i2 + ", shape (2, 3), order F\n[[0 0 0]\n [0 0 0]]"},
		{"%+v", cast, "dtype " + f8 + ", shape (2, 2), order C\n[[0 0]\n [1 1]]"},
		{"%#v", v, `array.View[float64]{dtype: "` + f8 + `", shape: (2, 2), order: C}`},
		{"%#v", f, `array.Array{dtype: "` + i2 + `", shape: (2, 3), order: F}`},
		{"%#v", mat, `array.Matrix[float64]{dtype: "` + f8 + `", shape: (2, 2), order: C}`},
		{"%#v", vec, `array.Vector[float64]{dtype: "` + f8 + `", shape: (2,), order: C}`},
		{"%#v", cube, `array.Cube[float64]{dtype: "` + f8 + `", shape: (1, 2, 2), order: C}`},
		{"%#v", text, `array.TextView{dtype: "|S3", shape: (2,), order: C}`},

		{"%.2f", v, "[[0.00 0.50]\n [1.00 1.50]]"},
		{"%6.2f", vec, "[  1.00   1.50]"},
		{"%+d", f.Index(0), "[+0 +0 +0]"},
		{"%d", v.Index(0), "[%!d(float64=0) %!d(float64=0.5)]"},
		{"%x", must(FromSlice([]int8{-1, 127})), "[-1 7f]"},
		{"%d", cast, "[[0 0]\n [1 1]]"},
		{"%g", half, "[0.099975586]"},
		{"%.2g", must(FromSlice([]complex64{complex(0.1, 2), -1})), "[(0.1+2i) (-1+0i)]"},
		{"%.2g", must(FromSlice([]complex128{complex(0.1, 2), -1})), "[(0.1+2i) (-1+0i)]"},
		{"%q", text, `["ab" "\x00'\n"]`},
		{"%s", text, "[ab \x00'\n]"},
		{"%x", text, "[616200 00270a]"},
		{"%s", points, "[a \uFFFD]"},
		{"%X", bytes, "[01AB]"},
		{"%t", bools, "[true false]"},
		{"%.1f", trades, "[(%!f(int64=0), %!f(uint64=2), %!f(int64=3), [1.5, 4.0], %!f(int64=5))]"},
		{"%.0f", v.Index(0).Index(1), "0"},

		{"%v %+v %#v %d", Array{}, "<no array> <no array> <no array> %!d(MISSING)"},
		{"%v", View[int]{}, "<no array>"},
		{"%v", TextView{}, "<no array>"},
		{"%v", Vector[int]{}, "[]"},
		{"%v", Matrix[int]{}, "[]"},
		{"%v", Cube[int]{}, "[]"},
		{"%v", &File{}, "<no array>"},
		{"%v", (*File)(nil), "<nil>"},
	} {
		if tt.x == (*File)(nil) && isEmulated() {
			continue // fmt recovers from the fault of a nil pointer
		}
		args := []any{tt.x}
		if strings.Count(tt.format, "%") > 1 {
			args = []any{tt.x, tt.x, tt.x}
		}
		if diff := cmp.Diff(tt.want, fmt.Sprintf(tt.format, args...)); diff != "" {
			t.Errorf("%s of %T: -want +got\n%s", tt.format, tt.x, diff)
		}
	}
	if got := fmt.Sprint(points); got != `['a' '\ud800']` {
		t.Errorf("text that is not valid Unicode: %s", got)
	}
	if got, want := fmt.Sprint(points.Array().Index(1)),
		"%!v(code point U+D800 is a surrogate, which is not valid in text)"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// printableValues maps names to a value of each type that formats itself. The values show the elements of f.
func printableValues(t *testing.T, f *File) map[string]any {
	v := must(As[float64](f.Array))
	strings := must(Text(must(v.Array().Reinterpret(dtype.Bytes(8)))))
	cube := must(must(v.Reshape(1, f.Len(0), 3)).Cube())
	mat, vec := must(v.Matrix()), must(v.Index(f.Len(0)-1).Vector())
	return map[string]any{"File": f, "Array": f.Array, "View": v, "Cast": must(Cast[float32](f.Array)),
		"TextView": strings,
		"Vector":   vec, "Matrix": mat, "Cube": cube, "Stack": must(Stack(f.Array, f.Array)),
		"Field": must(f.Reinterpret(dtype.Int64))}
}

// TestPrintClosed tests that printing after Close does not fault, and prints that the array is closed. The arrays are
// in files, anonymous memory and foreign memory, also after File.Append.
func TestPrintClosed(t *testing.T) {
	path := tempPath(t)
	grown := must(Create(path, dtype.Float64, index.C, 999, 3))
	old := must(As[float64](grown.Array))
	if err := grown.Append(must(FromSlice(make([]float64, 3), 1, 3)).Array()); err != nil {
		t.Fatal(err)
	}
	memory := must(New(dtype.Float64, index.C, 1000, 3))
	lay := must(index.NewLayout([]int{1000, 3}, 8, index.C))
	foreign := must(FromPointer(pointer(&make([]float64, 3000)[0]), dtype.Float64, lay, nil))
	for _, f := range []*File{grown, memory, foreign} {
		all := printableValues(t, f)
		for name, x := range all {
			if got := fmt.Sprint(x); strings.Contains(got, "%!") || !strings.HasPrefix(got, "[") {
				t.Errorf("%s: before Close: %s", name, got)
			}
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		where := "array"
		if f.Path() != "" {
			where = f.Path()
		}
		for name, x := range all {
			if got, want := fmt.Sprint(x), "%!v("+where+": file already closed)"; got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
			if got, want := fmt.Sprintf("%.2f", x), "%!f("+where+": file already closed)"; got != want {
				t.Errorf("%s: got %s, want %s", name, got, want)
			}
			if got := fmt.Sprintf("%+v", x); !strings.Contains(got, "shape (") || !strings.HasSuffix(got,
				"\n%!v("+where+": file already closed)") {
				t.Errorf("%s: %%+v prints %s", name, got)
			}
			if got := fmt.Sprintf("%#v", x); !strings.HasPrefix(got, "array.") || strings.Contains(got, "%!") {
				t.Errorf("%s: %%#v prints %s", name, got)
			}
		}
	}
	if got, want := fmt.Sprint(old), "%!v("+path+": file already closed)"; got != want {
		t.Errorf("a view from before Append: got %s, want %s", got, want)
	}
}

// TestPrintTruncated tests the text that is printed for a truncated file.
func TestPrintTruncated(t *testing.T) {
	switch runtime.GOOS {
	case "windows", "js", "wasip1", "plan9":
		t.Skip("a mapped file cannot be truncated, or is not mapped")
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("QEMU reports wrong addresses of faults")
	}
	path := tempPath(t)
	f := must(Create(path, dtype.Float64, index.C, 20000, 3)) // larger than a page of 64 KiB
	defer f.Close()
	all := printableValues(t, f)
	if err := os.Truncate(path, 128); err != nil {
		t.Fatal(err)
	}
	for name, x := range all {
		for _, verb := range "vsfx" {
			got := fmt.Sprintf("%"+string(verb), x)
			if !strings.HasPrefix(got, "%!"+string(verb)+"("+path+": page fault at byte ") || !strings.HasSuffix(got,
				": the file was truncated, its disk is full, or its disk or network failed)") {
				t.Errorf("%s: %%%c prints %s", name, verb, got)
			}
		}
	}
}

// TestPrintReads tests that only the printed elements are read: a few pages of a sparse file that is larger than
// memory.
func TestPrintReads(t *testing.T) {
	if runtime.GOARCH == "wasm" || strconv.IntSize == 32 {
		t.Skip("no file of 16 GiB is mapped in 32 bits")
	}
	f, err := SaveConfig{Sparse: true}.Create(tempPath(t), dtype.Float64, index.C, 1<<19, 1<<12)
	if err != nil {
		t.Skip(err)
	}
	defer f.Close()
	const row = "[0. 0. 0. ... 0. 0. 0.]"
	want := "[" + row + "\n " + row + "\n " + row + "\n ...\n " + row + "\n " + row + "\n " + row + "]"
	if got := fmt.Sprint(f); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if n, err := f.Map().Resident(0, f.Map().Len()); err == nil && n > 64<<20 { // includes readahead by the system
		t.Errorf("%d bytes were read", n)
	}
}

// TestNumPyPrint tests that %v prints the same text as NumPy.
func TestNumPyPrint(t *testing.T) {
	oracle.OneGoroutine(t)
	p := oracle.Start(t)
	var exprs []string
	for _, d := range []string{"?", "<i2", ">u8", "<f2", ">f4", "<f8", "<c8", ">c16", "S3", ">U4", "V3", "<M8[s]",
		">m8[D]"} {
		for _, shape := range []string{"()", "(0,)", "(5,)", "(3, 4)", "(2, 1, 3)", "(1500,)", "(600, 2)", "(2, 600)",
			"(7, 8, 9, 10)"} {
			exprs = append(exprs, fmt.Sprintf("make(%q, %s)", d, shape))
		}
	}
	// Floats close to the limits where the notation changes: a ratio of 1000, 10^8 and 10^-4.
	for _, d := range []string{"<f2", "<f4", "<f8"} {
		for _, s := range []string{"1, 1000", "1, 1000.5", "-2, 2001, np.inf", "99999992.", "1e8", "1e-4", "9.9e-5",
			"1e-4, 0.1",
			"1/512, 3/512", "1234567885., 1234567895."} { // halfway between two numbers of 8 digits
			exprs = append(exprs, fmt.Sprintf("np.array([%s], %q)", s, d))
		}
	}
	if err := p.Run(`
def make(d, shape):
    rng = np.random.default_rng(len(shape))
    d = np.dtype(d)
    n = int(np.prod(shape))
    if d.kind == "U":
        return rng.integers(32, 400, n * 4).astype(d.byteorder + "u4").view(d).reshape(shape)
    if d.kind == "S":
        return rng.integers(32, 127, n * 3).astype("u1").view(d).reshape(shape)
    if d.kind in "fc":
        return (rng.normal(size=shape) * 10).astype(d)
    return rng.integers(0, 200, shape).astype(d)`, nil, nil); err != nil {
		t.Fatal(err)
	}
	for _, expr := range exprs {
		path, err := p.Save(expr, nil)
		if err != nil {
			t.Fatalf("%s: %v", expr, err)
		}
		var want string
		if err := p.Eval("str(np.load(x))", path, &want); err != nil {
			t.Fatal(err)
		}
		f := must(Open(path, mmap.ReadOnly))
		if diff := cmp.Diff(want, fmt.Sprint(f)); diff != "" {
			t.Errorf("%s: -want +got\n%s", expr, diff)
		}
		f.Close()
	}
}

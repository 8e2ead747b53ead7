package main

import (
	_ "embed"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/table.py
var tablePy string

// TestCSVNumPy tests that CSV output equals the output of Python's csv module for NumPy's elements, and that this
// output is read back as the original array.
func TestCSVNumPy(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+tablePy, nil, nil))
	r := oracle.Rand(t, 0)
	path, text, back := p.Temp(), p.Temp()+".csv", p.Temp()
	for i := range oracle.Cases(t, 30) {
		seed := r.Uint32()
		var made struct {
			DType string
			Plain bool // at most one dimension, without fields
			Rows  [][]string
		}
		err := p.Run(`a, rows = random_table(x[0])
np.save(x[1], a)
out = {"DType": repr(np.lib.format.dtype_to_descr(a.dtype)) if a.dtype.names else a.dtype.str,
       "Plain": a.ndim < 2 and a.dtype.names is None, "Rows": rows}`, []any{seed, path}, &made)
		if err != nil {
			t.Fatal(err)
		}
		if _, stderr, status := runTool("convert", "-force", "-nosync", path, text); status != 0 {
			t.Fatalf("random_table(%d), %s: %s", seed, made.DType, stderr)
		}
		var rows [][]string
		check(t, p.Eval("read_csv(x)", text, &rows))
		if diff := cmp.Diff(made.Rows, rows); diff != "" && len(rows)+len(made.Rows) > 0 {
			t.Fatalf("random_table(%d), %s: want -, got +\n%s", seed, made.DType, diff)
		}
		printed, _, _ := runTool("print", "-csv", path)
		if b, err := os.ReadFile(text); string(b) != printed || err != nil {
			t.Fatalf("random_table(%d), %s: print shows %q, and the file has %q", seed, made.DType, printed, b)
		}
		for k, theirs := range []bool{false, true} {
			if theirs {
				check(t, p.Run("write_csv(x[0], rows, x[1])", []any{text, i%3 == 0}, nil))
			}
			args := []string{"convert", "-force", "-nosync", "-dtype", made.DType}
			one := made.Plain && (i+k)%2 == 0
			if one {
				args = append(args, "-1d")
			}
			if _, stderr, status := runTool(append(args, text, back)...); status != 0 {
				t.Fatalf("random_table(%d), %s, written by Python: %v: %s", seed, made.DType, theirs, stderr)
			}
			var wrong string
			check(t, p.Eval("same_table(a, np.load(x[0]), x[1])", []any{back, one}, &wrong))
			if wrong != "" {
				t.Fatalf("random_table(%d), written by Python: %v: %s", seed, theirs, wrong)
			}
		}
	}
}

// TestSavetxtNumPy tests that output of numpy.savetxt is read back as the original array.
func TestSavetxtNumPy(t *testing.T) {
	p := oracle.Start(t)
	text, back := p.Temp(), p.Temp()
	for _, tt := range []struct{ name, make, dtype, options string }{
		{"defaults", "r.standard_normal((5, 3))", "f8", ""},
		{"one dimension", "r.standard_normal(5)", "f8", ""},
		{"special values", "np.array([[np.nan, np.inf], [-np.inf, -0.0]])", "f8", ""},
		{"float32", "r.standard_normal((2, 4)).astype('f4')", "<f4", ""},
		{"integers", "r.integers(-99, 99, (4, 3))", "i8", ""},
		{"%d", "r.integers(-2**62, 2**62, (4, 3))", ">i8", "fmt='%d'"},
		{"complex", "(r.standard_normal((3, 2)) + 1j * r.standard_normal((3, 2)))", "c16", ""},
		{"header and footer", "r.standard_normal((3, 2))", "f8", "header='a, \"b\\n2 3', footer='end'"},
		{"commas", "r.standard_normal((3, 2))", "f8", "delimiter=',', header='a,b'"},
		{"tabs", "r.standard_normal((3, 2))", "f8", "delimiter='\\t', newline='\\r\\n'"},
		{"records", "np.array([(1.5, 2), (-3, 4)], [('x', 'f4'), ('n', '<i2')])", "[('n', '<i2'), ('x', 'f4')]",
			"fmt='%.9g %d', header='x n'"},
		{"times", "np.array(['2020-01-31', 'NaT'], 'M8[D]')", "M8[D]", "fmt='%s'"},
		{"text", "np.array(['# a', 'b c', 'd'])", "U3", "fmt='%s'"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, p.Run("r = np.random.default_rng(1)\na = "+tt.make+"\nnp.savetxt(x, a, "+tt.options+")", text, nil))
			args := []string{"convert", "-force", "-nosync", "-dtype", tt.dtype, text, back}
			if _, stderr, status := runTool(args...); status != 0 {
				t.Fatal(stderr)
			}
			var same bool
			check(t, p.Run(`b = np.load(x)
b = b.reshape(a.shape) if a.dtype.names is None else b[list(a.dtype.names)]
out = bool(np.array_equal(b, a, equal_nan=a.dtype.kind in "fcM"))`, back, &same))
			if !same {
				got, _, _ := runTool("print", back)
				t.Errorf("it is %s", got)
			}
		})
	}
}

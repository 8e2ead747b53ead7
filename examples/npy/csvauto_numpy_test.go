package main

import (
	_ "embed"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/csvauto.py
var csvautoPy string

// TestCSVAutoNumPy tests -dtype auto, -delimiter, -missing and -fill with random files written by Python's csv module.
func TestCSVAutoNumPy(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+tablePy+csvautoPy, nil, nil))
	r := oracle.Rand(t, 0)
	text, back := p.Temp(), p.Temp()
	for range oracle.Cases(t, 60) {
		seed := r.Uint32()
		var flags []string
		check(t, p.Run("out, want = random_csv(x[0], x[1])", []any{seed, text}, &flags))
		args := append(append([]string{"convert", "-force", "-nosync", "-dtype", "auto"}, flags...), text, back)
		_, stderr, status := runTool(args...)
		if status != 0 {
			t.Fatalf("random_csv(%d), %q: %s", seed, flags, stderr)
		}
		var wrong string
		check(t, p.Eval("difference(want, np.load(x))", back, &wrong))
		if wrong != "" {
			t.Fatalf("random_csv(%d), %q: %s\n%s", seed, flags, wrong, stderr)
		}
	}
}

// TestCSVGenfromtxt tests that -dtype auto makes the same arrays as numpy.genfromtxt with dtype=None.
func TestCSVGenfromtxt(t *testing.T) {
	p := oracle.Start(t)
	path, back := p.Temp(), p.Temp()
	for _, tt := range []struct{ name, text, flags, options string }{
		{"fields", "x,n,ok,name\n1.5,2,True,Ann\n-1e-300,-9223372036854775808,False,O'Neil\n", "",
			"delimiter=',', names=True"},
		{"floats", "0.1,1e300\nnan,-inf\n", "", "delimiter=','"},
		{"integers", "1;2\n3;-4\n", "-delimiter ;", "delimiter=';'"},
		{"one column", "1\n2\n3\n", "-1d", ""},
		{"text", "a\tb\nc\tlonger\n", "-delimiter tab", "delimiter='\\t'"},
		{"no header", "a,1\nb,2\n", "", "delimiter=','"},
		{"blanks", "# by a program\n# x y\n 1 2.5\n 3 4\n", "", "skip_header=1, names=True"},
		{"empty fields", "x,y\n1.5,\n,2.5\n,\n", "", "delimiter=',', names=True"},
		{"missing values", "x,y\n1.5,NA\nNA,2.5\n", "-missing NA", "delimiter=',', names=True, missing_values='NA'"},
		{"other values", "x,y\n1,-\n,3\n", "-missing - -fill 7",
			"delimiter=',', names=True, missing_values='-', filling_values=7"},
		{"values by field", "x,y\n1,\n,3.5\n", "-fill x=9 -fill y=-1",
			"delimiter=',', names=True, filling_values={'x': 9, 'y': -1}"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			check(t, os.WriteFile(path, []byte(tt.text), 0o666))
			args := append([]string{"convert", "-force", "-nosync", "-dtype", "auto", path, back}, strings.Fields(tt.flags)...)
			if _, stderr, status := runTool(args...); status != 0 {
				t.Fatal(stderr)
			}
			var wrong string
			check(t, p.Run(csvautoPy+`
out = difference(np.genfromtxt(x[0], dtype=None, encoding="utf-8", `+tt.options+`), np.load(x[1]))`, []string{path,
				back}, &wrong))
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

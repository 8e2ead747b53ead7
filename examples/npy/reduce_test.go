package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/oracle"
)

func TestReduce(t *testing.T) {
	t.Chdir(t.TempDir())
	v, err := array.FromSlice([]uint16{1, 2, 3, 60000, 60000, 7}, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := array.Save("a.npy", v.Array()); err != nil {
		t.Fatal(err)
	}
	text, err := array.FromBytes([]byte("abc"), dtype.Bytes(1), 0, 3)
	if err != nil {
		t.Fatal(err)
	}
	if err := array.Save("s.npy", text); err != nil {
		t.Fatal(err)
	}
	for name, d := range map[string]string{"ld.npy": "<f16", "m8.npy": "<m8[s]"} {
		t.Run(name, func(t *testing.T) {
			if _, stderr, status := runTool("new", "-dtype", d, "-shape", "2", name); status != 0 {
				t.Fatal(stderr)
			}
		})
	}
	const ops = "want one of sum mean var std min max argmin argmax count moments prod any all median quantile"
	usage := "\nusage: npy reduce " + reduceCommand.args + "\nRun 'npy reduce -help' for details.\n"
	for _, tt := range []struct {
		args         []string
		stdout, want string // the output of print for o.npy, and the error
		status       int
	}{
		{[]string{"-op", "sum", "a.npy", "o.npy"}, "120013\n", "", 0},
		{[]string{"-op", "sum", "a.npy", "o.npy"}, "", "npy: o.npy: file exists; -force replaces it\n", 1},
		{[]string{"-op", "mean", "-axis", "-1", "-force", "a.npy", "o.npy"}, "[2.00000000e+00 4.00023333e+04]\n", "", 0},
		{[]string{"-op", "argmax", "-axis", "0", "-force", "a.npy", "o.npy"}, "[1 1 1]\n", "", 0},
		{[]string{"-op", "std", "-ddof", "1", "-select", ":,:2", "-axis", "1", "-force", "a.npy", "o.npy"},
			"[0.70710678 0.        ]\n", "", 0},
		{[]string{"-op", "max", "-axis", "0,1", "-force", "a.npy", "o.npy"}, "60000\n", "", 0},
		{[]string{"-op", "moments", "-axis", "0", "-select", ":,0", "-force", "a.npy", "o.npy"},
			"(2, 0, 1., 60000., 30000.5, 1.79994e+09)\n", "", 0},
		{[]string{"-op", "max", "-axis", "2", "-force", "a.npy", "o.npy"}, "",
			"npy: a.npy: axis 2 out of range for 2 dimensions\n", 1},
		{[]string{"-op", "min", "-select", ":0", "-force", "a.npy", "o.npy"}, "",
			"npy: a.npy: shape mismatch: no elements along the axes: min is undefined\n", 1},
		{[]string{"-op", "sum", "-force", "s.npy", "o.npy"}, "", "npy: s.npy: sum requires numbers: have dtype |S1\n", 1},
		{[]string{"-op", "sum", "-force", "a.npy", "a.npy"}, "",
			"npy: a.npy: input and output are the same file\n", 1},
		{[]string{"a.npy", "o.npy"}, "", "npy: reduce: -op is missing" + usage, 2},
		{[]string{"-op", "summ", "a.npy", "o.npy"}, "",
			"npy: reduce: invalid value \"summ\" for flag -op: did you mean sum? " + ops + usage, 2},
		{[]string{"-op", "maen", "a.npy", "o.npy"}, "",
			"npy: reduce: invalid value \"maen\" for flag -op: did you mean mean? " + ops + usage, 2},
		{[]string{"-op", "mix", "a.npy", "o.npy"}, "", "npy: reduce: invalid value \"mix\" for flag -op: " + ops + usage,
			2}, // close to both min and max
		{[]string{"-op", "median", "-axis", "1", "-force", "a.npy", "o.npy"}, "[2.e+00 6.e+04]\n", "", 0},
		{[]string{"-op", "quantile", "-q", "0.9", "-axis", "0", "-force", "a.npy", "o.npy"},
			"[5.40001e+04 5.40002e+04 6.60000e+00]\n", "", 0},
		{[]string{"-op", "quantile", "-q", "1, 0.9", "-axis", "0", "-force", "a.npy", "o.npy"},
			"[[6.00000e+04 6.00000e+04 7.00000e+00]\n [5.40001e+04 5.40002e+04 6.60000e+00]]\n", "", 0},
		{[]string{"-op", "prod", "-axis", "0", "-force", "a.npy", "o.npy"}, "[ 60000 120000     21]\n", "", 0},
		{[]string{"-op", "any", "-force", "a.npy", "o.npy"}, "True\n", "", 0},
		{[]string{"-op", "all", "-axis", "0", "-force", "a.npy", "o.npy"}, "[ True  True  True]\n", "", 0},
		{[]string{"-op", "quantile", "a.npy", "o.npy"}, "",
			"npy: reduce: quantile requires -q from 0 to 1, such as -q 0.9" + usage, 2},
		{[]string{"-op", "quantile", "-q", "90", "a.npy", "o.npy"}, "",
			"npy: reduce: quantile requires -q from 0 to 1, such as -q 0.9" + usage, 2},
		{[]string{"-op", "quantile", "-q", "0.1,", "a.npy", "o.npy"}, "",
			"npy: reduce: invalid value \"0.1,\" for flag -q: invalid number \"\"" + usage, 2},
		{[]string{"-op", "median", "-q", "0.9", "a.npy", "o.npy"}, "",
			"npy: reduce: -q applies to quantile, not to median" + usage, 2},
		{[]string{"-op", "mode", "a.npy", "o.npy"}, "", "npy: reduce: invalid value \"mode\" for flag -op: " + ops + usage,
			2},
		{[]string{"-op", "nanmean", "a.npy", "o.npy"}, "",
			"npy: reduce: invalid value \"nanmean\" for flag -op: for NumPy's nanmean use -op mean -skipnan; " + ops + usage, 2},
		{[]string{"-op", "sum", "-ddof", "1", "a.npy", "o.npy"}, "",
			"npy: reduce: -ddof applies to var and std, not to sum" + usage, 2},
		{[]string{"-op", "argmax", "-axis", "0,1", "a.npy", "p.npy"}, "",
			"npy: a.npy: shape mismatch: argmax along 2 axes; want one axis, or none for all\n", 1},
		{[]string{"-op", "sum", "ld.npy", "p.npy"}, "",
			"npy: ld.npy: cannot reduce long doubles; npy convert -dtype f8 (or c16) converts them: have dtype <f16\n", 1},
		{[]string{"-op", "sum", "m8.npy", "p.npy"}, "",
			"npy: m8.npy: cannot reduce times; -as '<i8' reads little-endian times as integers: have dtype <m8[s]\n", 1},
		{[]string{"-op", "sum", "a.npy", "o.CSV"}, "",
			"npy: o.CSV: the result is a .npy file, but .CSV is the extension of another format; name it o.npy\n", 1},
		{[]string{"-op", "sum", "-axis", "x", "a.npy", "o.npy"}, "",
			"npy: reduce: invalid value \"x\" for flag -axis: invalid axis \"x\"" + usage, 2},
	} {
		stdout, stderr, status := runTool(append([]string{"reduce"}, tt.args...)...)
		if stdout != "" || stderr != tt.want || status != tt.status {
			t.Errorf("%v: %d %q\ngot  %q\nwant %q", tt.args, status, stdout, stderr, tt.want)
		}
		if tt.stdout == "" {
			continue
		}
		if got, _, _ := runTool("print", "o.npy"); got != tt.stdout {
			t.Errorf("%v: %q, want %q", tt.args, got, tt.stdout)
		}
	}
}

// TestReduceIsNumPys tests that the new file equals, byte for byte, the file that numpy.save writes for NumPy's result.
func TestReduceIsNumPys(t *testing.T) {
	if dtype.Native != dtype.LittleEndian {
		t.Skip("results are in the byte order of the machine, and NumPy's machine has another one")
	}
	p := oracle.Start(t)
	dir := t.TempDir()
	in, out, want := filepath.Join(dir, "in.npy"), filepath.Join(dir, "out.npy"), filepath.Join(dir, "want.npy")
	for _, d := range []string{"?", "i2", ">u4", "f4", ">f8", "c8"} {
		for _, op := range []string{"sum", "min", "max", "argmin", "argmax", "count", "prod", "any", "all", "median"} {
			if op == "median" && d == "c8" {
				continue // NumPy orders complex numbers
			}
			function := map[string]string{"count": "count_nonzero"}[op]
			if function == "" {
				function = op
			}
			err := p.Run("a = np.arange(24).reshape(2, 3, 4) * 3 % 7; np.save(x[1], a.astype(x[0])); np.save(x[2], getattr(np, x[3])(np.load(x[1]), axis=1))",
				[]string{d, in, want, function}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if _, stderr, status := runTool("reduce", "-op", op, "-axis", "1", "-force", in, out); status != 0 {
				t.Fatal(stderr)
			}
			got, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			if w, err := os.ReadFile(want); err != nil || string(w) != string(got) {
				t.Errorf("%s of %s: %q, want %q", op, d, got, w)
			}
		}
	}
}

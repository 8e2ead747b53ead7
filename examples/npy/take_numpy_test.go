package main

import (
	_ "embed"
	"os"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/take.py
var takePy string

// TestTakeNumPy compares take with NumPy: random arrays and flags, files and streams. NDMAP_CASES=30 tests 3,000 cases.
func TestTakeNumPy(t *testing.T) {
	p := oracle.Start(t)
	check(t, p.Run(oracle.Random+tablePy+takePy, nil, nil))
	r := oracle.Rand(t, 0)
	in, out := p.Temp(), p.Temp()
	for i := range oracle.Cases(t, 100) {
		seed := r.Uint32()
		var made struct {
			Flags []string
			Text  bool // fits CSV
		}
		check(t, p.Run(`flags = take_case(x[0], x[1])
out = {"Flags": flags, "Text": taken.ndim < 3}`, []any{seed, in}, &made))
		args := append([]string{"take", "-force", "-nosync"}, made.Flags...)
		ok := func(complaint, path, stderr string, status int) {
			t.Helper()
			var bad string
			if status == 0 {
				check(t, p.Eval(complaint+"(x)", path, &bad))
			}
			if bad != "" || stderr != "" || status != 0 {
				t.Fatalf("take_case(%d), %q: %s%s", seed, args, stderr, bad)
			}
		}
		archive := strings.TrimSuffix(out, ".npy") + ".npz"
		switch i % 4 {
		case 0:
			_, stderr, status := runTool(append(args, in, out)...)
			ok("complaint", out, stderr, status)
		case 1:
			b, err := os.ReadFile(in)
			check(t, err)
			stdout, stderr, status := runToolWithInput(strings.NewReader(string(b)), append(args, "-", "-")...)
			check(t, os.WriteFile(out, []byte(stdout), 0o666))
			ok("complaint", out, stderr, status)
		case 2:
			os.Remove(archive)
			_, stderr, status := runTool(append(args, in, archive+":m")...)
			if status == 0 {
				_, stderr, status = runTool("convert", "-force", "-nosync", archive+":m", out)
			}
			ok("complaint", out, stderr, status)
		default:
			if made.Text {
				_, stderr, status := runTool(append(args, in, out+".csv")...)
				ok("csv_complaint", out+".csv", stderr, status)
			}
		}
	}
}

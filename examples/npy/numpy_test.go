package main

import (
	"bytes"
	"compress/zlib"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/arrays.py
var arraysPy string

// runTool runs the tool in this process.
func runTool(args ...string) (stdout, stderr string, status int) {
	return runToolWithInput(nil, args...)
}

// runToolWithInput runs the tool with the given standard input.
func runToolWithInput(stdin io.Reader, args ...string) (stdout, stderr string, status int) {
	var out, err strings.Builder
	status = run(args, stdin, &out, &err)
	return out.String(), err.String(), status
}

func TestPrintIsNumPys(t *testing.T) {
	p := oracle.Start(t)
	if err := p.Run("__name__ = 'arrays'\n"+arraysPy, nil, nil); err != nil {
		t.Fatal(err)
	}
	_, version, _ := oracle.Python()
	reference := strings.HasPrefix(version, "1.")
	if !reference {
		t.Logf("texts are not compared: print follows NumPy 1.24, and here is %s; print.json holds it", version)
	}
	r := oracle.Rand(t, 0)
	path := p.Temp()
	n := oracle.Cases(t, 120)
	for i := range n {
		seed := r.Uint32()
		numbers := i < n*2/3
		kinds := "bbiiiiuuuufffffffffffccccc"
		if !numbers {
			kinds = "SUVMms"
		}
		var want string
		err := p.Run("a = random_array(x[0], x[1]); np.save(x[2], a); out = str(a)", []any{seed, kinds, path}, &want)
		if err != nil {
			t.Fatal(err)
		}
		got, stderr, status := runTool("print", path)
		switch {
		case status != 0 && strings.Contains(stderr, "surrogate"): // for a single string, which cannot be shown on a terminal
		case status != 0:
			t.Errorf("random_array(%d, %q): %s", seed, kinds, stderr)
		case got != want+"\n" && reference:
			t.Errorf("random_array(%d, %q): want -, got +\n%s", seed, kinds, cmp.Diff(want+"\n", got))
		}
		got, stderr, _ = runTool("print", "-json", path)
		check := "out = same_as_json(x, a)"
		if !numbers {
			check = "out = bool(matches(json.loads(x), a))"
		}
		var ok bool
		if err := p.Run(check, strings.TrimSuffix(got, "\n"), &ok); err != nil || !ok {
			t.Errorf("random_array(%d, %q): JSON %v:\n%s%s", seed, kinds, err, got, stderr)
		}
	}
}

// TestPrintTable compares print with testdata/print.json, which contains files and NumPy's output for them.
func TestPrintTable(t *testing.T) {
	b, err := os.ReadFile("testdata/print.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		File []byte
		Want string
	}
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	path := t.TempDir() + "/t.npy"
	if len(rows) < 200 {
		t.Errorf("%d rows", len(rows))
	}
	for i, row := range rows {
		z, err := zlib.NewReader(bytes.NewReader(row.File))
		if err != nil {
			t.Fatal(err)
		}
		file, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, file, 0o666); err != nil {
			t.Fatal(err)
		}
		got, stderr, status := runTool("print", path)
		if got != row.Want+"\n" || status != 0 {
			t.Errorf("row %d: %s want -, got +\n%s", i, stderr, cmp.Diff(row.Want+"\n", got))
		}
	}
}

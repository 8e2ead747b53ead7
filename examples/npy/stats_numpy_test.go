package main

import (
	_ "embed"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

//go:embed testdata/stats.py
var statsPy string

// statsOracle returns a Python process that creates random arrays and checks the output of stats.
func statsOracle(t *testing.T) *oracle.Proc {
	p := oracle.Start(t)
	for _, text := range []string{arraysPy, statsPy} {
		if err := p.Run("__name__ = 'arrays'\n"+text, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

// checkStats runs stats on a selection of a file, with a number of bins, and lets p check the output. In p, the
// selection must be the array a.
func checkStats(t *testing.T, p *oracle.Proc, path, selection string, bins int) {
	t.Helper()
	args := []string{"stats", "-json", "-q", "0.5,0,1,0.05,0.77", "-select", selection, path}
	if bins != defaultBins.most {
		args = append(args, "-bins", strconv.Itoa(bins))
	}
	got, stderr, status := runTool(args...)
	if status != 0 || stderr != "" || strings.Count(got, "\n") != 1 {
		t.Errorf("exit status %d: %s%s", status, got, stderr)
		return
	}
	var bad string
	if err := p.Run("out = complaints(x[0], selected(a, x[1]), x[2])", []any{got, selection, bins}, &bad); err != nil {
		t.Error(err)
	} else if bad != "" {
		t.Errorf("a[%s]: %s\n%s", selection, got, bad)
	}
}

func TestStatsAreNumPys(t *testing.T) {
	p := statsOracle(t)
	path := p.Temp()
	r := oracle.Rand(t, 0)
	for range oracle.Cases(t, 150) {
		seed := r.Uint32()
		var selection string
		err := p.Run("a = random_array(x[0], 'biuiuffffcMm'); np.save(x[1], a); out = random_selection(x[0], a)", []any{seed,
			path}, &selection)
		if err != nil {
			t.Fatal(err)
		}
		checkStats(t, p, path, selection, []int{defaultBins.most, 2, 7, 100}[r.IntN(4)])
		if t.Failed() {
			t.Fatalf("random_array(%d, 'biuiuffffcMm')", seed)
		}
	}
}

// TestStatsOfFieldsAreNumPys tests the statistics of each field of records.
func TestStatsOfFieldsAreNumPys(t *testing.T) {
	p := statsOracle(t)
	path := p.Temp()
	r := oracle.Rand(t, 3)
	for range oracle.Cases(t, 40) {
		seed := r.Uint32()
		if err := p.Run(`
r = np.random.RandomState(x[0])
columns = [random_array(r.randint(2**31), k).ravel() for k in ("biuf", "iuf", "Mm", "S", "fc")]
n = min(c.size for c in columns)
a, x1, y, text, z = (c[:n] for c in columns)
a = np.empty(n, np.dtype([("a", a.dtype), ("pos", [("x", x1.dtype), ("y", y.dtype)]), ("text", text.dtype), ("z", z.dtype, (2,))], align=bool(r.randint(2))))
a["a"], a["pos"]["x"], a["pos"]["y"], a["text"] = (c[:n] for c in columns[:4])
a["z"][:, 0], a["z"][:, 1] = columns[4][:n], columns[4][:n][::-1]
np.save(x[1], a)`, []any{seed, path}, nil); err != nil {
			t.Fatal(err)
		}
		got, stderr, status := runTool("stats", path, "-json", "-q", "0.5,0.9", "-bins", "9")
		var bad string
		if err := p.Run("out = field_complaints(x, a, 9)", got, &bad); err != nil {
			t.Fatal(err)
		}
		if bad != "" || status != 0 {
			t.Fatalf("seed %d: exit status %d, %s%s\n%s", seed, status, stderr, bad, got)
		}
	}
}

// TestStatsNearLargest tests floats near the largest one, whose intermediate or final sums overflow.
func TestStatsNearLargest(t *testing.T) {
	p := statsOracle(t)
	path := p.Temp()
	r := oracle.Rand(t, 1)
	for range oracle.Cases(t, 100) {
		seed := r.Uint32()
		err := p.Run(`
r = np.random.RandomState(x[0])
a = r.choice([1e308, -1e308, 1.7976931348623157e308, -1.7976931348623157e308, 8.9e307, 1.0, 5e-324], r.choice([2, 9, 3000]), p=r.dirichlet([0.3] * 7))
np.save(x[1], a)`, []any{seed, path}, nil)
		if err != nil {
			t.Fatal(err)
		}
		checkStats(t, p, path, "...", defaultBins.most)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// TestStatsOfManyParts tests arrays of more than one part, and numbers that are hard to sum. The output must be the
// same for any number of processors, to the last digit.
func TestStatsOfManyParts(t *testing.T) {
	if testing.Short() {
		t.Skip("NumPy needs some seconds for it")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	p := statsOracle(t)
	path := p.Temp()
	for _, tt := range []struct{ name, array, selection string }{
		{"normal", "r.randn(530, 1000)", "..."},
		{"F order", "np.asfortranarray(r.randn(130, 100, 100))", "::-1, 1:, ::2"},
		{"big-endian, strided", "r.randn(3, 360000).astype('>f4')", "..., ::2"},
		{"sums that cancel", "np.where(np.arange(530000) % 2, 1e16, -1e16) + r.rand(530000)", "..."},
		{"a large mean", "1e9 + r.rand(530000)", "..."},
		{"large integers that differ by little", "r.randint(2**62, 2**62 + 1000, 530000)", "..."},
		{"any integers", "np.frombuffer(r.bytes(4400000), '>u8')", "..."},
		{"bytes", "np.frombuffer(r.bytes(300000), 'i1')", "..."},
		{"sorted", "np.sort(r.standard_cauchy(530000))", "..."},
		{"one value", "np.full((530, 1000), 0.1)", "..."},
		{"sums too large on the way", "np.where(np.arange(530000) < 265000, 1.7e308, -1.7e308) * r.rand(530000)", "..."},
		{"sums too large", "np.full(530000, 1.7e308)", "..."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if err := p.Run("r = np.random.RandomState(x[0]); a = "+tt.array+"; np.save(x[1], a)", []any{uint32(oracle.Seed(t)),
				path}, nil); err != nil {
				t.Fatal(err)
			}
			checkStats(t, p, path, tt.selection, defaultBins.most)
			var first string
			for _, n := range []int{1, 2, 3, 8} {
				runtime.GOMAXPROCS(n)
				got, _, _ := runTool("stats", "-json", "-select", tt.selection, path)
				if n == 1 {
					first = got
				}
				if got != first {
					t.Errorf("%s: with %d processors\n%swith one\n%s", tt.name, n, got, first)
				}
			}
		})
	}
}

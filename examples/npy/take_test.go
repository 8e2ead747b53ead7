package main

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// saveHashes saves numbers below 1000 that repeat in no simple pattern as an array of dtype d, and returns them.
func saveHashes(t *testing.T, path string, d dtype.DType, shape ...int) []int64 {
	t.Helper()
	n, _, err := index.Size(shape, 8)
	check(t, err)
	values := make([]int64, n)
	for i := range values {
		values[i] = int64(uint32(i)*2654435761>>7) % 1000
	}
	v, err := array.FromSlice(values, shape...)
	check(t, err)
	a, err := v.Array().AsType(d, index.C)
	check(t, err)
	check(t, array.Save(path, a))
	return values
}

// TestTakeBatches tests arrays that take more than one batch.
func TestTakeBatches(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 3*mostInBatch + 17
	values := saveHashes(t, "v.npy", dtype.Int16, n)
	matching := func(ok func(x int64) bool) (s []int64) {
		for _, x := range values {
			if ok(x) {
				s = append(s, x)
			}
		}
		return s
	}
	all := slices.Clone(values)
	sorted := slices.Sorted(slices.Values(values))
	few := matching(func(x int64) bool { return x > 990 })
	var distinct []int64
	for _, x := range values {
		if !slices.Contains(distinct, x) {
			distinct = append(distinct, x)
		}
	}
	var digits []int64
	for x := range int64(10) {
		digits = append(digits, x)
	}
	for _, tt := range []struct {
		flags   string
		want    []int64
		unknown bool // the number of rows is known only at the end
	}{
		{"", all, false},
		{"-where >=0", all, true},
		{"-where >990", few, true},
		{"-where >990 -n 5", few[:5], true},
		{"-where >=0 -n 70000", all[:70000], true},
		{"-where >=0 -n 65536", all[:65536], true},
		{"-where >=0 -n 0", nil, true},
		{"-where >1000", nil, true},
		{"-where >990 -sort .", slices.Sorted(slices.Values(few)), false},
		{"-sort . -n 70000", sorted[:70000], false},
		{"-sort .", sorted, false},
		{"-unique", distinct, true},
		{"-unique -n 7", distinct[:7], true},
		{"-unique -where <10 -sort .", digits, false},
		{"-rows ::2,0", append(everySecond(all), all[0]), false},
		{"-rows ::2", everySecond(all), false},
		{"-sample 999999", all, false},
		{"-sample 999999 -where >990", few, false},
	} {
		t.Run(tt.flags, func(t *testing.T) {
			args := append(append([]string{"take", "-force", "-nosync"}, strings.Fields(tt.flags)...), "v.npy")
			if _, stderr, status := runTool(append(args, "o.npy")...); status != 0 || stderr != "" {
				t.Fatal(stderr)
			}
			got, err := os.ReadFile("o.npy")
			check(t, err)
			short := make([]int16, len(tt.want))
			for k, x := range tt.want {
				short[k] = int16(x)
			}
			v, err := array.FromSlice(short, len(tt.want))
			check(t, err)
			var expected bytes.Buffer
			check(t, array.Write(&expected, v.Array()))
			if !bytes.Equal(got, expected.Bytes()) {
				t.Errorf("the file differs from an array of the %d rows", len(tt.want))
			}
			var text strings.Builder
			for _, x := range tt.want {
				fmt.Fprintln(&text, x)
			}
			_, stderr, status := runTool(append(args, "o.tsv")...)
			got, err = os.ReadFile("o.tsv")
			if string(got) != text.String() || status != 0 || stderr != "" || err != nil {
				t.Errorf("CSV: %d bytes, want %d; %s", len(got), text.Len(), stderr)
			}
			// The same rows on standard output, in memory and through a temporary file.
			for _, most := range []int{1 << 20, 0} {
				setStdinBytes(t, most)
				if stdout, stderr, _ := runTool(append(args, "-csv")...); stdout != text.String() || stderr != "" {
					t.Errorf("-csv: %d bytes, want %d; %s", len(stdout), text.Len(), stderr)
				}
				stdout, stderr, status := runTool(append(args, "-")...)
				note := strings.Contains(stderr, "go through a temporary file in")
				if stdout != expected.String() || status != 0 || note != (tt.unknown && most == 0) {
					t.Errorf("%d bytes in memory: %d bytes of output; %s", most, len(stdout), stderr)
				}
			}
		})
	}
}

func everySecond(s []int64) (even []int64) {
	for k := 0; k < len(s); k += 2 {
		even = append(even, s[k])
	}
	return even
}

// TestTakeWideRows tests rows that are longer than a batch.
func TestTakeWideRows(t *testing.T) {
	t.Chdir(t.TempDir())
	saveHashes(t, "m.npy", dtype.Float32, 4, 3*batchBytes/8)
	a, err := array.Open("m.npy", array.ReadOnly)
	check(t, err)
	defer a.Close()
	first, err := array.Cast[float64](a.Index(0))
	check(t, err)
	column := fmt.Sprintf("[3] != %v", first.At(3))
	for flags, rows := range map[string][]int{"-rows 2,0": {2, 0}, "-where " + column: {1, 2, 3}} {
		name, value, _ := strings.Cut(flags, " ")
		_, stderr, status := runTool("take", "-force", "-nosync", name, value, "m.npy", "o.npy")
		want, err := a.Take(0, rows)
		check(t, err)
		got, err := array.Open("o.npy", array.ReadOnly)
		check(t, err)
		if same, err := array.Equal(got.Array, want); !same || err != nil || status != 0 || stderr != "" {
			t.Errorf("%s: %v, shape %v, %s", flags, err, got.Shape(), stderr)
		}
		got.Close()
	}
}

// TestSamples tests that samples contain each set of rows with the same probability.
func TestSamples(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, sample := range map[string]func() []int{
		"of a range": func() []int { return randomSubset(5, 2, r) },
		"of batches": func() []int {
			list, err := sampleOf(func(yield func([]int, error) bool) {
				_ = yield([]int{0, 1, 2}, nil) && yield(nil, nil) && yield([]int{3}, nil) && yield([]int{4}, nil)
			}, 2, r)
			check(t, err)
			return list
		},
	} {
		count := map[string]int{}
		const times = 20000
		for range times {
			count[fmt.Sprint(sample())]++
		}
		deviation := math.Sqrt(times * 0.1 * 0.9)
		for rows, n := range count {
			if math.Abs(float64(n)-times/10) > 4*deviation {
				t.Errorf("%s: %s %d times of %d, want about %d", name, rows, n, times, times/10)
			}
		}
		if len(count) != 10 {
			t.Errorf("%s: %d sets of rows, want 10", name, len(count))
		}
	}
}

// TestTakeSeed tests that a seed determines the rows of -sample, and that the rows differ without a seed.
func TestTakeSeed(t *testing.T) {
	t.Chdir(t.TempDir())
	check(t, array.Save("v.npy", numbered(t, dtype.Int32, index.C, 100000)))
	for _, tt := range []struct {
		flags string
		same  bool
	}{{"-sample 3", false}, {"-sample 3 -seed 5", true}, {"-sample 3 -where >=0", false},
		{"-sample 3 -where >=0 -seed 5", true}} {
		args := append(append([]string{"take"}, strings.Fields(tt.flags)...), "v.npy")
		a, _, _ := runTool(args...)
		b, _, _ := runTool(args...)
		if (a == b) != tt.same || a == "" {
			t.Errorf("%s: %q, then %q", tt.flags, a, b)
		}
	}
	a, _, _ := runTool("take", "-sample", "3", "-seed", "5", "v.npy")
	if b, _, _ := runTool("take", "-sample", "3", "-seed", "6", "v.npy"); a == b {
		t.Errorf("%q for two seeds", a)
	}
}

// TestTakeStream tests that take -n reads only the first rows of a stream.
func TestTakeStream(t *testing.T) {
	var head bytes.Buffer
	_, err := array.NewWriter(&head, dtype.Float64, index.C, math.MaxInt32/64, 4)
	check(t, err)
	in := io.MultiReader(&head, io.LimitReader(zeroReader{}, 16<<20))
	got, stderr, status := runToolWithInput(in, "take", "-n", "2", "-")
	if want := "[[0. 0. 0. 0.]\n [0. 0. 0. 0.]]\n"; got != want || status != 0 || stderr != "" {
		t.Errorf("%q, %d, %q; want %q, and no note about a temporary file of 64 bytes", got, status, stderr, want)
	}
}

// TestNoTemporaryDirectory tests the message if no temporary file can be created.
func TestNoTemporaryDirectory(t *testing.T) {
	t.Chdir(t.TempDir())
	saveHashes(t, "v.npy", dtype.Int16, 10)
	setStdinBytes(t, 0)
	for _, name := range []string{"TMPDIR", "TMP"} { // of Unix and Windows
		t.Setenv(name, filepath.Join(t.TempDir(), "missing"))
	}
	_, stderr, status := runTool("take", "-where", "> 0", "v.npy", "-")
	if !strings.HasPrefix(stderr, "npy: v.npy: temporary file: ") || !strings.HasSuffix(stderr,
		"; TMPDIR names its directory\n") || status != 1 {
		t.Errorf("%d, %q", status, stderr)
	}
}

// TestTakeManyEmptyRows tests rows of zero bytes. A small file may have many of them.
func TestTakeManyEmptyRows(t *testing.T) {
	t.Chdir(t.TempDir())
	a, err := array.New(dtype.Void(0), index.C, mostEmpty+1)
	check(t, err)
	check(t, array.Save("e.npy", a.Array))
	if _, stderr, status := runTool("take", "-unique", "e.npy"); status != 1 || !strings.Contains(stderr,
		"too many rows") {
		t.Errorf("%d, %s", status, stderr)
	}
}

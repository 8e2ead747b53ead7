package main

import (
	"fmt"
	"hash/crc32"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
)

// TestStatsDigits tests that the output of stats has not changed, to the last digit. testdata/stats_digits.crc contains
// checksums of the output of an earlier implementation with its own kernels.
func TestStatsDigits(t *testing.T) {
	if testing.Short() {
		t.Skip("some seconds where processors are emulated")
	}
	const golden = "testdata/stats_digits.crc"
	r := rand.New(rand.NewPCG(37, 0))
	inf := math.Inf(1)
	special := []float64{math.NaN(), inf, -inf, 0, math.Copysign(0, -1), 5e-324, -5e-324, math.MaxFloat64,
		-math.MaxFloat64, 1e308, 1}
	draws := []struct {
		name string
		draw func(i int) float64
	}{
		{"any", func(int) float64 { return (r.Float64() - 0.5) * math.Pow(2, float64(r.IntN(40))) }},
		{"near 1e6", func(int) float64 { return 1e6 + r.Float64() }},
		{"small whole numbers", func(int) float64 { return float64(r.IntN(7) - 3) }},
		{"one value", func(int) float64 { return 0.1 }},
		{"cancel", func(i int) float64 { return []float64{1e4, -1e4}[i%2] + r.Float64() }},
		{"ascend", func(i int) float64 { return float64(i) / 7 }},
		{"some special", func(int) float64 {
			if r.IntN(500) == 0 {
				return special[r.IntN(len(special))]
			}
			return r.Float64()
		}},
		{"special", func(int) float64 { return special[r.IntN(len(special))] }},
		{"zeros", func(i int) float64 { return math.Copysign(0, float64(1-i%2*2)) }},
	}
	path := t.TempDir() + "/t.npy"
	var all strings.Builder
	var outs []string // one per line
	for _, d := range strings.Fields("|b1 |i1 |u1 <i2 >u2 <i4 >u4 <i8 >u8 <f2 <f4 >f4 <f8 >f8 <c8 >c16 <M8[s] >m8[ns]") {
		for _, how := range draws {
			t.Run(how.name, func(t *testing.T) {
				for _, n := range []int{1, 2, 256, 300, 5000, 100_000} {
					if n == 100_000 && how.name != "any" && how.name != "some special" && how.name != "cancel" {
						continue
					}
					writeNumbers(t, path, d, n, how.draw)
					whole, stderr, _ := runTool("stats", "-json", path)
					part, more, _ := runTool("stats", "-json", "-select", "::-3", path)
					_, whole, _ = strings.Cut(whole, `"size"`) // after the name of the file
					_, part, _ = strings.Cut(part, `"size"`)
					digits := strings.ReplaceAll(whole+stderr+part+more, `"of":"magnitudes",`, "")
					outs = append(outs, digits)
					fmt.Fprintf(&all, "%s, %s, %d: %08x\n", d, how.name, n, crc32.ChecksumIEEE([]byte(outs[len(outs)-1])))
				}
			})
		}
	}
	got := all.String()
	if *update {
		check(t, os.WriteFile(golden, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(golden)
	check(t, err)
	for k, line := range strings.Split(got, "\n") {
		// The last digits for complex numbers depend on whether math.Hypot is implemented in assembly.
		isComplex := strings.HasPrefix(line, "<c8") || strings.HasPrefix(line, ">c16")
		if lines := strings.Split(string(want), "\n"); lines[k] != line && !(isComplex && runtime.GOARCH != "amd64") {
			t.Fatalf("%s, want %s, of\n%s", line, lines[k], outs[k])
		}
	}
}

// writeNumbers writes a file of n numbers of dtype d, close to the results of draw.
func writeNumbers(t *testing.T, path, d string, n int, draw func(i int) float64) {
	f, err := array.SaveConfig{Replace: true}.Create(path, dtype.MustParse(d), index.C, n)
	check(t, err)
	defer f.Close()
	a := f.Array
	switch kind := a.DType().Kind(); {
	case kind == dtype.KindComplex:
		v, err := array.Cast[complex128](a)
		check(t, err)
		for i := range n {
			x := math.Trunc(draw(i))
			v.SetAt(complex(3*x, 4*x), i)
		}
		return
	case kind == dtype.KindFloat:
		v, err := array.Cast[float64](a)
		check(t, err)
		for i := range n {
			v.SetAt(draw(i), i)
		}
		return
	case kind == dtype.KindDatetime || kind == dtype.KindTimedelta:
		order := a.DType().ByteOrder()
		a, err = a.Reinterpret(dtype.Int64.WithByteOrder(order))
		check(t, err)
	}
	v, err := array.Cast[int64](a)
	check(t, err)
	for i := range n {
		x := draw(i)
		switch {
		case x != x:
			v.SetAt(math.MinInt64, i)
		default:
			v.SetAt(int64(max(min(x, 1<<62), -1<<62)), i)
		}
	}
}

package main

import (
	"errors"
	"os"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/npy/term"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/mmap"
)

// TestStatsTruncated tests that truncation by another process is an error in stats, although other goroutines touch the
// file.
func TestStatsTruncated(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("whether the pages of a truncated file go at once is up to the system")
	}
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("qemu-user reports no fault addresses that can be matched: not tested here")
	}
	path := t.TempDir() + "/t.npy"
	f, err := array.Create(path, dtype.Float64, index.C, 3<<20)
	check(t, err)
	defer f.Close()
	check(t, os.Truncate(path, 1<<16))
	_, err = summarize(&sweepProgress{bar: new(term.Bar)}, f.Array, defaultBins)
	fault, ok := errors.AsType[*mmap.FaultError](err)
	if !ok || fault.Path != path || fault.Offset < 1<<16 || fault.Offset >= 1<<23 {
		t.Errorf("%v; want a fault in the first part", err)
	}
}

// TestEdgeTexts tests that the texts of edges are short and distinct.
func TestEdgeTexts(t *testing.T) {
	for _, tt := range []struct {
		lo, hi float64
		want   string
	}{
		{0, 1, "0.   0.05 0.1  0.15 0.2  0.25 0.3  0.35 0.4  0.45 0.5  0.55 0.6  0.65 0.7  0.75 0.8  0.85 0.9  0.95"},
		{-1e6, 1e6,
			"-1000000.  -900000.  -800000.  -700000.  -600000.  -500000.  -400000.  -300000.  -200000.  -100000.        0.   100000.   200000.   300000.   400000.   500000.   600000.   700000.   800000.   900000."},
		{1e-9, 2.1e-8,
			"1.0e-09 2.0e-09 3.0e-09 4.0e-09 5.0e-09 6.0e-09 7.0e-09 8.0e-09 9.0e-09 1.0e-08 1.1e-08 1.2e-08 1.3e-08 1.4e-08 1.5e-08 1.6e-08 1.7e-08 1.8e-08 1.9e-08 2.0e-08"},
		{1, 1 + 0x1p-51, "1.0 1.0000000000000002"},
	} {
		var edges []any
		for _, x := range newRealBins(tt.lo, tt.hi, defaultBins.most).edges {
			edges = append(edges, x)
		}
		if got := strings.Join(edgeTexts(dtype.Float64, edges), " "); got != tt.want {
			t.Errorf("%v to %v:\ngot  %s\nwant %s", tt.lo, tt.hi, got, tt.want)
		}
	}
}

func TestBarText(t *testing.T) {
	for _, tt := range []struct {
		n, most float64
		width   int
		want    string
	}{
		{0, 10, 10, ""}, {10, 10, 10, "██████████"}, {5, 10, 10, "█████"}, {1, 1000, 10, "▏"}, {1, 16, 2, "▏"},
		{15, 16, 2, "█▉"}, {7, 80, 10, "▉"}, {9, 80, 10, "█▏"},
	} {
		if got := barText(tt.n, tt.most, tt.width); got != tt.want {
			t.Errorf("%v of %v on %d columns: got %q, want %q", tt.n, tt.most, tt.width, got, tt.want)
		}
	}
}

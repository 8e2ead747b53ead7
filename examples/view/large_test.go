package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// sparse creates a sparse file with an array of zeros.
func sparse(t testing.TB, name, d string, shape ...int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	f, err := array.SaveConfig{Sparse: true}.Create(path, dtype.MustParse(d), index.C, shape...)
	if err != nil {
		t.Skip("no room for a sparse file: ", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// anonymousMemory returns the size of the anonymous memory of this process in bytes, or 0 if it is unknown.
func anonymousMemory() int {
	b, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(b)) {
		var kib int
		if _, err := fmt.Sscanf(line, "RssAnon: %d kB", &kib); err == nil {
			return kib << 10
		}
	}
	return 0
}

// TestTebibyte requests tiles that cover an array of 1 TiB, then random tiles of all levels.
func TestTebibyte(t *testing.T) {
	s := enter(t, sparse(t, "tib.npy", "<f4", 1<<19, 1<<19))
	id := s.id("tib.npy")
	began := time.Now()
	s.get("/api/array/" + id)
	for row := range 2 {
		for col := range 4 {
			got := s.tile(id, fmt.Sprintf("y=0&x=1&level=9&row=%d&col=%d&how=mean", row, col))
			if len(got.values) != 256*256 || got.flags != 2|4 {
				t.Fatalf("a tile of %d numbers, with flags %d", len(got.values), got.flags)
			}
		}
	}
	first := time.Since(began)
	r := rand.New(rand.NewPCG(1, 2))
	var times []time.Duration
	for range oracle.Cases(t, 40) {
		level := r.IntN(12)
		n := 1 << (11 - level)
		began := time.Now()
		s.tile(id, fmt.Sprintf("y=0&x=1&level=%d&row=%d&col=%d&how=%s", level, r.IntN(n), r.IntN(n), []string{"mean", "min",
			"max"}[r.IntN(3)]))
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	began = time.Now()
	s.tile(id, "y=0&x=1&level=11&row=0&col=0&how=mean&refine=1")
	refined := time.Since(began)
	t.Logf("1 TiB: the first 8 tiles in %v; %d tiles at any level: median %v, longest %v; the overview refined %v; %d MiB of memory", first, len(times), times[len(times)/2], times[len(times)-1], refined, anonymousMemory()>>20)
	if a := anonymousMemory(); a > 512<<20 {
		t.Errorf("the program has %d MiB of memory of its own, want less than 512", a>>20)
	}
}

// TestThousandMillionRows requests random rows of a table of 10^9 rows.
func TestThousandMillionRows(t *testing.T) {
	s := enter(t, sparse(t, "rows.npy", "[('a', '<i8'), ('b', '<f4'), ('name', 'S12')]", 1_000_000_000))
	id := s.id("rows.npy")
	var times []time.Duration
	r := rand.New(rand.NewPCG(1, 3))
	for range 50 {
		began := time.Now()
		var got struct {
			From int
			Rows [][]string
		}
		s.getJSON(&got, fmt.Sprintf("/api/array/%s/rows?axis=0&from=%d&count=60", id, r.IntN(1_000_000_000-60)))
		times = append(times, time.Since(began))
		if len(got.Rows) != 60 || len(got.Rows[59]) != 3 {
			t.Fatalf("%d rows", len(got.Rows))
		}
	}
	slices.Sort(times)
	t.Logf("60 of 10⁹ rows: median %v, longest %v", times[25], times[49])
}

package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// TestPageLarge shows an image of 1 TiB and a table of 10^9 rows. It logs durations, and fails only if something does
// not work.
func TestPageLarge(t *testing.T) {
	needPage(t)
	dir := t.TempDir()
	cfg := array.SaveConfig{Sparse: true}
	square, err := cfg.Create(filepath.Join(dir, "square.npy"), dtype.Float32, index.C, 1<<19, 1<<19)
	if err != nil {
		t.Skipf("this file system has no sparse file of 1 TiB: %v", err)
	}
	defer square.Close()
	v, err := array.As[float32](square.Array)
	if err != nil {
		t.Fatal(err)
	}
	const last = 1<<19 - 1
	v.SetAt(7.5, last, last)
	const rows = 1_000_000_000
	record, err := dtype.Packed(dtype.Field{Name: "n", Type: dtype.Int64}, dtype.Field{Name: "x", Type: dtype.Float32},
		dtype.Field{Name: "tag", Type: dtype.Bytes(4)})
	if err != nil {
		t.Fatal(err)
	}
	table, err := cfg.Create(filepath.Join(dir, "table.npy"), record, index.C, rows)
	if err != nil {
		t.Skipf("this file system has no sparse file of 16 GB: %v", err)
	}
	defer table.Close()
	ns, err := table.Array.Field("n")
	if err != nil {
		t.Fatal(err)
	}
	n, err := array.As[int64](ns)
	if err != nil {
		t.Fatal(err)
	}
	n.SetAt(rows-1, rows-1)

	p := open(t, dir)
	rng := rand.New(rand.NewPCG(8, 15))
	p.Run(nil, `localStorage.removeItem("theme")`)
	p.show("square.npy", "")
	var first float64
	p.Run(&first, `return performance.getEntriesByName("first picture")[0]?.startTime ?? -1`)
	if first < 0 {
		t.Error("the page did not note its first picture")
	}
	t.Logf("1 TiB: first picture %.0f ms after the page began to load", first)
	p.keepScreenshot("tebibyte")

	var moves []time.Duration
	times := oracle.Cases(t, 3) // repetitions of each measurement
	for range times {
		zx := []float64{0.01, 0.1, 1, 20}[rng.IntN(4)]
		start := time.Now()
		p.Run(nil, `location.hash = location.hash.replace(/&(zx|zy|cx|cy)=[^&]*/g, "") + arguments[0]`,
			fmt.Sprintf("&zx=%v&zy=%v&cx=%d&cy=%d", zx, zx, rng.IntN(last), rng.IntN(last)))
		p.Wait("the page has moved",
			fmt.Sprintf(`%s && Math.abs(JSON.parse(document.querySelector(".map canvas").dataset.geometry).zx - %v) < 1e-9`,
				settled, zx))
		moves = append(moves, time.Since(start))
	}
	slices.Sort(moves)
	var tiles []float64
	p.Run(&tiles,
		`return performance.getEntriesByType("resource").filter((e) => e.name.includes("/tile?")).map((e) => e.duration).sort((a, b) => a - b)`)
	if len(tiles) == 0 {
		t.Fatal("the page asked for no tile")
	}
	t.Logf("1 TiB: %d random moves, until all tiles have their final accuracy: median %v, slowest %v",
		times,
		moves[len(moves)/2], moves[len(moves)-1])
	t.Logf("1 TiB: %d requests for tiles, as the page sees them: median %.0f ms, slowest %.0f ms", len(tiles),
		tiles[len(tiles)/2], tiles[len(tiles)-1])

	p.show("square.npy", fmt.Sprintf("zx=40&zy=40&y=0&x=1&cx=%d&cy=%d", last, last))
	p.checkCursor(last, last, fmt.Sprintf("[%d, %d]", last, last), "7.5", fmt.Sprintf("byte %d", int64(128+4*(1<<38-1))))

	p.Click(".distribution button") // would take minutes
	p.Wait("the work has begun", `!document.querySelector(".distribution progress").hidden`)
	p.Click(".distribution button:nth-of-type(2)")
	p.expect(".distribution", "cancelled")

	p.show("table.npy", "")
	var jumps []time.Duration
	for range times {
		row := rng.IntN(rows - 100)
		start := time.Now()
		p.Type(`[aria-label="go to row"]`, fmt.Sprint(row))
		p.Wait("the row is shown",
			fmt.Sprintf(`%s && document.querySelector('.td[aria-selected][data-row="%d"]:not(.waiting)')`, settled, row))
		jumps = append(jumps, time.Since(start))
	}
	slices.Sort(jumps)
	t.Logf("10^9 rows: %d random rows, from the first key to the row on screen: median %v, slowest %v", times,
		jumps[len(jumps)/2], jumps[len(jumps)-1])
	jumps = jumps[:0]
	for range times {
		to := rng.Float64()
		start := time.Now()
		p.Run(nil, fmt.Sprintf(`const b = document.querySelector(".bar-v"); b.scrollTop = b.scrollHeight * %v`, to))
		p.Wait("the rows are shown",
			fmt.Sprintf(`%s && document.querySelector(".tbody .td:not(.waiting)") && Math.abs(Number(document.querySelector(".tbody .td").dataset.row) - %v) < 1e7`, settled, to*rows))
		jumps = append(jumps, time.Since(start))
	}
	slices.Sort(jumps)
	t.Logf("10^9 rows: scrolled to %d random positions, until the rows are on screen: median %v, slowest %v", times,
		jumps[len(jumps)/2], jumps[len(jumps)-1])
	p.Press(webdriver.Control, webdriver.End)
	p.expect(".tbody .tr:last-child .td", fmt.Sprint(rows-1))
	p.keepScreenshot("billion")
	p.Run(nil, `const b = document.querySelector(".bar-v"); b.scrollTop = b.scrollHeight / 2`)
	p.Wait("the bar moves to the middle",
		settled+` && Math.abs(Number(document.querySelector(".tbody .td").dataset.row) - 5e8) < 1e7`)
	p.Run(nil, `const b = document.querySelector(".bar-v"); b.scrollTop = b.scrollHeight`)
	p.expect(".tbody .tr:last-child .td", fmt.Sprint(rows-1))
}

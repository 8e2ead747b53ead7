package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

const telling = `
import os
os.chdir(x)
np.save("constant.npy", np.full((40, 50), 7.25))
np.save("zeros.npy", np.zeros((40, 50)))
np.save("nans.npy", np.full((40, 50), np.nan))
a = np.arange(2000.).reshape(40, 50)
a[:10] = np.nan
np.save("quarter.npy", a)
np.save("pressure.npy", 101320 + 0.005 * np.linspace(0, 1, 2000).reshape(40, 50))
np.save("seconds.npy", 1.7e18 + 1024 * np.arange(2000.).reshape(40, 50))
np.save("nanoseconds.npy", 1700000000000000000 + np.arange(2000).reshape(40, 50))
np.save("top.npy", np.uint64(2**64 - 1) - np.arange(2000, dtype="u8").reshape(40, 50))
np.save("infinite.npy", np.where(np.arange(100) == 40, np.inf, np.arange(100.)))
np.save("replaced.npy", np.arange(2000.).reshape(40, 50))
np.save("records.npy", np.zeros((4, 5), [("a", "f4"), ("b", "i2")]))
np.save("cube.npy", np.zeros((3, 4, 5)))
np.save("other.npy", 100 * np.arange(600.).reshape(20, 30))
m = np.lib.format.open_memmap("large.npy", "w+", "u1", (9000, 9000))
m[4321, 1234] = 200
m.flush()
open("broken.npy", "wb").write(b"\x93NUMPY\x01\x00\x10\x00not a header")
`

// TestPageTells tests the texts next to the picture: ticks, counts of NaN and values out of range, and the state of the
// file.
func TestPageTells(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(telling, dir, nil); err != nil {
		t.Fatal(err)
	}
	all := open(t, dir)
	for _, part := range []struct {
		name string
		run  func(p *page)
	}{
		{"ticks", distinctTicks},
		{"words", notesOnNumbers},
		{"shares", sharesOutside},
		{"broken", brokenFile},
		{"replaced", func(p *page) { replacedFile(p, dir) }},
		{"large", largeArray},
		{"no answer", stoppedServer},
	} {
		t.Run(part.name, func(t *testing.T) {
			p := all.forSubtest(t)
			defer func() { *p.reload = *p.reload || t.Failed() }() // after a failure, the next part loads the page again
			part.run(p)
			for _, line := range p.Log() {
				if part.name == "no answer" && strings.Contains(line, "net::ERR_CONNECTION") {
					continue // a pending request
				}
				t.Errorf("the console of the page: %s", line)
			}
		})
	}
}

func (p *page) data(selector, name string) string {
	p.t.Helper()
	var s string
	p.Run(&s, `return document.querySelector(arguments[0])?.dataset[arguments[1]] ?? ""`, selector, name)
	return s
}

// distinctTicks tests that ticks are distinct numbers.
func distinctTicks(p *page) {
	p.setLargeWindow() // the ticks below depend on the height of the window
	defer p.setSmallWindow()
	for _, c := range []struct{ name, ticks, offset string }{
		{"constant.npy", "7.25", ""},
		{"pressure.npy", "0 0.001 0.002 0.003 0.004 0.005", "101320"},
		{"seconds.npy", "0 500000 1000000 1500000 2000000", "1700000000000000000"},
		{"nanoseconds.npy", "0 500 1000 1500", "1700000000000000000"},
		{"top.npy", "0 500 1000 1500", "18446744073709540000"},
	} {
		for _, view := range []string{"range=extremes&mode=image", "mode=lines"} {
			p.show(c.name, view)
			of := map[bool]string{true: ".plot", false: ".colorbar"}[view == "mode=lines"]
			got := strings.Fields(p.data(of, "ticks"))
			sorted := slices.Clone(got)
			slices.Sort(sorted)
			if len(got) == 0 || len(slices.Compact(sorted)) != len(got) {
				p.t.Errorf("%s, %s: ticks %q", c.name, view, got)
			}
			if view != "mode=lines" && (len(got) < len(strings.Fields(c.ticks)) || p.data(of, "offset") != c.offset) {
				p.t.Errorf("%s, %s: ticks %q with offset %q, want about %q with offset %q", c.name, view, got, p.data(of, "offset"),
					c.ticks,
					c.offset)
			}
		}
	}
	p.show("pressure.npy", "range=extremes")
	p.keepScreenshot("ticks")
	var fields []string
	p.Run(&fields,
		`return ["minimum of the colours", "maximum of the colours"].map((n) => document.querySelector("[aria-label='" + n + "']").value)`)
	if !slices.Equal(fields, []string{"101320", "101320.005"}) {
		p.t.Errorf("the ends of a range of width 0.005 are %q", fields)
	}
	// A typed number is a value of the array, even if the page stores differences.
	p.show("nanoseconds.npy", "")
	p.Type(`[aria-label="minimum of the colours"]`, "1700000000000000100")
	p.Wait("the range is as typed", `document.querySelector(".colorbar").dataset.range.startsWith("1700000000000000100,")`)
}

func notesOnNumbers(p *page) {
	for _, c := range []struct{ name, want string }{
		{"zeros.npy", "all elements are 0"}, {"constant.npy", "all elements are 7.25"}, {"nans.npy", "no element is finite"},
	} {
		p.show(c.name, "range=extremes")
		p.expect(".noted", c.want)
	}
	p.show("nans.npy", "")
	if got := p.data(".colorbar", "range"); got != "" {
		p.t.Errorf("with only NaN, the range is %q", got)
	}
	p.show("nans.npy", "mode=lines")
	p.expect(".noted", "all elements are NaN")
	p.show("infinite.npy", "mode=lines")
	p.expect(".noted", "some elements are infinite")
}

func sharesOutside(p *page) {
	p.show("quarter.npy", "range=extremes")
	p.expect(".shares", "25 % NaN")
	p.Type(`[aria-label="maximum of the colours"]`, "1939")
	p.expect(".shares", "3.0 % above")
	p.Type(`[aria-label="minimum of the colours"]`, "600")
	p.expect(".shares", "5.0 % below")
	p.keepScreenshot("shares")
}

func brokenFile(p *page) {
	p.show("constant.npy", "")
	p.Run(nil, `[...document.querySelectorAll(".source")].find((e) => e.firstChild.textContent === "broken.npy").click()`)
	p.expect(".stage .empty", "This array cannot be shown: header at byte")
	if got := p.text("body"); strings.Contains(got, "byte null") {
		p.t.Errorf("for a broken file, the page says %q", got)
	}
	var marked bool
	p.Run(&marked,
		`return [...document.querySelectorAll(".source")].some((e) => e.textContent.includes("broken.npy") && e.querySelector(".bad"))`)
	if !marked {
		p.t.Error("the list does not mark a broken file")
	}
	p.keepScreenshot("broken")
}

// replacedFile tests that the page reports when another file has replaced the shown file.
func replacedFile(p *page, dir string) {
	p.show("replaced.npy", "range=extremes")
	if got := p.data(".colorbar", "range"); got != "0,1999" {
		p.t.Fatalf("the range is %q", got)
	}
	if err := os.Rename(filepath.Join(dir, "other.npy"), filepath.Join(dir, "replaced.npy")); err != nil {
		p.t.Fatal(err)
	}
	p.expect(".banner", "this is the new one")
	p.expect(".dtype", "(20, 30)")
	p.Wait("the range of the new file",
		settled+` && document.querySelector(".colorbar").dataset.range === "0,59900"`)
	p.expect(".live", "live")
	p.Press("+")
	p.Wait("the banner is hidden", `document.querySelector(".banner").hidden`)
	time.Sleep(500 * time.Millisecond) // the server checks a recently changed file again
	if got := p.text(".banner"); got != "" {
		p.t.Errorf("the banner is shown again: %q", got)
	}
	p.show("replaced.npy", "")
	var hidden bool
	if p.Run(&hidden, `return document.querySelector(".banner").hidden`); !hidden {
		p.t.Errorf("after the array is opened again, the banner says %q", p.text(".banner"))
	}
	// Replace the file by records, show a field, and replace it by a three-dimensional array.
	if err := os.Rename(filepath.Join(dir, "records.npy"), filepath.Join(dir, "replaced.npy")); err != nil {
		p.t.Fatal(err)
	}
	p.Wait("the records",
		settled+` && document.querySelector(".stage").dataset.mode === "table" && document.querySelector(".dtype").textContent.startsWith("2 fields")`)
	p.expect(".banner", "this is the new one")
	p.show("replaced.npy", "field=b&mode=image")
	if err := os.Rename(filepath.Join(dir, "cube.npy"), filepath.Join(dir, "replaced.npy")); err != nil {
		p.t.Fatal(err)
	}
	p.Wait("the cube",
		settled+` && document.querySelector(".stage").dataset.mode === "image" && document.querySelector("h1").textContent === "replaced.npy" && document.querySelectorAll(".slider").length === 1`)
	p.expect(".live", "live")
	p.Log() // drops the messages about the missing field
}

// largeArray tests an array with more elements than the server counts in one request.
func largeArray(p *page) {
	p.show("large.npy", "range=extremes")
	p.Wait("the range of all elements",
		`document.querySelector(".colorbar").dataset.range === "0,200" && document.querySelector(".sampled").hidden`)
	p.show("large.npy", "plo=0&phi=99.9")
	p.Wait("the percentiles of all elements",
		`document.querySelector(".colorbar").dataset.range === "0,200" && document.querySelector(".sampled").hidden`)
	var said string
	if p.Run(&said, `return document.querySelector(".noted").textContent`); strings.Contains(said, "from a sample") {
		p.t.Errorf("the page says %q", said)
	}
}

// stoppedServer tests that the page reports when the server has stopped.
func stoppedServer(p *page) {
	p.show("constant.npy", "")
	p.stop()
	p.expect(".live", "no answer")
	p.expect(".banner", "no answer from npyview")
	p.Log() // drops the messages about failed requests
}

package main

import (
	"fmt"
	"image/color"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

const opening = `
import os
os.chdir(x)
np.save("series.npy", np.sin(np.arange(3000) / 99))
np.save("spectrogram.npy", np.random.default_rng(1).normal(-30, 9, (513, 8000)).astype("f4"))
np.save("classes.npy", np.arange(5000) % 100 % 9)
np.save("mask.npy", np.arange(5000).reshape(50, 100) % 7 > 3)
np.save("times.npy", np.datetime64("2024-03-01T22:00", "m") + np.arange(3000) * 7)
np.save("walk.npy", np.cumsum(np.random.default_rng(1).normal(size=3000)))
a = np.zeros(500, [("t", "M8[D]"), ("x", "f4")])
a["t"], a["x"] = np.datetime64("1999-12-01") + np.arange(500), np.arange(500) ** 0.5
np.save("records.npy", a)
np.save("eight.npy", np.cumsum(np.random.default_rng(1).normal(size=(20000, 8)), 0))
m = np.zeros((31, 60, 70), "i2")
m[8:24, 10:50, 10:60] = np.arange(16)[:, None, None] * 100 + np.arange(51)[1:]
m[23, 10:50, 10:60] = 1550
np.save("mri.npy", m)
np.save("f4.npy", np.random.default_rng(1).random((20, 30, 3)).astype("f4"))
np.save("u2.npy", np.arange(20 * 30 * 4, dtype="u2").reshape(20, 30, 4) * 27)
np.save("vectors.npy", np.random.default_rng(1).normal(size=(20, 30, 3)).astype("f4"))
i, j = np.mgrid[0:30, 0:40]
np.save("cells.npy", np.where((i % 8 > 1) | (i >= 24), 1 + (i * 40 + j) % 30, 0).astype("u2"))
np.save("few.npy", np.add.outer(np.arange(60), np.arange(80)) % 4)
np.save("ramp.npy", np.tile(np.arange(256, dtype="u1"), (40, 1)))
np.save("z.npy", np.exp(1j * np.linspace(-3, 3, 600)).reshape(20, 30))
`

// TestPageOpens tests which view of an array the page shows first.
func TestPageOpens(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(opening, dir, nil); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	mode := func(name, want string) {
		t.Helper()
		p.show(name, "")
		if got := p.data(".stage", "mode"); got != want {
			t.Errorf("%s opens as %s, want %s", name, got, want)
		}
	}
	mode("series.npy", "lines")
	mode("eight.npy", "lines")
	p.Wait("eight lines of 20,000 points",
		settled+` && document.querySelectorAll(".legend li").length === 8 && document.querySelector(".plot").dataset.to === "19999.5"`)
	p.keepScreenshot("eight")

	// The x axis can be another array of the same length, or a field, unless its values rise and fall.
	p.show("series.npy", "")
	p.Choose(`[aria-label="along x"]`, "x is times.npy")
	p.Wait("times lie along x", settled+` && document.querySelector(".plot").dataset.along === "times.npy"`)
	p.Move(600, 400)
	p.expect(".where .along", "times.npy 2024-03-")
	p.keepScreenshot("times")
	p.Choose(`[aria-label="along x"]`, "x is walk.npy")
	p.expect(".noted", "walk.npy is not monotonic, so x is the index")
	mode("records.npy", "lines")
	along := func(what, want string) {
		t.Helper()
		p.Wait(what, settled+fmt.Sprintf(` && document.querySelector("h1").textContent === "records.npy · x" &&
			document.querySelector(".plot").dataset.along === %q`, want))
	}
	along("the first field, whose values rise, lies along x", "t")
	p.keepScreenshot("field")
	p.Choose(`[aria-label="along x"]`, "x is the index")
	along("the index lies along x", "")
	p.Choose(`[aria-label="along x"]`, "x is t")
	along("a field lies along x", "t")
	p.Wait("the address has the field", `location.hash.includes("along=.t")`)
	p.Choose(`[aria-label="field"]`, "all fields")
	p.Wait("all fields are in a table", settled+` && document.querySelector(".stage").dataset.mode === "table"`)

	// Long arrays fill the window.
	mode("spectrogram.npy", "image")
	if g := p.geometry(); g.Zy*513 < g.H/2 || g.Zx*8000 < g.W/2 {
		t.Errorf("the spectrogram has %.0f × %.0f of %.0f × %.0f pixels", g.Zx*8000, g.Zy*513, g.W, g.H)
	}

	// Bools and labels have categories with counts, and no range.
	mode("mask.npy", "image")
	checkCategories := func(ticks, rows string) {
		t.Helper()
		p.settle()
		if got := p.data(".colorbar", "ticks"); !strings.HasPrefix(got, ticks) {
			t.Errorf("the colour bar has the ticks %q, want %q", got, ticks)
		}
		var got string
		p.Run(&got,
			`return [...document.querySelectorAll("[data-section=colours] .categories tr")].map((r) => [...r.children].map((c) => c.textContent).join(" ")).join("|")`)
		if got = strings.ReplaceAll(got, "\u202f", ""); !strings.HasPrefix(got, rows) {
			t.Errorf("the categories are %q, want %q", got, rows)
		}
		var roles string // the names that a screen reader reads
		p.Run(&roles, `const e = document.querySelector(".categories"), b = document.querySelector(".colorbar");
			return [e.getAttribute("role"), e.ariaLabel, e.tabIndex, e.querySelectorAll("tbody th[scope=row]").length, b.ariaLabel.slice(0, 25),
				document.querySelector("canvas.counts").checkVisibility(), document.querySelector("[aria-label='colour range']").checkVisibility()].join()`)
		want := fmt.Sprintf("region,values and their counts,0,%d,colours: categorical of %.1s,false,false", strings.Count(got,
			"|"), ticks)
		if roles != want {
			t.Errorf("the categories are described by %q, want %q", roles, want)
		}
	}
	checkCategories("false true", "value count share|false 2858 57 %|true 2142 43 %")
	mode("classes.npy", "lines")
	p.Wait("labels of one dimension are counted, without colours", `(() => {
		const rows = [...document.querySelectorAll("[data-section=values] tbody tr")].filter((r) => r.checkVisibility());
		return rows.length === 9 && rows[0].textContent.replace("\u202f", "") === "060012 %" && rows[8].textContent === "855011 %" &&
			!rows[0].querySelector(".patch");
	})()`)
	p.keepScreenshot("classes")
	mode("series.npy", "lines")
	p.Wait("numbers are not counted", `!document.querySelector("[data-section=values]").checkVisibility()`)
	p.show("mask.npy", "")
	p.Choose(`[aria-label="colour map"]`, "viridis")
	p.Wait("a mask has one automatic range", settled+` &&
		[...document.querySelector("[aria-label='colour range']").options].map((o) => o.text).join() === "false to true,by hand" &&
		document.querySelector(".percent").hidden && document.querySelector(".categories").hidden`)
	mode("cells.npy", "image")
	checkCategories("0 1 2 3", "value count share|0 240 20 %|1 32 2.7 %|2 32 2.7 %")
	var swatches []string
	p.Run(&swatches, `return [...document.querySelectorAll(".categories .patch")].map((e) => e.style.background)`)
	p.checkPixels(30, 40, func(y, x int) (c color.RGBA, known bool) {
		label := 0
		if y%8 > 1 || y >= 24 {
			label = 1 + (y*40+x)%30
		}
		if _, err := fmt.Sscanf(swatches[label], "rgb(%d, %d, %d)", &c.R, &c.G, &c.B); err != nil {
			t.Fatalf("label %d has the colour %q", label, swatches[label])
		}
		c.A = 255
		return c, true
	})
	p.keepScreenshot("cells")

	// Ticks of integers are integers.
	for _, c := range []struct{ name, element, ticks string }{
		{"few.npy", ".colorbar", "0 1 2 3"}, {"few.npy&mode=lines&over=-1", ".plot", "0 1 2 3"},
		{"ramp.npy", ".colorbar", "0 50 100 150 200 250"},
	} {
		name, view, _ := strings.Cut(c.name, "&")
		p.show(name, view+"&map=viridis&range=extremes")
		if got := p.data(c.element, "ticks"); got != c.ticks {
			t.Errorf("%s: the ticks are %q, want %q", c.name, got, c.ticks)
		}
	}

	mode("mri.npy", "image")
	if got, want := p.data(".colorbar", "range"), "0,1550"; got != want {
		t.Errorf("the stack opens with the range %s, want the range of all frames, %s", got, want)
	}
	p.Wait("the middle frame", `document.querySelector(".slider .exact").value === "15"`)

	for _, c := range []struct{ name, index, value string }{
		{"f4.npy", "[7, 11, :]", ""}, {"u2.npy", "[7, 11, :]", "[23868 23895 23922 23949]"},
	} {
		mode(c.name, "image")
		if !p.checked("colours from the last axis") {
			t.Errorf("%s does not open as colours", c.name)
		}
		x, y := p.geometry().at(7, 11)
		p.Move(x, y)
		p.expect(".where .index", c.index)
		p.Wait("the value arrives",
			`document.querySelector(".where .value") && !document.querySelector(".where").classList.contains("stale")`)
		if got := p.text(".where .value"); c.value != "" && got != c.value || len(strings.Fields(got)) < 3 {
			t.Errorf("%s %s: %q, want %q", c.name, c.index, got, c.value)
		}
	}
	mode("vectors.npy", "image")
	if p.checked("colours from the last axis") {
		t.Error("vectors open as colours")
	}

	mode("z.npy", "image")
	p.Choose(`[aria-label="part of complex numbers"]`, "angle")
	p.Wait("angles have the cyclic map",
		settled+` && document.querySelector(".colorbar").dataset.range === "-3.141592653589793,3.141592653589793" && document.querySelector("[aria-label='colour map']").value === "cyclic"`)
	p.keepScreenshot("angle")
	p.Choose(`[aria-label="colour map"]`, "viridis")
	p.Wait("another map is kept",
		settled+` && document.querySelector("[aria-label='colour map']").value === "viridis" && location.hash.includes("map=viridis")`)
	p.Choose(`[aria-label="colour map"]`, "cyclic")
	p.Choose(`[aria-label="part of complex numbers"]`, "magnitude")
	p.Wait("magnitudes have the previous map",
		settled+` && document.querySelector("[aria-label='colour map']").value === "viridis"`)
	p.Choose(`[aria-label="colour map"]`, "cyclic")
	p.Wait("magnitudes can have the cyclic map, too",
		settled+` && document.querySelector("[aria-label='colour map']").value === "cyclic" && location.hash.includes("map=cyclic")`)
	for _, line := range p.Log() {
		t.Errorf("the console of the page: %s", line)
	}
}

// checked reports whether the checkbox with the given label is visible and checked.
func (p *page) checked(label string) bool {
	p.t.Helper()
	var on bool
	p.Run(&on,
		`const l = [...document.querySelectorAll("label.check")].find((e) => e.textContent === arguments[0]); return !l.hidden && l.firstChild.checked`, label)
	return on
}

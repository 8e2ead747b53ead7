package main

import (
	"bytes"
	"fmt"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"encoding/hex"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/internal/oracle"
)

const habits = `
import os
os.chdir(x)
np.save("grid.npy", np.arange(3000.).reshape(60, 50) / 4)
r = np.zeros(40, [("name", "U9"), ("x", "f8")])
r["name"], r["x"] = 'a,"b"', np.arange(40) / 8
np.save("records.npy", r)
np.lib.format.open_memmap("long.npy", "w+", "u1", (3, 12345678)).flush()
for i in range(15):
    np.save("many%02d.npy" % i, np.zeros((i + 1, 3), "i2"))
`

// TestPageHabits tests common actions: copy, go back, save, tap and search.
func TestPageHabits(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(habits, dir, nil); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	const catch = `navigator.clipboard.writeText = (s) => { window.copied = s; return Promise.resolve(); };
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			blob.arrayBuffer().then((b) => (window.saved = [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("")));
			return make(blob);
		}`
	copied := func(want string) {
		t.Helper()
		p.Press(webdriver.Control, "c")
		p.Wait("the text is copied", `window.copied`)
		var got string
		if p.Run(&got, `const s = window.copied; window.copied = ""; return s`); got != want {
			t.Errorf("copied %q, want %q", got, want)
		}
	}
	saved := func(button int) []byte {
		t.Helper()
		p.Run(nil, `window.saved = ""`)
		p.Press("s")
		p.Click(fmt.Sprintf("dialog.save[open] button:nth-of-type(%d)", button))
		p.Wait("the file is saved", "window.saved")
		var text string
		p.Run(&text, `return window.saved`)
		b, err := hex.DecodeString(text)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}

	p.show("grid.npy", "")
	p.Run(nil, catch)
	p.checkCursor(7, 9, "[7, 9]", "89.75", fmt.Sprintf("byte %d", 128+8*359))
	copied("89.75")
	lines := strings.Split(strings.TrimSpace(string(saved(5))), "\r\n")
	if len(lines) != 61 || !strings.HasPrefix(lines[0], "0,1,2,") || !strings.HasPrefix(lines[1], "0.0,0.25,") ||
		!strings.HasSuffix(lines[60], ",749.75") {
		t.Errorf("as CSV, the elements on screen are %d lines from %.40q to %.40q", len(lines), lines[0], lines[len(lines)-1])
	}
	file := saved(1)
	p.keepFile("saved", file)
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	var size []int
	p.Run(&size,
		`const c = document.querySelector(".map canvas"), b = document.querySelector(".colorbar"); return [2 * (c.clientWidth + b.clientWidth), 2 * c.clientHeight]`)
	if b := picture.Bounds(); b.Dx() != size[0] || b.Dy() <= size[1] {
		t.Errorf("the picture has %v pixels, want %d of width and more than %d of height", b, size[0], size[1])
	}

	p.show("grid.npy", "mode=lines")
	p.Run(nil, catch)
	file = saved(1)
	p.keepFile("saved-lines", file)
	if picture, err = png.Decode(bytes.NewReader(file)); err != nil {
		t.Fatal(err)
	}
	p.Run(&size, `const c = document.querySelector(".plot canvas"); return [2 * c.clientWidth, 2 * c.clientHeight]`)
	if b := picture.Bounds(); b.Dx() != size[0] || b.Dy() <= size[1] {
		t.Errorf("the picture of lines has %v pixels, want %d of width and more than %d of height", b, size[0], size[1])
	}

	// Select and copy cells with keys.
	p.show("grid.npy", "mode=table")
	p.Run(nil, catch)
	p.Click(".td[data-row='1'][data-col='2']")
	p.Press(webdriver.Shift, webdriver.Down)
	p.Press(webdriver.Shift, webdriver.ArrowRight)
	copied("13.0\t13.25\n25.5\t25.75")
	p.show("records.npy", "")
	p.Run(nil, catch)
	p.Click(".td[data-row='3'][data-col='0']")
	p.Press(webdriver.Shift, webdriver.ArrowRight)
	if got, want := string(saved(5)), "name,x\r\n\"a,\"\"b\"\"\",0.375\r\n"; got != want {
		t.Errorf("records as CSV: %q, want %q", got, want)
	}

	// History restores a changed range, and the array that was shown before.
	p.show("grid.npy", "range=extremes")
	p.Wait("the address has the range", `location.hash.includes("colours=")`)
	p.Type(`[aria-label="maximum of the colours"]`, "20")
	p.Wait("the range is typed", `location.hash.includes("range=hand")`)
	p.Run(nil, `[...document.querySelectorAll(".source")].find((e) => e.firstChild.textContent === "many03.npy").click()`)
	p.Wait("another array is shown",
		settled+` && document.querySelector("h1").textContent === "many03.npy" && !location.hash.includes("range=hand")`)
	p.Run(nil, `history.back()`)
	p.Wait("the array before",
		settled+` && document.querySelector("h1").textContent === "grid.npy" && document.querySelector(".colorbar").dataset.range === "0,20"`)
	p.Run(nil, `history.back()`)
	p.Wait("the range before", settled+` && document.querySelector(".colorbar").dataset.range === "0,749.75"`)

	// The list shows shapes, can be searched, and follows the folder.
	p.expect(`[data-id="`+p.ids["many14.npy"]+`"]`, "<i2 · 15 × 3")
	sourceList(p, dir)
	if err := os.Rename(filepath.Join(dir, "many14.npy"), filepath.Join(dir, "new.npy")); err != nil {
		t.Fatal(err)
	}
	p.Wait("the list has the new file",
		`[...document.querySelectorAll(".source")].some((e) => e.firstChild.textContent === "new.npy") && ![...document.querySelectorAll(".source")].some((e) => e.firstChild.textContent === "many14.npy")`)

	// The selects are wide enough for lengths.
	p.show("long.npy", "mode=image")
	var cut []string
	p.Run(&cut, `const g = document.createElement("canvas").getContext("2d");
		return [...document.querySelectorAll(".axes select")].filter((s) => {
			g.font = getComputedStyle(s).font;
			return g.measureText(s.selectedOptions[0].text).width + 36 > s.clientWidth;
		}).map((s) => s.selectedOptions[0].text)`)
	if len(cut) > 0 {
		t.Errorf("the selects cut off %q", cut)
	}

	p.checkContrast("light")
	p.Dark(true)
	p.show("records.npy", "")
	p.checkContrast("dark")
	p.Dark(false)

	p.show("grid.npy", "zx=60&zy=60&cx=25&cy=30")
	p.checkCellContrast()

	// A tap on a phone shows the value.
	p.Size(390, 780, true)
	p.show("grid.npy", "plo=1&phi=93")
	if got := strings.Fields(p.data(".colorbar", "ticks")); len(got) < 2 {
		t.Errorf("the colour bar of a phone has the ticks %q", got)
	}
	p.show("grid.npy", "")
	x, y := p.geometry().at(30, 25)
	p.Tap(x, y)
	p.expect(".where .value", "381.25")
	p.keepScreenshot("tap")
	for _, line := range p.Log() {
		t.Errorf("the console of the page: %s", line)
	}
}

// checkCellContrast fails the test if the number in a cell has a contrast of less than 4.5.
func (p *page) checkCellContrast() {
	p.t.Helper()
	p.movePointerAway()
	p.Wait("the numbers are shown", settled)
	g, img := p.geometry(), p.picture()
	light := func(x, y int) float64 {
		r, gr, b, _ := img.At(x, y).RGBA()
		part := func(v uint32) float64 {
			f := float64(v) / 0xffff
			if f <= 0.04045 {
				return f / 12.92
			}
			return math.Pow((f+0.055)/1.055, 2.4)
		}
		return 0.2126*part(r) + 0.7152*part(gr) + 0.0722*part(b)
	}
	for y := int(g.Y0) + 1; y < int(g.Y0+g.H/g.Zy); y++ {
		for x := int(g.X0) + 1; x < int(g.X0+g.W/g.Zx); x++ {
			cx, cy := g.at(y, x)
			cell, best := light(cx-24, cy-24), 1.0
			for dy := -8; dy <= 8; dy++ {
				for dx := -24; dx <= 24; dx++ {
					l := light(cx+dx, cy+dy)
					best = max(best, (max(l, cell)+0.05)/(min(l, cell)+0.05))
				}
			}
			if best < 4.5 {
				p.t.Errorf("the number of [%d, %d] has a contrast of %.2f with its cell", y, x, best)
			}
		}
	}
}

// checkContrast fails the test if a text has a contrast of less than 4.5 with its background.
func (p *page) checkContrast(name string) {
	p.t.Helper()
	var low []string
	p.Run(&low,
		`const parse = (s) => { const m = s.match(/[\d.]+/g).map(Number); return s.startsWith("color(srgb") ? [...m.slice(0, 3).map((x) => 255 * x), m[3] ?? 1] : [...m.slice(0, 3), m[3] ?? 1]; };
		const light = (c) => { const f = (x) => ((x /= 255) <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * f(c[0]) + 0.7152 * f(c[1]) + 0.0722 * f(c[2]); };
		const behind = (e) => {
			const c = parse(getComputedStyle(e).backgroundColor);
			if (c[3] === 1 || !e.parentElement) return c;
			const b = behind(e.parentElement);
			return [0, 1, 2].map((k) => c[k] * c[3] + b[k] * (1 - c[3])).concat(1);
		};
		const low = [], walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
		for (let n; (n = walk.nextNode());) {
			const e = n.parentElement;
			if (!n.data.trim() || !e.offsetParent || e.closest("button:disabled, option, dialog, noscript")) continue;
			const a = light(parse(getComputedStyle(e).color)), b = light(behind(e));
			const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
			if (ratio < 4.5) low.push(n.data.slice(0, 30) + ": " + ratio.toFixed(2));
		}
		return [...new Set(low)]`)
	if len(low) > 0 {
		p.t.Errorf("%s: contrast of less than 4.5: %q", name, low)
	}
}

package main

import (
	"image/color"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
)

// placed is a program that writes arrays with description files, and long doubles.
const placed = `
import json
ramp = np.add.outer(np.arange(30) * 44, np.arange(44)).astype("f8")
np.save("heat.npy", ramp)
np.save("when.npy", np.datetime64("2024-02-27") + np.arange(44))
json.dump({"unit": "K", "origin": "lower", "aspect": 0.5, "axes": [
	{"name": "lat", "unit": "°", "values": {"start": -45, "step": 0.1}}, {"name": "time", "values": "when.npy"}]}, open("heat.npy.json", "w"))
json.dump({"axes": ["one"]}, open("when.npy.json", "w"))
np.save("labelled.npy", np.load("kinds.npy"))
json.dump({"axes": ["a", "b"], "labels": {"7": "water", "11": "wood"}}, open("labelled.npy.json", "w"))
for name, said in {"wrong": {"axes": ["a", "b", "c"]}, "short": {"origin": "below", "axes": ["y", {"name": "x", "values": "few.npy"}]}}.items():
	np.save(name + ".npy", ramp)
	json.dump(said, open(name + ".npy.json", "w"))
np.save("few.npy", np.arange(43))
np.savez("grid.npz", temperature=ramp, lat=np.arange(30) / 4, time=np.datetime64("2020-01-01T06:00") + 360 * np.arange(44))
long = np.array([1.5, -2.25, 1 / np.longdouble(3), np.nan, np.longdouble("1e-4000"), np.longdouble("1e400"), 0, 123456789]).astype(np.longdouble)
np.save("long.npy", long)
np.save("longplane.npy", ramp.astype(np.longdouble))
`

// textsDrawn returns the texts that the page draws on canvases while then runs.
func (p *page) textsDrawn(then func()) string {
	p.t.Helper()
	p.Run(nil, `window.drawn = [];
		const fill = CanvasRenderingContext2D.prototype.fillText;
		CanvasRenderingContext2D.prototype.fillText = function (t, ...at) { window.drawn.push(t); return fill.call(this, t, ...at); }`)
	then()
	p.settle()
	var s string
	p.Run(&s, `return "|" + window.drawn.join("|") + "|"`)
	return s
}

// describedAxes tests a description file: the position of the first row, the aspect, the values of axes, and messages
// about errors.
func describedAxes(p *page) {
	p.show("heat.npy", "")
	texts := p.textsDrawn(func() { p.Press("+"); p.settle(); p.Press("0") })
	for _, want := range []string{"lat (°)", "time", "2024-02-27", "-44"} {
		if !strings.Contains(texts, "|"+want+"|") {
			p.t.Errorf("the rulers have no %q: %s", want, texts)
		}
	}
	p.checkFlipped(func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: darkest, false: lightest}[y == 0], y == 0 && x < 9 || y == 29 && x > 34
	}, false, true)
	g := p.geometry()
	if g.Zy != g.Zx/2 {
		p.t.Errorf("an element has %v × %v pixels, want half as high as wide", g.Zy, g.Zx)
	}
	x, _ := g.at(0, 2)
	p.Move(x, int(g.OriginY+g.H-(0.5-g.Y0)*g.Zy))
	p.expect(".where .index", "[0, 2]")
	p.expect(".where .place", "lat -45, time 2024-02-29")
	if got := p.text(".dtype"); !strings.HasSuffix(got, "· K") {
		p.t.Errorf("the head says %q, without the unit", got)
	}
	p.keepScreenshot("axes")
	p.show("heat.npy", "mode=lines&lx=1&at=3,0")
	p.expect(".below", "time")
	p.show("labelled.npy", "map=categorical")
	p.Wait("kinds have labels", settled+` && document.querySelector(".colorbar").dataset.ticks === "-3 0 water wood 200"`)
	// The page shows errors each time, and indices instead of values. A failed request would appear on the console.
	for _, c := range []struct{ name, want string }{
		{"wrong.npy", `wrong.npy.json: "axes" has 3 entries, and the array 2 dimensions: want one for each`},
		{"heat.npy", ""},
		{"wrong.npy", `wrong.npy.json: "axes" has 3 entries`},
		{"short.npy",
			`short.npy.json: "origin" is "below": want "lower", with the first row at the bottom, or "upper"; and 1 more`},
	} {
		p.show(c.name, "zx=40&zy=40&cx=5&cy=5")
		p.expect(".banner", c.want)
		if c.want == "" && p.text(".banner") != "" {
			p.t.Errorf("%s: the page says %q", c.name, p.text(".banner"))
		}
	}
	p.Move(p.geometry().at(4, 5))
	p.expect(".where .index", "[4, 5]")
	p.expect(".where .value", "181.0")
}

func membersAsAxes(p *page) {
	p.show("temperature", "")
	if got := p.text(`[aria-label="axis of the rows"] option`); got != "lat · 30" {
		p.t.Errorf("the first axis is %q, want the member lat", got)
	}
	p.Move(p.geometry().at(4, 1))
	p.expect(".where .place", "lat 1.0, time 2020-01-01T12:00")
}

// flipAxes flips both axes with keys, then zooms, pans and moves the cursor.
func flipAxes(p *page) {
	p.show("ramp.npy", "range=extremes")
	p.Press("f")
	p.Press("F")
	p.checkFlipped(func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: darkest, false: lightest}[y == 0], y == 0 && x < 4 || y == 29 && x > 40
	}, true, true)
	g := p.geometry()
	px, py := g.flippedAt(4, 7, true, true)
	p.Move(px, py)
	p.expect(".where .index", "[4, 7]")
	p.Wheel(px, py, 0, -300)
	p.Move(px+1, py)
	p.Move(px, py)
	p.expect(".where .index", "[4, 7]") // zooming keeps the element at the pointer
	p.Drag(px, py, px-20, py-20)
	g = p.geometry()
	px2, py2 := g.flippedAt(4, 7, true, true)
	if max(px2-px+20, px-20-px2) > int(g.Zx)+1 || max(py2-py+20, py-20-py2) > int(g.Zy)+1 {
		p.t.Errorf("dragged by -20, -20, element [4, 7] went from %d, %d to %d, %d", px, py, px2, py2)
	}
	p.Press("0")
	p.Press(webdriver.Shift, webdriver.ArrowRight)
	p.Wait("the cursor moves", `document.querySelector(".where .index")`)
	p.keepScreenshot("flipped")
}

// flippedAt returns the position of the centre of an element on a map whose axes may be flipped.
func (g geometry) flippedAt(y, x int, flipX, flipY bool) (px, py int) {
	fx, fy := (float64(x)+0.5-g.X0)*g.Zx, (float64(y)+0.5-g.Y0)*g.Zy
	if flipX {
		fx = g.W - fx
	}
	if flipY {
		fy = g.H - fy
	}
	return int(g.OriginX + fx), int(g.OriginY + fy)
}

// checkFlipped compares the colours at the centres of all elements of a map whose axes may be flipped with the expected
// ones. It tolerates small differences.
func (p *page) checkFlipped(want func(y, x int) (color.RGBA, bool), flipX, flipY bool) {
	p.t.Helper()
	p.movePointerAway()
	g, img := p.geometry(), p.picture()
	for y := range g.Ny {
		for x := range g.Nx {
			w, known := want(y, x)
			if !known {
				continue
			}
			px, py := g.flippedAt(y, x, flipX, flipY)
			r, gr, b, _ := img.At(px, py).RGBA()
			got := color.RGBA{uint8(r >> 8), uint8(gr >> 8), uint8(b >> 8), 255}
			for _, pair := range [][2]uint8{{got.R, w.R}, {got.G, w.G}, {got.B, w.B}} {
				if d := int(pair[0]) - int(pair[1]); d > 20 || d < -20 {
					p.t.Fatalf("element [%d, %d], at pixel %d, %d: colour %v, want about %v", y, x, px, py, got, w)
				}
			}
		}
	}
}

// longDoubles tests long doubles in tables, formatted like in NumPy, and in images.
func longDoubles(p *page) {
	p.show("long.npy", "mode=table")
	for i, want := range []string{"1.5", "-2.25", "0.33333333333333333334", "nan", "1e-4000", "1e+400", "0.0",
		"123456789.0"} {
		p.expect(".td[data-row='"+string(rune('0'+i))+"']", want)
	}
	p.show("longplane.npy", "range=extremes")
	p.Wait("the range is shown", settled+` && document.querySelector(".colorbar").dataset.range === "0,1319"`)
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: darkest, false: lightest}[y == 0], y == 0 && x < 4 || y == 29 && x > 40
	})
}

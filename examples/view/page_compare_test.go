package main

import "image/color"

// compared is a program that writes the arrays of comparisons.
const compared = `
i, j = np.mgrid[0:30, 0:44]
np.save("first.npy", (i * 44 + j).astype("i8") + 2**60)
np.save("second.npy", np.where((i + j) % 2, i * 44 + j + 3.0, i * 44 + j - 3.0))
np.save("third.npy", np.where((i + j) % 3 == 1, 2**60 + i * 44 + j + 5, 2**60 + i * 44 + j - 5).astype(">i8"))
np.save("turned.npy", (i * 44 + j).T)
a = np.zeros((4, 30, 44), "u1")
a[1], a[2] = 200, np.where((i + j) % 2, 210, 190)
np.savez("frames.npz", a=a, b=np.float32(a) + 1)
`

// The ends of the map red–blue.
var blue, red = color.RGBA{0x05, 0x30, 0x61, 255}, color.RGBA{0x67, 0x00, 0x1f, 255}

// differences tests differences of 64-bit integers, which are exact, and of frames.
func differences(p *page) {
	p.show("first.npy", "")
	p.Choose(`[aria-label="the other array"]`, "third.npy")
	p.Choose(`[aria-label="how to compare"]`, "difference")
	p.Wait("the range of the difference",
		settled+` && document.querySelector(".colorbar").dataset.range === "-5,5"`)
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: blue, false: red}[(y+x)%3 == 1], true
	})
	p.checkCursor(3, 7, "[3, 7]", "-5.0", "")
	p.expect(".noted", "minus third.npy")
	p.keepScreenshot("difference")
	p.show("a", "at=1,0,0")
	p.Choose(`[aria-label="the other array"]`, "another frame") // the next frame
	p.Choose(`[aria-label="how to compare"]`, "difference")
	p.Wait("the range of the frames", settled+` && document.querySelector(".colorbar").dataset.range === "-10,10"`)
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: blue, false: red}[(y+x)%2 == 1], true
	})
	p.Type(`[aria-label="index of the other frame"]`, "-1")
	p.Wait("the range of the last frame",
		settled+` && document.querySelector(".colorbar").dataset.range.endsWith("200")`)
	p.show("a", "other="+p.ids["b"]+"&compare=difference&at=2,0,0&mode=lines&lx=2")
	p.expect(".noted", "minus b")
	p.Move(600, 400)
	p.expect(".where .value", "-1.0")
	p.show("turned.npy", "")
	if p.text("[data-section=compare] select") != "with nothing" {
		p.t.Error("an array of another shape can be compared")
	}
}

func sideBySide(p *page) {
	p.show("first.npy", "range=extremes")
	p.Choose(`[aria-label="the other array"]`, "third.npy")
	p.Wait("both are shown", settled+` && document.querySelectorAll(".images .map canvas").length === 2`)
	both := func() (a, b geometry) {
		var g [2]geometry
		p.settle()
		p.Run(&g, `return [...document.querySelectorAll(".images .map canvas")].map((c) => {
			const r = c.getBoundingClientRect(), g = JSON.parse(c.dataset.geometry);
			return {...g, OriginX: r.left + g.left, OriginY: r.top + g.top};
		})`)
		return g[0], g[1]
	}
	p.Run(nil, `document.querySelector(".map canvas").focus()`)
	p.Press("+")
	p.Wait("the other image has the same zoom",
		`((a, b) => a && a.zx === b.zx && a.x0 === b.x0 && a.y0 === b.y0)(...[...document.querySelectorAll(".images .map canvas")].map((c) => JSON.parse(c.dataset.geometry)))`)
	a, b := both()
	if a.Zx != b.Zx || b.OriginX-a.OriginX < a.W {
		p.t.Errorf("side by side are %+v and %+v", a, b)
	}
	x, y := b.at(12, 20)
	p.Move(x, y)
	p.expect(".where .index", "[12, 20]")
	p.expect(".where .value", "1152921504606847524") // value of the first array
	p.expect(".where .other", "third.npy 1152921504606847519")
	// The cursor is white in both images.
	p.settle()
	img := p.picture()
	for _, g := range []geometry{a, b} {
		px, py := g.at(12, 20)
		white := false
		for d := range int(g.Zx) {
			r, gr, bl, _ := img.At(px-int(g.Zx/2)-1+d, py).RGBA()
			white = white || r>>8 == 255 && gr>>8 == 255 && bl>>8 == 255
		}
		if !white {
			p.t.Errorf("there is no cursor at %d, %d", px, py)
		}
	}
	p.keepScreenshot("side-by-side")
}

// blinkFrames waits until both frames have been shown in the same place.
func blinkFrames(p *page) {
	p.show("a", "at=1,0,0&range=hand&colours=0,255&compare=blink&otherAt=0,0,0&other="+p.ids["a"])
	g := p.geometry()
	x, y := g.at(9, 9)
	p.movePointerAway()
	seen := map[color.Color]bool{}
	for k := 0; len(seen) < 2 && k < 100; k++ { // a screenshot may take as long as a turn
		seen[p.picture().At(x, y)] = true
	}
	if len(seen) != 2 {
		p.t.Errorf("in turns, the colours are %v", seen)
	}
	p.Press("w")
	p.Wait("the next comparison is the difference",
		`document.querySelector("[aria-label='how to compare']").value === "difference"`)
}

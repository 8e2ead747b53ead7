package main

import (
	"image/color"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

// delay delays drawing, as in a background tab, and responses to range requests. The delays are in milliseconds.
func (p *page) delay(drawn, answered int) {
	p.t.Helper()
	p.Run(nil, `const [drawn, answered] = arguments;
		window.frame ??= window.requestAnimationFrame;
		window.asked ??= window.fetch;
		window.requestAnimationFrame = (f) => setTimeout(() => window.frame.call(window, f), drawn);
		window.fetch = async (url, init) => {
			const r = await window.asked.call(window, url, init);
			if (String(url).includes("/range?")) await new Promise((done) => setTimeout(done, answered));
			return r;
		}`, drawn, answered)
}

// lateAnswers tests that late responses for an old view do not change the current view.
func lateAnswers(p *page, numpy *oracle.Proc) {
	defer func() { *p.reload = true }()
	p.load("percent.npy", "range=extremes")
	p.delay(0, 900)
	p.Choose(`[aria-label="colour range"]`, "percentiles")
	time.Sleep(200 * time.Millisecond) // until the range has been requested
	p.delay(2500, 900)
	p.Type(`[aria-label="minimum of the colours"]`, "42")
	time.Sleep(time.Second)
	p.settle()
	if lo, _ := p.bar(); lo != 42 {
		p.t.Errorf("42 was typed, and the range begins at %v", lo)
	}
	p.load("live.npy", "range=extremes")
	p.counts(`d.counts`)
	p.delay(2500, 0)
	if err := numpy.Run("edit(9000.0)", nil, nil); err != nil {
		p.t.Fatal(err)
	}
	p.counts(`d.lo === "9000" && d.hi === "10319"`)
}

// staleElements tests that elements of the previous array are not drawn in the colours of the next one while tiles
// are loading.
func staleElements(p *page) {
	p.load("dark.npy", "range=hand&colours=0,1")
	p.Run(nil, `const ask = window.fetch, wait = new Promise((go) => (window.go = go));
		window.fetch = async (url, init) => {
			if (String(url).includes("/tile?")) await wait;
			return ask.call(window, url, init);
		}`)
	g := p.geometry()
	p.Run(nil, `location.hash = arguments[0]`, "#src="+p.ids["light.npy"]+"&range=hand&colours=-2,-1")
	p.Wait("its name is there",
		`document.querySelector("h1").textContent === "light.npy" && document.querySelector(".colorbar").dataset.range === "-2,-1"`)
	time.Sleep(200 * time.Millisecond)
	px, py := g.at(20, 20)
	r, gr, b, _ := p.picture().At(px, py).RGBA()
	if got := (color.RGBA{uint8(r >> 8), uint8(gr >> 8), uint8(b >> 8), 255}); got == darkest || got == lightest {
		p.t.Errorf("an element that has not arrived has the colour %v", got)
	}
	p.Run(nil, `window.go()`)
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{true: darkest, false: lightest}[y*44+x == 7], true
	})
	*p.reload = true
}

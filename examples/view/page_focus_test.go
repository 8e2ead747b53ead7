package main

import "github.com/ndmap/ndmap/examples/view/internal/webdriver"

// focusStays tests that the focus is not lost when the focused control disappears, that it stays in an open side panel,
// and that the handles of a narrow range do not cover each other.
func focusStays(p *page) {
	focused := func(what, selector string) {
		p.t.Helper()
		p.Wait(what, `document.activeElement.matches(`+quote(selector)+`)`)
	}
	const image = ".map canvas"
	const inert = `["header", ".sources", "main", ".controls", "footer"].filter((s) => document.querySelector(s).inert).join(" ")`
	p.show("holes.npy", "box=1,2,5,9")
	p.Run(nil,
		`[...document.querySelectorAll("[data-section=box] button")].find((b) => b.textContent === "Remove the box").focus()`)
	p.Press(webdriver.Enter)
	focused("the image has the focus after the box was removed", image)

	p.Run(nil, `document.querySelector(".source").focus()`)
	p.Choose(`[aria-label="order of the list"]`, "newest first")
	p.Choose(`[aria-label="order of the list"]`, "as given")
	focused("the entry in the list keeps the focus", ".source")
	p.Type(`[aria-label="search the list"]`, "no such name")
	p.expect(".sources [role=status]", "no entry matches")
	p.Type(`[aria-label="search the list"]`, " ")

	p.Size(860, 680, false)
	for _, first := range []string{".controls select", "[data-section=distribution] button"} {
		if first == ".controls select" {
			p.Click("[aria-label=controls]")
		} else {
			p.Press("h")
		}
		focused("the panel has the focus", first)
		p.Wait("nothing else can have the focus", inert+` === "header .sources main footer"`)
		p.Press(webdriver.Escape)
		focused("the image has the focus after the panel was closed", image)
		p.Wait("everything can have the focus", inert+` === ""`)
	}
	p.Press("h")
	p.setSmallWindow()
	p.Wait("a panel that is a part of the window is not alone", inert+` === ""`)

	p.show("ramp.npy", "range=hand&colours=700,702")
	p.counts(`d.counts`)
	var gap []float64
	p.Run(&gap, `const [a, b] = ["lo", "hi"].map((s) => document.querySelector(".handle." + s).getBoundingClientRect());
		return [a.width, b.width, b.left - a.right]`)
	if gap[0] < 24 || gap[1] < 24 || gap[2] < -0.01 {
		p.t.Errorf("the handles have the widths %v and %v, and a gap of %v", gap[0], gap[1], gap[2])
	}
}

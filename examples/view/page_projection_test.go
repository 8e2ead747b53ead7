package main

import (
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/internal/oracle"
)

// chooseProjection selects a projection along an axis and waits for the picture.
func (p *page) chooseProjection(axis int, op string) {
	p.t.Helper()
	p.Choose(fmt.Sprintf(`[aria-label="show axis %d as"]`, axis), op)
	p.settle()
}

// heading waits until the heading is want.
func (p *page) heading(want string) {
	p.t.Helper()
	p.Wait("the heading is "+want, settled+` && document.querySelector("h1").textContent === `+quote(want))
}

// projections tests the values of projections, their ranges of indices, the address, and edits of the file.
func projections(p *page, numpy *oracle.Proc) {
	const all = ` && !document.querySelector("[aria-label='all indices of axis 0']").checkVisibility()`
	p.show("layers.npy", "at=3,0,0&y=1&x=2")
	p.chooseProjection(0, "mean")
	p.heading("layers.npy · mean along axis 0")
	p.checkCursor(2, 5, "[mean, 2, 5]", "5593.0", "")
	p.Wait("all indices are combined", settled+all)
	p.Type(`[aria-label="first index of the projection along axis 0"]`, "2")
	p.heading("layers.npy · mean along axis 0 from 2")
	p.Type(`[aria-label="last index of the projection along axis 0"]`, "-9")
	p.heading("layers.npy · mean along axis 0 from 2 to 3")
	p.checkCursor(2, 5, "[mean, 2, 5]", "2593.0", "")
	p.chooseProjection(0, "sum")
	p.heading("layers.npy · sum along axis 0")
	p.Type(`[aria-label="last index of the projection along axis 0"]`, "1")
	p.heading("layers.npy · sum along axis 0 from 0 to 1")
	p.checkCursor(2, 5, "[sum, 2, 5]", "1186", "")
	p.Wait("the address has the projection", `new URLSearchParams(location.hash.slice(1)).get("project") === "0,sum,0,2"`)
	p.Click(`[aria-label="all indices of axis 0"]`)
	p.heading("layers.npy · sum along axis 0")
	p.Wait("the choice has the focus", `document.activeElement.getAttribute("aria-label") === "show axis 0 as"`)

	p.load("layers.npy", "mode=image&at=3,0,0&project=0,max,0,3&y=1&x=2")
	p.heading("layers.npy · max along axis 0 from 0 to 2")
	p.checkCursor(1, 0, "[max, 1, 0]", "2044", "")
	p.keepScreenshot("projection")
	p.Choose(`[aria-label="show axis 0 as"]`, "index")
	p.heading("layers.npy")
	p.checkCursor(1, 0, "[3, 1, 0]", "3044", "byte 16144")

	// Lines along another axis keep the projection. An axis that is chosen to be shown has no projection.
	p.chooseProjection(0, "min")
	p.Press("l")
	p.heading("layers.npy · min along axis 0")
	p.Choose(`[aria-label="show axis 1 as"]`, "mean")
	p.heading("layers.npy · min along axis 0, then mean along axis 1")
	p.Press("i")
	p.heading("layers.npy · min along axis 0, then mean along axis 1")
	p.Choose(`[aria-label="axis of the rows"]`, "0 · 1")
	p.heading("layers.npy · mean along axis 1")

	p.show("layers.npy", "mode=image&project=0,max&y=1&x=2")
	p.heading("layers.npy · max along axis 0")
	p.checkCursor(1, 0, "[max, 1, 0]", "11044", "")
	const edit = `
with open("layers.npy", "r+b") as f:
    f.seek(128 + 4 * (4 * 30 + 1) * 44)
    f.write(np.int32(77777).tobytes())`
	if err := numpy.Run(edit, nil, nil); err != nil {
		p.t.Fatal(err)
	}
	p.expect(".where .value", "77777")
	p.show("structs.npy", "")
	p.expect("[data-section=index]", "Choose a field to combine its elements along an axis.")
	p.show("times.npy", "")
	p.expect("[data-section=index]", "Only booleans, integers, floats and complex numbers can be combined along an axis")
}

// projectionStops tests that a projection of a large array shows its progress, and that it ends when it is stopped and
// when the page is left.
func projectionStops(p *page) {
	p.show("vast.npy", "at=7,0,0&y=1&x=2")
	p.Run(nil, `const ask = window.fetch;
		window.fetch = async (url, init) => {
			const r = await ask.call(window, url, init);
			if (String(url).endsWith("/job")) localStorage.setItem("job of the test", (await r.clone().json()).job);
			return r;
		}`)
	known := func(what string, want int) {
		p.t.Helper()
		p.Run(nil, `const ask = async () => {
			const r = await fetch("/api/job/" + localStorage.getItem("job of the test"), {headers: {"X-NDMap": localStorage.getItem("npyview key")}});
			window.answered = r.status;
			if (r.status !== arguments[0]) setTimeout(ask, 50);
		}; window.answered = 0; ask();`, want)
		p.Wait(what, fmt.Sprintf(`window.answered === %d`, want))
	}
	begin := func() {
		p.t.Helper()
		p.Choose(`[aria-label="show axis 0 as"]`, "std")
		p.Wait("there is progress", `document.querySelector("[aria-label='progress of the projection']").value > 0`)
		p.expect("[data-section=index] [role=status]", "computing the std along axis 0")
		known("the job runs", 200)
	}
	begin()
	p.Run(nil,
		`[...document.querySelectorAll("[data-section=index] button")].find((b) => b.textContent === "Stop").focus()`)
	p.Press(webdriver.Enter)
	known("the job has been cancelled", 404)
	p.Wait("the choice has the focus", `document.activeElement.getAttribute("aria-label") === "show axis 0 as"`)
	p.heading("vast.npy")
	p.Wait("the choice is reset", `document.querySelector("[aria-label='show axis 0 as']").value === ""`)
	p.Wait("the index is as before", `document.querySelector("[aria-label='index on axis 0']").value === "7"`)
	begin()
	p.show("layers.npy", "")
	known("the job of the previous array has been cancelled", 404)
	p.show("vast.npy", "at=7,0,0&y=1&x=2")
	begin()
	p.load("layers.npy", "")
	known("the job of the page before has been cancelled", 404)
	for _, line := range p.Log() {
		if !strings.Contains(line, "/api/job/") || !strings.Contains(line, "404") {
			p.t.Errorf("the console of the page: %s", line)
		}
	}
}

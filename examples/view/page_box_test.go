package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
)

// waitBox waits until the box is the one in the arguments and its elements have been counted.
func (p *page) waitBox(what string, y0, x0, y1, x1 int) {
	p.t.Helper()
	want := fmt.Sprintf("%d,%d,%d,%d", y0, x0, y1, x1)
	p.Wait(what+": the box is "+want,
		`document.querySelector("[data-section=box] .moments").dataset.done === `+quote(want)+` && `+settled)
}

// changedBox moves and resizes a box with the pointer and with keys, types boxes, and removes them with Escape.
func changedBox(p *page) {
	defer p.setSmallWindow()
	p.Size(1060, 680, false) // in a larger one, row 90 is out of the window
	p.show("holes.npy", "at=1,0,0&box=12,22,38,62")
	p.waitBox("opened", 12, 22, 38, 62)
	g := p.geometry()
	at := func(y, x float64) (px, py int) {
		return int(math.Round(g.OriginX + (x-g.X0)*g.Zx)), int(math.Round(g.OriginY + (y-g.Y0)*g.Zy))
	}
	drag := func(y0, x0, y1, x1 float64) {
		p.t.Helper()
		fromX, fromY := at(y0, x0)
		toX, toY := at(y1, x1)
		p.Drag(fromX, fromY, toX, toY)
	}
	cursor := func(y, x float64, want string) {
		p.t.Helper()
		p.Move(at(y, x))
		var got string
		p.Run(&got, `return document.querySelector(".map canvas").style.cursor`)
		if got != want {
			p.t.Errorf("the cursor at row %v and column %v is %q, want %q", y, x, got, want)
		}
	}
	cursor(12, 22, "nwse-resize")
	cursor(38, 22, "nesw-resize")
	cursor(25, 62, "ew-resize")
	cursor(38, 40, "ns-resize")
	cursor(25, 42, "move")
	cursor(5, 5, "")

	drag(25, 42, 20, 45)
	p.waitBox("moved by its inside", 7, 25, 33, 65)
	drag(33, 65, 30, 50)
	p.waitBox("resized by its lower right corner", 7, 25, 30, 50)
	drag(20, 25, 22, 60)
	p.waitBox("its left edge beyond its right edge", 7, 50, 30, 60)
	drag(7, 55, 90, 55)
	p.waitBox("its upper edge dragged out of the image", 30, 50, p.geometry().Ny, 60)
	if after := p.geometry(); after.X0 != g.X0 || after.Y0 != g.Y0 || after.Zx != g.Zx {
		p.t.Error("a dragged box moves the map")
	}

	// The keys, while the box has the focus.
	p.Type(boxField, "1, 7:9, 3:5")
	p.waitBox("typed", 7, 3, 9, 5)
	p.Run(nil, `document.querySelector(".map canvas").focus()`)
	p.Press(webdriver.Tab)
	if got, want := p.text(":focus")+p.attribute(":focus", "aria-label"),
		"box of rows 7 to 8 and columns 3 to 4; arrow keys move it, shift and arrow keys resize it, escape removes it"; got != want {
		p.t.Errorf("after tab, the focus is on %q, want %q", got, want)
	}
	p.Press(webdriver.ArrowRight)
	p.Press(webdriver.Down)
	p.waitBox("moved with arrows", 8, 4, 10, 6)
	p.Press(webdriver.Shift, webdriver.ArrowRight)
	p.Press(webdriver.Shift, webdriver.ArrowUp)
	p.waitBox("resized with arrows", 8, 4, 9, 7)
	p.Press(webdriver.Shift, webdriver.ArrowUp)
	p.waitBox("a single row gets no smaller", 8, 4, 9, 7)
	p.Press("t")
	p.waitBox("swapped axes", 4, 8, 7, 9)
	if got := p.value(boxField); got != "1, 8:9, 4:7" {
		p.t.Errorf("with swapped axes the field has %q", got)
	}
	p.Press("t")

	for _, tt := range []struct {
		typed          string
		y0, x0, y1, x1 int
		field          string
	}{
		{"3:9, 4:20", 3, 4, 9, 20, "1, 3:9, 4:20"},
		{"a[2, -5:, :6]", g.Ny - 5, 0, g.Ny, 6, fmt.Sprintf("2, %d:%d, 0:6", g.Ny-5, g.Ny)},
		{"5, -1", 5, g.Nx - 1, 6, g.Nx, fmt.Sprintf("2, 5:6, %d:%d", g.Nx-1, g.Nx)},
		{`a["f"][0, 1:1000, :]`, 1, 0, g.Ny, g.Nx, fmt.Sprintf("0, 1:%d, 0:%d", g.Ny, g.Nx)},
	} {
		p.Type(boxField, tt.typed)
		p.waitBox(tt.typed, tt.y0, tt.x0, tt.y1, tt.x1)
		if got := p.value(boxField); got != tt.field {
			p.t.Errorf("after typing %q, the field has %q, want %q", tt.typed, got, tt.field)
		}
	}
	for _, tt := range []struct{ typed, want string }{
		{"3:9", "1 entry: want 2, such as 3:9, 4:20, or 3, one for each axis"},
		{"1,2,3,4", "4 entries: want 2, such as 3:9, 4:20, or 3, one for each axis"},
		{"x:9, 4:20", `"x:9" is neither an index nor a range such as 3:9`},
		{", 4:20", `"" is neither an index nor a range such as 3:9`},
		{"9:3, 4:20", fmt.Sprintf("the range 9:3 has no elements: axis 1 has %d", g.Ny)},
		{fmt.Sprintf("%d, 3", g.Ny), fmt.Sprintf("the index %d is out of range: axis 1 has %[1]d elements", g.Ny)},
		{"0:2, 3:9, 4:20", "axis 0 is not in the image: want one index, not the range 0:2"},
	} {
		p.Type(boxField, tt.typed)
		p.expect("[data-section=box] .bad", tt.want)
		if got := p.value(boxField); got != tt.typed {
			p.t.Errorf("the wrong text %q became %q", tt.typed, got)
		}
	}

	// Escape leaves the field, then removes the box, then the line.
	p.show("holes.npy", "at=1,0,0&box=12,22,38,62&across=1,1,9,9")
	p.waitBox("opened again", 12, 22, 38, 62)
	p.Press("?")
	p.Press(webdriver.Escape)
	p.Wait("the help is closed", `!document.querySelector("dialog[open]")`)
	for _, want := range []string{"box,across", "across", ""} {
		p.Wait("the address has "+want, `["box", "across"].filter((k) => location.hash.includes("&" + k + "=")).join() === `+
			quote(want))
		p.Press(webdriver.Escape)
	}

	// In a narrow window, the statistics are below the image.
	p.Size(860, 680, false)
	p.show("holes.npy", "at=1,0,0&box=12,22,38,62")
	p.waitBox("in a narrow window", 12, 22, 38, 62)
	var hidden []string
	p.Run(&hidden, `return [...document.querySelectorAll("[data-section=box] dd")].filter((e) => {
		const r = e.getBoundingClientRect(), x = (r.left + r.right) / 2, y = (r.top + r.bottom) / 2;
		return document.elementFromPoint(x, y) !== e;
	}).map((e) => e.dataset.box)`)
	if len(hidden) > 0 || p.text("[data-box=median]") == "" {
		p.t.Errorf("at a width of 860 pixels, the statistics %s are hidden", strings.Join(hidden, ", "))
	}
	p.keepScreenshot("box860")
	g = p.geometry()
	drag(25, 42, 20, 45)
	p.waitBox("moved in a narrow window", 7, 25, 33, 65)
	if after := p.geometry(); after.Zx != g.Zx || after.H != g.H {
		p.t.Error("the image changes its size when the box is dragged")
	}
	p.Press(webdriver.Escape)
	p.Wait("the section is back in the controls", `document.querySelector(".controls [data-section=box]")`)
}

const boxField = `[aria-label="box, as between the brackets in NumPy"]`

// value returns the text of a field.
func (p *page) value(selector string) (s string) {
	p.t.Helper()
	p.Run(&s, `return document.querySelector(arguments[0]).value`, selector)
	return s
}

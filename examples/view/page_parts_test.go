package main

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image/color"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/examples/view/internal/demo"
	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/internal/oracle"
)

// evil is text that would run a script if it became markup.
const evil = `<img src=x onerror=window.pwned=1>`

const fixtures = `
import os
os.chdir(x)
evil = "` + evil + `"
i, j = np.mgrid[0:30, 0:44]
np.save("rgb.npy", np.stack([i * 8, j * 5, i * j % 256], -1).astype("u1"))
np.save("planes.npy", np.stack([i * 8, j * 5, i * j % 256]).astype("u1"))
np.save("board.npy", ((i + j) % 2).astype("i4"))
np.save("stack.npy", np.asfortranarray(np.arange(5 * 30 * 44).reshape(5, 30, 44).astype(">f8")))
np.save("large.npy", np.add.outer(np.arange(3000, dtype="u2"), np.arange(2000, dtype="u2")))
np.save("numbers.npy", np.random.default_rng(7).normal(3, 2, (120, 500)))
np.save("line.npy", np.sin(np.arange(300000) / 5000.0).astype("f4").reshape(3, -1))
np.save("scalar.npy", np.float64(2.5))
np.save("none.npy", np.zeros((0, 5)))
np.save("complex.npy", np.arange(12).reshape(3, 4) * (3 + 4j))
np.save("text.npy", np.array(["eins", "zwei", evil]))
r = np.zeros(1000, [("time", "M8[s]"), (evil, "S40"), ("x", "f8")])
r["time"] = np.datetime64("2026-01-01T00:00:00") + np.arange(1000)
r[evil] = evil
r["x"] = np.arange(1000) / 4
np.save("records.npy", r)
np.save(evil + ".npy", np.arange(3))
np.savez("members.npz", **{"weights": np.arange(600, dtype="i2").reshape(20, 30), evil: np.arange(4)})
np.savez_compressed("small.npz", inside=np.arange(35.0).reshape(5, 7))
np.save("live.npy", np.arange(40, dtype="i4").reshape(4, 10))
np.savez("objects.npz", params=np.array({"lr": 0.1, evil: [evil, {"deep": (1, "x")}], "many": list(range(450))}, dtype=object),
    labels=np.array(["one", evil], dtype=object), refused=np.array([os.getcwd], dtype=object))
np.save("cut.npy", np.arange(1 << 20, dtype="f4").reshape(1024, 1024))
`

// The ends of viridis.
var darkest, lightest = color.RGBA{0x44, 0x01, 0x54, 255}, color.RGBA{0xfd, 0xe7, 0x25, 255}

func TestPage(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(fixtures, dir, nil); err != nil {
		t.Fatal(err)
	}
	open(t, dir).parts(t, []part{
		{"colours", colours},
		{"pattern", pattern},
		{"zoom and pan", zoomAndPan},
		{"sliders, axes and corners", slidersAxesCorners},
		{"colour range", colourRange},
		{"table", tableOfRecords},
		{"lines", linesOfAnAxis},
		{"histogram", func(p *page) { histogram(p, numpy) }},
		{"members", func(p *page) { members(p, dir) }},
		{"small arrays", smallArrays},
		{"complex", complexParts},
		{"text from files", textFromFiles},
		{"objects", objectsAsTree},
		{"growth", func(p *page) { growth(p, filepath.Join(dir, "live.npy")) }},
		{"truncation", func(p *page) { truncation(p, filepath.Join(dir, "cut.npy")) }},
		{"address, entered", typeAddress},
		{"address, copy and save", func(p *page) { addressCopySave(p, numpy) }},
		{"the cookie elsewhere", stolenCookie},
		{"playing", playFrames},
		{"keys and windows", keysAndWindows},
	})
}

// A part is a part of a test. Parts share one page.
type part struct {
	name string
	run  func(p *page)
}

// parts runs each part as a subtest and checks that the console of the page is empty.
func (p *page) parts(t *testing.T, parts []part) {
	for _, part := range parts {
		t.Run(part.name, func(t *testing.T) {
			p := p.forSubtest(t)
			defer func() { *p.reload = *p.reload || t.Failed() }() // after a failure, the next part loads the page again
			part.run(p)
			for _, line := range p.Log() {
				t.Errorf("the console of the page: %s", line)
			}
		})
	}
}

func colours(p *page) {
	for _, c := range []struct{ name, axis, index string }{{"planes.npy", "axis 0", "[:, 7, 9]"}, {"rgb.npy",
		"the last axis", "[7, 9, :]"}} {
		p.show(c.name, "")
		p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
			return color.RGBA{uint8(y * 8), uint8(x * 5), uint8(y * x), 255}, true
		})
		if !p.checked("colours from " + c.axis) {
			p.t.Errorf("%s: the box of the colours is not checked", c.name)
		}
		x, y := p.geometry().at(7, 9)
		p.Move(x, y)
		p.expect(".where .index", c.index)
		p.expect(".where .value", "[56 45 63]")
	}
	p.keepScreenshot("rgb")
}

func pattern(p *page) {
	p.show("board.npy", "map=viridis")
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		if (y+x)%2 == 0 {
			return darkest, true
		}
		return lightest, true
	})
	p.keepScreenshot("pattern")
}

func zoomAndPan(p *page) {
	p.show("large.npy", "")
	if got, want := p.text(".noted"), "mean of 8 × 8 elements per cell · exact"; got != want {
		p.t.Errorf("zoomed out, the page says %q, want %q", got, want)
	}
	p.keepScreenshot("large")
	g := p.geometry()
	px, py := g.at(700, 1200)
	under := func(g geometry) (y, x float64) {
		return g.Y0 + (float64(py)-g.OriginY)/g.Zy, g.X0 + (float64(px)-g.OriginX)/g.Zx
	}
	y, x := under(g)
	for range 40 {
		if p.geometry().Zx > 60 {
			break
		}
		p.Wheel(px, py, 0, -300)
	}
	zoomed := p.geometry()
	if y1, x1 := under(zoomed); math.Hypot(y1-y, x1-x) > 1e-3 {
		p.t.Errorf("the element at the pointer was [%v, %v] and is [%v, %v] after zooming there", y, x, y1, x1)
	}
	p.expect(".noted", "every element")
	i, j := int(y), int(x)
	p.checkCursor(i, j, fmt.Sprintf("[%d, %d]", i, j), strconv.Itoa(i+j), fmt.Sprintf("byte %d", 128+2*(i*2000+j)))
	p.keepScreenshot("zoomed")
	p.Drag(px, py, px-130, py+70)
	moved := p.geometry()
	if dx, dy := (moved.X0-zoomed.X0)*moved.Zx, (moved.Y0-zoomed.Y0)*moved.Zy; math.Abs(dx-130) > 1 ||
		math.Abs(dy+70) > 1 {
		p.t.Errorf("dragging by -130, 70 moved the map by %v, %v pixels", -dx, -dy)
	}
	p.Press(webdriver.ArrowRight)
	if after := p.geometry(); after.X0 <= moved.X0 {
		p.t.Errorf("the right arrow key moved the map from %v to %v", moved.X0, after.X0)
	}
	p.Press("0")
	if after := p.geometry(); after.Zx != g.Zx {
		p.t.Errorf("0 gives %v pixels an element, want %v", after.Zx, g.Zx)
	}
	p.Press("+")
	if after := p.geometry(); math.Abs(after.Zx/g.Zx-1.5) > 1e-6 {
		p.t.Errorf("+ zooms by %v, want 1.5", after.Zx/g.Zx)
	}
}

// slidersAxesCorners tests indices, values and file positions in a big-endian array of shape (5, 30, 44) in Fortran
// order. The elements count up in C order.
func slidersAxesCorners(p *page) {
	p.show("stack.npy", "")
	if got := p.text(".slider"); !strings.Contains(got, "axis 0") {
		p.t.Errorf("the sliders are %q", got)
	}
	p.Wait("the stack opens in the middle frame", `document.querySelector(".slider .exact").value === "2"`)
	p.show("stack.npy", "at=0,0,0")
	check := func(y, x int, at [3]int) {
		p.t.Helper()
		k, i, j := at[0], at[1], at[2]
		p.checkCursor(y, x, fmt.Sprintf("[%d, %d, %d]", k, i, j), fmt.Sprintf("%d.0", (k*30+i)*44+j), fmt.Sprintf("byte %d",
			128+8*(k+5*(i+30*j))))
	}
	corners := func(k int) {
		p.t.Helper()
		for _, c := range [][2]int{{0, 0}, {0, 43}, {29, 0}, {29, 43}} {
			check(c[0], c[1], [3]int{k, c[0], c[1]})
		}
	}
	corners(0)
	p.Type(`[aria-label="index on axis 0, as a number"]`, "3")
	p.settle()
	corners(3)
	p.Run(nil, `document.activeElement.blur()`)
	p.Press(".")
	p.expect(".where .index", "[4, 29, 43]") // index of the element at the pointer
	corners(4)
	p.Run(nil,
		`const s = document.querySelector("input[type=range]"); s.value = 1; s.dispatchEvent(new Event("input", {bubbles: true}))`)
	p.settle()
	corners(1)
	p.keepScreenshot("stack")
	p.Click(`[aria-label="swap the axes"]`)
	if g := p.geometry(); g.Ny != 44 || g.Nx != 30 {
		p.t.Errorf("swapped, the map has %d × %d elements, want 44 × 30", g.Ny, g.Nx)
	}
	check(40, 7, [3]int{1, 7, 40})
	p.Choose(`[aria-label="axis of the rows"]`, "0 · 5")
	if g := p.geometry(); g.Ny != 5 || g.Nx != 30 {
		p.t.Errorf("with axis 0 as rows, the map has %d × %d elements, want 5 × 30", g.Ny, g.Nx)
	}
	check(2, 9, [3]int{2, 9, 0})
	check(4, 29, [3]int{4, 29, 0})
}

func colourRange(p *page) {
	p.show("stack.npy", "at=2,0,0")
	p.Type(`[aria-label="minimum of the colours"]`, "2700")
	p.Type(`[aria-label="maximum of the colours"]`, "3500")
	p.settle()
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		v := (2*30+y)*44 + x
		if v <= 2700 {
			return darkest, true
		}
		return lightest, v >= 3500
	})
	p.keepScreenshot("range")
	p.Choose(`[aria-label="colour range"]`, "minimum to maximum")
	p.Wait("the range of all frames", `document.querySelector(".colorbar").dataset.range === "0,6599"`)
	p.Run(nil,
		`[...document.querySelectorAll("label.check")].find((l) => l.textContent === "for each frame").click()`)
	p.Wait("the range of the frame", `document.querySelector(".colorbar").dataset.range === "2640,3959"`)
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return map[bool]color.RGBA{false: darkest, true: lightest}[y > 0], y == 0 && x == 0 || y == 29 && x == 43
	})
	p.Run(nil, `document.activeElement.blur()`)
	p.Press(".")
	p.Wait("the range of the next frame", `document.querySelector(".colorbar").dataset.range === "3960,5279"`)
}

func tableOfRecords(p *page) {
	p.setLargeWindow() // all columns are visible
	defer p.setSmallWindow()
	p.show("records.npy", "mode=table")
	row := func() string {
		var s string
		p.Run(&s,
			`return [...document.querySelector(".td[aria-selected]").parentElement.children].map((e) => e.textContent).join("|")`)
		return s
	}
	p.Click(".td[data-row='2'][data-col='2']")
	p.settle()
	if got, want := row(), "2|2026-01-01T00:00:02|"+evil+"|0.5"; got != want {
		p.t.Errorf("row 2: %q, want %q", got, want)
	}
	p.expect(".where .value", "(")
	p.keepScreenshot("records")
	p.Press(webdriver.Control, webdriver.End)
	p.settle()
	if got, want := row(), "999|2026-01-01T00:16:39|"+evil+"|249.75"; got != want {
		p.t.Errorf("the last row: %q, want %q", got, want)
	}
	p.Press(webdriver.Control, webdriver.Home)
	p.Press(webdriver.PageDown)
	p.settle()
	page, _, _ := strings.Cut(row(), "|")
	if n, err := strconv.Atoi(page); err != nil || n < 10 {
		p.t.Errorf("the page down key goes to row %q", page)
	}
	p.Type(`[aria-label="go to row"]`, "500")
	p.Wait("row 500 is there",
		settled+` && document.querySelector(".td[aria-selected]")?.parentElement.textContent.endsWith("125.0")`)
	p.Wheel(600, 400, 0, 26*100)
	p.Wait("the wheel moves by rows", `Number(document.querySelector(".tr").children[1].dataset.row) >= 570`)
	p.Run(nil, `const b = document.querySelector(".bar-v"); b.scrollTop = b.scrollHeight`)
	p.Wait("the bar moves to the end", `document.querySelector(".tbody .tr:last-child .td").dataset.row === "999"`)
	p.show("numbers.npy", "mode=table&row=100&col=490")
	p.keepScreenshot("table")
	p.Press("t")
	p.Wait("the table is transposed",
		settled+` && document.querySelector(".grid").getAttribute("aria-rowcount") === "500"`)
}

func linesOfAnAxis(p *page) {
	p.show("line.npy", "mode=lines&over=-1&at=0,0")
	plot := func() (kind string, points int) {
		p.settle()
		var s []string
		p.Run(&s, `const d = document.querySelector(".plot").dataset; return [d.kind, d.points]`)
		points, _ = strconv.Atoi(s[1])
		return s[0], points
	}
	if kind, n := plot(); kind != "envelope" || n < 200 || n > 2048 {
		p.t.Errorf("of 100000 elements, the page shows %s of %d", kind, n)
	}
	p.Click(`section[data-section=lines] button`)
	p.Run(nil, `document.activeElement.blur()`)
	p.Press(".")
	p.settle()
	if got, want := p.text(".legend"), "[0, :]×[1, :]current"; got != want {
		p.t.Errorf("the legend says %q, want %q", got, want)
	}
	p.keepScreenshot("lines")
	for range 40 {
		if kind, n := plot(); kind == "points" && n < 60 {
			break
		}
		p.Wheel(600, 400, 0, -300)
	}
	if kind, n := plot(); kind != "points" || n > 100 {
		p.t.Errorf("zoomed in, the page shows %s of %d", kind, n)
	}
	p.expect(".noted", "every element")
	p.Move(600, 400)
	p.Wait("the value arrives",
		`document.querySelector(".where .value") && !document.querySelector(".where").classList.contains("stale")`)
	var at int
	if _, err := fmt.Sscanf(p.text(".where .index"), "[1, %d]", &at); err != nil {
		p.t.Errorf("the cursor is at %q", p.text(".where .index"))
	}
	got, err := strconv.ParseFloat(p.text(".where .value"), 64)
	if want := math.Sin(float64(100000+at) / 5000); err != nil || math.Abs(got-want) > 1e-6 {
		p.t.Errorf("element [1, %d]: %v (%v), want %v", at, got, err, want)
	}
	p.keepScreenshot("points")
}

func histogram(p *page, numpy *oracle.Proc) {
	p.show("numbers.npy", "")
	compute := func(scope, code string) {
		p.t.Helper()
		var want struct {
			Counts []int
			Mean   float64
			Count  int
		}
		if err := numpy.Run(code+"\nout = dict(Counts=np.histogram(a, 64)[0].tolist(), Mean=a.mean(), Count=a.size)", nil,
			&want); err != nil {
			p.t.Fatal(err)
		}
		p.Run(nil,
			`const s = document.querySelector("[aria-label='counted elements']"); s.value = arguments[0]; s.dispatchEvent(new Event("change"))`, scope)
		p.Click(".distribution button")
		p.Wait("the histogram is there", `document.querySelector(".distribution").dataset.done === `+quote(scope))
		var counts string
		p.Run(&counts, `return document.querySelector(".hist").dataset.counts`)
		var got []int
		for s := range strings.SplitSeq(counts, ",") {
			n, _ := strconv.Atoi(s)
			got = append(got, n)
		}
		if !slices.Equal(got, want.Counts) {
			p.t.Errorf("%s: counts %v, NumPy's are %v", scope, got, want.Counts)
		}
		mean, _ := strconv.ParseFloat(p.text("[data-of=mean]"), 64)
		if math.Abs(mean-want.Mean) > 1e-8 {
			p.t.Errorf("%s: mean %v, want %v", scope, mean, want.Mean)
		}
		if n := strings.ReplaceAll(p.text("[data-of=count]"), "\u202f", ""); n != strconv.Itoa(want.Count) {
			p.t.Errorf("%s: count %s, want %d", scope, n, want.Count)
		}
	}
	compute("all", `a = np.load("numbers.npy")`)
	p.keepScreenshot("histogram")
	p.Press("1")
	p.Wheel(600, 400, 0, -400)
	p.Wheel(600, 400, 0, -400)
	g := p.geometry()
	compute("visible", fmt.Sprintf(`a = np.load("numbers.npy")[%d:%d, %d:%d]`, max(0, int(g.Y0)), min(g.Ny,
		int(math.Ceil(g.Y0+g.H/g.Zy))),
		max(0, int(g.X0)), min(g.Nx, int(math.Ceil(g.X0+g.W/g.Zx)))))
}

func members(p *page, dir string) {
	p.show("weights", "")
	weights, err := os.ReadFile(filepath.Join(dir, "members.npz"))
	if err != nil {
		p.t.Fatal(err)
	}
	last := bytes.Index(weights, binary.LittleEndian.AppendUint32(nil,
		598|599<<16)) + 2 // position of the element 599 in the file
	p.checkCursor(19, 29, "[19, 29]", "599", fmt.Sprintf("byte %d", last))
	p.show("inside", "")
	p.checkCursor(4, 6, "[4, 6]", "34.0", "")
	p.keepScreenshot("member")
}

func smallArrays(p *page) {
	p.show("scalar.npy", "")
	p.expect(".tbody .td", "2.5")
	p.keepScreenshot("scalar")
	p.show("none.npy", "")
	p.expect(".empty", "no elements: shape (0, 5)")
	p.keepScreenshot("none")
	p.show("none.npy", "mode=lines")
	p.expect(".empty", "no elements")
	p.show("none.npy", "mode=table")
	p.expect(".empty", "no elements")
}

func complexParts(p *page) {
	p.show("complex.npy", "")
	value := func(part string, want ...string) {
		p.t.Helper()
		p.Choose(`[aria-label="part of complex numbers"]`, part)
		p.Wait(part, settled+` && document.querySelector(".colorbar").dataset.range === `+quote(strings.Join(want, ",")))
	}
	p.Choose(`[aria-label="colour range"]`, "minimum to maximum")
	value("imaginary part", "0", "44")
	value("real part", "0", "33")
	value("magnitude", "0", "55")
	p.checkCursor(2, 3, "[2, 3]", "(33+44j)", "byte 304")
	p.keepScreenshot("complex")

	// Another part is chosen while the range of the previous one is being computed.
	const change = `const [range, part, after] = arguments;
		const choose = (name, text) => {
			const s = document.querySelector('[aria-label="' + name + '"]');
			s.value = [...s.options].find((o) => o.text === text).value;
			s.dispatchEvent(new Event("change", {bubbles: true}));
		};
		choose("colour range", range);
		setTimeout(() => choose("part of complex numbers", part), after);
		return true`
	for i := range oracle.Cases(p.t, 2) {
		i = 7 * i % 24
		value("magnitude", "0", "55")
		p.Choose(`[aria-label="colour range"]`, "percentiles")
		p.Wait("percentiles", settled)
		var ok bool
		p.Run(&ok, change, "minimum to maximum", "imaginary part", i)
		p.Wait(fmt.Sprintf("the range %d ms after another part is asked for", i),
			settled+` && document.querySelector(".colorbar").dataset.range === "0,44"`)
	}
}

// textFromFiles tests that text from files never becomes markup.
func textFromFiles(p *page) {
	check := func(what string) {
		p.t.Helper()
		var images int
		var ran bool
		p.Run(&images, `return document.images.length`)
		p.Run(&ran, `return "pwned" in window`)
		if images != 0 || ran {
			p.t.Errorf("%s became markup: %d images, script ran: %v", what, images, ran)
		}
	}
	p.show(evil+".npy", "")
	p.expect("h1", evil)
	check("the name of a file")
	p.show(evil, "mode=table")
	p.expect("h1", evil)
	check("the name of a member")
	p.show("text.npy", "")
	p.expect(".tbody .tr:last-child .td", evil)
	p.Click(".tbody .tr:last-child .td")
	p.expect(".where .value", evil)
	check("an element")
	p.show("records.npy", "mode=table")
	p.expect(".thead", evil)
	p.keepScreenshot("text")
	p.Choose(`[aria-label="field"]`, evil+" · |S40")
	p.expect("h1", evil)
	check("the name of a field")
	p.Press("y")
	p.expect("dialog[open] pre", "onerror")
	p.keepScreenshot("code")
	check("code")
	p.Press(webdriver.Escape)
}

func growth(p *page, path string) {
	p.show("live.npy", "mode=table")
	p.Click(`section[data-section=about] input[type=checkbox]`) // follow the end of the table
	f, err := array.Open(path, array.ReadWrite)
	if err != nil {
		p.t.Fatal(err)
	}
	defer f.Close()
	more, err := array.FromSlice(make([]int32, 100*10), 100, 10)
	if err != nil {
		p.t.Fatal(err)
	}
	more.SetAt(-77, 99, 0)
	if err := f.Append(more.Array()); err != nil {
		p.t.Fatal(err)
	}
	p.expect(".dtype", "(104, 10)")
	p.expect(".tbody .tr:last-child .td", "-77")
	p.settle()
	// Edit an element.
	v, err := array.As[int32](f.Array)
	if err != nil {
		p.t.Fatal(err)
	}
	v.SetAt(4321, 103, 1)
	if err := f.Sync(); err != nil {
		p.t.Fatal(err)
	}
	p.expect(".tbody .tr:last-child", "4321")
	p.keepScreenshot("growth")
}

func truncation(p *page, path string) {
	p.show("cut.npy", "")
	if err := os.Truncate(path, 1<<20); err != nil {
		p.t.Fatal(err)
	}
	p.Wait("the page says so", `document.querySelector(".live").dataset.status === "truncated"`)
	p.expect(".banner", "cut short")
	p.keepScreenshot("truncated")
	p.Press("0")
	p.settle()
	if err := os.Remove(path); err != nil {
		p.t.Fatal(err)
	}
	p.Wait("the page says so", `["gone", "truncated"].includes(document.querySelector(".live").dataset.status)`)
	p.Open("about:blank")
	p.Log() // drops the messages about failed requests
}

// typeAddress changes the address shortly before and after the page writes its own, 120 ms after a change.
func typeAddress(p *page) {
	p.show("stack.npy", "")
	for k := range oracle.Cases(p.t, 2) {
		k = 5 * k % 12
		p.Run(nil, `
			const [late, zx] = arguments, until = performance.now() + 118 + late;
			document.querySelector("main").dispatchEvent(new KeyboardEvent("keydown", { key: "+", bubbles: true }));
			const enter = () => {
				if (performance.now() < until) return setTimeout(enter, 0);
				location.hash = location.hash.replace(/&(zx|zy|cx|cy)=[^&]*/g, "") + "&zx=" + zx + "&zy=" + zx;
				for (const end = performance.now() + 4; performance.now() < end;);
			};
			enter();`, float64(k)/2, 20+k)
		p.Wait("the address that was entered is shown",
			fmt.Sprintf(`%s && Math.abs(JSON.parse(document.querySelector(".map canvas").dataset.geometry).zx - %d) < 1e-9`,
				settled, 20+k))
	}
}

// stolenCookie starts a server of another user on this machine, and has its page reload itself in the same browser.
// The browser sends this server the cookie of npyview. The cookie alone must not give access to arrays.
func stolenCookie(p *page) {
	var stolen atomic.Value
	thief := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c := r.Header.Get("Cookie"); strings.Contains(c, "npyview_") {
			stolen.Store(c)
		}
		w.Header().Set("Content-Type", "text/html")
		io.WriteString(w, `<!doctype html><link rel=icon href="data:,">
			<script>if (!location.hash) { location.hash = "again"; location.reload() }</script>`)
	}))
	defer thief.Close()
	p.Open(thief.URL)
	p.Wait("the page of the thief was loaded again", `location.hash === "#again"`)
	for end := time.Now().Add(10 * time.Second); stolen.Load() == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	cookie, ok := stolen.Load().(string)
	if !ok {
		p.t.Skip("this browser does not send cookies to other ports")
	}
	var key *string
	if p.Run(&key, `return localStorage.getItem("npyview key")`); key != nil {
		p.t.Error("the page of the thief has the key")
	}
	for path, want := range map[string]int{"/": 200, "/api/sources": 403, "/api/array/" + p.ids["stack.npy"]: 403} {
		r, err := http.NewRequest("GET", p.base+path, nil)
		if err != nil {
			p.t.Fatal(err)
		}
		r.Header.Set("Cookie", cookie)
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			p.t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != want {
			p.t.Errorf("%s with the cookie: %s, want %d", path, a.Status, want)
		}
	}
}

func addressCopySave(p *page, numpy *oracle.Proc) {
	p.show("stack.npy", "")
	p.Type(`[aria-label="index on axis 0, as a number"]`, "2")
	p.Choose(`[aria-label="colour map"]`, "magma")
	p.Run(nil, `document.activeElement.blur()`)
	p.Press("+")
	p.Press("+")
	g := p.geometry()
	p.Wait("the address follows",
		`location.hash.includes("at=2") && location.hash.includes("magma") && location.hash.includes("zx=")`)
	var address string
	p.Run(&address, `return location.href`)
	if strings.Contains(address, "token") {
		p.t.Errorf("the address has the token: %s", address)
	}
	before := p.picture()
	p.Open("about:blank")
	p.Open(address)
	p.Wait("the view is there again", settled)
	again := p.geometry()
	for _, x := range [][2]float64{{g.X0, again.X0}, {g.Y0, again.Y0}, {g.Zx, again.Zx}} {
		if math.Abs(x[0]-x[1]) > 1e-6 {
			p.t.Errorf("the address gives geometry %+v, want %+v", again, g)
			break
		}
	}
	p.movePointerAway()
	after := p.picture()
	for _, c := range [][2]int{{10, 20}, {15, 25}, {20, 30}} {
		x, y := g.at(c[0], c[1])
		if before.At(x, y) != after.At(x, y) {
			p.t.Errorf("the colour at %d, %d was %v and is %v", x, y, before.At(x, y), after.At(x, y))
		}
	}

	p.Press("y")
	p.Wait("the code is there", `document.querySelector("dialog[open] pre[data-lang=NumPy]")`)
	code := p.text("dialog[open] pre[data-lang=NumPy]")
	var shape []int
	if err := numpy.Run("out = list(eval(x).shape)", code, &shape); err != nil {
		p.t.Fatalf("the code for NumPy does not run: %v\n%s", err, code)
	}
	want := []int{min(30, int(math.Ceil(g.Y0+g.H/g.Zy))) - max(0, int(g.Y0)), min(44,
		int(math.Ceil(g.X0+g.W/g.Zx))) - max(0, int(g.X0))}
	if !slices.Equal(shape, want) {
		p.t.Errorf("the code for NumPy selects shape %v, want %v:\n%s", shape, want, code)
	}
	p.Press(webdriver.Escape)
	p.Press("s")
	p.Wait("saving is offered", `document.querySelector("dialog.save[open]")`)
	p.keepScreenshot("save")
	p.Run(nil, `const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			blob.bytes().then((b) => (window.saved = {type: blob.type, hex: b.toHex ? b.toHex() : [...b].map((x) => x.toString(16).padStart(2, "0")).join("")}));
			return make(blob);
		}`)
	p.Click("dialog.save[open] button:nth-of-type(4)")
	p.Wait("the elements are saved", "window.saved")
	var npy string
	p.Run(&npy, `return window.saved.hex`)
	var equal bool
	if err := numpy.Run("import io\nout = bool(np.array_equal(np.load(io.BytesIO(bytes.fromhex(x[0]))), eval(x[1])))",
		[]string{npy, code}, &equal); err != nil || !equal {
		p.t.Errorf("the saved array is not %s (%v)", code, err)
	}
	p.Run(nil, `window.saved = null`)
	p.Press("s")
	p.Click("dialog.save[open] button:nth-of-type(1)")
	p.Wait("the picture is saved", `window.saved?.type === "image/png"`)
}

// playFrames tests playing the frames of an array.
func playFrames(p *page) {
	p.show("stack.npy", "")
	p.Press(" ")
	p.Wait("another frame is shown", `Number(document.querySelector("input[type=range]").value) >= 2`)
	p.Press(" ")
	p.Wait("playing stops", `document.querySelector(".slider button").getAttribute("aria-pressed") === "false"`)
}

func keysAndWindows(p *page) {
	p.show("large.npy", "")
	p.Press("?")
	p.Wait("help is open", `document.querySelector("dialog.help[open]")`)
	p.keepScreenshot("help")
	p.Press(webdriver.Escape)
	p.Press("l")
	p.Wait("lines", `document.querySelector("[data-mode=lines][aria-selected=true]")`)
	p.Press("b")
	p.Wait("the table", `document.querySelector("[data-mode=table][aria-selected=true]")`)
	p.Press("i")
	p.Wait("the image", settled+` && document.querySelector("[data-mode=image][aria-selected=true]")`)
	for range 3 { // keys can move the cursor to an element
		p.Press(webdriver.Shift, webdriver.ArrowRight)
	}
	p.expect(".where .value", "2")
	p.Press("d")
	p.Wait("the page is dark", `document.documentElement.dataset.theme === "dark"`)
	p.keepScreenshot("dark")
	p.Press("d")
	windows := []struct {
		name          string
		width, height int
		phone, dark   bool
	}{{"tablet", 900, 700, false, false}, {"phone-dark", 390, 780, true, true}, {"phone", 390, 780, true, false}, {"wide",
		1800, 1000, false, true}}
	for _, w := range windows[:min(len(windows), oracle.Cases(p.t, 2))] {
		p.Size(w.width, w.height, w.phone)
		p.Run(nil, `localStorage.removeItem("theme")`)
		p.Dark(w.dark)
		p.load("stack.npy", "")
		for _, mode := range []string{"image", "lines", "table"} {
			p.show("stack.npy", "mode="+mode)
			var over bool
			p.Run(&over, `return document.documentElement.scrollWidth > innerWidth`)
			if over {
				p.t.Errorf("%s: %s is wider than the window", w.name, mode)
			}
			p.keepScreenshot(w.name + "-" + mode)
		}
		if w.phone {
			p.Click(`[aria-label="controls"]`)
			p.Wait("the controls are there",
				`getComputedStyle(document.querySelector(".controls")).visibility === "visible" && document.getAnimations().length === 0`)
			p.keepScreenshot(w.name + "-controls")
		}
	}
	p.setSmallWindow()
	p.Dark(false)
}

// TestDemo shows the arrays of `make view`. The picture view.png of the README is from this test.
func TestDemo(t *testing.T) {
	needPage(t)
	t.Parallel()
	dir := t.TempDir()
	if err := demo.Write(dir, 2); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	names := []string{"domain.npy", "quakes.npy", "wave", "mandelbrot.npy", "sensors.npy", "intensity"}
	for _, name := range names[:min(len(names), oracle.Cases(t, 3))] {
		p.show(name, "")
		p.keepScreenshot("demo-" + strings.TrimSuffix(name, ".npy"))
	}
	p.show("patterns.npy", "at=28,0,0")
	p.keepScreenshot("demo-patterns")
	p.show("mandelbrot.npy", "map=magma")
	p.Click(".distribution button")
	p.Wait("the histogram is there", `document.querySelector(".distribution").dataset.done`)
	p.Run(nil, `document.activeElement.blur()`)
	x, y := p.geometry().at(240, 480)
	p.Move(x, y)
	p.Wait("the value arrives",
		`document.querySelector(".where .value") && !document.querySelector(".where").classList.contains("stale")`)
	p.keepScreenshot("view")
	for _, line := range p.Log() {
		t.Errorf("the console of the page: %s", line)
	}
}

package main

import (
	"fmt"
	"image/color"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/internal/oracle"
)

const looked = `
import os
os.chdir(x)
i, j = np.mgrid[0:30, 0:44]
np.save("normal.npy", np.random.default_rng(5).normal(3, 2, (120, 500)))
np.save("board.npy", ((i + j) % 2).astype("i4"))
np.save("ramp.npy", np.add.outer(np.arange(30) * 44, np.arange(44)).astype("f8"))
np.save("kinds.npy", np.array([0, 7, 11, -3, 200])[(i * 44 + j) % 5].astype("i2"))
b = np.random.default_rng(9).normal(size=(3, 60, 80)).astype("f4")
b[1, 20:23, 30:40] = np.nan
b[1, 25, 35] = -np.inf
np.save("holes.npy", b)
np.save("steps.npy", np.arange(6)[:, None, None] + np.zeros((6, 30, 44)))
np.save("fields.npy", np.zeros((6, 7, 2), [('a"b', "f4"), ("n", "i2")]))
np.save("many.npy", (i * 44 + j).astype("i4"))
np.save("odd.npy", np.array([[0.1, 0.2, np.nan], [0.3, np.inf, 7], [-np.inf, 0, 0], [0, 1, 0.1]]))
np.save("wide.npy", np.array([[-2**63, 2**63 - 1], [5, 7]]))
`

// TestPageLooks tests controls that change how numbers are shown, and statistics of them. The parts share one browser.
func TestPageLooks(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(looked+compared+placed, dir, nil); err != nil {
		t.Fatal(err)
	}
	all := open(t, dir)
	for _, part := range []struct {
		name string
		run  func(p *page)
	}{
		{"histogram", func(p *page) { rangeHistogram(p, numpy) }},
		{"categories", categories},
		{"play", playRange},
		{"difference", differences},
		{"side by side", sideBySide},
		{"in turns", blinkFrames},
		{"axes next to the file", describedAxes},
		{"members as axes", membersAsAxes},
		{"flipped", flipAxes},
		{"long doubles", longDoubles},
		{"names and keys", namesAndKeys},
		{"focus", focusStays},
		{"box", func(p *page) { boxAndLine(p, numpy) }},
		{"changed box", changedBox},
		{"figures", figures},
		{"movie", movie},
	} {
		t.Run(part.name, func(t *testing.T) {
			p := all.forSubtest(t)
			defer func() { *p.reload = *p.reload || t.Failed() }() // after a failure, the next part loads the page again
			part.run(p)
			for _, line := range p.Log() {
				t.Errorf("the console of the page: %s", line)
			}
		})
	}
}

// counts waits for the histogram next to the colours and returns its counts.
func (p *page) counts(wait string) []int {
	p.t.Helper()
	p.Wait("the histogram of the colours", `((d) => `+wait+`)(document.querySelector("canvas.counts").dataset)`)
	var counts []int
	for s := range strings.SplitSeq(p.data("canvas.counts", "counts"), ",") {
		n, _ := strconv.Atoi(s)
		counts = append(counts, n)
	}
	return counts
}

// rangeHistogram tests the histogram of the colours: its counts must equal NumPy's, and its handles set the range.
func rangeHistogram(p *page, numpy *oracle.Proc) {
	p.show("normal.npy", "")
	var want []int
	check := func(wait, code string) []int {
		p.t.Helper()
		got := p.counts(wait)
		if err := numpy.Run(code, nil, &want); err != nil {
			p.t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			p.t.Errorf("%s: counts %v, NumPy's are %v", code, got, want)
		}
		return got
	}
	const load = "a = np.load('normal.npy')\n"
	check(`d.counts`, load+"out = np.histogram(a, 64)[0].tolist()")
	p.show("normal.npy", "zx=40&zy=40&cx=100&cy=60")
	all := strings.Join(strings.Fields(fmt.Sprint(want)), ",")
	p.Choose(`[aria-label="elements of the histogram"]`, "of visible elements")
	g := p.geometry()
	check(`d.counts && d.counts !== `+quote(strings.Trim(all, "[]")),
		load+fmt.Sprintf("out = np.histogram(a[%d:%d, %d:%d], 64)[0].tolist()",
			max(0, int(g.Y0)), min(g.Ny, int(math.Ceil(g.Y0+g.H/g.Zy))), max(0, int(g.X0)), min(g.Nx,
				int(math.Ceil(g.X0+g.W/g.Zx)))))

	p.show("ramp.npy", "range=extremes")
	p.counts(`d.hi === "1319"`)
	var box struct{ X, Y, W, H float64 }
	p.Run(&box,
		`const r = document.querySelector("canvas.counts").getBoundingClientRect(); return {X: r.left, Y: r.top, W: r.width, H: r.height}`)
	at := func(t float64) int { return int(box.X + t*box.W) }
	y := int(box.Y + 40)
	p.Drag(at(0)+1, y, at(0.25), y)
	p.Drag(at(1)-1, y, at(0.75), y)
	p.settle()
	lo, hi := p.bar()
	if math.Abs(lo-1319*0.25) > 1319/box.W*2 || math.Abs(hi-1319*0.75) > 1319/box.W*2 {
		p.t.Errorf("dragged to 1/4 and 3/4, the range is %v to %v of 1319", lo, hi)
	}
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		v := float64(y*44 + x)
		return map[bool]color.RGBA{true: darkest, false: lightest}[v <= lo], v <= lo || v >= hi
	})
	// The colours are below the counts, and each handle is at the value that it sets.
	img := p.picture()
	for _, c := range []struct {
		t    float64
		want color.RGBA
	}{{0.1, darkest}, {0.9, lightest}} {
		r, g, b, _ := img.At(at(c.t), int(box.Y+box.H-6)).RGBA()
		if got := (color.RGBA{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8), 255}); got != c.want {
			p.t.Errorf("under the histogram at %v: colour %v, want %v", c.t, got, c.want)
		}
	}
	p.keepScreenshot("range-histogram")
	p.Run(nil, `document.querySelector(".handle.lo").focus()`)
	p.Press(webdriver.ArrowRight)
	p.settle()
	if after, _ := p.bar(); math.Abs(after-lo-13.19) > 0.1 {
		p.t.Errorf("the right arrow moves the handle from %v to %v, want a hundredth of 1319", lo, after)
	}
	if got := p.attribute(".handle.lo", "aria-valuenow"); got == "" {
		p.t.Error("the handle does not say where it is")
	}
	p.show("board.npy", "log=1&map=viridis")
	p.counts(`d.counts`)
	var high float64
	p.Run(&high, `const c = document.querySelector("canvas.counts"), g = c.getContext("2d"), n = c.height - 16;
		return [...g.getImageData(2, 0, 1, n).data].filter((x, i) => i % 4 === 3 && x > 0).length / n`)
	if high < 0.9 {
		p.t.Errorf("on a logarithmic scale, 660 of 1320 elements are %.2f of the height", high)
	}
}

// download clicks an element that saves a file, and returns the file in hexadecimal.
func (p *page) download(selector string) (hex string) {
	p.t.Helper()
	p.Run(nil, `window.saved = "";
		const make = URL.createObjectURL;
		URL.createObjectURL = (blob) => {
			blob.arrayBuffer().then((b) => (window.saved = [...new Uint8Array(b)].map((x) => x.toString(16).padStart(2, "0")).join("")));
			return make(blob);
		}`)
	p.Click(selector)
	p.Wait("the file is saved", "window.saved")
	p.Run(&hex, `return window.saved`)
	return hex
}

// bar returns the range that the colour bar shows.
func (p *page) bar() (lo, hi float64) {
	p.t.Helper()
	if _, err := fmt.Sscanf(p.data(".colorbar", "range"), "%g,%g", &lo, &hi); err != nil {
		p.t.Fatalf("the bar says %q", p.data(".colorbar", "range"))
	}
	return lo, hi
}

// attribute returns an attribute of the first element that matches the selector.
func (p *page) attribute(selector, name string) (s string) {
	p.t.Helper()
	p.Run(&s, `return document.querySelector(arguments[0])?.getAttribute(arguments[1]) ?? ""`, selector, name)
	return s
}

// The first colours of the categorical map.
var kinds = []color.RGBA{
	{0x1f, 0x77, 0xb4, 255}, {0xff, 0x7f, 0x0e, 255}, {0x2c, 0xa0, 0x2c, 255}, {0xd6, 0x27, 0x28, 255}, {0x94, 0x67, 0xbd,
		255},
}

func categories(p *page) {
	p.show("kinds.npy", "")
	order := map[int]int{-3: 0, 0: 1, 7: 2, 11: 3, 200: 4}
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		return kinds[order[[]int{0, 7, 11, -3, 200}[(y*44+x)%5]]], true
	})
	if got, want := p.data(".colorbar", "ticks"), "-3 0 7 11 200"; got != want {
		p.t.Errorf("the bar has %q, want %q", got, want)
	}
	p.keepScreenshot("categorical")
	p.show("many.npy", "map=categorical")
	p.expect(".noted", "more than 1024 integers")
	p.show("normal.npy", "map=categorical")
	if got := p.data(".colorbar", "range"); got == "" || p.text(`[aria-label="colour map"]`) == "" {
		p.t.Errorf("numbers that are no integers have the bar %q", got)
	}
}

// boxAndLine tests the statistics of a box and the elements along a line, both drawn with the pointer and with keys.
func boxAndLine(p *page, numpy *oracle.Proc) {
	p.show("holes.npy", "at=1,0,0")
	g := p.geometry()
	x0, y0 := g.at(12, 22)
	x1, y1 := g.at(37, 61)
	p.DragWith(webdriver.Shift, x0, y0, x1, y1)
	p.Wait("the box is counted", `document.querySelector("[data-section=box] .moments").dataset.done === "12,22,38,62"`)
	if after := p.geometry(); after.X0 != g.X0 || after.Y0 != g.Y0 {
		p.t.Error("a box moves the map")
	}
	var want struct {
		Texts  map[string]float64
		Counts []int
	}
	const code = `
a = np.load("holes.npy")[1, 12:38, 22:62].astype("f8")
f = a[~np.isnan(a)]
d = a[np.isfinite(a)]
out = dict(Texts=dict(count=f.size, nan=a.size - f.size, max=f.max(), median=np.median(f)), Counts=np.histogram(d, 64)[0].tolist())`
	if err := numpy.Run(code, nil, &want); err != nil {
		p.t.Fatal(err)
	}
	for name, want := range want.Texts {
		text := strings.ReplaceAll(p.text("[data-box="+name+"]"), "\u202f", "")
		if got, err := strconv.ParseFloat(text, 64); err != nil || got != want {
			p.t.Errorf("%s of the box is %q, NumPy's is %v", name, text, want)
		}
	}
	for lang, want := range map[string]string{
		"NumPy": "a[1, 12:38, 22:62]", "Go": "a.Select(index.At(1), index.Range(12, 38), index.Range(22, 62))"} {
		if got := p.text("[data-section=box] [data-lang=" + lang + "]"); got != want {
			p.t.Errorf("as %s the box is %q, want %q", lang, got, want)
		}
	}
	var counts []int
	for s := range strings.SplitSeq(p.data("[data-section=box] .bars", "counts"), ",") {
		n, _ := strconv.Atoi(s)
		counts = append(counts, n)
	}
	if !slices.Equal(counts, want.Counts) {
		p.t.Errorf("the histogram of the box is %v, NumPy's is %v", counts, want.Counts)
	}
	// The edge of the box is white. Check it in the middle of the upper side.
	p.movePointerAway()
	bx := int(g.OriginX + (42-g.X0)*g.Zx)
	by := int(g.OriginY + (12-g.Y0)*g.Zy + 0.5)
	if r, gr, b, _ := p.picture().At(bx, by).RGBA(); r>>8 != 255 || gr>>8 != 255 || b>>8 != 255 {
		p.t.Errorf("the edge of the box, at %d, %d, is %d, %d, %d", bx, by, r>>8, gr>>8, b>>8)
	}
	saved := p.download("[data-section=box] .keep")
	var same bool
	if err := numpy.Run("import io\nb = np.load(io.BytesIO(bytes.fromhex(x)))\nout = bool(np.array_equal(b, np.load('holes.npy')[1, 12:38, 22:62], equal_nan=True))",
		saved, &same); err != nil || !same {
		p.t.Errorf("the saved box differs from its elements (%v)", err)
	}

	// Draw a line with the pointer. Then draw a box and a line with keys.
	p.DragWith(webdriver.Control, x0, y0, x1, y1)
	p.Wait("the line is there", `document.querySelector(".profile").dataset.n === "40"`)
	profile := func() (v []float64) {
		for s := range strings.SplitSeq(p.data(".profile", "values"), ",") {
			x, err := strconv.ParseFloat(s, 64)
			if err != nil {
				p.t.Errorf("the profile has %q", s)
			}
			v = append(v, x)
		}
		return v
	}
	var line []string
	if err := numpy.Run("k = np.arange(40)\nout = np.load('holes.npy')[1, 12 + np.floor(k * 25 / 39 + .5).astype(int), 22 + k].astype('f8').tolist()\nout = [str(x) for x in out]", nil, &line); err != nil {
		p.t.Fatal(err)
	}
	if got := profile(); !slices.EqualFunc(got, line, func(a float64, s string) bool {
		b, _ := strconv.ParseFloat(s, 64)
		return a == b || a != a && b != b
	}) {
		p.t.Errorf("the profile is %v, NumPy's is %v", got, line)
	}
	p.keepScreenshot("box")
	p.show("holes.npy", "at=2,0,0")
	p.Move(g.at(3, 4))
	p.expect(".where .index", "[2, 3, 4]")
	for _, key := range []string{"x", "v"} {
		p.Press(key)
		for range 3 {
			p.Press(webdriver.Shift, webdriver.ArrowRight)
		}
		p.Press(webdriver.Shift, webdriver.Down)
		p.Press(key)
	}
	p.Wait("the box of the keys", `document.querySelector("[data-section=box] .moments").dataset.done === "3,4,5,8"`)
	p.expect("[data-section=box]", "from [4, 7] to [5, 10]")

	// Statistics that are infinite or NaN, and all digits of finite ones.
	p.show("odd.npy", "at=0,0&box=0,0,4,3")
	for name, want := range map[string]string{"min": "-inf", "max": "inf", "mean": "nan", "std": "nan", "median": "0.1"} {
		p.expect("[data-box="+name+"]", want)
	}
	p.show("odd.npy", "box=0,0,1,2")
	for name, want := range map[string]string{"min": "0.1", "max": "0.2", "mean": "0.15000000000000002",
		"std": "0.05", "median": "0.15000000000000002"} {
		p.expect("[data-box="+name+"]", want)
	}
	p.show("odd.npy", "box=1,0,2,3")
	p.expect("[data-box=mean]", "inf")
	p.Choose("[aria-label='counted elements']", "all elements")
	p.Click(".distribution button")
	p.Wait("the distribution", `document.querySelector(".distribution").dataset.done`)
	for name, want := range map[string]string{"min": "-inf", "max": "inf", "mean": "nan", "std": "nan"} {
		if got := p.text("[data-of=" + name + "]"); got != want {
			p.t.Errorf("all elements: %s is %q, want %q", name, got, want)
		}
	}
	p.show("wide.npy", "box=0,0,2,2")
	p.expect("[data-box=min]", "-9\u202f223\u202f372\u202f036\u202f854\u202f775\u202f808")
	p.expect("[data-box=max]", "9\u202f223\u202f372\u202f036\u202f854\u202f775\u202f807")

	// A box of a field, with swapped axes.
	p.show("fields.npy", "mode=image&field="+url.QueryEscape(`a"b`)+"&at=0,0,1&y=1&x=0&box=1,2,3,5")
	for lang, want := range map[string]string{
		"NumPy": `a["a\"b"][2:5, 1:3, 1].T`,
		"Go":    `a, err = a.Field("a\"b"); a.Select(index.Range(2, 5), index.Range(1, 3), index.At(1)) // and .T()`} {
		p.expect("[data-section=box] [data-lang="+lang+"]", want)
	}
	p.expect("[data-box=count]", "6")
}

// playRange plays a range of frames once. The page must request each frame before it is due, and no frames outside the
// range.
func playRange(p *page) {
	p.show("steps.npy", "at=0,0,0&range=hand&colours=0,4&speed=1&playFrom=3&playTo=4&loop=0")
	p.Press(" ")
	var seen []string
	p.Wait("frame 4 is there before it is shown", `document.querySelector(".slider .exact").value === "3" &&
		performance.getEntriesByType("resource").some((e) => e.name.includes("/tile") && decodeURIComponent(e.name).includes("at=4,"))`)
	p.Wait("it plays to frame 4 and ends", `document.querySelector(".slider .exact").value === "4" &&
		document.querySelector(".slider button").getAttribute("aria-pressed") === "false"`)
	p.checkPixels(30, 44, func(int, int) (color.RGBA, bool) { return lightest, true })
	p.Run(&seen,
		`return performance.getEntriesByType("resource").map((e) => decodeURIComponent(e.name)).filter((n) => n.includes("/tile")).map((n) => n.match(/at=(\d)/)[1])`)
	for _, frame := range []string{"1", "2", "5"} {
		if slices.Contains(seen, frame) {
			p.t.Errorf("frame %s, which is not played, was requested: %v", frame, seen)
		}
	}
	p.Press(">")
	p.Wait("the keys make it faster", `document.querySelector("[aria-label='frames per second']").value === "2"`)
	if got := p.text(".play summary"); got != "Play" {
		p.t.Errorf("the controls of playing are under %q", got)
	}
}

package main

import (
	"fmt"
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/internal/oracle"
)

const stated = `
import os
os.chdir(x)
i, j = np.mgrid[0:30, 0:44]
k = i * 44 + j
np.save("denormals.npy", k % 200 * 5e-324)
np.save("decades.npy", 10.0 ** (k / 1319 * 600 - 300))
np.save("large.npy", np.full((30, 44), 1.7e18))
np.save("largest.npy", np.full((30, 44), np.finfo("f8").max))
np.save("close.npy", 1e15 + k / 8)
np.save("epoch.npy", 1.7e9 + k / 1000)
np.save("ids.npy", 2**60 + np.array([5, 11, 7])[k % 3])
np.save("apart.npy", np.array([0, 2, 9])[k % 3])
np.save("apart2.npy", np.array([4, 2, 5])[k % 3])
frames = np.zeros((3, 30, 44), "i4")
frames[1], frames[2] = 200, i
np.save("frames.npy", frames)
np.save("live.npy", 1.0 * k)
def edit(first):
    with open("live.npy", "r+b") as f:
        f.seek(128)
        f.write((first + k).tobytes())
np.save("layers.npy", (1000 * np.arange(12)[:, None, None] + k).astype("i4"))
np.lib.format.open_memmap("vast.npy", "w+", "f4", (2048, 1024, 1024))
np.save("structs.npy", np.zeros((3, 4, 5), "i4,f8"))
np.save("times.npy", np.zeros((3, 4, 5), "M8[s]"))
np.save("stack.npy", 1000 * np.arange(12)[:, None, None] + k)
np.save("mixed.npy", np.where(k == 0, -5.0, np.where(i < 20, 1.0, np.where(k % 2, 1e-6, 1e3))))
np.save("photo.npy", np.random.default_rng(3).integers(0, 256, (900, 900, 3)).astype("u1"))
np.save("long.npy", np.arange(1500.) + np.zeros((400, 1)))
np.save("longints.npy", (np.arange(1500) % 9 + np.zeros((400, 1))).astype("i2"))
np.save("percent.npy", (k * 100.0 / 1319))
np.save("unsigned.npy", np.uint64(2**63 + 10**17) + k.astype("u8"))
np.save("signed.npy", np.int64(2**62) + k)
np.save("dark.npy", np.where(k == 5, 9.0, 0.0))
np.save("light.npy", np.where(k == 7, -9.0, 0.0))
`

// TestPageStates tests that the parts of the page are consistent: the picture, its histogram, bar and numbers, after
// changes by the address, the keys and the file.
func TestPageStates(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	if err := numpy.Run(stated, dir, nil); err != nil {
		t.Fatal(err)
	}
	open(t, dir).parts(t, []part{
		{"denormals", symlogOfDenormals},
		{"decades", logOfWideRange},
		{"one number", histogramOfConstants},
		{"close numbers", logsOfCloseNumbers},
		{"handles", handlesOfCloseNumbers},
		{"categories of large integers", categoriesOfLargeIntegers},
		{"distribution of frames", distributionOfFrames},
		{"distribution of what was", func(p *page) { outdatedDistribution(p, numpy) }},
		{"cursor of lines and tables", func(p *page) { cursorFollows(p, numpy) }},
		{"colours of bars", coloursOfBars},
		{"mean of colours", meanOfColours},
		{"mean after kinds", meanAfterCategories},
		{"broken numbers", fractionalIndices},
		{"percentiles", percentiles},
		{"logs by hand", logScaleStart},
		{"late answers", func(p *page) { lateAnswers(p, numpy) }},
		{"signed beside unsigned", signedAndUnsigned},
		{"picture of another array", staleElements},
		{"projections", func(p *page) { projections(p, numpy) }},
		{"stopped projections", projectionStops},
	})
}

// symlogOfDenormals tests numbers so small that a thousandth of them is 0.
func symlogOfDenormals(p *page) {
	p.show("denormals.npy", "range=extremes&scale=symlog")
	if got := p.data(".colorbar", "ticks"); len(strings.Fields(got)) < 3 {
		p.t.Errorf("the bar has %q", got)
	}
	p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
		v := (y*44 + x) % 200
		return map[bool]color.RGBA{true: darkest, false: lightest}[v == 0], v == 0 || v == 199
	})
}

// logOfWideRange tests numbers so different that the quotient of the greatest and the least exceeds the range of
// float64.
func logOfWideRange(p *page) {
	p.show("decades.npy", "range=extremes&scale=log")
	for _, n := range p.counts(`d.counts && d.scale === "log"`) {
		if n < 19 || n > 22 {
			p.t.Errorf("a bin has %d elements, want about 1320/64", n)
		}
	}
}

// histogramOfConstants tests constant numbers so large that adding 1 does not change them.
func histogramOfConstants(p *page) {
	for _, name := range []string{"large.npy", "largest.npy"} {
		p.show(name, "")
		all := 0
		for _, n := range p.counts(`d.counts`) {
			all += n
		}
		if all != 30*44 {
			p.t.Errorf("%s: %d of %d elements are counted", name, all, 30*44)
		}
	}
}

// logsOfCloseNumbers tests numbers whose logarithms are almost equal. The colours must still be spread evenly.
func logsOfCloseNumbers(p *page) {
	for _, scale := range []string{"linear", "log", "symlog"} {
		p.show("close.npy", "range=extremes&map=grey&scale="+scale)
		p.movePointerAway()
		g, img := p.geometry(), p.picture()
		for y := range 30 {
			for x := range 44 {
				px, py := g.at(y, x)
				red, _, _, _ := img.At(px, py).RGBA()
				if v := y*44 + x; math.Abs(float64(red>>8)-255*float64(v)/1319) > 30 { // tolerance for d3's greys
					p.t.Fatalf("%s: element %d of 1319 has grey %d of 255", scale, v, red>>8)
				}
			}
		}
	}
}

// handlesOfCloseNumbers moves an end of a range whose width is a billionth of its values.
func handlesOfCloseNumbers(p *page) {
	p.show("epoch.npy", "range=extremes")
	p.counts(`d.hi === "1700000001.319"`)
	p.Run(nil, `document.querySelector(".handle.lo").focus()`)
	p.Press(webdriver.ArrowRight)
	p.settle()
	if lo, hi := p.bar(); math.Abs(lo-1.7e9-0.01319) > 2e-4 || hi != 1700000001.319 {
		p.t.Errorf("after the handle moved, the range is %v to %v", lo, hi)
	}
}

// categoriesOfLargeIntegers tests the categorical map with integers that float64 cannot represent, and with
// differences.
func categoriesOfLargeIntegers(p *page) {
	for _, c := range []struct{ name, view, ticks string }{
		{"ids.npy", "", "1152921504606846981 1152921504606846983 1152921504606846987"},
		{"apart.npy", "&compare=difference&other=" + p.ids["apart2.npy"], "-4 0 4"},
	} {
		p.show(c.name, "map=categorical"+c.view)
		if got := p.data(".colorbar", "ticks"); got != c.ticks {
			p.t.Errorf("%s: the bar has %q, want %q", c.name, got, c.ticks)
		}
		order := map[bool][]int{true: {0, 2, 1}, false: {0, 1, 2}}[c.view == ""]
		p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) { return kinds[order[(y*44+x)%3]], true })
	}
}

// statistic requests the distribution and returns the statistic what.
func (p *page) statistic(what string) string {
	p.t.Helper()
	p.Click("[data-section=distribution] button")
	p.Wait("the distribution is there", `document.querySelector(".distribution").dataset.done`)
	return p.text("[data-section=distribution] [data-of=" + what + "]")
}

// distributionOfFrames tests that the distribution is of the difference of two frames in images and lines, and of the
// whole array in tables.
func distributionOfFrames(p *page) {
	view := "at=1,0,7&otherAt=2,0,0&compare=difference&other=" + p.ids["frames.npy"]
	for _, c := range []struct{ view, count, least string }{
		{"", "1320", "171"}, {"&mode=lines&lx=1&over=-1", "30", "171"}, {"&mode=table", "3960", "0"},
	} {
		p.show("frames.npy", view+c.view)
		least := p.statistic("min")
		if count := strings.ReplaceAll(p.text(".distribution [data-of=count]"), "\u202f", ""); count == "" {
			p.t.Error("there is no count")
		} else if count != c.count || least != c.least {
			p.t.Errorf("%s: %s elements with minimum %s, want %s and %s", c.view, count, least, c.count, c.least)
		}
	}
}

// outdatedDistribution tests that the page says when the distribution is older than the file.
func outdatedDistribution(p *page, numpy *oracle.Proc) {
	p.show("live.npy", "mode=table")
	if got := p.statistic("max"); strings.ReplaceAll(got, "\u202f", "") != "1319" {
		p.t.Errorf("the maximum is %q", got)
	}
	p.expect(".distribution [role=status]", "of all elements")
	if err := numpy.Run("edit(5000.0)", nil, nil); err != nil {
		p.t.Fatal(err)
	}
	p.Wait("the table shows the edit", `document.querySelector(".tbody .td")?.textContent === "5000.0"`)
	p.expect(".distribution [role=status]", "of all elements, before the file changed")
}

// cursorFollows tests that the value in the foot follows the line or cell on screen when another index is chosen or the
// file is edited.
func cursorFollows(p *page, numpy *oracle.Proc) {
	p.show("stack.npy", "mode=lines&lx=2&over=-1&at=3,2,0")
	p.Run(nil, `document.querySelector(".plot").focus()`)
	p.Press(webdriver.Shift, webdriver.ArrowRight)
	p.expect(".where .value", "3111")
	p.Press(".")
	p.expect(".where .index", "[4, 2, 23]")
	p.expect(".where .value", "4111")
	p.show("stack.npy", "mode=table&at=3,0,0")
	p.Click(".tbody .td")
	p.expect(".where .value", "3000")
	p.Press(".")
	p.expect(".where .value", "4000")
	p.show("live.npy", "mode=table")
	p.Click(".tbody .td")
	p.expect(".where .index", "[0, 0]")
	if err := numpy.Run("edit(7000.0)", nil, nil); err != nil {
		p.t.Fatal(err)
	}
	p.expect(".where .value", "7000.0")
}

// coloursOfBars tests that the histogram of a box has the colours of the image.
func coloursOfBars(p *page) {
	for _, c := range []struct{ name, view string }{
		{"mixed.npy", "box=1,0,2,44&range=extremes&scale=log"}, {"ids.npy", "box=3,1,4,2&map=categorical"},
	} {
		p.show(c.name, c.view)
		p.Wait("the box is counted", `document.querySelector("[data-section=box] .moments").dataset.done`)
		var bar []float64 // colour of the first bar that is not empty
		p.Run(&bar, `const c = document.querySelector("[data-section=box] .bars"), counts = c.dataset.counts.split(",");
			const i = counts.findIndex((n) => n !== "0"), x = Math.round((i + 0.4) * c.width / counts.length);
			const g = document.createElement("canvas").getContext("2d");
			g.drawImage(c, x, c.height / 2, 1, 1, 0, 0, 1, 1);
			return [...g.getImageData(0, 0, 1, 1).data]`)
		px, py := p.geometry().at(3, 1)
		if c.name == "mixed.npy" {
			px, py = p.geometry().at(5, 5)
		}
		r, g, b, _ := p.picture().At(px, py).RGBA()
		for k, x := range []uint32{r, g, b} {
			if math.Abs(float64(x>>8)-bar[k]) > 8 {
				p.t.Errorf("%s: the bar of elements with colour %d,%d,%d is %v", c.name, r>>8, g>>8, b>>8, bar)
				break
			}
		}
	}
}

// meanOfColours tests that pixels of colours always show the mean.
func meanOfColours(p *page) {
	p.show("photo.npy", "how=min")
	p.expect(".noted", "mean of")
	var can bool
	p.Run(&can, `return document.querySelector('[aria-label="a pixel shows"]').offsetParent !== null`)
	if can {
		p.t.Error("a pixel can show something other than the mean")
	}
	p.show("photo.npy", "how=min&rgb=0")
	p.expect(".noted", "min of")
}

// meanAfterCategories selects all maps in turn. After the categorical map, which has no means, images show means again.
func meanAfterCategories(p *page) {
	for _, name := range []string{"long.npy", "longints.npy"} {
		p.show(name, "map=sinebow")
		p.Run(nil, `document.querySelector(".map canvas").focus()`)
		p.Press("c")
		if name == "longints.npy" {
			p.expect(".noted", "max of")
			p.Press("c")
		}
		p.expect(".noted", "mean of")
		p.settle()
		if got := p.attribute(".colorbar", "aria-label"); !strings.Contains(got, "viridis") {
			p.t.Errorf("%s: %s", name, got)
		}
	}
}

// fractionalIndices tests addresses with fractions where integers are expected.
func fractionalIndices(p *page) {
	p.show("stack.npy", "mode=table&at=0,0,0&col=1.5&row=1.5")
	if got := p.text(".tbody .td"); got != "45" {
		p.t.Errorf("the first cell is %q", got)
	}
	p.show("stack.npy", "at=0,0,0&playFrom=2.5&playTo=2.5")
	p.Run(nil, `document.querySelector(".map canvas").focus()`)
	p.Press(" ")
	p.Wait("frame 2 is shown", `document.querySelector("[data-section=index] .exact").value === "2" && `+settled)
}

// percentiles tests that percentiles are limited to 0 to 100, and that the lower one cannot exceed the upper one.
func percentiles(p *page) {
	check := func(what string, lo, hi float64) {
		p.t.Helper()
		p.settle()
		if l, h := p.bar(); math.Abs(l-lo) > 0.01 || math.Abs(h-hi) > 0.01 {
			p.t.Errorf("%s: the range is %v to %v, want %v to %v", what, l, h, lo, hi)
		}
	}
	for _, view := range []string{"plo=-5&phi=50", "plo=5&phi=120", "plo=90&phi=20"} {
		p.show("percent.npy", view)
		check(view, 1, 99)
	}
	p.show("percent.npy", "plo=20&phi=80")
	p.Type(`[aria-label="upper percentile"]`, "10")
	p.Type(`[aria-label="upper percentile"]`, "70")
	p.Type(`[aria-label="lower percentile"]`, "-3")
	check("typed", 0, 70)
}

// logScaleStart tests that a logarithmic scale starts at the least positive number, independent of the array shown
// before.
func logScaleStart(p *page) {
	for _, before := range []string{"percent.npy", "mixed.npy"} {
		p.load(before, "range=extremes&scale=log")
		p.show("mixed.npy", "range=hand&colours=-5,1000&scale=log")
		p.checkPixels(30, 44, func(y, x int) (color.RGBA, bool) {
			return map[bool]color.RGBA{true: darkest, false: lightest}[x%2 == 1], y >= 20
		})
		if got := p.data(".colorbar", "range"); got != "0.000001,1000" {
			p.t.Errorf("after %s, the range of the bar is %s", before, got)
		}
	}
}

// signedAndUnsigned compares 64-bit integers with integers that the dtype of the first array cannot represent.
func signedAndUnsigned(p *page) {
	for _, c := range []struct {
		first, other string
		want         color.RGBA
	}{{"unsigned.npy", "signed.npy", darkest}, {"signed.npy", "unsigned.npy", lightest}} {
		p.show(c.first, "range=extremes&compare=side&other="+p.ids[c.other])
		want := fmt.Sprint(c.want.R, ",", c.want.G, ",", c.want.B)
		p.Wait(c.other+" has the colour of values out of range", `(() => {
			const c = document.querySelectorAll(".map canvas")[1], d = devicePixelRatio;
			if (!c?.dataset.geometry) return false;
			const g = JSON.parse(c.dataset.geometry), at = (from, size) => Math.round((from + size / 2 + 2) * d);
			const pixel = document.createElement("canvas").getContext("2d");
			pixel.drawImage(c, at(g.left, g.w), at(g.top, g.h), 1, 1, 0, 0, 1, 1);
			return [...pixel.getImageData(0, 0, 1, 1).data].slice(0, 3).join() === `+quote(strings.ReplaceAll(want, " ", ""))+`;
		})()`)
		if said := p.text(".banner"); said != "" {
			p.t.Errorf("%s: %s", c.first, said)
		}
	}
}

package main

import (
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// A pixelCase is an array, a view of it, and the parameters that the judge needs to draw the same view.
type pixelCase struct {
	name string // name of the file
	make string // NumPy expression for the array; empty if another case creates the array
	view string // parameters in the address of the page
	want string // Python dict with the parameters of the judge that differ from the defaults
}

// TestPixels compares every pixel that the page draws with the pixels that testdata/judge.py computes from the same
// elements, range and map. With NDMAP_CASES=10 or more it has more cases and a larger window.
func TestPixels(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	judge, err := os.ReadFile(filepath.Join(testdata, "judge.py"))
	if err != nil {
		t.Fatal(err)
	}
	program := fmt.Sprintf("import os\nos.chdir(x)\n%s\nMAPS = load_maps(%q)\nr = lambda: np.random.default_rng(36)\n",
		judge, filepath.Join(testdata, "maps.txt"))
	program += "np.save('times.npy', np.cumsum(r().exponential(1e9, 300000)).astype('i8').astype('m8[ns]') + np.datetime64('2024-02-28T21:00:00', 'ns'))\n"
	cases, small := pixelCases, oracle.Cases(t, 1) < 10
	if !small {
		cases = slices.Concat(pixelCases, morePixelCases)
	}
	made := map[string]bool{}
	for _, c := range slices.Concat(pixelCases, morePixelCases) { // both lists have views of the same array
		of := func(d pixelCase) bool { return d.name == c.name }
		if c.make != "" && !made[c.name] && slices.ContainsFunc(cases, of) {
			program += fmt.Sprintf("np.save(%q, %s)\n", c.name+".npy", c.make)
			made[c.name] = true
		}
	}
	if err := numpy.Run(program, dir, nil); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	if small { // screenshots of a small window take half the time
		p.Size(820, 520, false)
	}
	for _, c := range cases {
		t.Run(strings.TrimSpace(c.name+" "+c.view), func(t *testing.T) {
			p := p.forSubtest(t)
			p.show(c.name+".npy", strings.ReplaceAll(c.view, "TIMES", p.ids["times.npy"]))
			got := p.judge(numpy, c, dir)
			if got.Bad != 0 {
				t.Errorf("%d of %d pixels are wrong; %s\n%s", got.Bad, got.Of, got.Said, strings.Join(got.Examples, "\n"))
				p.keepScreenshot("pixels-" + c.name)
			}
			for _, line := range p.Log() {
				t.Errorf("the console of the page: %s", line)
			}
		})
	}
}

type judgement struct {
	Bad, Of  int
	Said     string
	Examples []string
}

// judge lets testdata/judge.py compare the pixels that the page shows with the pixels that it computes.
func (p *page) judge(numpy *oracle.Proc, c pixelCase, dir string) (got judgement) {
	p.t.Helper()
	p.movePointerAway()
	var mode string
	p.Run(&mode, `return document.querySelector(".stage").dataset.mode`)
	// The counts of NaN and values out of range arrive later and may change the size of the map. Take a screenshot until
	// the size is stable.
	var place, now string
	img := image.Image(nil)
	for where := `return JSON.stringify([...document.querySelectorAll(".map canvas, .plot .u-over")].map((c) => [c.getBoundingClientRect(), c.dataset.geometry]))`; place == "" || place != now; {
		p.Run(&place, where)
		img = p.picture()
		p.settle()
		p.Run(&now, where)
	}
	raw, err := os.Create(filepath.Join(dir, "shot.rgba"))
	if err != nil {
		p.t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.Write(rgba(img)); err != nil {
		p.t.Fatal(err)
	}
	facts := map[string]any{"w": img.Bounds().Dx(), "h": img.Bounds().Dy(), "mode": mode, "shot": raw.Name(),
		"file": filepath.Join(dir, c.name+".npy")}
	if mode == "lines" {
		var plot map[string]any
		p.Run(&plot,
			`const b = document.querySelector(".plot"), r = b.querySelector(".u-over").getBoundingClientRect(), d = b.dataset;
			return {X: r.left, Y: r.top, W: r.width, H: r.height, From: +d.from, To: +d.to, Lo: d.lo, Hi: d.hi, Base: d.base ?? "0", Kind: d.kind,
				Along: d.along, XFrom: d.xfrom, XTo: d.xto, XBase: d.xbase, Ticks: d.ticks, Places: d.places, Offset: d.offset}`)
		facts["plot"], facts["kind"] = plot, plot["Kind"]
	} else {
		var ground []float64
		p.Run(&ground, `const g = document.createElement("canvas").getContext("2d");
			g.fillStyle = getComputedStyle(document.documentElement).getPropertyValue("--well");
			g.fillRect(0, 0, 1, 1);
			return [...g.getImageData(0, 0, 1, 1).data].slice(0, 3)`)
		facts["geometry"], facts["ground"], facts["bar"] = p.geometry(), ground, p.data(".colorbar", "range")
	}
	const run = `
case = {"y": 0, "x": 1, "how": "mean", "range": "percentile", "map": "viridis", **x[0], **eval(x[1])}
out = judge(case, MAPS)`
	want := c.want
	if want == "" {
		want = "{}"
	}
	if err := numpy.Run(run, []any{facts, want}, &got); err != nil {
		p.t.Fatal(err)
	}
	return got
}

// rgba returns the pixels of img as consecutive RGBA bytes.
func rgba(img image.Image) []byte {
	b := img.Bounds()
	out := make([]byte, 0, 4*b.Dx()*b.Dy())
	var pix []byte
	var stride int
	switch img := img.(type) { // NRGBA and RGBA are equal for opaque images
	case *image.NRGBA:
		pix, stride = img.Pix, img.Stride
	case *image.RGBA:
		pix, stride = img.Pix, img.Stride
	}
	if pix != nil {
		for y := range b.Dy() {
			out = append(out, pix[y*stride:y*stride+4*b.Dx()]...)
		}
		return out
	}
	for y := b.Min.Y; y < b.Max.Y; y++ {
		for x := b.Min.X; x < b.Max.X; x++ {
			r, g, bl, _ := img.At(x, y).RGBA()
			out = append(out, byte(r>>8), byte(g>>8), byte(bl>>8), 255)
		}
	}
	return out
}

const extremes = `{"range": "extremes"}`

// spikes returns an expression for an array of n × n zeros, except for one -1 and one 1.
func spikes(n int) string {
	return fmt.Sprintf("(lambda a: (a.__setitem__((7, 11), -1), a.__setitem__((%d, %d), 1), a)[-1])(np.zeros((%d, %d)))",
		n-20, n/2+1, n, n)
}

var pixelCases = []pixelCase{
	// Images show the extremes of all elements.
	{"spikes400", spikes(400), "range=extremes", extremes},
	{"spikes2000", spikes(2000), "range=extremes&how=max", `{"range": "extremes", "how": "max"}`},
	// Lines show rare values.
	{"steps", "np.repeat(r().normal(size=40), 5).astype('f4')", "mode=lines", `{"x": 0}`},
	{"uneven", "np.sin(np.arange(300000) / 9000) + (np.arange(300000) == 123456)", "mode=lines&along=TIMES",
		`{"x": 0, "along": "times.npy"}`},
	{"falling",
		"(lambda a: (a.__setitem__('depth', 100 / np.arange(1, 401)), a.__setitem__('heat', np.arange(400) % 57), a)[-1])(np.zeros(400, [('depth', '>f4'), ('heat', 'i2')]))",
		"mode=lines&field=heat&along=.depth", `{"x": 0, "field": ["heat"], "along": "falling.npy", "alongfield": "depth"}`},
	{"alternating", "np.where(np.arange(600) % 2, np.nan, r().normal(size=600))", "mode=lines", `{"x": 0}`},
	// Enlarged elements have sharp edges.
	{"rows", "np.repeat(np.array([0, 10, 0], 'f4')[:, None], 1000000, 1)", "", ""},
	{"tall", "r().normal(size=(30000, 4))", "mode=image", ""},
	// Numbers that float32 cannot represent.
	{"pressure", "101325 + 0.001 * r().normal(size=(300, 400))", "", ""},
	{"odd", "2**53 + np.arange(90000).reshape(300, 300) % 251", "range=extremes", extremes},
	{"nanoseconds", "1700000000000000000 + np.arange(120000).reshape(300, 400)", "", ""},
	{"top", "(np.uint64(2**64 - 1) - np.arange(120000, dtype='u8')).reshape(300, 400)", "", ""},
	// Lines of such numbers. Their ticks would be closer than float64 numbers.
	{"top", "", "mode=lines&lx=1&at=7,0", `{"x": 1, "at": [7, 0]}`},
	{"coarse", "1.7e18 + 256 * np.arange(30.)", "mode=lines", `{"x": 0}`},
	{"opposite", "", "mode=lines&lx=1&at=100,0", `{"x": 1, "at": [100, 0]}`},
	// Constants, NaN and infinities.
	{"constant", "np.full((90, 120), 7.25)", "", ""},
	{"nans", "np.full((90, 120), np.nan)", "", ""},
	{"ocean",
		"np.where(np.add.outer(np.arange(600) - 300, np.zeros(800)) ** 2 + np.add.outer(np.zeros(600), np.arange(800) - 400) ** 2 < 250 ** 2, r().normal(size=(600, 800)), np.nan)", "", ""},
	{"infinite",
		"(lambda a: (a.__setitem__((3, 4), np.inf), a.__setitem__((50, 60), -np.inf), a)[-1])(r().normal(size=(90, 120)))",
		"range=extremes", extremes},
	// Other dtypes.
	{"labels", "r().integers(0, 9, (60, 80)).astype('i4')", "map=viridis", ""},
	{"big", "r().normal(size=(200, 300)).astype('>f8').T", "", ""},
	{"wave", "np.exp(1j * np.linspace(0, 30, 60000)).reshape(200, 300) * np.linspace(0, 1, 300)",
		"part=real&map=red%E2%80%93blue", `{"part": "real", "map": "red–blue"}`},
	{"cells", "r().normal(size=(9, 12))", "", ""},
	{"photo", "r().integers(0, 256, (300, 400, 3)).astype('u1')", "", `{"c": 2}`},
	{"photonan",
		"(lambda a: (a.__setitem__((slice(30, 90), slice(40, 50), 1), np.nan), a)[-1])(r().random((120, 160, 3)).astype('f4'))", "", `{"c": 2, "top": 1}`},
	{"photo32", "", "colours=0,0.5&range=hand", `{"c": 2, "top": 0.5}`},
	{"photo16f", "r().random((200, 300, 4)).astype('f2') ** 0 * r().random((200, 300, 4)).astype('f2')",
		"rgb=0&y=0&x=1&at=0,0,2", `{"y": 0, "x": 1, "at": [0, 0, 2], "stack": True}`},
	{"eight", "np.cumsum(r().normal(size=(20000, 8)), 0)", "mode=lines&over=-1&at=0,5", `{"x": 0, "at": [0, 5]}`},
	// Scales.
	{"decades", "", "scale=log&map=magma&reversed=1", `{"scale": "log", "map": "magma", "reversed": True}`},
	{"decades", "", "scale=gamma&gamma=0.25&range=extremes", `{"range": "extremes", "scale": "gamma", "gamma": 0.25}`},
	{"bothways", "np.sinh(np.linspace(-9, 7, 120000)).reshape(300, 400)", "scale=symlog&map=red%E2%80%93blue",
		`{"scale": "symlog", "map": "red–blue"}`},
	{"normal", "", "map=sinebow", `{"map": "sinebow"}`},
	{"growing", "np.exp(np.linspace(-9, 12, 3000))", "mode=lines&scaleY=log", `{"x": 0, "scale": "log"}`},
	{"swinging", "np.sinh(9 * np.sin(np.linspace(0, 20, 300)))", "mode=lines&scaleY=symlog",
		`{"x": 0, "scale": "symlog"}`},
	{"volume", "np.arange(5 * 70 * 90.).reshape(5, 70, 90)", "at=3,0,0",
		`{"y": 1, "x": 2, "at": [3, 0, 0], "stack": True}`},
}

// morePixelCases are additional cases for NDMAP_CASES=10 and more.
var morePixelCases = []pixelCase{
	// Images show the extremes of all elements.
	{"spikes150", spikes(150), "range=extremes", extremes},
	{"spikes2000", spikes(2000), "range=extremes&how=min", `{"range": "extremes", "how": "min"}`},
	{"percentiles", "np.arange(700 * 900).reshape(700, 900)[:, ::-1] ** 2 / 1e6", "", ""},
	{"normal", "r().normal(3, 2, (120, 500))", "", ""},
	{"normal", "", "map=magma&range=extremes", `{"range": "extremes", "map": "magma"}`},
	{"tail", "np.exp(r().normal(0, 3, (900, 1100)))", "", ""},
	{"column", "np.arange(5000.)[:, None] * np.ones(3)", "mode=image", ""},
	// Lines show rare values.
	{"series",
		"(lambda a: (a.__setitem__(15234567, 50), a.__setitem__(7654321, -40), a.__setitem__(slice(10000000, 11000000), np.nan), a)[-1])(r().standard_normal(20000000, dtype='f4'))", "mode=lines", `{"x": 0}`},
	{"sine", "np.sin(np.arange(300000) / 5000)", "mode=lines", `{"x": 0}`},
	{"uneven", "", "mode=lines&along=TIMES&from=123400&to=123500", `{"x": 0, "along": "times.npy"}`},
	{"islands", "np.where(np.arange(900000) // 1000 % 5 == 2, r().normal(size=900000), np.nan)", "mode=lines", `{"x": 0}`},
	// Enlarged elements have sharp edges.
	{"sensors", "np.cumsum(r().normal(size=(6, 100000)), 1).astype('f4')", "mode=image", ""},
	{"checks", "(np.add.outer(np.arange(1500), np.arange(1700)) % 2).astype('u1')", "map=viridis", ""},
	{"noise", "r().normal(size=(1000, 1300))", "range=extremes", extremes},
	// Numbers that float32 cannot represent.
	{"billion", "1e9 + r().normal(size=(300, 400))", "", ""},
	{"pressure2000", "101325 + 0.001 * np.sin(np.add.outer(np.arange(2000), np.arange(2000)) / 99)", "", ""},
	{"epoch", "1.7e9 + np.arange(120000.).reshape(300, 400) / 100", "", ""},
	{"huge", "1e300 * r().uniform(1, 2, (200, 300))", "", ""},
	{"tiny", "1e-310 * r().uniform(1, 2, (200, 300))", "", ""},
	{"opposite", "(np.linspace(-1, 1, 60000) * 1.7e308).reshape(200, 300)", "range=extremes", extremes},
	// Lines of such numbers. Their ticks would be closer than float64 numbers.
	{"nanoseconds", "", "mode=lines&lx=1&at=7,0", `{"x": 1, "at": [7, 0]}`},
	{"signed", "np.int64(-2**63) + np.arange(5000)", "mode=lines", `{"x": 0}`},
	{"huge", "", "mode=lines&lx=1&at=7,0", `{"x": 1, "at": [7, 0]}`},
	// Constants, NaN and infinities.
	{"constant", "", "mode=lines&lx=1&at=7,0", `{"x": 1, "at": [7, 0]}`},
	{"ocean", "", "map=grey", `{"map": "grey"}`},
	{"ocean", "", "map=cividis", `{"map": "cividis"}`},
	// Other dtypes.
	{"mask", "r().random((200, 300)) > 0.7", "map=viridis", extremes},
	{"half", "r().normal(size=(200, 300)).astype('f2')", "map=inferno", `{"map": "inferno"}`},
	{"wave", "", "", `{"part": "abs"}`},
	{"diverging", "r().normal(1, 1, (200, 300))", "map=orange%E2%80%93purple", `{"map": "orange–purple"}`},
	{"wave", "", "part=angle", `{"part": "angle", "map": "cyclic", "range": "hand", "lo": -np.pi, "hi": np.pi}`},
	{"turns", "np.exp(1j * np.add.outer(np.linspace(0, 7, 1500), np.linspace(0, 9, 1700)))", "part=angle",
		`{"part": "angle", "map": "cyclic", "range": "hand", "lo": -np.pi, "hi": np.pi}`},
	{"photo2000", "np.add.outer(np.add.outer(np.arange(2000), np.arange(2000)) // 16, [0, 60, 120]).astype('u1')", "",
		`{"c": 2}`},
	{"photo16", "r().integers(0, 65536, (300, 400, 3)).astype('u2')", "", `{"c": 2, "top": 65535}`},
	{"photo32", "r().random((700, 900, 3)).astype('f4')", "", `{"c": 2, "top": 1}`},
	// Scales.
	{"decades", "np.abs(10.0 ** r().normal(0, 2, (300, 400))) * (r().random((300, 400)) > 0.1)",
		"scale=log&range=extremes",
		`{"range": "extremes", "scale": "log"}`},
	{"growing", "", "mode=lines&scaleY=gamma&gamma=0.5", `{"x": 0, "scale": "gamma", "gamma": 0.5}`},
	{"volume", "", "at=0,20,0&y=0&x=2", `{"y": 0, "x": 2, "at": [0, 20, 0], "stack": True}`},
}

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/xml"
	"image/color"
	"image/png"
	"io"
	"math"
	"slices"
	"strings"
)

// Buttons of the dialog that saves
const (
	saveSVG   = "dialog.save[open] button:nth-of-type(2)"
	saveMovie = "dialog.save[open] button:nth-of-type(3)"
)

// A drawing is a decoded SVG file.
type drawing struct {
	file   string
	texts  []string
	images []string // data URLs
	paths  []map[string]string
}

// drawing saves the view as SVG.
func (p *page) drawing() (d drawing) {
	p.t.Helper()
	p.Press("s")
	b, err := hex.DecodeString(p.download(saveSVG))
	if err != nil {
		p.t.Fatal(err)
	}
	d.file = string(b)
	for dec := xml.NewDecoder(bytes.NewReader(b)); ; {
		token, err := dec.Token()
		if err == io.EOF {
			return d
		}
		if err != nil {
			p.t.Fatalf("the figure is not XML: %v", err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attrs := map[string]string{}
		for _, a := range e.Attr {
			attrs[a.Name.Local] = a.Value
		}
		switch e.Name.Local {
		case "text":
			var text string
			if err := dec.DecodeElement(&text, &e); err != nil {
				p.t.Fatal(err)
			}
			d.texts = append(d.texts, text)
		case "image":
			d.images = append(d.images, attrs["href"])
		case "path":
			d.paths = append(d.paths, attrs)
		}
	}
}

// figures saves images and lines as SVG. The cells of an image are one PNG image with exact colours, at the position of
// the image in the page. Lines and ticks are paths, and texts are text.
func figures(p *page) {
	defer p.setSmallWindow()
	p.Size(1060, 680, false) // in a larger one, the elements of normal.npy have so few pixels that most are near edges
	p.show("board.npy", "range=extremes&map=viridis")
	d := p.drawing()
	for _, text := range []string{"board.npy  [:, :]", "0", "1", "10", "20", "40"} {
		if !slices.Contains(d.texts, text) {
			p.t.Errorf("the figure has no text %q in %q", text, d.texts)
		}
	}
	if note := d.texts[len(d.texts)-1]; note != "every element" {
		p.t.Errorf("the note of the figure is %q", note)
	}
	if len(d.images) != 1 {
		p.t.Fatalf("the figure has %d images, want 1", len(d.images))
	}
	data, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.images[0], "data:image/png;base64,"))
	if err != nil {
		p.t.Fatal(err)
	}
	cells, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		p.t.Fatal(err)
	}
	if b := cells.Bounds(); b.Dx() != 44 || b.Dy() != 30 {
		p.t.Fatalf("the image has %v pixels, want 44 × 30", b)
	}
	for y := range 30 {
		for x := range 44 {
			want := []color.RGBA{darkest, lightest}[(y+x)%2]
			if r, g, b, _ := cells.At(x, y).RGBA(); r>>8 != uint32(want.R) || g>>8 != uint32(want.G) || b>>8 != uint32(want.B) {
				p.t.Fatalf("pixel [%d, %d] of the image is %v, want %v", y, x, cells.At(x, y), want)
			}
		}
	}

	// The figure looks like the page, except near the edges of cells.
	for _, c := range []struct{ name, view string }{
		{"many.npy", ""}, {"many.npy", "flipX=1&flipY=1"}, {"normal.npy", "range=extremes"},
		{"many.npy", "zx=31&zy=31&cx=20.3&cy=11.7&box=8,15,13,20"}, {"normal.npy", "zx=0.4&zy=0.4&cx=200&cy=50"},
	} {
		p.show(c.name, c.view)
		p.movePointerAway()
		d := p.drawing()
		p.settle()
		var differ []float64
		p.Await(`const [svg, done] = arguments, image = new Image();
			image.onload = () => {
				const map = document.querySelector(".map canvas"), geo = JSON.parse(map.dataset.geometry);
				const pixels = (of, y) => {
					const c = document.createElement("canvas"), g = c.getContext("2d");
					c.width = map.width, c.height = map.height;
					g.drawImage(of, 0, y);
					return g.getImageData(0, 0, c.width, c.height);
				};
				const a = pixels(map, 0), b = pixels(image, -34);
				let n = 0, bad = 0;
				for (let y = geo.top + 1; y < map.height - 1; y++) for (let x = geo.left + 1; x < map.width - 1; x++) {
					const same = (u, v) => [0, 1, 2].every((k) => u.data[4 * (y * u.width + x) + k] === v.data[4 * (y * v.width + x) + k]);
					if (!a.data[4 * (y * a.width + x) + 3]) continue;
					n++;
					if (!same(a, b)) bad++;
				}
				window.awaited = [n, bad];
				done();
			};
			image.onerror = () => done(window.awaited = [0, 0]);
			image.src = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg);`, d.file)
		p.Run(&differ, `return window.awaited`)
		if len(differ) != 2 || differ[0] == 0 || differ[1] > 0.12*differ[0] {
			p.t.Errorf("%s, %s: pixels and pixels that differ: %v", c.name, c.view, differ)
		}
	}
	p.keepScreenshot("figure")

	p.show("ramp.npy", "mode=lines&lx=1&over=-1&at=5,0&pin=3,0")
	d = p.drawing()
	for _, text := range []string{"ramp.npy  [5, :]", "[3, :]", "[5, :]", "every element"} {
		if !slices.Contains(d.texts, text) {
			p.t.Errorf("the figure of lines has no text %q in %q", text, d.texts)
		}
	}
	var vertices []int
	for _, path := range d.paths {
		if path["stroke-width"] == "1.5" {
			vertices = append(vertices, strings.Count(path["d"], "M")+strings.Count(path["d"], "L"))
		}
	}
	if len(d.images) != 0 || !slices.Equal(vertices, []int{44, 44}) {
		p.t.Errorf("the figure of lines has %d images and lines with %v points", len(d.images), vertices)
	}
}

// movie saves frames as a video, plays it in another page, and compares times and colours.
func movie(p *page) {
	const view = "range=hand&colours=0,5&speed=5&playFrom=1&playTo=4&at="
	var colours [][]float64
	for _, frame := range []string{"1", "2", "3", "4"} {
		p.show("steps.npy", view+frame+",0,0")
		x, y := p.geometry().at(15, 22)
		r, g, b, _ := p.picture().At(x, y).RGBA()
		colours = append(colours, []float64{float64(r >> 8), float64(g >> 8), float64(b >> 8)})
	}
	p.show("steps.npy", view+"5,0,0")
	g := p.geometry()
	var origin []float64
	p.Run(&origin, `const r = document.querySelector(".map canvas").getBoundingClientRect(); return [r.left, r.top]`)
	x, y := g.at(15, 22)
	x, y = 2*(x-int(origin[0])), 2*(y-int(origin[1])+34)
	p.Press("s")
	if got, want := p.text(saveMovie), "Movie of axis 0, 1 to 4, 5 per second (.webm)"; got != want {
		p.t.Errorf("the button says %q, want %q", got, want)
	}
	all := p.download(saveMovie)
	p.Wait("the frame from before is shown",
		`document.querySelector(".slider .exact").value === "5" && !document.querySelector("dialog[open]")`)

	// Stop before the third frame.
	p.Press("s")
	stop := func(button string) {
		p.t.Helper()
		p.Run(nil, `new MutationObserver((_, o) => {
			const d = document.querySelector("dialog.save");
			if (d.querySelector("[role=status]")?.textContent !== "frame 3 of 1 to 4") return;
			o.disconnect();
			[...d.querySelectorAll("button")].find((b) => b.textContent === arguments[0]).click();
		}).observe(document.querySelector("dialog.save"), {childList: true, subtree: true, characterData: true})`, button)
	}
	stop("Stop and save")
	short := p.download(saveMovie)
	p.Wait("the dialog is closed", `!document.querySelector("dialog[open]")`)
	p.Press("s")
	stop("Cancel")
	p.Run(nil, `window.saved = ""`)
	p.Click(saveMovie)
	p.Wait("the dialog is closed again",
		`document.querySelector(".slider .exact").value === "5" && !document.querySelector("dialog[open]")`)
	var saved string
	if p.Run(&saved, `return window.saved`); saved != "" {
		p.t.Error("a cancelled movie was saved")
	}

	p.Open("about:blank") // the policy of the page forbids videos
	for i, file := range []string{all, short} {
		frames := []int{4, 2}[i]
		var got struct {
			Duration float64
			Size     []int
			Colours  [][]float64
		}
		p.Await(`const [file, x, y, frames, done] = arguments, v = document.createElement("video"), c = document.createElement("canvas");
			v.muted = true;
			v.src = URL.createObjectURL(new Blob([new Uint8Array(file.match(/../g).map((h) => parseInt(h, 16)))], {type: "video/webm"}));
			v.onerror = () => done(window.awaited = {error: v.error.message});
			v.onloadeddata = async () => {
				const colours = [];
				c.width = v.videoWidth, c.height = v.videoHeight;
				const g = c.getContext("2d", {willReadFrequently: true});
				for (let i = 0; i < frames; i++) {
					await new Promise((shown) => { // when the event seeked arrives, drawImage may still draw the frame before
						const next = (_, {mediaTime}) => Math.abs(mediaTime - i / 5) < 0.01 ? shown() : v.requestVideoFrameCallback(next);
						v.requestVideoFrameCallback(next);
						v.currentTime = (i + 0.5) / 5;
					});
					g.drawImage(v, 0, 0);
					colours.push([...g.getImageData(x, y, 1, 1).data].slice(0, 3));
				}
				window.awaited = {duration: v.duration, size: [v.videoWidth, v.videoHeight], colours};
				done();
			}`, file, x, y, frames)
		p.Run(&got, `return window.awaited`)
		if math.Abs(got.Duration-float64(frames)/5) > 1e-3 || len(got.Size) != 2 || got.Size[0] < 2*int(g.W) {
			p.t.Errorf("the movie of %d frames has a duration of %v and %v pixels", frames, got.Duration, got.Size)
		}
		for i, rgb := range got.Colours {
			for k, v := range rgb {
				if math.Abs(v-colours[i][k]) > 3 {
					p.t.Errorf("frame %d has the colour %v, and the page %v", i+1, rgb, colours[i])
					break
				}
			}
		}
	}
}

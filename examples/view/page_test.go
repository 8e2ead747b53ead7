package main

// The page, used as a person uses it, in a headless Chromium. With NDMAP_KEEP=1 the folder screenshots keeps what it
// looked like.

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
	"github.com/ndmap/ndmap/index"
	"github.com/ndmap/ndmap/internal/oracle"
)

// needPage skips t where the page has not been built, or there is no browser; with NDMAP_BROWSER=require it fails.
func needPage(t *testing.T) {
	t.Helper()
	webdriver.Need(t)
	if _, err := fs.Stat(static, "static/dist/index.html"); err == nil {
		return
	}
	const text = "static/dist has no page: make test-view builds it"
	if os.Getenv("NDMAP_BROWSER") == "require" {
		t.Fatal(text)
	}
	t.Skip(text)
}

// A page is a browser that shows what a server of its own has open.
type page struct {
	*webdriver.Browser
	t     *testing.T
	base  string
	ids   map[string]string // of the arrays in the list of the page, by their names
	views *int              // that were entered
	anew  *bool             // the next one is to be in a page that is loaded anew
	stop  func()            // ends the server
}

// open starts a server of paths, and a browser at its link.
func open(t *testing.T, paths ...string) *page {
	t.Helper()
	ctx, stop := context.WithCancel(t.Context())
	in, inw := io.Pipe()
	out, outw := io.Pipe()
	var errs bytes.Buffer
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, paths, in, outw, &errs)
		outw.Close()
	}()
	t.Cleanup(func() {
		stop()
		inw.Close()
		if code := <-ended; code != 0 {
			t.Errorf("npyview ended with %d: %s", code, &errs)
		}
	})
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("npyview printed no link: %v", err)
	}
	base, _, ok := strings.Cut(strings.TrimSpace(link), "/open?")
	if !ok {
		t.Fatalf("npyview printed %q, which is no link", link)
	}
	p := &page{Browser: webdriver.Start(t), t: t, base: base, views: new(int), anew: new(bool), stop: stop}
	p.usual()
	p.Open(strings.TrimSpace(link))
	p.settle()
	p.Run(&p.ids,
		`return Object.fromEntries([...document.querySelectorAll(".source")].map((e) => [e.firstChild.textContent, e.dataset.id]))`)
	return p
}

// usual makes the window large with NDMAP_CASES=10, and else as small as shows all of the page: most of the time goes
// into drawing it.
func (p *page) usual() {
	p.t.Helper()
	if oracle.Cases(p.t, 1) < 10 {
		p.Size(1060, 680, false)
	} else {
		p.large()
	}
}

// large makes the window as large as that of a person.
func (p *page) large() {
	p.t.Helper()
	p.Size(1360, 860, false)
}

// in returns p for a part of the test that goes on in the page of the part before.
func (p *page) in(t *testing.T) *page {
	q := *p
	q.t = t
	q.Browser = p.For(t)
	return &q
}

const settled = `document.querySelector("main")?.getAttribute("aria-busy") === "false"`

// settle waits until all that the page shows has arrived.
func (p *page) settle() {
	p.t.Helper()
	p.Wait("the page is ready", settled)
}

// show enters the address of a view of the array that the list calls name, as a person does who goes from one to
// another.
func (p *page) show(name, view string) {
	p.t.Helper()
	id, ok := p.ids[name]
	if !ok {
		p.t.Fatalf("the page lists no array %q", name)
	}
	*p.views++
	hash := fmt.Sprintf("#src=%s&entered=%d&%s", id, *p.views, view)
	if *p.anew {
		p.Open(fmt.Sprintf("%s/?%d%s", p.base, *p.views, hash))
	} else { // the page knows of the address when its own listener has been called, which was there before this one
		p.Await(`const [hash, entered] = arguments; addEventListener("hashchange", () => entered(), {once: true}); location.hash = hash`, hash)
	}
	p.Wait(name+" is shown", settled+` && document.querySelector("h1").textContent.split(" · ")[0] === `+quote(name))
}

// Open loads any page.
func (p *page) Open(url string) {
	p.t.Helper()
	*p.anew = !strings.HasPrefix(url, p.base+"/")
	p.Browser.Open(url)
}

// load is show in a page that is loaded anew.
func (p *page) load(name, view string) {
	p.t.Helper()
	*p.anew = true
	p.show(name, view)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// text returns the text of the first element that the selector finds.
func (p *page) text(selector string) string {
	p.t.Helper()
	var s string
	p.Run(&s, `return document.querySelector(arguments[0])?.textContent ?? ""`, selector)
	return s
}

// expect waits for a text that contains want.
func (p *page) expect(selector, want string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf("%s says %q", selector, want),
		fmt.Sprintf(`(document.querySelector(%s)?.textContent ?? "").includes(%s)`, quote(selector), quote(want)))
}

// A geometry says which elements the map shows where, in CSS pixels of the window.
type geometry struct {
	X0, Y0, Zx, Zy float64
	Lx, Ly, Nx, Ny int
	OriginX        float64 // where the element X0, Y0 is
	OriginY        float64
	W, H           float64
}

func (p *page) geometry() geometry {
	p.t.Helper()
	p.settle()
	var g geometry
	p.Run(&g,
		`const c = document.querySelector(".map canvas"), r = c.getBoundingClientRect(), g = JSON.parse(c.dataset.geometry);
		return {...g, OriginX: r.left + g.left, OriginY: r.top + g.top}`)
	return g
}

// at returns where the middle of an element is.
func (g geometry) at(y, x int) (px, py int) {
	return int(g.OriginX + (float64(x)+0.5-g.X0)*g.Zx), int(g.OriginY + (float64(y)+0.5-g.Y0)*g.Zy)
}

// picture returns the window as it is.
func (p *page) picture() image.Image {
	p.t.Helper()
	img, err := png.Decode(bytes.NewReader(p.Screenshot()))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// keep keeps a picture of the window, where NDMAP_KEEP asks for pictures.
func (p *page) keep(name string) {
	p.t.Helper()
	p.settle()
	if os.Getenv("NDMAP_KEEP") != "" {
		p.keepFile(name, p.Screenshot())
	}
}

// keepFile keeps a picture in the folder screenshots, where NDMAP_KEEP asks for pictures.
func (p *page) keepFile(name string, png []byte) {
	p.t.Helper()
	if os.Getenv("NDMAP_KEEP") == "" {
		return
	}
	if err := os.MkdirAll("screenshots", 0o777); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("screenshots", name+".png"), png, 0o666); err != nil {
		p.t.Fatal(err)
	}
}

// away moves the pointer to where nothing happens.
func (p *page) away() {
	p.t.Helper()
	var width int
	p.Run(&width, `return innerWidth`)
	p.Move(min(600, width/2), 20)
	p.settle()
}

// checkPixels compares the colours at the middles of elements with those they should have.
func (p *page) checkPixels(ny, nx int, want func(y, x int) (c color.RGBA, known bool)) {
	p.t.Helper()
	p.away()
	g, img := p.geometry(), p.picture()
	bad := 0
	for y := range ny {
		for x := range nx {
			px, py := g.at(y, x)
			r, gr, b, _ := img.At(px, py).RGBA()
			got := color.RGBA{uint8(r >> 8), uint8(gr >> 8), uint8(b >> 8), 255}
			if w, known := want(y, x); known && got != w {
				if bad++; bad <= 3 {
					p.t.Errorf("element [%d, %d], at pixel %d, %d: colour %v, want %v", y, x, px, py, got, w)
				}
			}
		}
	}
	if bad > 3 {
		p.t.Errorf("%d of %d elements have a wrong colour", bad, ny*nx)
	}
}

// checkCursor points at elements and compares index, value and byte in the foot.
func (p *page) checkCursor(y, x int, index, value, byteText string) {
	p.t.Helper()
	px, py := p.geometry().at(y, x)
	p.Move(px, py)
	p.expect(".where .index", index)
	p.Wait("the value arrives", `!document.querySelector(".where").classList.contains("stale")`)
	if got := p.text(".where .value"); got != value {
		p.t.Errorf("%s: value %q, want %q", index, got, value)
	}
	if got := strings.ReplaceAll(p.text(".where .byte"), "\u202f", ""); got != byteText {
		p.t.Errorf("%s: %q, want %q", index, got, byteText)
	}
}

// TestPageFromFile opens the link as -open does, by a file that leads to it, which is another site for the
// browser: the page is there with its arrays, at an address without the token.
func TestPageFromFile(t *testing.T) {
	needPage(t)
	dir := t.TempDir()
	s := begin(t, save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, ramp, 3, 4))
	b := webdriver.Start(t)
	file := filepath.Join(dir, "npyview.html")
	if err := os.WriteFile(file, []byte(pageTo(s.link)), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://" + file)
	b.Wait("the page is there", `location.href.startsWith("`+s.base+`/#") &&
		document.querySelector(".source")?.firstChild.textContent === "a.npy" && `+settled)
}

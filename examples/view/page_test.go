package main

// These tests operate the page like a user, in a headless Chromium. With NDMAP_KEEP=1 they write pictures of it to the
// folder screenshots.

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

// needPage skips t if the page has not been built, or if there is no browser. With NDMAP_BROWSER=require it fails t
// instead.
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

// A page is a browser window with the page of an npyview.
type page struct {
	*webdriver.Browser
	t      *testing.T
	base   string
	ids    map[string]string // ids of the arrays in the listing, by name
	views  *int              // number of calls of show
	reload *bool             // whether show must load the page again
	stop   func()            // function that stops the server
}

// open starts npyview with paths, and opens its link in a browser.
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
	p := &page{Browser: webdriver.Start(t), t: t, base: base, views: new(int), reload: new(bool), stop: stop}
	p.setSmallWindow()
	p.Open(strings.TrimSpace(link))
	p.settle()
	p.Run(&p.ids,
		`return Object.fromEntries([...document.querySelectorAll(".source")].map((e) => [e.firstChild.textContent, e.dataset.id]))`)
	return p
}

// setSmallWindow makes the window as small as the page permits, because drawing takes most of the time. With
// NDMAP_CASES=10 it makes the window large.
func (p *page) setSmallWindow() {
	p.t.Helper()
	if oracle.Cases(p.t, 1) < 10 {
		p.Size(1060, 680, false)
	} else {
		p.setLargeWindow()
	}
}

// setLargeWindow sets the window to a typical size.
func (p *page) setLargeWindow() {
	p.t.Helper()
	p.Size(1360, 860, false)
}

// forSubtest returns p for the subtest t, which continues with the page of the previous subtest.
func (p *page) forSubtest(t *testing.T) *page {
	q := *p
	q.t = t
	q.Browser = p.For(t)
	return &q
}

const settled = `document.querySelector("main")?.getAttribute("aria-busy") === "false"`

// settle waits until the page has received everything that it shows.
func (p *page) settle() {
	p.t.Helper()
	p.Wait("the page is ready", settled)
}

// show changes the address to a view of the array with the given name in the listing, without loading the page again.
func (p *page) show(name, view string) {
	p.t.Helper()
	id, ok := p.ids[name]
	if !ok {
		p.t.Fatalf("the page lists no array %q", name)
	}
	*p.views++
	hash := fmt.Sprintf("#src=%s&entered=%d&%s", id, *p.views, view)
	if *p.reload {
		p.Open(fmt.Sprintf("%s/?%d%s", p.base, *p.views, hash))
	} else { // the page's own listener was added first, so it has run when this listener runs
		p.Await(`const [hash, entered] = arguments; addEventListener("hashchange", () => entered(), {once: true}); location.hash = hash`, hash)
	}
	p.Wait(name+" is shown", settled+` && document.querySelector("h1").textContent.split(" · ")[0] === `+quote(name))
}

// Open loads any page.
func (p *page) Open(url string) {
	p.t.Helper()
	*p.reload = !strings.HasPrefix(url, p.base+"/")
	p.Browser.Open(url)
}

// load is like show, but loads the page again.
func (p *page) load(name, view string) {
	p.t.Helper()
	*p.reload = true
	p.show(name, view)
}

func quote(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

// text returns the text of the first element that matches the selector.
func (p *page) text(selector string) string {
	p.t.Helper()
	var s string
	p.Run(&s, `return document.querySelector(arguments[0])?.textContent ?? ""`, selector)
	return s
}

// expect waits until the text of an element contains want.
func (p *page) expect(selector, want string) {
	p.t.Helper()
	p.Wait(fmt.Sprintf("%s says %q", selector, want),
		fmt.Sprintf(`(document.querySelector(%s)?.textContent ?? "").includes(%s)`, quote(selector), quote(want)))
}

// A geometry describes which elements the map shows at which position of the window, in CSS pixels.
type geometry struct {
	X0, Y0, Zx, Zy float64
	Lx, Ly, Nx, Ny int
	OriginX        float64 // position of the element X0, Y0
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

// at returns the position of the centre of an element.
func (g geometry) at(y, x int) (px, py int) {
	return int(g.OriginX + (float64(x)+0.5-g.X0)*g.Zx), int(g.OriginY + (float64(y)+0.5-g.Y0)*g.Zy)
}

// picture returns a screenshot of the window.
func (p *page) picture() image.Image {
	p.t.Helper()
	img, err := png.Decode(bytes.NewReader(p.Screenshot()))
	if err != nil {
		p.t.Fatal(err)
	}
	return img
}

// keepScreenshot writes a screenshot if NDMAP_KEEP is set.
func (p *page) keepScreenshot(name string) {
	p.t.Helper()
	p.settle()
	if os.Getenv("NDMAP_KEEP") != "" {
		p.keepFile(name, p.Screenshot())
	}
}

// keepFile writes a picture to the folder screenshots if NDMAP_KEEP is set.
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

// movePointerAway moves the pointer to a position without effect.
func (p *page) movePointerAway() {
	p.t.Helper()
	var width int
	p.Run(&width, `return innerWidth`)
	p.Move(min(600, width/2), 20)
	p.settle()
}

// checkPixels compares the colours at the centres of elements with the expected ones.
func (p *page) checkPixels(ny, nx int, want func(y, x int) (c color.RGBA, known bool)) {
	p.t.Helper()
	p.movePointerAway()
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

// checkCursor moves the pointer to an element and compares the index, value and byte in the foot.
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

// TestPageFromFile opens the link like -open does, through a file that redirects to it. To the browser the file is
// another site. The page must show its arrays, at an address without the token. Then it opens the same link again,
// which leads to the page: directly, and from the file, whose requests have no cookie, after a click.
func TestPageFromFile(t *testing.T) {
	needPage(t)
	dir := t.TempDir()
	s := startViewer(t, save(t, filepath.Join(dir, "a.npy"), "<f4", index.C, fillRamp, 3, 4))
	b := webdriver.Start(t)
	file := filepath.Join(dir, "npyview.html")
	if err := os.WriteFile(file, []byte(redirectPage(s.link)), 0o600); err != nil {
		t.Fatal(err)
	}
	shown := `location.href.startsWith("` + s.base + `/#") &&
		document.querySelector(".source")?.firstChild.textContent === "a.npy" && ` + settled
	b.Open("file://" + file)
	b.Wait("the page is there", shown)
	b.Open(s.link)
	b.Wait("the used link leads to the page", shown)
	b.Open("file://" + file)
	b.Wait("the file leads to the refusal", `document.querySelector("a")?.textContent === "open it again"`)
	b.Click("a")
	b.Wait("the page is there again", shown)
}

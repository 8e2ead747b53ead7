package main

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
)

// namesAndKeys tests that all controls have accessible names, that keys can replace the pointer, and that the page is
// small.
func namesAndKeys(p *page) {
	const nameless = `return [...document.querySelectorAll("button, select, input, summary, canvas:not(.plot canvas), [role=slider], [role=application], dialog, section > h2")]
		.filter((e) => e.checkVisibility() && !(e.getAttribute("aria-label") || e.textContent.trim() || e.labels?.[0]?.textContent.trim()))
		.map((e) => e.outerHTML.slice(0, 90))`
	for _, view := range []string{"box=1,2,5,9&across=1,1,9,9&scale=gamma", "mode=lines&scaleY=gamma", "mode=table"} {
		p.show("holes.npy", view)
		var got []string
		if p.Run(&got, nameless); len(got) > 0 {
			p.t.Errorf("%s: elements without a name: %q", view, got)
		}
	}
	var help []string
	p.Run(&help, `return [...document.querySelectorAll("dialog.help kbd")].map((k) => k.textContent)`)
	has := func(key string) bool {
		for _, k := range help {
			if k == key {
				return true
			}
		}
		return false
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		p.t.Fatal(err)
	}
	p.show("ramp.npy", "range=extremes&scale=symlog")
	for _, step := range []struct{ key, is string }{
		{"n", `document.querySelector("[aria-label='scale of the colours']").value === "gamma"`},
		{"R", `document.querySelector("[data-section=colours] input[type=checkbox]")`},
		{"f", settled + ` && JSON.parse(document.querySelector(".map canvas").dataset.geometry).flipY`},
		{"F", settled + ` && JSON.parse(document.querySelector(".map canvas").dataset.geometry).flipX`},
		{"w", `document.querySelectorAll(".images .map").length === 2`},
		{"l", `document.querySelector("[data-mode=lines][aria-selected=true]")`},
		{"n", `document.querySelector("[aria-label='scale of y']").value === "log"`},
		{"i", `document.querySelector("[data-mode=image][aria-selected=true]")`},
	} {
		if !has(step.key) || !strings.Contains(string(readme), "`"+step.key+"`") {
			p.t.Errorf("the key %q is not in the help, or not in README.md", step.key)
		}
		p.Press(step.key)
		p.Wait("the key "+step.key+" works", step.is)
	}
	for _, key := range []string{"x", "v", "<", ">", "?"} {
		if !has(key) || !strings.Contains(string(readme), "`"+key+"`") {
			p.t.Errorf("the key %q is not in the help, or not in README.md", key)
		}
	}
	p.Press("?")
	p.Wait("the help is open", `document.querySelector("dialog.help[open]")`)
	p.Press(webdriver.Escape)
	var size int
	p.Run(&size,
		`return performance.getEntries().filter((e) => e.entryType === "navigation" || e.name.includes("/assets/")).reduce((n, e) => n + e.decodedBodySize, 0)`)
	if size < 100_000 || size > 320_000 {
		p.t.Errorf("the page has %d bytes, want at most 320000", size)
	}
}

// TestFeatures tests that each test named in FEATURES.md exists.
func TestFeatures(t *testing.T) {
	table, err := os.ReadFile("FEATURES.md")
	if err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if strings.HasSuffix(f.Name(), "_test.go") {
			b, err := os.ReadFile(f.Name())
			if err != nil {
				t.Fatal(err)
			}
			source.Write(b)
		}
	}
	rows := regexp.MustCompile(`(?m)^\| (\d+) \|.*\| (yes|no)[^|]*\| ?([^|]*?) ?\|$`).FindAllStringSubmatch(string(table),
		-1)
	if len(rows) != 28 {
		t.Errorf("FEATURES.md has %d rows, want 28", len(rows))
	}
	for _, row := range rows {
		name, part, _ := strings.Cut(row[3], "/")
		switch {
		case (row[2] == "yes") != (name != ""):
			t.Errorf("row %s says %s, but names the test %q", row[1], row[2], name)
		case name == "":
		case !strings.Contains(source.String(), "func "+name+"(t *testing.T)"):
			t.Errorf("row %s: there is no test %s", row[1], name)
		case part != "" && !strings.Contains(source.String(), `{"`+part+`"`):
			t.Errorf("row %s: %s has no part %q", row[1], name, part)
		}
	}
}

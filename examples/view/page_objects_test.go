package main

import (
	"fmt"
	"strings"

	"github.com/ndmap/ndmap/examples/view/internal/webdriver"
)

// objectsAsTree tests the tree of Python objects: keys and pointer, what a screen reader reads, text from the file, and
// the views of other members of objects.
func objectsAsTree(p *page) {
	defer p.Dark(false)
	// tree returns the level, the state and the name of each row from first on, with > before the selected one.
	tree := func() string {
		var rows []string
		p.Run(&rows, `const list = document.querySelector(".values"), on = list.getAttribute("aria-activedescendant");
			return [...list.children].map((e) => (e.id === on && e.ariaSelected === "true" ? ">" : "") + [e.role, e.ariaLevel, e.ariaPosInSet, e.ariaSetSize, e.ariaExpanded ?? "-"].join(" ") + " " + e.ariaLabel)`)
		for i, r := range rows {
			rows[i] = strings.ReplaceAll(r, "treeitem ", "")
		}
		if len(rows) > 9 {
			rows = append(rows[:6], fmt.Sprint("… ", len(rows)), rows[len(rows)-1])
		}
		return strings.Join(rows, "\n")
	}
	press := func(want string, keys ...string) {
		p.t.Helper()
		for _, k := range keys {
			p.Press(k)
			p.settle()
		}
		if got := tree(); got != want {
			p.t.Errorf("after %q the tree is\n%s\nwant\n%s", keys, got, want)
		}
	}
	top := "1 1 1 true value: {'lr': 0.1, '" + evil + "': ['" + evil + "', {'deep': (1, 'x')}], "
	p.show("params", "")
	p.show("params", "") // again, so that nothing has to be requested
	if got := p.data(".stage", "mode"); got != "tree" {
		p.t.Errorf("objects open as %s, want the tree", got)
	}
	p.expect("h1", "params")
	p.expect(".dtype", "|O ()")
	got := tree()
	if head, _, _ := strings.Cut(got, "\n"); !strings.HasPrefix(head, ">"+top) || !strings.HasSuffix(head,
		"… dict, 3 values") {
		p.t.Errorf("the tree begins with %q", head)
	}
	root, _, _ := strings.Cut(strings.TrimPrefix(got, ">"), "\n")
	lr, key := "2 1 3 - 'lr': 0.1 float", "2 2 3 false '"+evil+"': ['"+evil+"', {'deep': (1, 'x')}] list, 2 values"
	open := strings.Replace(key, "false", "true", 1)
	inner := "3 1 2 - 0: '" + evil + "' str\n3 2 2 false 1: {'deep': (1, 'x')} dict, 1 value"
	many := strings.Split(got, "\n")[3]
	if !strings.HasPrefix(many, "2 3 3 false 'many': [0, 1, ") || !strings.HasSuffix(many, "… list, 450 values") {
		p.t.Errorf("the last row is %q", many)
	}
	lines := func(rows ...string) string { return strings.Join(rows, "\n") }
	press(lines(root, lr, ">"+key, many), webdriver.Down, webdriver.Down)
	press(lines(root, lr, ">"+open, inner, many), webdriver.ArrowRight)
	press(lines(root, lr, open, ">"+inner, many), webdriver.ArrowRight)
	p.keepScreenshot("objects")
	var images int
	var ran bool
	p.Run(&images, `return document.images.length`)
	if p.Run(&ran, `return "pwned" in window`); images != 0 || ran {
		p.t.Errorf("text of an object became markup: %d images, script ran: %v", images, ran)
	}
	var cut []string
	p.Run(&cut,
		`return [...document.querySelectorAll(".item .key")].filter((e) => e.textContent.length < 10 && e.clientWidth < e.scrollWidth).map((e) => e.textContent)`)
	if len(cut) > 0 {
		p.t.Errorf("the keys %q are cut off", cut)
	}
	p.checkContrast("light")
	p.Dark(true)
	p.checkContrast("dark")
	p.keepScreenshot("objects-dark")
	press(lines(root, lr, ">"+key, many), webdriver.ArrowLeft, webdriver.ArrowLeft)

	// A long list arrives in pages of 200 values.
	press(lines(root, lr, key, strings.Replace(">"+many, "false", "true", 1), "3 1 450 - 0: 0 int", "3 2 450 - 1: 1 int",
		"… 205",
		"3 201 450 - 200 more of 250"), webdriver.End, " ")
	p.Press(webdriver.End, webdriver.Enter)
	p.Wait("the next page is there", settled+` && document.querySelectorAll(".item").length === 405`)
	p.Click(".item.more")
	p.Wait("all values are there",
		settled+` && document.querySelectorAll(".item").length === 454 && !document.querySelector(".item.more")`)
	p.Press(webdriver.Home)
	p.Click(".item:nth-child(3) .twist")
	p.Wait("the pointer expands", settled+` && document.querySelector(".item:nth-child(3)").ariaExpanded === "true"`)

	// Objects that are all texts have a table, too. A refused pickle shows the error of the library.
	p.show("labels", "")
	p.expect(".tbody .tr:last-child .td", evil)
	p.Press("e")
	p.Wait("the tree of texts", settled+` && document.querySelector("[data-mode=tree][aria-selected=true]") &&
		[...document.querySelectorAll(".item .text")].map((e) => e.textContent).join() === "'one',"+`+quote("'"+evil+"'"))
	p.show("refused", "")
	p.expect(".stage .empty", "is neither a plain value nor an array, and ndmap runs no code from a file")
	p.show("stack.npy", "mode=tree")
	p.Wait("other arrays have no tree",
		settled+` && document.querySelector(".stage").dataset.mode !== "tree" && document.querySelector("[data-mode=tree]").hidden`)
}

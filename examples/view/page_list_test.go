package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// listed returns the names of the arrays that the list shows, in their order.
func (p *page) listed() (names []string) {
	p.t.Helper()
	p.Run(&names,
		`return [...document.querySelectorAll(".source")].filter((e) => e.checkVisibility()).map((e) => e.firstChild.textContent)`)
	return names
}

// sourceList tests the filter and the orders of the list, the size and the time of files, and the entry for files that
// cannot be opened. dir has the files of TestPageHabits.
func sourceList(p *page, dir string) {
	for _, tt := range []struct{ text, want string }{
		{"many 13", "many12.npy many13.npy"},
		{"1x3", "many00.npy"},
		{"1 × 3", "many00.npy"},
		{"(1, 3)", "many00.npy"},
		{"(1,3", "many00.npy"},
		{"1,3", "many00.npy"},
		{"11,", "many10.npy"},
		{",50", "grid.npy"},
		{"50)", "grid.npy"},
		{"50,", ""},
		{"(50)", ""},
		{"(40,)", "records.npy"},
		{"(*,3) many0 2", "many01.npy many02.npy"},
		{"f8", "grid.npy"},
		{"<f8", "grid.npy"},
		{">f8", ""},
		{"float64", "grid.npy"},
		{"|u1", "long.npy"},
		{"uint8 2d", "long.npy"},
		{"1d", "records.npy"},
		{"3d", ""},
		{"GRID", "grid.npy"},
		{"grid f4", ""},
	} {
		p.Run(nil, `const e = document.querySelector('[aria-label="search the list"]');
			e.value = arguments[0]; e.dispatchEvent(new Event("input"))`, tt.text)
		if got := strings.Join(p.listed(), " "); got != tt.want {
			p.t.Errorf("the filter %q finds %q, want %q", tt.text, got, tt.want)
		}
	}
	p.Type(`[aria-label="search the list"]`, " ")

	then := time.Date(2021, 3, 4, 12, 0, 0, 0, time.Local)
	if err := os.Chtimes(filepath.Join(dir, "many07.npy"), then, then); err != nil {
		p.t.Fatal(err)
	}
	for name, text := range map[string]string{"bad10.npy": "1,2,3\n", "bad9.npy": "", "bad8.npz": "PK", "bad7.npy": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			p.t.Fatal(err)
		}
	}
	const unreadable = "details.unreadable"
	p.Wait("the list has one entry for four files",
		`document.querySelector("`+unreadable+` > summary")?.textContent === "4 files cannot be opened"`)
	if names := p.listed(); slices.Contains(names, "bad9.npy") {
		p.t.Errorf("the list has %q", names)
	}
	p.expect(`[data-id="`+p.ids["many07.npy"]+`"]`, "176 B · ")
	p.expect(`[data-id="`+p.ids["many07.npy"]+`"]`, "2021")
	if got, want := p.attribute(`[data-id="`+p.ids["many07.npy"]+`"] small`, "title"),
		"176 bytes, "; !strings.HasPrefix(got, want) {
		p.t.Errorf("the exact size and time are %q, want %q first", got, want)
	}
	p.Click(unreadable + " > summary")
	if names := p.listed(); !slices.Contains(names, "bad9.npy") || !slices.Contains(names, "bad7.npy") {
		p.t.Errorf("the open entry shows %q", names)
	}
	p.keepScreenshot("list")
	var lines float64
	p.Run(&lines,
		`return Math.max(...[...document.querySelectorAll(".source .bad")].map((e) => e.getBoundingClientRect().height))`)
	if lines > 20 {
		p.t.Errorf("an error in the list has a height of %v", lines)
	}

	for _, tt := range []struct{ order, first, last string }{
		{"by name", "grid.npy", "bad10.npy"},
		{"newest first", "", "many07.npy"},
		{"largest first", "long.npy", "bad9.npy"},
		{"as given", "grid.npy", "bad9.npy"},
	} {
		p.Choose(`[aria-label="order of the list"]`, tt.order)
		names := p.listed()
		readable := slices.DeleteFunc(slices.Clone(names), func(s string) bool { return strings.HasPrefix(s, "bad") })
		first, last := names[0], names[len(names)-1]
		if tt.order == "newest first" {
			first, last = "", readable[len(readable)-1]
		}
		if first != tt.first || last != tt.last {
			p.t.Errorf("%s, the list is %q", tt.order, names)
		}
	}
	p.Run(nil, `localStorage.removeItem("npyview order")`)
	for _, name := range []string{"bad10.npy", "bad9.npy", "bad8.npz", "bad7.npy"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			p.t.Fatal(err)
		}
	}
}

// TestRoots tests that the listing has each path of the command line once, and that files with equal names have
// different names in it.
func TestRoots(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for _, name := range []string{"one", "two"} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
		save(t, filepath.Join(name, "a.npy"), "<f4", 0, fillRamp, 2, 3)
	}
	var list struct{ Sources []node }
	s := enter(t, "one/a.npy", filepath.Join(dir, "one", "a.npy"), "two/a.npy", "./one/a.npy", "one", "one/")
	s.getJSON(&list, "/api/sources")
	var names []string
	for _, n := range list.Sources {
		names = append(names, n.Name)
	}
	want := []string{filepath.Join("one", "a.npy"), filepath.Join("two", "a.npy"), "one"}
	if !slices.Equal(names, want) {
		t.Errorf("the listing has %q, want %q", names, want)
	}
	info, err := os.Stat("one/a.npy")
	if err != nil {
		t.Fatal(err)
	}
	if n := list.Sources[0]; n.Size != info.Size() || n.Modified != info.ModTime().UnixMilli() ||
		n.Summary != "<f4 · 2 × 3" {
		t.Errorf("the file has size %d and time %v; the listing has %+v", info.Size(), info.ModTime(), n)
	}
}

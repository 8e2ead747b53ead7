// These tests check all documents. Links must lead to existing headings, and the tests, functions and make targets that
// the documents name must exist. The tests of package examples run the programs in the documents.
package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

const root = "../.."

// documents returns the paths of all documents, relative to the root.
func documents(t *testing.T) []string {
	t.Helper()
	names, err := Documents(root)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fast contains build flags that make compiling faster and the programs slower. The tests run each program only once.
const fast = "-gcflags=-N -l -dwarf=false"

// TestLinks tests that links between documents lead to existing files and headings.
func TestLinks(t *testing.T) {
	for _, name := range documents(t) {
		text := regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`").ReplaceAllString(read(t, name), "")
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
				continue
			}
			if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s links to %s: no such heading", name, link[1])
			}
		}
	}
}

// TestMake tests that the Makefile has every target that a document runs with make, and that the scripts have the
// targets that the Makefile passes to them.
func TestMake(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+)(%?):(.*)`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		if m[2] == "" {
			targets[m[1]] = true
			continue
		}
		// For test-% the comment has the form "## text: race purego list; more text".
		_, names, _ := strings.Cut(strings.TrimPrefix(m[3], " ## "), ": ")
		names, _, _ = strings.Cut(names, "; ")
		script := read(t, "internal/tools/"+strings.TrimSuffix(m[1], "-")+".sh")
		for name := range strings.FieldsSeq(names) {
			targets[m[1]+name] = true
			if !regexp.MustCompile(`(?m)^\s*(\w+ \| )*` + name + `( \| \w+)*\)`).MatchString(script) {
				t.Errorf("the Makefile lists %s%s, but its script does not have %[2]s", m[1], name)
			}
		}
	}
	called := 0
	for _, name := range documents(t) {
		if name == "internal/bench/LONG.md" { // it reports runs of older commits, which had other targets
			continue
		}
		for _, m := range regexp.MustCompile("(?m)(?:^    |^\\$ |`)make ([a-z][a-z0-9-]*)").FindAllStringSubmatch(read(t,
			name),
			-1) {
			called++
			if !targets[m[1]] {
				t.Errorf("%s says make %s, which is not a target of the Makefile", name, m[1])
			}
		}
	}
	if called < 20 {
		t.Errorf("only %d calls of make in all documents: the test looks in the wrong place", called)
	}
}

// anchors returns the anchors of the headings of a document.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		s := regexp.MustCompile(`[^\w\s-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		all[strings.ReplaceAll(strings.TrimSpace(s), " ", "-")] = true
	}
	return all
}

// TestShort tests that README.md stays short.
func TestShort(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 200 {
		t.Errorf("README.md has %d lines, want at most 200", n)
	}
}

// Package surface holds what the public packages export, and CHANGELOG.md to what changes of it. There is nothing in
// it but the test.
//
// surface.txt has a line for each exported name: constants, variables, functions, types, and the fields and methods of
// types, as go/types has them. It is what
//
//	go test ./internal/surface -update
//
// writes, and is never edited; the same command resolves its merge conflicts. base.txt is the surface of the last
// release, and before the first one, the surface with which CHANGELOG.md began. Each name whose lines differ between
// the two must occur in the section Unreleased of CHANGELOG.md as package.Name or package.Type.Member; where a type is
// new or gone, its name stands for its members. Because both are compared each time, a name is missing until it is
// written down, however the change came in. A release copies surface.txt to base.txt.
//
// A line begins with the name. Rules for what follows it:
//
//   - Parameters and results have no names, receivers the type parameters of their type, types no aliases: what makes
//     no difference to a caller makes none to the file.
//   - Constants have their values, because these are compiled into callers.
//   - A method has the receiver whose method set it is in: T, or *T alone.
//   - What an unexported embedded field promotes counts as declared by the type itself. An exported embedded field
//     is a line, which stands for what it promotes.
//   - A struct that == compares is comparable, also by way of its unexported fields.
//   - A constraint has its type set, whatever it embeds.
//   - A line that not all of the platforms below have is followed by those that have it.
//
// Packages below examples and internal are not public.
package surface

import (
	"flag"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write surface.txt")

// platforms are those whose surfaces are compared: one for each way to map a file, and one where int has 32 bits.
var platforms = []string{"linux/amd64", "linux/386", "darwin/arm64", "windows/amd64", "js/wasm"}

func TestSurface(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // under Wine, say
	}
	today := merge(platforms, load(t, platforms, publicPackages(t)))
	if *update {
		if err := os.WriteFile("surface.txt", []byte(strings.Join(today, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if recorded := readLines(t, "surface.txt"); !slices.Equal(recorded, today) {
		t.Errorf("internal/surface/surface.txt is not what the public packages export, sorted:\n%s\n"+
			"If this is intended: go test ./internal/surface -update", strings.Join(diff(recorded, today), "\n"))
	}
	base := readLines(t, "base.txt")
	changes, ok := unreleased(read(t, "../../CHANGELOG.md"))
	if !ok {
		t.Fatal("CHANGELOG.md has no section ## [Unreleased]")
	}
	for _, name := range unmentioned(base, today, changes) {
		t.Errorf("%s is not as in internal/surface/base.txt, and section Unreleased of CHANGELOG.md does not mention it:\n%s",
			name, strings.Join(diff(named(base, name), named(today, name)), "\n"))
	}
	for _, name := range unknown(slices.Concat(base, today), changes) {
		t.Errorf("section Unreleased of CHANGELOG.md mentions %s, which is not exported and was not", name)
	}
}

// merge returns the lines of all platforms, sorted. Those that some lack are followed by the platforms that have them.
func merge(platforms []string, surfaces [][]string) []string {
	have := map[string][]string{}
	for i, lines := range surfaces {
		for _, line := range lines {
			have[line] = append(have[line], platforms[i])
		}
	}
	var all []string
	for line, on := range have {
		if len(on) < len(platforms) {
			line += " [" + strings.Join(on, " ") + "]"
		}
		all = append(all, line)
	}
	slices.Sort(all)
	return all
}

// diff returns the lines that only one of two surfaces has, after - or +, sorted by name.
func diff(before, after []string) (d []string) {
	for _, line := range before {
		if !slices.Contains(after, line) {
			d = append(d, "- "+line)
		}
	}
	for _, line := range after {
		if !slices.Contains(before, line) {
			d = append(d, "+ "+line)
		}
	}
	slices.SortStableFunc(d, func(a, b string) int { return strings.Compare(name(a[2:]), name(b[2:])) })
	return d
}

// name returns that of a line.
func name(line string) string {
	name, _, _ := strings.Cut(line, " ")
	return name
}

// named returns the lines of a name.
func named(lines []string, want string) (found []string) {
	for _, line := range lines {
		if name(line) == want {
			found = append(found, line)
		}
	}
	return found
}

func read(t *testing.T, file string) string {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func readLines(t *testing.T, file string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(read(t, file), "\n"), "\n")
}

func TestMerge(t *testing.T) {
	got := merge([]string{"a/1", "b/2", "c/3"}, [][]string{{"p.X const int = 1", "p.Y func()"}, {"p.X const int = 2",
		"p.Y func()"}, {"p.X const int = 2", "p.Y func()"}})
	want := []string{"p.X const int = 1 [a/1]", "p.X const int = 2 [b/2 c/3]", "p.Y func()"}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

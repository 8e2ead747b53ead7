// Package surface tests that surface.txt lists the exported names of the public packages, and that CHANGELOG.md
// mentions all changes to them. It contains only tests.
//
// surface.txt contains a line for each exported constant, variable, function, type, field and method. It is generated
// by
//
//	go test ./internal/surface -update
//
// and must not be edited. The same command resolves its merge conflicts. base.txt is a copy of surface.txt from the
// last release. Each name whose lines differ between the two files must occur in the section Unreleased of CHANGELOG.md
// as package.Name or package.Type.Member. If a type is new or removed, its name covers its members.
//
// before.txt lists the names that the last release removed or changed, without the members of removed types. They must
// occur in its section of CHANGELOG.md. For v0.1.0, these are the names in commits before it. A release writes base.txt
// and before.txt with
//
//	go test ./internal/surface -release
//
// A line begins with the name. The rest of the line follows these rules, so that it changes only if callers can notice
// the change:
//
//   - Parameters and results have no names. Receivers have the type parameters of their type. Aliases are resolved.
//   - Constants have their values, because these are compiled into callers.
//   - A method has the receiver T if it is in the method set of T, and otherwise *T.
//   - Fields and methods promoted by an unexported embedded field are listed as members of the type. An exported
//     embedded field has one line, which covers everything that it promotes.
//   - A struct is marked comparable if == compiles for it. This also depends on its unexported fields.
//   - A constraint has its type set, with embedded constraints resolved.
//   - If a line applies only to some of the platforms below, their names follow it.
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

var (
	update  = flag.Bool("update", false, "write surface.txt")
	release = flag.Bool("release", false, "write surface.txt, base.txt and before.txt for a release")
)

// platforms lists the platforms whose exported names are recorded: one for each way to map a file, and one with a
// 32-bit int.
var platforms = []string{"linux/amd64", "linux/386", "darwin/arm64", "windows/amd64", "js/wasm"}

func TestSurface(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start the go command")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // for example under Wine
	}
	today := merge(platforms, load(t, platforms, publicPackages(t)))
	if *update || *release {
		write(t, "surface.txt", today)
	}
	if recorded := readLines(t, "surface.txt"); !slices.Equal(recorded, today) {
		t.Errorf("internal/surface/surface.txt differs from the exported names of the public packages:\n%s\n"+
			"If this is intended: go test ./internal/surface -update", strings.Join(diff(recorded, today), "\n"))
	}
	if *release {
		write(t, "before.txt", removedOrChanged(readLines(t, "base.txt"), today))
		write(t, "base.txt", today)
	}
	base, before := readLines(t, "base.txt"), readLines(t, "before.txt")
	changes, released, ok := sections(read(t, "../../CHANGELOG.md"))
	if !ok {
		t.Fatal("CHANGELOG.md has no section ## [Unreleased], or none of a release after it")
	}
	for _, name := range unmentioned(base, today, changes) {
		t.Errorf("%s differs from internal/surface/base.txt, and section Unreleased of CHANGELOG.md does not mention it:\n%s",
			name, strings.Join(diff(linesNamed(base, name), linesNamed(today, name)), "\n"))
	}
	for _, name := range unknown(slices.Concat(base, today), changes) {
		t.Errorf("section Unreleased of CHANGELOG.md mentions %s, which neither is nor was exported", name)
	}
	for _, name := range unmentioned(before, nil, released) {
		t.Errorf("the section of the last release in CHANGELOG.md does not mention %s, which is in before.txt", name)
	}
	for _, name := range unknown(slices.Concat(base, before), released) {
		t.Errorf("the section of the last release in CHANGELOG.md mentions %s, which is not in base.txt or before.txt", name)
	}
}

// merge returns the lines of all platforms, sorted. If only some platforms have a line, their names follow it.
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

// diff returns the lines that are only in before, prefixed with "- ", and the lines that are only in after, prefixed
// with "+ ", sorted by name.
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

// name returns the name at the beginning of a line.
func name(line string) string {
	name, _, _ := strings.Cut(line, " ")
	return name
}

// linesNamed returns the lines that begin with a name.
func linesNamed(lines []string, want string) (found []string) {
	for _, line := range lines {
		if name(line) == want {
			found = append(found, line)
		}
	}
	return found
}

func write(t *testing.T, file string, lines []string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
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

package surface

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// sections returns the text of the section Unreleased of a changelog, and of the next section, which is the section of
// the last release.
func sections(changelog string) (unreleased, released string, ok bool) {
	_, text, _ := strings.Cut("\n"+changelog, "\n## [Unreleased]\n")
	unreleased, text, ok = strings.Cut("\n"+text, "\n## ")
	released, _, _ = strings.Cut(text, "\n## ")
	return unreleased, released, ok
}

// unmentioned returns the names whose lines differ between two surfaces and that text does not mention. If text
// mentions a new or removed type, its members count as mentioned.
func unmentioned(before, after []string, text string) (names []string) {
	mentioned := map[string]bool{}
	for _, name := range regexp.MustCompile(`\w+(?:\.\w+)+`).FindAllString(text, -1) {
		mentioned[name] = true
	}
	for _, line := range diff(before, after) {
		name := name(line[2:])
		if !mentioned[name] && !slices.Contains(names, name) && !(mentioned[parent(name)] && addedOrRemoved(before, after,
			parent(name))) {
			names = append(names, name)
		}
	}
	return names
}

// parent returns the type of a member (p.T for p.T.M), or the package of any other name.
func parent(name string) string { return name[:strings.LastIndexByte(name, '.')] }

// addedOrRemoved reports whether exactly one of two surfaces contains a name.
func addedOrRemoved(before, after []string, name string) bool {
	return len(linesNamed(before, name)) == 0 != (len(linesNamed(after, name)) == 0)
}

// removedOrChanged returns the names of the lines in before that are not in after, without the members of removed
// types.
func removedOrChanged(before, after []string) (names []string) {
	for _, line := range before {
		name := name(line)
		if !slices.Contains(after, line) && !slices.Contains(names, name) && !addedOrRemoved(before, after, parent(name)) {
			names = append(names, name)
		}
	}
	return names
}

// unknown returns the names in code spans of text whose package is in the surface, but which are not in the surface
// themselves.
func unknown(lines []string, text string) (names []string) {
	known, packages := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		pkg, _, _ := strings.Cut(line, ".")
		known[name(line)], packages[pkg] = true, true
	}
	for _, m := range regexp.MustCompile("`((\\w+)\\.[A-Z]\\w*(?:\\.\\w+)*)").FindAllStringSubmatch(text, -1) {
		if packages[m[2]] && !known[m[1]] && !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	return names
}

func TestUnmentioned(t *testing.T) {
	base := []string{"p.A func()", "p.Gone type struct", "p.Gone.M method (Gone) func()", "p.T type struct",
		"p.T.F field int", "p.T.M method (T) func()"}
	for _, tt := range []struct {
		name, text string
		today      []string
		want       []string
	}{
		{"no change", "", base, nil},
		{"a new function", "", append([]string{"p.B func()"}, base...), []string{"p.B"}},
		{"a new function, mentioned", "- `p.B` does it.\n", append([]string{"p.B func()"}, base...), nil},
		{"a new function at the end of a sentence", "It is p.B.\n", append([]string{"p.B func()"}, base...), nil},
		{"longer names", "`p.Bs`, `p.B.M`, `q.B`, `pp.B`", append([]string{"p.B func()"}, base...),
			[]string{"p.B"}},
		{"a changed signature", "`p.T`", append([]string{"p.A func(int)"}, base[1:]...), []string{"p.A"}},
		{"a removed field", "`p.T`", slices.Delete(slices.Clone(base), 4, 5), []string{"p.T.F"}},
		{"a removed field, mentioned", "`p.T.F`", slices.Delete(slices.Clone(base), 4, 5), nil},
		{"a removed type with a method", "", slices.Delete(slices.Clone(base), 1, 3), []string{"p.Gone", "p.Gone.M"}},
		{"a removed type, mentioned without its method", "`p.Gone`", slices.Delete(slices.Clone(base), 1, 3), nil},
		{"a new type, mentioned without its field", "`p.N`", slices.Insert(slices.Clone(base), 3, "p.N type struct",
			"p.N.F field int"),
			nil},
		{"a changed type with a new method", "`p.T`", slices.Concat(base[:3],
			[]string{"p.T type struct, comparable"}, base[4:], []string{"p.T.N method (T) func()"}), []string{"p.T.N"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := unmentioned(base, tt.today, tt.text); !slices.Equal(got, tt.want) {
				t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
			}
		})
	}
}

func TestUnknown(t *testing.T) {
	lines := []string{"p.A func()", "p.T type struct", "p.T.F field int"}
	got := unknown(lines, "`p.A`, `p.A(x)`, `p.T.F`, `fs.ErrExist`, `p.B`, `v.At`, p.C, `p.T.G`, `p.B`")
	if want := []string{"p.B", "p.T.G"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestRemovedOrChanged(t *testing.T) {
	before := []string{"p.A func()", "p.Gone type struct", "p.Gone.M method (Gone) func()", "p.Kept func()",
		"p.T type struct", "p.T.F field int", "p.X const int = 1 [a/1]", "p.X const int = 2 [b/2]"}
	after := []string{"p.A func(int)", "p.Kept func()", "p.New func()", "p.T type struct", "p.X const int = 2"}
	if got, want := removedOrChanged(before, after), []string{"p.A", "p.Gone", "p.T.F", "p.X"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSections(t *testing.T) {
	for _, tt := range []struct {
		changelog, unreleased, released string
		ok                              bool
	}{
		{"# Changelog\n\nText.\n\n## [Unreleased]\n\n### Added\n\n- a\n\n## [0.1.0] - 2026-12-01\n\n### Safety\n\n- b\n",
			"\n\n### Added\n\n- a\n", "[0.1.0] - 2026-12-01\n\n### Safety\n\n- b\n", true},
		{"## [Unreleased]\n- c\n\n## [0.2.0] - 2026-12-02\n- b\n\n## [0.1.0] - 2026-12-01\n- a\n",
			"\n- c\n", "[0.2.0] - 2026-12-02\n- b\n", true},
		{"## [Unreleased]\n## [0.1.0] - 2026-12-01\n- a\n", "", "[0.1.0] - 2026-12-01\n- a\n", true},
		{"# Changelog\n\n## [Unreleased]\n\n- a\n", "\n\n- a\n", "", false},
		{"# Changelog\n\n## [0.1.0] - 2026-12-01\n- a\n", "\n", "", false},
	} {
		unreleased, released, ok := sections(tt.changelog)
		if unreleased != tt.unreleased || released != tt.released || ok != tt.ok {
			t.Errorf("%q:\n got %q, %q, %v\nwant %q, %q, %v", tt.changelog, unreleased, released, ok, tt.unreleased, tt.released,
				tt.ok)
		}
	}
}

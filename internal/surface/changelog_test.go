package surface

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// unreleased returns the text of the section Unreleased.
func unreleased(changelog string) (text string, ok bool) {
	_, text, ok = strings.Cut("\n"+changelog, "\n## [Unreleased]\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text, ok
}

// unmentioned returns the names whose lines differ between two surfaces and which the text does not mention.
func unmentioned(before, after []string, text string) (names []string) {
	mentioned := map[string]bool{}
	for _, name := range regexp.MustCompile(`\w+(?:\.\w+)+`).FindAllString(text, -1) {
		mentioned[name] = true
	}
	for _, line := range diff(before, after) {
		name := name(line[2:])
		if !mentioned[name] && !slices.Contains(names, name) && !(mentioned[parent(name)] && newOrGone(before, after,
			parent(name))) {
			names = append(names, name)
		}
	}
	return names
}

// parent returns the name of the type of a member, and that of the package of any other name.
func parent(name string) string { return name[:strings.LastIndexByte(name, '.')] }

// newOrGone tells whether only one of two surfaces has a name.
func newOrGone(before, after []string, name string) bool {
	return len(named(before, name)) == 0 != (len(named(after, name)) == 0)
}

// unknown returns the names in code of the text that begin with a package of the surface and are not in it.
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
		{"the same", "", base, nil},
		{"a function is new", "", append([]string{"p.B func()"}, base...), []string{"p.B"}},
		{"it is mentioned", "- `p.B` does it.\n", append([]string{"p.B func()"}, base...), nil},
		{"at the end of a sentence", "It is p.B.\n", append([]string{"p.B func()"}, base...), nil},
		{"a longer name is not it", "`p.Bs`, `p.B.M`, `q.B`, `pp.B`", append([]string{"p.B func()"}, base...),
			[]string{"p.B"}},
		{"a signature changed", "`p.T`", append([]string{"p.A func(int)"}, base[1:]...), []string{"p.A"}},
		{"a field is gone", "`p.T`", slices.Delete(slices.Clone(base), 4, 5), []string{"p.T.F"}},
		{"it is mentioned", "`p.T.F`", slices.Delete(slices.Clone(base), 4, 5), nil},
		{"a type is gone with its method", "", slices.Delete(slices.Clone(base), 1, 3), []string{"p.Gone", "p.Gone.M"}},
		{"which needs no mention", "`p.Gone`", slices.Delete(slices.Clone(base), 1, 3), nil},
		{"a type is new with its field", "`p.N`", slices.Insert(slices.Clone(base), 3, "p.N type struct", "p.N.F field int"),
			nil},
		{"a type is another one, and its method is new", "`p.T`", slices.Concat(base[:3],
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

func TestUnreleased(t *testing.T) {
	for _, tt := range []struct {
		changelog, want string
		ok              bool
	}{
		{"# Changelog\n\nText.\n\n## [Unreleased]\n\n### Added\n\n- a\n", "\n### Added\n\n- a\n", true},
		{"## [Unreleased]\n- b\n\n## [0.1.0] - 2026-12-01\n- a\n", "- b\n", true},
		{"# Changelog\n\n## [0.1.0] - 2026-12-01\n- a\n", "", false},
	} {
		if got, ok := unreleased(tt.changelog); got != tt.want || ok != tt.ok {
			t.Errorf("%q: got %q, %v, want %q, %v", tt.changelog, got, ok, tt.want, tt.ok)
		}
	}
}

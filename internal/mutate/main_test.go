package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestChanges tests the changes to each kind of expression and statement.
func TestChanges(t *testing.T) {
	const head = "package p\n\nfunc f(i, j int, b bool, s ...int) bool {\n"
	for _, tt := range []struct {
		line string
		want []string // the line after each change
	}{
		{"return i <= j", []string{"return i < j"}},
		{"return b && !b", []string{"return b || !b", "return b && b"}},
		{"i += 7", []string{"i -= 7", "i += 8"}},
		{"i := 0x10", []string{"i := 17"}},
		{"i &^= j", []string{"i &= j"}},
		{"i--", []string{"i++"}},
		{"if b {}", []string{"if !(b) {}"}},
		{"if i != j {}", []string{"if i == j {}"}}, // the negation is the same change
		{"i = min(i, j)", []string{"i = max(i, j)"}},
		{"f(i, i, true)", []string{"f(i, true, i)", "f(i, i, false)"}},
		{"f(i, j, b, s...)", nil},
		{"slices.Equal(s, s)", nil},
		{"math.Inf(1)", nil},
		{"math.Inf(-1)", []string{"math.Inf(1)", "math.Inf(-2)"}},
		{`i, s := 'x', "1 + 1"`, nil},
	} {
		src := head + tt.line + "\n}\n"
		list, err := changes("p.go", []byte(src))
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, c := range list {
			if c.line != 4 || c.last != 4 || c.source != tt.line {
				t.Errorf("%s: %+v, want a change of line 4", tt.line, c)
			}
			changed := src[:c.start] + c.text + src[c.end:]
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(changed, head), "\n}\n"))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: want -, got +\n%s", tt.line, diff)
		}
	}
}

// TestNames tests that the changes to a file have different keys, and that a key does not depend on other lines.
func TestNames(t *testing.T) {
	const f = "func f(i int) bool {\n\ti++\n\treturn i+1 < i+2 ||\n\t\tg(i,\n\t\t\t7)\n}\n"
	list, err := changes("p.go", []byte("package p\n\n"+f))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range list {
		got = append(got, c.source+": "+c.what)
	}
	want := []string{
		"i++: ++ => --", "return i+1 < i+2 ||: || => &&", "return i+1 < i+2 ||: < => <=", "return i+1 < i+2 ||: + => -",
		"return i+1 < i+2 ||: 1 => 2",
		"return i+1 < i+2 ||: + => - #2", "return i+1 < i+2 ||: 2 => 3", "g(i,: i, 7 => 7, i", "7): 7 => 8",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("want -, got +\n%s", diff)
	}
	moved, err := changes("p.go", []byte("package p\n\nvar x = 1\n\n"+f))
	if err != nil || len(moved) != len(list)+1 {
		t.Fatalf("%d changes: %v", len(moved), err)
	}
	for i, c := range moved[1:] {
		if c.key() != list[i].key() || c.line != list[i].line+2 {
			t.Errorf("%+v, want the key of %+v", c, list[i])
		}
	}
}

// TestEquivalents tests that the changes in equivalent.txt exist. If the code has changed, an entry must be examined
// again.
func TestEquivalents(t *testing.T) {
	list, err := parseEquivalents(equivalents)
	if err != nil {
		t.Fatal(err)
	}
	keys := map[string]map[string]bool{} // the keys of each file
	before := map[string]bool{}
	for _, e := range list {
		if keys[e.file] == nil {
			keys[e.file] = map[string]bool{}
			src, err := os.ReadFile(filepath.Join("..", "..", e.file))
			if err != nil {
				t.Error(err)
				continue
			}
			all, err := changes(e.file, src)
			if err != nil {
				t.Error(err)
			}
			for _, c := range all {
				keys[e.file][c.key()] = true
			}
		}
		if !keys[e.file][e.key()] || before[e.key()] {
			t.Errorf("equivalent.txt: no such change, or a duplicate:\n%s", e.key())
		}
		before[e.key()] = true
	}
}

func TestParseEquivalents(t *testing.T) {
	list,
		err := parseEquivalents("# comment\n\na.go\n\tx := 1\n\t1 => 2\n\tIt is not\n\tused.\n\n\n# comment\nb.go\ny\n+ => -\nNor this.\n")
	want := []entry{{"a.go", "x := 1", "1 => 2", "It is not used."}, {"b.go", "y", "+ => -", "Nor this."}}
	if !slices.Equal(list, want) || err != nil {
		t.Errorf("got %q, %v, want %q", list, err, want)
	}
	if _, err := parseEquivalents("a.go\nx := 1\n1 => 2\n"); err == nil {
		t.Error("an entry without a reason: want an error")
	}
}

// TestChangedLines tests changedLines and touches with changed, new, staged and removed files.
func TestChangedLines(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err) // for example under Wine
	}
	dir := t.TempDir()
	write := func(name string, lines ...string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=n", "-c", "user.email=e"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	git("init", "-q")
	git("config", "diff.mnemonicPrefix", "true")
	write("a.go", "1", "2", "3", "4", "5", "6")
	write("same.go", "1")
	write("gone.go", "x", "y", "z")
	write("text", "1")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	write("a.go", "1", "two", "3", "5", "6", "7", "8") // one line changed, one removed, two added
	write("new.go", "1")
	write("text", "2")
	os.Remove(filepath.Join(dir, "gone.go"))
	write("staged.go", "1", "2")
	git("add", "staged.go")
	got, err := changedLines(dir, "HEAD")
	want := map[string][]lineRange{"a.go": {{2, 2}, {6, 7}}, "new.go": {{1, 1 << 30}}, "staged.go": {{1, 2}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(lineRange{})); diff != "" || err != nil {
		t.Errorf("%v: want -, got +\n%s", err, diff)
	}
	if _, err := changedLines(dir, "nothing"); err == nil {
		t.Error("an unknown revision: want an error")
	}
	for _, tt := range []struct {
		line, last int
		want       bool
	}{{1, 1, false}, {1, 2, true}, {2, 2, true}, {3, 5, false}, {3, 6, true}, {5, 9, true}, {7, 7, true}, {8, 9, false}} {
		if got := (change{line: tt.line, last: tt.last}).touches(got["a.go"]); got != tt.want {
			t.Errorf("lines %d to %d: %v, want %v", tt.line, tt.last, got, tt.want)
		}
	}
}

// TestSteps tests that the steps of a package are its own tests, the tests of array, and the tests of other packages
// that import it, in this order.
func TestSteps(t *testing.T) {
	for _, tt := range []struct {
		pkg        string
		importedBy []string
		want       []step
	}{
		{"./p", []string{"./z", "./p", "./array", "./a", "./a"}, []step{{"./p", true}, {"./array", true}, {"./p", false},
			{"./array", false}, {"./a", false}, {"./z", false}}},
		{"./array", []string{"./array", "./a"}, []step{{"./array", true}, {"./array", false}, {"./a", false}}},
		{"./without/tests", []string{"./array"}, []step{{"./array", true}, {"./array", false}}},
		{"./alone", []string{"./alone"}, []step{{"./alone", true}, {"./alone", false}}},
	} {
		if got := steps(tt.pkg, tt.importedBy); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.pkg, got, tt.want)
		}
	}
}

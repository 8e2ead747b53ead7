package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

// TestChanges guards what becomes of each part of a program that can change.
func TestChanges(t *testing.T) {
	const head = "package p\n\nfunc f(i, j int, b bool, s ...int) bool {\n"
	for _, tt := range []struct {
		line string
		want []string // what becomes of the line
	}{
		{"return i <= j", []string{"return i < j"}},
		{"return b && !b", []string{"return b || !b", "return b && b"}},
		{"i += 7", []string{"i -= 7", "i += 8"}},
		{"i := 0x10", []string{"i := 17"}},
		{"i &^= j", []string{"i &= j"}},
		{"i--", []string{"i++"}},
		{"if b {}", []string{"if !(b) {}"}},
		{"if i != j {}", []string{"if i == j {}"}}, // the negation is the same
		{"i = min(i, j)", []string{"i = max(i, j)"}},
		{"f(i, i, true)", []string{"f(i, true, i)", "f(i, i, false)"}},
		{"f(i, j, b, s...)", nil},
		{`i, s := 'x', "1 + 1"`, nil},
	} {
		dir := tree(t.TempDir())
		src := head + tt.line + "\n}\n"
		if err := os.WriteFile(filepath.Join(string(dir), "p.go"), []byte(src), 0o666); err != nil {
			t.Fatal(err)
		}
		list, err := dir.changes(nil, "p.go", nil)
		if err != nil {
			t.Error(err)
		}
		var got []string
		for _, c := range list {
			if c.line != 4 {
				t.Errorf("%s: line %d, want 4", tt.line, c.line)
			}
			changed := src[:c.start] + c.text + src[c.end:]
			got = append(got, strings.TrimSuffix(strings.TrimPrefix(changed, head), "\n}\n"))
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s: want -, got +\n%s", tt.line, diff)
		}
	}
}

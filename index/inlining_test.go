package index

import (
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestInlining tests that the compiler inlines functions that callers use in their innermost loops. All and its
// iterator must inline, so that a loop over All makes no calls and allocates its index once.
func TestInlining(t *testing.T) {
	if os.Getenv("NDMAP_INLINING") == "" {
		t.Skip("compiles the package again, which make check-inlining asks for with NDMAP_INLINING=1")
	}
	want := []string{
		"All", "All.func1", "At", "Range", "From", "To", "Every", "Reverse", "Selector.Every",
		"Layout.NDim", "Layout.Dim", "Layout.Len", "Layout.Stride", "Layout.Size",
		"Layout.Offset", "Layout.Index", "Layout.Equal", "Layout.SameShape", "Layout.Bounds",
	}
	out, err := exec.Command("go", "build", "-gcflags=-m=2", ".").CombinedOutput()
	if err != nil {
		t.Skipf("go build: %v\n%s", err, out)
	}
	can := map[string]bool{}
	why := map[string]string{}
	for line := range strings.Lines(string(out)) {
		if m := regexp.MustCompile(`: can inline (\S+)`).FindStringSubmatch(line); m != nil {
			can[m[1]] = true
		}
		if m := regexp.MustCompile(`: cannot inline (\S+): (.*)`).FindStringSubmatch(line); m != nil {
			why[m[1]] = m[2]
		}
	}
	if len(can) == 0 {
		t.Skip("go build does not say what it inlines")
	}
	for _, name := range want {
		if !can[name] {
			t.Errorf("%s does not inline: %s", name, why[name])
		}
	}
	if t.Failed() {
		t.Logf("these do: %v", slices.Sorted(maps.Keys(can)))
	}
}

package array

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// What must inline, so that a loop over elements is a loop and no chain of calls:
// the accessors of the fixed-rank views, and the iterators with what they call.
func TestInlining(t *testing.T) {
	if os.Getenv("NDMAP_INLINING") == "" {
		t.Skip("compiles the package again, which make check-inlining asks for with NDMAP_INLINING=1")
	}
	want := []string{
		"(*Vector[go.shape.float64]).At", "(*Vector[go.shape.float64]).SetAt",
		"(*Matrix[go.shape.float64]).At", "(*Matrix[go.shape.float64]).SetAt",
		"(*Cube[go.shape.float64]).At", "(*Cube[go.shape.float64]).SetAt",
		"View[go.shape.float64].Values", "View[go.shape.float64].Values.func1",
		"View[go.shape.float64].All", "View[go.shape.float64].All.func1",
		"View[go.shape.float64].At", "View[go.shape.float64].SetAt",
		"Increment", // of internal/nd
	}
	cmd := exec.Command("go", "build", "-gcflags=-m=2", ".", "../internal/nd", "./testdata/inline")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", cmd, err, out)
	}
	can := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m): can inline (\S+) with cost`).FindAllStringSubmatch(string(out), -1) {
		can[strings.ReplaceAll(m[1], "array.", "")] = true
	}
	for _, name := range want {
		if !can[name] {
			t.Errorf("%s does not inline", name)
		}
	}
	// Bodies of loops, where the functions that have them are compiled.
	for _, name := range []string{"SumValues", "SumAll", "SumBlocks", "AddUpdate"} {
		if !regexp.MustCompile(`(?m): inlining call to ` + name + `-range[12]`).Match(out) {
			t.Errorf("the body of the loop of %s does not inline", name)
		}
	}
}

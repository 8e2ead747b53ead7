package array

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
)

// TestInlining tests that the accessors of the fixed-rank views are inlined, and the iterators with the functions they
// call, so that a loop over elements contains no calls.
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
		"Increment", // in internal/nd
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
	// The bodies of loops must be inlined in the functions that contain the loops.
	for _, name := range []string{"SumValues", "SumAll", "SumBlocks", "AddUpdate"} {
		if !regexp.MustCompile(`(?m): inlining call to ` + name + `-range[12]`).Match(out) {
			t.Errorf("the body of the loop of %s does not inline", name)
		}
	}
}

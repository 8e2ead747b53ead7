package array

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLinking tests that a program contains the conversion loops, half a megabyte, only if it converts numbers.
func TestLinking(t *testing.T) {
	if os.Getenv("NDMAP_INLINING") == "" {
		t.Skip("builds a program, which make check-inlining asks for with NDMAP_INLINING=1")
	}
	path := filepath.Join(t.TempDir(), "link")
	if out, err := exec.Command("go", "build", "-o", path, "./testdata/link").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "nm", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		"array.Open": true, "internal/elem.GoValue": true,
		"internal/elem.New": false, "internal/kernel.conversions": false, "internal/kernel.table": false,
		"internal/reduce.Job.Into": false,
	} {
		t.Run(name, func(t *testing.T) {
			if has := strings.Contains(string(out), "ndmap/"+name+"\n"); has != want {
				t.Errorf("the program has %s: %v, want %v", name, has, want)
			}
		})
	}
}

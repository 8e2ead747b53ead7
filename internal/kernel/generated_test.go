//go:build linux && amd64 && !race && !purego

package kernel

import (
	"os/exec"
	"testing"
)

// TestGenerated tests that the files that _gen writes are up to date.
func TestGenerated(t *testing.T) {
	cmd := exec.Command("go", "run", ".", "-check")
	cmd.Dir = "_gen"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

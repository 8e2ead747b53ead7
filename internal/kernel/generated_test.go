//go:build linux && amd64 && !race && !purego

package kernel

import (
	"os/exec"
	"testing"
)

// What _gen writes is there, and up to date.
func TestGenerated(t *testing.T) {
	cmd := exec.Command("go", "run", ".", "-check")
	cmd.Dir = "_gen"
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

package main

import (
	"os/exec"
	"strings"
	"testing"
)

func TestLeftOut(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("go is not in PATH: not tested here") // as under Wine
	}
	t.Chdir("../../..")
	var out strings.Builder
	if err := printLeftOut(&out, "race", []string{"./mmap"}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
	if !strings.HasPrefix(lines[0], "test-race runs 1 packages, not ") || !strings.Contains(lines[0], " array/npz ") {
		t.Errorf("the first line is %q", lines[0])
	}
	if len(lines) < 2 {
		t.Fatal("no tests that it leaves out")
	}
	for _, line := range lines[1:] {
		if !strings.HasPrefix(line, "    ") || !strings.Contains(line, "mmap: Test") {
			t.Errorf("%q does not name a package and its tests", line)
		}
	}
}

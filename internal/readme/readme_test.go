// Package readme holds the README to what it says: its programs compile.
package readme

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"testing"
)

func TestPrograms(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // under Wine, say
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	programs := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllSubmatch(text, -1)
	if len(programs) == 0 {
		t.Fatal("the README has no programs")
	}
	for i, p := range programs {
		t.Run(strconv.Itoa(i), func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.go")
			if err := os.WriteFile(file, p[1], 0o666); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command("go", "vet", file).CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
			if out, _ := exec.Command("gofmt", "-l", file).CombinedOutput(); len(out) > 0 {
				t.Errorf("not formatted: %s", out)
			}
		})
	}
}

package examples

import (
	"bytes"
	"os"
	"testing"
)

// TestCopies tests that files shared by several examples are identical. Examples do not import a common package, so
// that each can be copied alone.
func TestCopies(t *testing.T) {
	for _, files := range [][]string{
		{"mean/progress.go", "convert/progress.go"},
	} {
		want, err := os.ReadFile(files[0])
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files[1:] {
			if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
				t.Errorf("%s differs from %s: %v", name, files[0], err)
			}
		}
	}
}

// Package examples holds programs that use ndmap.
package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// These are to be read as documentation.
func TestShort(t *testing.T) {
	for _, name := range []string{"sum", "edit", "anonymous"} {
		b, err := os.ReadFile(filepath.Join(name, "main.go"))
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(b), "\n"); n >= 60 {
			t.Errorf("%s has %d lines; want less than 60", name, n)
		}
	}
}

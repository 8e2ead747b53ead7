package oracle

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// A fakeT is a testing.TB that records calls to Skip and Fatalf. Its other methods panic.
type fakeT struct {
	testing.TB
	skipped, failed string
}

func (t *fakeT) Helper()                           {}
func (t *fakeT) Skip(args ...any)                  { t.skipped = args[0].(string) }
func (t *fakeT) Fatalf(format string, args ...any) { t.failed = format }

func TestNeed(t *testing.T) {
	none := searchResult{err: errors.New("no such file")}
	some := searchResult{path: "/usr/bin/python3", version: "1.24.2"}
	for _, tt := range []struct {
		name, mode              string
		found                   searchResult
		wantSkipped, wantFailed bool
	}{
		{name: "found", found: some},
		{name: "found and required", mode: "require", found: some},
		{name: "missing", found: none, wantSkipped: true},
		{name: "missing and required", mode: "require", found: none, wantFailed: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var f fakeT
			requireNumPy(&f, tt.mode, tt.found)
			if (f.skipped != "") != tt.wantSkipped || (f.failed != "") != tt.wantFailed {
				t.Errorf("%s: skipped %q, failed %q", tt.name, f.skipped, f.failed)
			}
			if f.skipped+f.failed != "" && !strings.Contains(f.skipped+f.failed, "apt-get install python3-numpy") {
				t.Errorf("%s: %q does not say how to install NumPy", tt.name, f.skipped+f.failed)
			}
		})
	}
}

func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" || runtime.GOOS == "js" {
		t.Skip("the stand-ins for Python are shell scripts")
	}
	dir := t.TempDir()
	script := func(name, body string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	without := script("without",
		"echo 'Traceback' >&2; echo \"ModuleNotFoundError: No module named 'numpy'\" >&2; exit 1\n")
	first := script("first", "echo 1.24.2\n")
	second := script("second", "echo 2.0.0\n")
	missing := filepath.Join(dir, "missing")

	got := find([]string{"", missing, without, first, second})
	if want := (searchResult{path: first, version: "1.24.2"}); got != want {
		t.Errorf("find: %+v, want %+v", got, want)
	}
	got = find([]string{missing, without})
	if got.path != "" {
		t.Errorf("find without NumPy: %+v, want no path", got)
	}
	for _, want := range []string{missing + ": no such file or directory",
		without + ": ModuleNotFoundError: No module named 'numpy'"} {
		if !strings.Contains(got.err.Error(), want) {
			t.Errorf("find without NumPy: error %q does not contain %q", got.err, want)
		}
	}
}

func TestStatus(t *testing.T) {
	path, version, ok := Python()
	want := "no NumPy: cross-checks skipped; apt-get install python3-numpy"
	if ok {
		want = "NumPy " + version + " at " + path + ": cross-checks run"
	}
	if got := Status(); got != want {
		t.Errorf("Status() = %q, want %q", got, want)
	}
}

package main

import (
	"errors"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"
)

func TestVersion(t *testing.T) {
	got, stderr, status := runTool("version")
	if !regexp.MustCompile(`^npy .*, built with go1\..* for \w+/\w+\n$`).MatchString(got) || stderr != "" || status != 0 {
		t.Errorf("got %q, %q, exit status %d", got, stderr, status)
	}
	settings := func(s ...string) (list []debug.BuildSetting) {
		list = append(list, debug.BuildSetting{Key: "GOOS", Value: "linux"}, debug.BuildSetting{Key: "GOARCH",
			Value: "s390x"})
		for i := 0; i < len(s); i += 2 {
			list = append(list, debug.BuildSetting{Key: s[i], Value: s[i+1]})
		}
		return list
	}
	commit := []string{"vcs.revision", "2baa50a6c9d0e1f2a3b4c5d6e7f8091a2b3c4d5e", "vcs.time", "2026-11-22T04:45:25Z"}
	for _, tt := range []struct {
		version  string
		settings []debug.BuildSetting
		want     string
	}{
		{"v1.2.3", settings(), "npy v1.2.3, built with go1.26 for linux/s390x"}, // go install ...@latest
		{"(devel)", settings(commit...),
			"npy of an unknown version, commit 2baa50a6c9d0 of 2026-11-22T04:45:25Z, built with go1.26 for linux/s390x"},
		{"v1.2.4-0.20261122044525-2baa50a6c9d0+dirty", settings(append(commit, "vcs.modified", "true")...),
			"npy v1.2.4-0.20261122044525-2baa50a6c9d0+dirty, commit 2baa50a6c9d0 of 2026-11-22T04:45:25Z with changes, built with go1.26 for linux/s390x"},
		{"", settings(), "npy of an unknown version, built with go1.26 for linux/s390x"},
	} {
		info := &debug.BuildInfo{GoVersion: "go1.26", Main: debug.Module{Version: tt.version}, Settings: tt.settings}
		if got := versionText(info); got != tt.want {
			t.Errorf("\n got %s\nwant %s", got, tt.want)
		}
	}
}

// fullDevice fails all writes.
type fullDevice struct{}

func (fullDevice) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

// TestVersionFull tests that a command without files also fails if its output cannot be written.
func TestVersionFull(t *testing.T) {
	var stderr strings.Builder
	status := run([]string{"version"}, nil, fullDevice{}, &stderr)
	if want := "npy: standard output: no space left on device\n"; status != 1 || stderr.String() != want {
		t.Errorf("exit status %d, %q, want 1, %q", status, stderr.String(), want)
	}
}

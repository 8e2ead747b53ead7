package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

const changelog = "# Changelog\n\n## [Unreleased]\n\n## [0.2.0] - 2026-12-31\n\nIt does\nmore.\n\n- a\n\n" +
	"## [0.1.0] - 2026-12-01\n\nThe first.\n"

func TestNewest(t *testing.T) {
	for _, tt := range []struct{ name, changelog, version, summary, err string }{
		{name: "two versions", changelog: changelog, version: "v0.2.0", summary: "It does\nmore.\n"},
		{name: "a candidate", changelog: strings.Replace(changelog, "0.2.0", "0.2.0-rc.1", 1), version: "v0.2.0-rc.1",
			summary: "It does\nmore.\n"},
		{name: "no empty line", changelog: strings.Replace(changelog, "[Unreleased]\n\n", "[Unreleased]\n", 1),
			version: "v0.2.0", summary: "It does\nmore.\n"},
		{name: "unreleased lines", changelog: strings.Replace(changelog, "[Unreleased]\n", "[Unreleased]\n\n- b\n", 1),
			err: "section Unreleased is not empty: move its lines to the section of the release"},
		{name: "no section Unreleased", changelog: "# Changelog\n\n## [0.1.0] - 2026-12-01\n\nThe first.\n",
			err: "no section ## [Unreleased]"},
		{name: "no release", changelog: "# Changelog\n\n## [Unreleased]\n",
			err: "no section of a release after section Unreleased"},
		{name: "no date", changelog: strings.Replace(changelog, " - 2026-12-31", "", 1),
			err: "section ## [0.2.0]: want ## [1.2.3] - 2026-12-31, an empty line, and a paragraph"},
		{name: "no paragraph", changelog: strings.Replace(changelog, "It does\nmore.\n", "### Added\n", 1),
			err: "section ## [0.2.0] - 2026-12-31: want ## [1.2.3] - 2026-12-31, an empty line, and a paragraph"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			version, summary, err := newest(tt.changelog)
			if text := errorText(err); version != tt.version || summary != tt.summary || text != tt.err {
				t.Errorf("got %q, %q, %q, want %q, %q, %q", version, summary, text, tt.version, tt.summary, tt.err)
			}
		})
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestCheck tests check with one repository, which each case changes further.
func TestCheck(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil || os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("no git, for example under Wine, or this program is being emulated and cannot start it")
	}
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) {
		t.Helper()
		if _, err := git(dir, append([]string{"-c", "user.name=n", "-c", "user.email=e", "-c", "tag.gpgSign=false"},
			args...)...); err != nil {
			t.Fatal(err)
		}
	}
	run("init", "-q")
	write(".gitignore", "/dist\n")
	write("CHANGELOG.md", changelog)
	run("add", ".")
	run("commit", "-q", "-m", "first")
	for _, tt := range []struct {
		name, want string
		change     func()
		err        string // the first line of the error begins with it
	}{
		{"a commit without a tag", "", func() {}, ""},
		{"an ignored file", "", func() { write("dist", "") }, ""},
		{"the wanted version", "v0.2.0", func() {}, ""},
		{"a version that is not the newest", "v0.1.0", func() {},
			"CHANGELOG.md: the newest version is v0.2.0, want v0.1.0: add its section"},
		{"a version without a section", "v0.3.0", func() {},
			"CHANGELOG.md: the newest version is v0.2.0, want v0.3.0: add its section"},
		{"a tagged commit", "", func() { run("tag", "-a", "-m", "text", "v0.2.0") }, ""},
		{"a new file", "", func() { write("new", "") }, "the working tree has changes: commit or remove them:\n?? new"},
		{"a staged file", "", func() { run("add", "new") }, "the working tree has changes: commit or remove them:\nA  new"},
		{"a commit after the tag", "", func() { run("commit", "-q", "-m", "second") }, "tag v0.2.0 is commit "},
		{"no changelog", "", func() { os.Remove(filepath.Join(dir, "CHANGELOG.md")) }, "open "},
	} {
		tt.change()
		version, summary, err := check(dir, tt.want)
		if text := errorText(err); !strings.HasPrefix(text, tt.err) || (text == "") != (tt.err == "") {
			t.Errorf("%s: got error %q, want %q", tt.name, text, tt.err)
		}
		if err == nil && (version != "v0.2.0" || summary != "It does\nmore.\n") {
			t.Errorf("%s: got %q, %q", tt.name, version, summary)
		}
	}
}

func TestChecksums(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"abc", "empty"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.TrimPrefix(name, "empty")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := checksums(dir, []string{"abc", "empty"}) // the first is the example of FIPS 180-2
	want := "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  abc\n" +
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  empty\n"
	if got != want || err != nil {
		t.Errorf("got %q, %v, want %q", got, err, want)
	}
	if _, err := checksums(dir, []string{"missing"}); err == nil {
		t.Error("a missing file: want an error")
	}
}

func TestTagMessage(t *testing.T) {
	got := tagMessage("v1.2.3", "It does\nmore.\n", "0123  npy-v1.2.3-linux-amd64\n")
	for _, want := range []string{"ndmap v1.2.3\n\nIt does\nmore.\n\n", "/examples/npy@v1.2.3\n",
		" with " + runtime.Version() + ":\n\n0123  npy-v1.2.3-linux-amd64\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("got %q, want it to contain %q", got, want)
		}
	}
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "#") {
			t.Errorf("git tag removes the line %q", line)
		}
	}
}

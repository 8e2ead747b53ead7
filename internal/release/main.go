// Command release builds the npy tool for all platforms of a release, in the folder dist.
//
//	go run ./internal/release [-version v0.1.0]
//
// The version is the newest one in CHANGELOG.md; -version makes another one an error. The working tree must have no
// changes. release builds a clone of the last commit in which the commit has the version as its tag, so it works before
// and after the commit is tagged, and each build of the commit with the same version of Go has the same bytes.
//
// SHA256SUMS in dist has the checksums of the programs, and TAG the message of the tag.
package main

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

var platforms = []string{"darwin/amd64", "darwin/arm64", "linux/amd64", "linux/arm64", "windows/amd64",
	"windows/arm64"}

// settings are the environment variables of the go command that change the bytes of a program.
var settings = []string{"CGO_ENABLED=0", "GOAMD64=v1", "GOARM64=v8.0", "GOENV=off", "GOEXPERIMENT=", "GOFIPS140=off",
	"GOFLAGS=", "GOWORK=off"}

func main() {
	log.SetFlags(0)
	want := flag.String("version", "", "the `version` to build; any other one in CHANGELOG.md is an error")
	flag.Parse()
	if err := run(*want); err != nil {
		log.Fatal("release: ", err)
	}
}

// run builds the release of the repository in the working directory.
func run(want string) (err error) {
	version, summary, err := check(".", want)
	if err != nil {
		return err
	}
	dist, err := filepath.Abs("dist")
	if err != nil {
		return err
	}
	if err := errors.Join(os.RemoveAll(dist), os.Mkdir(dist, 0o777)); err != nil {
		return err
	}
	tree, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(tree)) }()
	if _, err := git(".", "clone", "-q", "--shared", "--no-tags", "-c", "core.autocrlf=false", ".", tree); err != nil {
		return err
	}
	if _, err := git(tree, "update-ref", "refs/tags/"+version, "HEAD"); err != nil {
		return err
	}
	var names []string
	for _, p := range platforms {
		system, processor, _ := strings.Cut(p, "/")
		name := fmt.Sprintf("npy-%s-%s-%s", version, system, processor)
		if system == "windows" {
			name += ".exe"
		}
		cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=true", "-ldflags=-s -w", "-o", filepath.Join(dist, name),
			"./examples/npy")
		cmd.Dir = tree
		cmd.Env = append(append(os.Environ(), settings...), "GOOS="+system, "GOARCH="+processor)
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: go build: %w\n%s", p, err, out)
		}
		names = append(names, name)
	}
	sums, err := checksums(dist, names)
	if err != nil {
		return err
	}
	fmt.Print(sums)
	return errors.Join(os.WriteFile(filepath.Join(dist, "SHA256SUMS"), []byte(sums), 0o666),
		os.WriteFile(filepath.Join(dist, "TAG"), []byte(tagMessage(version, summary, sums)), 0o666))
}

// check returns the version to build from the repository in dir, and the first paragraph of its section of
// CHANGELOG.md. It returns an error if the version is not want, unless want is empty, if the working tree has
// changes, or if another commit has the tag of the version.
func check(dir, want string) (version, summary string, err error) {
	changelog, err := os.ReadFile(filepath.Join(dir, "CHANGELOG.md"))
	if err != nil {
		return "", "", err
	}
	version, summary, err = newest(string(changelog))
	if err != nil {
		return "", "", fmt.Errorf("CHANGELOG.md: %w", err)
	}
	if want != "" && want != version {
		return "", "", fmt.Errorf("CHANGELOG.md: the newest version is %s, want %s: add its section", version, want)
	}
	changes, err := git(dir, "status", "--porcelain")
	if err != nil {
		return "", "", err
	}
	if changes != "" {
		return "", "", fmt.Errorf("the working tree has changes: commit or remove them:\n%s", changes)
	}
	if tag, err := git(dir, "tag", "--list", version); err != nil || tag == "" {
		return version, summary, err
	}
	commits, err := git(dir, "rev-parse", "HEAD", version+"^{commit}")
	if err != nil {
		return "", "", err
	}
	if head, tagged, _ := strings.Cut(commits, "\n"); head != tagged {
		return "", "",
			fmt.Errorf("tag %s is commit %.12s, not the last commit %.12s: check out the tag, or choose a new version",
				version, tagged, head)
	}
	return version, summary, nil
}

// newest returns the newest version in a changelog, such as v0.1.0, and the first paragraph of its section.
func newest(changelog string) (version, summary string, err error) {
	_, text, ok := strings.Cut(changelog, "\n## [Unreleased]\n")
	if !ok {
		return "", "", errors.New("no section ## [Unreleased]")
	}
	unreleased, text, ok := strings.Cut("\n"+text, "\n## ")
	if !ok {
		return "", "", errors.New("no section of a release after section Unreleased")
	}
	if strings.TrimSpace(unreleased) != "" {
		return "", "", errors.New("section Unreleased is not empty: move its lines to the section of the release")
	}
	m := regexp.MustCompile(`^\[(\d+\.\d+\.\d+\S*)\] - \d{4}-\d\d-\d\d\n\n((?:[^#\n].*\n)+)`).FindStringSubmatch(text)
	if m == nil {
		line, _, _ := strings.Cut(text, "\n")
		return "", "", fmt.Errorf("section ## %s: want ## [1.2.3] - 2026-12-31, an empty line, and a paragraph", line)
	}
	return "v" + m[1], m[2], nil
}

// git runs git in dir and returns its output without the last line end.
func git(dir string, args ...string) (string, error) {
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w\n%s", args[0], err, &stderr)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// checksums returns a line for each file in dir, as sha256sum writes it.
func checksums(dir string, names []string) (string, error) {
	var lines strings.Builder
	for _, name := range names {
		b, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return "", err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(b), name)
	}
	return lines.String(), nil
}

// tagMessage returns the message of the tag of a version.
func tagMessage(version, summary, sums string) string {
	return fmt.Sprintf(`ndmap %[1]s

%[2]s
CHANGELOG.md describes the release. To use the module, or to install the tool:

    go get github.com/ndmap/ndmap@%[1]s
    go install github.com/ndmap/ndmap/examples/npy@%[1]s

SHA-256 of npy, built by make release with %[3]s:

%[4]s`, version, summary, runtime.Version(), sums)
}

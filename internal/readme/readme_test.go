// These tests hold README.md, and the documents in the folders, to what they say: programs
// compile, those with an output have it, what the tool prints is what it prints, and links lead
// somewhere.
package readme

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/ndmap/ndmap/internal/oracle"
)

func TestMain(m *testing.M) { oracle.Main(m) }

const root = "../.."

// documents returns the names of all documents, from the root.
func documents(t *testing.T) []string {
	t.Helper()
	names, err := Documents(root)
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// fast turns off what costs the compiler time: what these tests build runs once.
const fast = "-gcflags=-N -l -dwarf=false"

// What documents show is so: programs compile, and those with an output have it; in README.md, and with it what the
// tool prints, from top to bottom in one folder, which is empty at first.
func TestPrograms(t *testing.T) {
	if os.Getenv("NDMAP_QEMU") != "" {
		t.Skip("this program is being emulated, and cannot start what it builds")
	}
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err) // under Wine, say
	}
	// The programs are in folders of this package, as far as the go command can see.
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay := map[string]map[string]string{"Replace": {}}
	folders, files := []string{}, []string{"-l"}
	tmp, bin, dir := t.TempDir(), t.TempDir(), t.TempDir()
	output := regexp.MustCompile(`(?m)^\s*// Output: (.*)$`)
	run, shown := []string{}, 0
	var steps []func() // to be done in this order
	for _, name := range documents(t) {
		if name == "array/NUMPY.md" {
			continue // TestGuide runs it, line by line
		}
		blocks, err := Blocks(root, name)
		if err != nil {
			t.Fatal(err)
		}
		for _, block := range blocks {
			text := block.Text
			if block.Console {
				if name == "README.md" {
					shown++
					steps = append(steps, func() { checkTerminal(t, name, text, dir, bin) })
				}
				continue
			}
			folder := strings.NewReplacer("/", "-", ".", "-").Replace(block.Name)
			file := filepath.Join(tmp, folder+".go")
			if err := os.WriteFile(file, []byte(block.Program()), 0o666); err != nil {
				t.Fatal(err)
			}
			overlay["Replace"][filepath.Join(here, folder, "main.go")] = file
			folders, files = append(folders, "./"+folder), append(files, file)
			if want := output.FindStringSubmatch(text); want != nil {
				run = append(run, "./"+folder)
				steps = append(steps, func() {
					time.Sleep(25 * time.Millisecond) // of a file that was just changed Unchanged cannot tell
					cmd := exec.Command(filepath.Join(bin, folder))
					cmd.Dir = dir
					out, err := cmd.CombinedOutput()
					if got := strings.TrimSpace(string(out)); err != nil || got != want[1] {
						t.Errorf("%s: %v\n%s\nwant %s", folder, err, got, want[1])
					}
				})
			}
		}
	}
	if len(run) == 0 || shown == 0 {
		t.Fatalf("README.md has %d programs with an output, and shows %d terminals", len(run), shown)
	}
	if out, err := exec.Command("gofmt", files...).CombinedOutput(); len(out) > 0 || err != nil {
		t.Errorf("not formatted: %s (%v)", out, err)
	}
	b, err := json.Marshal(overlay)
	if err != nil {
		t.Fatal(err)
	}
	overlaid := filepath.Join(tmp, "overlay.json")
	if err := os.WriteFile(overlaid, b, 0o666); err != nil {
		t.Fatal(err)
	}
	// Those that do not run are compiled, and not linked: list -export does so.
	if out, err := exec.Command("go", append([]string{"list", "-export", fast, "-overlay", overlaid},
		folders...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	build := []string{"build", fast, "-ldflags=-s -w", "-overlay", overlaid, "-o", bin + string(filepath.Separator),
		"github.com/ndmap/ndmap/examples/npy"}
	if out, err := exec.Command("go", append(build, run...)...).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, do := range steps {
		do()
	}
}

// checkTerminal compares what a document shows of a terminal in the folder dir with what the programs in bin print.
func checkTerminal(t *testing.T, name, block, dir, bin string) {
	var got bytes.Buffer
	for _, line := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(block, -1) {
		fmt.Fprintln(&got, line[0])
		cmd := exec.Command("sh", "-c", line[1])
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &got, &got
		cmd.Env = append(os.Environ(), "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(&got, err)
		}
	}
	if got.String() != block {
		t.Errorf("%s shows\n%s\nand the tool prints\n%s", name, block, got.String())
	}
}

// Links between documents lead to files, and to headings that are there.
func TestLinks(t *testing.T) {
	for _, name := range documents(t) {
		text := regexp.MustCompile("(?ms)^```.*?^```|`[^`\n]*`").ReplaceAllString(read(t, name), "")
		for _, link := range regexp.MustCompile(`\]\(([^)\s]+)\)`).FindAllStringSubmatch(text, -1) {
			if strings.Contains(link[1], "://") {
				continue
			}
			path, anchor, _ := strings.Cut(link[1], "#")
			target := name
			if path != "" {
				target = filepath.Join(filepath.Dir(name), path)
			}
			if _, err := os.Stat(filepath.Join(root, target)); err != nil {
				t.Errorf("%s links to %s: %v", name, link[1], err)
				continue
			}
			if anchor != "" && !anchors(read(t, target))[anchor] {
				t.Errorf("%s links to %s, and there is no such heading", name, link[1])
			}
		}
	}
}

// What documents call with make in a block or in code is a target of the Makefile.
func TestMake(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^([a-z][a-z-]*):`).FindAllStringSubmatch(read(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	called := 0
	for _, name := range documents(t) {
		for _, m := range regexp.MustCompile("(?m)(?:^    |^\\$ |`)make ([a-z][a-z-]*)").FindAllStringSubmatch(read(t, name),
			-1) {
			called++
			if !targets[m[1]] {
				t.Errorf("%s says make %s, which is no target of the Makefile", name, m[1])
			}
		}
	}
	if called < 20 {
		t.Errorf("only %d calls of make in all documents: the test looks in the wrong place", called)
	}
}

// anchors returns those of the headings of a document.
func anchors(text string) map[string]bool {
	all := map[string]bool{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (.*)$`).FindAllStringSubmatch(text, -1) {
		s := regexp.MustCompile(`[^\w\s-]`).ReplaceAllString(strings.ToLower(h[1]), "")
		all[strings.ReplaceAll(strings.TrimSpace(s), " ", "-")] = true
	}
	return all
}

// README.md is what a newcomer reads.
func TestShort(t *testing.T) {
	if n := strings.Count(read(t, "README.md"), "\n"); n > 200 {
		t.Errorf("README.md has %d lines, want at most 200", n)
	}
}

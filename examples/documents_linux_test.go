package examples

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/array"
	"github.com/ndmap/ndmap/internal/readme"
)

// TestDocuments tests the programs in documents: they must be formatted, and print the output shown with them. For
// README.md it also compares terminal sessions with the output of the tool, from top to bottom, in one directory that
// contains t.npy at first.
func TestDocuments(t *testing.T) {
	tr := builtTree(t)
	names, err := readme.Documents(tr.root)
	must(t, err)
	tmp, dir := t.TempDir(), t.TempDir()
	ones := slices.Repeat([]float64{1}, 12)
	must(t, array.SaveSlice(filepath.Join(dir, "t.npy"), ones, 3, 4))
	output := regexp.MustCompile(`(?m)^\s*// Output: (.*)$`)
	files := []string{"-l"}
	ran, shown := 0, 0
	for _, name := range names {
		if name == "array/NUMPY.md" {
			continue // TestGuide in readme runs its lines one by one
		}
		blocks, err := readme.Blocks(tr.root, name)
		must(t, err)
		for _, block := range blocks {
			if block.Console {
				if name == "README.md" {
					shown++
					checkTerminal(t, tr, name, block.Text, dir)
				}
				continue
			}
			path := filepath.Join(tmp, programFile(block.Name)+".go")
			must(t, os.WriteFile(path, []byte(block.Program()), 0o666))
			files = append(files, path)
			if want := output.FindStringSubmatch(block.Text); want != nil {
				ran++
				cmd := exec.Command(filepath.Join(tr.bin, programFile(block.Name)))
				cmd.Dir = dir
				out, err := cmd.CombinedOutput()
				if got := strings.TrimSpace(string(out)); err != nil || got != want[1] {
					t.Errorf("%s: %v\n%s\nwant %s", block.Name, err, got, want[1])
				}
			}
		}
	}
	if ran == 0 || shown == 0 {
		t.Fatalf("README.md has %d programs with an output, and shows %d terminals", ran, shown)
	}
	if out, err := exec.Command("gofmt", files...).CombinedOutput(); len(out) > 0 || err != nil {
		t.Errorf("not formatted: %s (%v)", out, err)
	}
}

// checkTerminal compares a terminal session in a document with the output of the programs in the directory dir.
func checkTerminal(t *testing.T, tr tree, name, block, dir string) {
	var got bytes.Buffer
	for _, line := range regexp.MustCompile(`(?m)^\$ (.*)$`).FindAllStringSubmatch(block, -1) {
		fmt.Fprintln(&got, line[0])
		cmd := exec.Command("sh", "-c", line[1])
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &got, &got
		cmd.Env = append(os.Environ(), "PATH="+tr.bin+string(os.PathListSeparator)+os.Getenv("PATH"))
		if err := cmd.Run(); err != nil {
			fmt.Fprintln(&got, err)
		}
	}
	if got.String() != block {
		t.Errorf("%s shows\n%s\nbut the tool prints\n%s", name, block, got.String())
	}
}

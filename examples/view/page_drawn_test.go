package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ndmap/ndmap/internal/oracle"
)

// TestRandomPixels tests the pixels of random views of random arrays, in windows of random sizes, like TestPixels.
func TestRandomPixels(t *testing.T) {
	needPage(t)
	t.Parallel()
	numpy := oracle.Start(t)
	dir := t.TempDir()
	program := "import os\nos.chdir(x[0])\n"
	for _, name := range []string{"judge.py", "draw.py"} {
		b, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Fatal(err)
		}
		program += string(b)
	}
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	program += fmt.Sprintf("\nMAPS = load_maps(%q)\nout = draw(x[1], x[2], MAPS)\n", filepath.Join(testdata, "maps.txt"))
	var drawn []struct {
		Name, View, Want, Said string
		Size                   [2]int
	}
	if err := numpy.Run(program, []any{dir, oracle.Seed(t), oracle.Cases(t, 8)}, &drawn); err != nil {
		t.Fatal(err)
	}
	p := open(t, dir)
	for _, c := range drawn {
		t.Run(c.Name, func(t *testing.T) {
			p := p.forSubtest(t)
			p.Size(c.Size[0], c.Size[1], false)
			p.show(c.Name+".npy", c.View)
			got := p.judge(numpy, pixelCase{name: c.Name, want: c.Want}, dir)
			if got.Bad != 0 {
				t.Errorf("%s, %s, want %s, in a window of %v: %d of %d pixels are wrong; %s\n%s", c.Said, c.View, c.Want, c.Size,
					got.Bad, got.Of, got.Said, strings.Join(got.Examples, "\n"))
				p.keepScreenshot("drawn-" + c.Name)
			}
			for _, line := range p.Log() {
				t.Errorf("the console of the page: %s", line)
			}
		})
	}
}

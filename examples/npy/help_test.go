package main

import (
	"strings"
	"testing"
)

// exampleFiles creates the files used in examples. frames.raw has two frames after 512 other bytes.
const exampleFiles = `$ npy new -dtype <f8 -shape 31,24 -fill 20 temperature.npy
$ npy pack data.npz temperature.npy
$ npy pack model.npz temperature.npy
$ npy pack model.safetensors temperature.npy
$ npy new -dtype "[('time', '<M8[s]'), ('symbol', '|S4'), ('price', '<f8'), ('size', '<i4')]" -shape 8 trades.npy
$ npy convert trades.npy today.npy
$ npy new -dtype bfloat16 -shape 3 -fill 1.5 weights.npy
$ npy new -dtype |u1 -shape 12672 bytes.npy
$ npy convert -raw |u1 -shape 12672 bytes.npy frames.raw
`

// TestExamples runs the examples of each command's help, in order, in a directory of its own.
func TestExamples(t *testing.T) {
	for _, c := range commands {
		t.Run(c.name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			if got := session(t, exampleFiles); got != exampleFiles {
				t.Fatalf("creating the files failed:\n%s", got)
			}
			help, _, _ := runTool(c.name, "-help")
			_, examples, _ := strings.Cut(help, "\nexamples:\n")
			n := 0
			for line := range strings.Lines(examples) {
				n++
				if !strings.HasPrefix(line, "  npy "+c.name) {
					t.Errorf("%q is no example of npy %s", line, c.name)
				}
				got := session(t, "$ "+strings.TrimLeft(line, " "))
				isQuiet := !strings.Contains(line, "-dtype auto") // which prints the dtype that it chooses
				if isQuiet && strings.Contains(got, "\n! ") || strings.Contains(got, "\n= ") {
					t.Error(got)
				}
			}
			if n < 2 && c.name != "version" {
				t.Errorf("%d examples, want at least 2", n)
			}
		})
	}
}

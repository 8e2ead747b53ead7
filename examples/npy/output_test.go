package main

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
)

// startReader returns the end of a pipe to write to, and a function that closes it and returns the bytes that were
// written.
func startReader(t *testing.T) (w *os.File, written func() []byte) {
	t.Helper()
	r, w, err := os.Pipe()
	check(t, err)
	done := make(chan []byte, 1)
	go func() {
		b, _ := io.ReadAll(r)
		r.Close()
		done <- b
	}()
	return w, func() []byte {
		check(t, w.Close())
		return <-done
	}
}

// TestPipes tests that a pipe as standard output gets the same bytes as a file.
func TestPipes(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, args := range []string{
		"new -dtype <i4 -shape 300,1000 -fill 7 a.npy",
		"new -dtype >f8 -shape 70,50,80 -order F -fill 1.5 f.npy",
		"new -dtype <c16 -shape 3 -fill 1-2j c.npy",
		"new -dtype M8[s] -shape 5 -fill 2024-01-02 t.npy",
		"new -dtype [('x','<f4'),('t','>M8[ms]'),('s','S3')] -shape 1000,7 r.npy",
		"new -dtype U3 -shape () -fill abc u.npy",
		"new -dtype f4 -shape 3,0 none.npy",
		"convert -force -select ::-1,1 a.npy row.npy",
	} {
		if _, stderr, status := runTool(strings.Fields(args)...); status != 0 {
			t.Fatal(args, stderr)
		}
	}
	for _, args := range []string{
		"convert a.npy OUT",
		"convert -force -nosync a.npy OUT",
		"convert -dtype >u2 a.npy OUT",
		"convert -order F a.npy OUT",
		"convert -select ::-1,::3 a.npy OUT",
		"convert -select None,5 a.npy OUT",
		"convert f.npy OUT",
		"convert -order C f.npy OUT",
		"convert -dtype f2 f.npy OUT",
		"convert -select :,3 f.npy OUT",
		"convert c.npy OUT",
		"convert t.npy OUT",
		"convert r.npy OUT",
		"convert -aligned r.npy OUT",
		"convert -field t r.npy OUT",
		"convert -dtype U5 u.npy OUT",
		"convert none.npy OUT",
		"reduce -op mean -axis 1 f.npy OUT",
		"reduce -op sum a.npy OUT",
		"reduce -op moments -axis 0 a.npy OUT",
		"concat OUT a.npy a.npy",
		"concat -axis 1 OUT a.npy a.npy",
		"concat OUT f.npy f.npy",
		"concat -axis -1 OUT f.npy f.npy",
		"concat OUT row.npy row.npy",
		"new -dtype >i2 -shape 1000,1000 OUT",
		"new -dtype f8 -shape 1000,70 -order F -fill nan OUT",
		"new -dtype [('x','<f4'),('s','U3')] -shape 3 -sparse OUT",
		"new -dtype f4 -shape () OUT",
	} {
		t.Run(args, func(t *testing.T) {
			if _, stderr, status := runTool(strings.Fields(strings.ReplaceAll(args, "OUT", "file.npy"))...); status != 0 {
				t.Fatal(stderr)
			}
			want, err := os.ReadFile("file.npy")
			check(t, err)
			check(t, os.Remove("file.npy"))
			w, written := startReader(t)
			var stderr strings.Builder
			status := run(strings.Fields(strings.ReplaceAll(args, "OUT", "-")), nil, w, &stderr)
			if got := written(); !bytes.Equal(got, want) || status != 0 || stderr.Len() > 0 {
				t.Errorf("%d bytes, exit status %d, %s; want %d bytes:\n%.80q\n%.80q", len(got), status, &stderr, len(want), got,
					want)
			}
		})
	}
}

// TestClosedPipe tests that a command whose output is a pipe without a reader ends without a message.
func TestClosedPipe(t *testing.T) {
	t.Chdir(t.TempDir())
	runTool("new", "-dtype", "f8", "-shape", "1000,100", "-fill", "3", "a.npy")
	for _, args := range []string{"convert a.npy -", "convert -dtype f4 a.npy -", "reduce -op sum -axis 1 a.npy -",
		"concat - a.npy a.npy", "new -dtype u1 -shape 1000000 -", "print -json a.npy", "print a.npy"} {
		r, w, err := os.Pipe()
		check(t, err)
		check(t, r.Close())
		var stderr strings.Builder
		status := run(strings.Fields(args), nil, w, &stderr)
		check(t, w.Close())
		if status != closedPipeStatus || stderr.Len() > 0 {
			t.Errorf("npy %s: exit status %d, %q; want %d and no message", args, status, &stderr, closedPipeStatus)
		}
	}
}

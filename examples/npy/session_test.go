package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/ndmap/ndmap/dtype"
	"github.com/ndmap/ndmap/internal/wine"
)

var update = flag.Bool("update", false, "write what the tool does to testdata/*.txt, to be read before it is believed")

// TestSessions runs the commands in testdata/*.txt, each file in a folder of its own, and compares all that they print:
//
//	$ npy command         as in a shell, with quotes, and < FILE... at the end
//	$ npy ... | npy ...   a pipe; the exit status is that of the last command
//	its output
//	! its output to standard error
//	= exit status         if it is not 0
//	$ file NAME "text"    makes a file, and its folder, with Go's escapes
//	$ edit NAME at text   writes over bytes of a file
//	$ cut NAME size       truncates a file
//	# a comment
func TestSessions(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txt"), func(t *testing.T) {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			abs, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			t.Chdir(t.TempDir())
			t.Setenv("LC_ALL", "C.UTF-8") // for plot
			t.Setenv("TERM", "xterm")
			got := session(t, string(b))
			if *update {
				if err := os.WriteFile(abs, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(strings.Split(littleEndian(string(b)), "\n"), strings.Split(littleEndian(got),
				"\n")); diff != "" {
				t.Errorf("want -, got +\n%s", diff)
			}
		})
	}
}

// nativeDTypes matches dtypes with a byte order.
var nativeDTypes = regexp.MustCompile(`[<>](([iufc]|[mM]8|U)[0-9]+|[mM]8)\b`)

// littleEndian returns text as it is on a little-endian machine; on others the dtypes of all files, which most commands
// make in native byte order, become little-endian.
func littleEndian(text string) string {
	if dtype.Native == dtype.LittleEndian {
		return text
	}
	return strings.ReplaceAll(nativeDTypes.ReplaceAllString(text, "<$1"), "big-endian", "little-endian")
}

// session runs the lines of text and returns text with the actual output.
func session(t *testing.T, text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		command, ok := strings.CutPrefix(line, "$ ")
		if !ok {
			// Keep comments, and empty lines before comments.
			if strings.HasPrefix(line, "#") || line == "" && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "#") {
				fmt.Fprintln(&b, line)
			}
			continue
		}
		fmt.Fprintln(&b, line)
		args := split(t, command)
		switch args[0] {
		case "npy":
			var stdin []byte
			for i, arg := range args {
				if arg == "<" {
					for _, name := range args[i+1:] {
						b, err := os.ReadFile(name)
						check(t, err)
						stdin = append(stdin, b...)
					}
					args = args[:i]
					break
				}
			}
			stdout, stderr, status := runPipe(t, stdin, args)
			b.WriteString(stdout)
			for line := range strings.Lines(wine.Unix(stderr)) {
				b.WriteString("! " + line)
			}
			if status != 0 {
				fmt.Fprintln(&b, "=", status)
			}
		case "file":
			check(t, os.MkdirAll(filepath.Dir(args[1]), 0o777))
			check(t, os.WriteFile(args[1], []byte(args[2]), 0o666))
		case "edit":
			at, err := strconv.ParseInt(args[2], 10, 64)
			check(t, err)
			f, err := os.OpenFile(args[1], os.O_WRONLY, 0)
			check(t, err)
			_, err = f.WriteAt([]byte(args[3]), at)
			check(t, err)
			check(t, f.Close())
		case "cut":
			size, err := strconv.ParseInt(args[2], 10, 64)
			check(t, err)
			check(t, os.Truncate(args[1], size))
		default:
			t.Fatalf("%q: no such command", line)
		}
	}
	return b.String()
}

// runPipe runs the commands between the words | of a command line; | before another word than npy is an argument.
// Each reads the output of the command before it. It returns the output and the exit status of the last command, and
// all that the commands print to standard error.
func runPipe(t *testing.T, stdin []byte, words []string) (stdout, stderr string, status int) {
	for len(words) > 0 {
		n := 1
		for n < len(words) && !slices.Equal(words[n:min(n+2, len(words))], []string{"|", "npy"}) {
			n++
		}
		if words[0] != "npy" {
			t.Fatalf("%q: want npy", words)
		}
		var text string
		stdout, text, status = runToolWithInput(bytes.NewReader(stdin), words[1:n]...)
		stdin, stderr, words = []byte(stdout), stderr+text, words[min(n+1, len(words)):]
	}
	return stdout, stderr, status
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// split splits a command line into words. Double quotes may contain Go's escapes.
func split(t *testing.T, s string) (words []string) {
	for s = strings.TrimLeft(s, " "); s != ""; s = strings.TrimLeft(s, " ") {
		switch s[0] {
		case '\'':
			word, rest, ok := strings.Cut(s[1:], "'")
			if !ok {
				t.Fatalf("%q: no closing quote", s)
			}
			words, s = append(words, word), rest
		case '"':
			quoted, err := strconv.QuotedPrefix(s)
			check(t, err)
			word, err := strconv.Unquote(quoted)
			check(t, err)
			words, s = append(words, word), s[len(quoted):]
		default:
			word, rest, _ := strings.Cut(s, " ")
			words, s = append(words, word), rest
		}
	}
	return words
}

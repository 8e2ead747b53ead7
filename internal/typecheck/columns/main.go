// Command columns lists the lines of Go files in this repository that have more than 120 columns. A tab counts as one
// column. Lines that cannot be broken may be longer: those with a long string, or with a comment after code.
//
//	go run ./internal/typecheck/columns [-w] [FOLDER...]
//
// With -w it breaks the lines: code after a comma or an operator, and comments between words. It formats the files like
// gofmt.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"go/scanner"
	"go/token"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"unicode/utf8"
)

const limit = 120

func main() {
	write := flag.Bool("w", false, "break the lines")
	flag.Parse()
	out, err := exec.Command("git", append([]string{"ls-files", "-z", "--"}, patterns(flag.Args())...)...).Output()
	if err != nil {
		fmt.Fprintln(os.Stderr, "columns: git ls-files:", err)
		os.Exit(1)
	}
	found := false
	for path := range strings.SplitSeq(strings.TrimRight(string(out), "\x00"), "\x00") {
		src, err := os.ReadFile(path)
		if os.IsNotExist(err) { // removed, but still in the index
			continue
		}
		if err == nil && *write {
			err = rewrite(path, src)
			src, _ = os.ReadFile(path)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "columns:", err)
			os.Exit(1)
		}
		for _, n := range longLines(src) {
			fmt.Printf("%s:%d: more than %d columns; go run ./internal/typecheck/columns -w\n", path, n+1, limit)
			found = true
		}
	}
	if found {
		os.Exit(1)
	}
}

// patterns returns the arguments of git ls-files for the Go files below the given folders, or below all folders.
func patterns(folders []string) (p []string) {
	for _, f := range folders {
		p = append(p, f+"/*.go")
	}
	if p == nil {
		p = []string{"*.go"}
	}
	return p
}

// rewrite breaks the long lines of the file, repeatedly, until nothing changes.
func rewrite(path string, src []byte) error {
	for range 20 {
		next, err := format.Source(breakLines(src))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if bytes.Equal(next, src) {
			return nil
		}
		if err := os.WriteFile(path, next, 0o666); err != nil {
			return err
		}
		src = next
	}
	return nil
}

// longLines returns the numbers, from 0, of the lines that breakLines would break.
func longLines(src []byte) (numbers []int) {
	lines := bytes.Split(src, []byte("\n"))
	code, isOutput := lineBreaks(src), false
	for n, line := range lines {
		text := bytes.TrimSpace(line)
		isOutput = bytes.HasPrefix(text, []byte("//")) && (isOutput || output.Match(text)) // the output of an example
		if !isOutput && utf8.RuneCount(line) > limit && (code[n] > 0 || isParagraph(line)) {
			numbers = append(numbers, n)
		}
	}
	return numbers
}

// lineBreaks returns, by line number, the offset at which to break a line of code: after the last comma, && or ||
// within
// the
// limit.
func lineBreaks(src []byte) map[int]int {
	files := token.NewFileSet()
	file := files.AddFile("", files.Base(), len(src))
	var s scanner.Scanner
	s.Init(file, src, nil, scanner.ScanComments)
	at := map[int]int{}
	lines := bytes.Split(src, []byte("\n"))
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return at
		case token.COMMA, token.LAND, token.LOR:
			p := file.Position(pos)
			end := p.Column - 1 + len(tok.String())
			line := lines[p.Line-1]
			rest := bytes.TrimSpace(line[end:])
			if len(rest) > 0 && !bytes.HasPrefix(rest, []byte("//")) && utf8.RuneCount(line[:end]) <= limit {
				at[p.Line-1] = end
			}
		}
	}
}

// paragraph matches lines of comments that can be filled again: not lists, code or directives.
var paragraph = regexp.MustCompile(`^\s*// [^ \t]`)

// output matches the first line of the output of an example.
var output = regexp.MustCompile("^// (Unordered output|Output):")

func isParagraph(line []byte) bool {
	return paragraph.Match(line) && bytes.Count(bytes.TrimSpace(line), []byte(" ")) > 1
}

// breakLines breaks each long line of code once, and fills the paragraphs of comments that have a long line.
func breakLines(src []byte) []byte {
	lines := bytes.Split(src, []byte("\n"))
	code, isLong := lineBreaks(src), map[int]bool{}
	for _, n := range longLines(src) {
		isLong[n] = true
	}
	var out [][]byte
	for n := 0; n < len(lines); n++ {
		line := lines[n]
		switch {
		case isLong[n] && code[n] > 0:
			out = append(out, line[:code[n]], bytes.TrimLeft(line[code[n]:], " "))
		case isLong[n]:
			last := n
			for last+1 < len(lines) && isParagraph(lines[last+1]) && indent(lines[last+1]) == indent(line) {
				last++
			}
			out = append(out, fillComment(lines[n:last+1])...)
			n = last
		default:
			out = append(out, line)
		}
	}
	return bytes.Join(out, []byte("\n"))
}

func indent(line []byte) string { return string(line[:bytes.Index(line, []byte("//"))]) }

// fillComment distributes the words of a comment over lines within the limit.
func fillComment(lines [][]byte) (out [][]byte) {
	prefix := indent(lines[0]) + "//"
	line := prefix
	for _, l := range lines {
		for word := range strings.FieldsSeq(strings.TrimPrefix(strings.TrimSpace(string(l)), "//")) {
			if line != prefix && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > limit-2 {
				out, line = append(out, []byte(line)), prefix
			}
			line += " " + word
		}
	}
	return append(out, []byte(line))
}

// Package readme returns the programs in the documents of this module. Its tests check the documents. The tests of
// package examples run the programs.
package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Documents returns the paths of all documents of the module at root, relative to root.
func Documents(root string) (names []string, err error) {
	for _, pattern := range []string{"*.md", "*/*.md", "*/*/*.md"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			name, err := filepath.Rel(root, path)
			if err != nil {
				return nil, err
			}
			names = append(names, filepath.ToSlash(name))
		}
	}
	return names, nil
}

// A Block is a code block of a document: a Go program, or a terminal session.
type Block struct {
	Name    string // README.md-2 is the second program of README.md, and README.md-console-1 its first terminal session
	Console bool   // whether it is a terminal session
	Text    string // the text, as in the document
}

// Blocks returns the Go programs and terminal sessions of a document, in the order of the document.
func Blocks(root, document string) (blocks []Block, err error) {
	text, err := os.ReadFile(filepath.Join(root, document))
	count := map[string]int{}
	for _, block := range regexp.MustCompile("(?ms)^```(go|console)\n(.*?)^```").FindAllStringSubmatch(string(text), -1) {
		kind := strings.TrimSuffix("-"+block[1], "-go")
		count[kind]++
		blocks = append(blocks, Block{fmt.Sprintf("%s%s-%d", document, kind, count[kind]), kind != "", block[2]})
	}
	return blocks, err
}

// Program returns the complete program of a block. If the block does not begin with a package clause, Program makes it
// the body of a function that returns an error.
func (b Block) Program() string {
	if strings.HasPrefix(b.Text, "package") {
		return b.Text
	}
	head := `package main

import (
	"fmt"
	"log"
`
	for _, name := range []string{"array", "dtype", "index", "mmap"} {
		if strings.Contains(b.Text, name+".") {
			head += fmt.Sprintf("\n\t%q", "github.com/ndmap/ndmap/"+name)
		}
	}
	return head + `
)

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	` + strings.TrimSuffix(strings.ReplaceAll(b.Text, "\n", "\n\t"), "\t") + `}
`
}

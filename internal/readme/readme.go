// Package readme finds the programs in the documents, for tests: those of this package, which hold the documents to
// what they say, and examples, which runs the programs while their files are cut, their disk is full, and signals
// come.
package readme

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// Documents returns the names of all documents of the module at root, from there.
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

// A Block is a program, or what a terminal shows.
type Block struct {
	Name    string // README.md-2, say: the second program of README.md; of terminals the first is README.md-console-1
	Console bool
	Text    string // as it stands in the document
}

// Blocks returns the blocks of a document, in their order.
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

// Program returns the complete program of a block. A block that does not begin with a package clause is the body of a
// function that returns an error.
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
